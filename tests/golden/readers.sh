#!/bin/bash
# The exports, read by those they are for, say what the JSON says: sums, names, and nothing that was in a name acts.
# go (hundreds of megabytes) and speedscope with a browser (tests/golden/speedscope.sh) are asked
# where they are installed.
. "$(dirname "$0")/lib.sh"
proto=$PWD/reports/format
native=drop/no-touch@native
skb=drop/no-touch@skb

# A run without a single block is one too.
"$render" make "$tmp/none" sound && jq '.blocks = []' "$tmp/none/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/none/" || exit 1
for kind in sound evil none; do
	[ -d "$tmp/$kind" ] || "$render" make "$tmp/$kind" $kind || exit 1
	for format in json csv folded pprof markdown; do
		"$render" report "$tmp/$kind" $format >"$tmp/$kind.$format" || exit 1
	done
	"$render" diff "$tmp/$kind" $native $skb json >"$tmp/$kind-diff.json"
	"$render" diff "$tmp/$kind" $native $skb csv >"$tmp/$kind-diff.csv"
	"$render" diff "$tmp/$kind" $native $skb folded >"$tmp/$kind-diff.folded"
done

for kind in sound evil; do
	# CSV: rows of one length, no field a spreadsheet would run, and the symbols add up to the base of each variant.
	python3 - "$tmp/$kind.csv" "$tmp/$kind-diff.csv" >"$tmp/why" 2>&1 <<-'END'
	import csv, sys
	for path in sys.argv[1:]:
	    rows = list(csv.reader(open(path, encoding="utf-8", errors="surrogateescape", newline=""), strict=True))
	    assert len(rows) > 4 and all(len(r) == len(rows[0]) for r in rows), path
	    for field in (f for r in rows for f in r):
	        if field[:1] in "=+-@\t\r" and field:
	            float(field)
	        assert "\x1b" not in field
	rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="")))
	bases = {r["variant"]: float(r["self_ns"]) for r in rows if r["row"] == "base"}
	assert bases
	for variant, base in bases.items():
	    for kinds in (("symbol", "unattributed"), ("component", "unattributed")):
	        total = sum(float(r["self_ns"]) for r in rows if r["variant"] == variant and r["row"] in kinds)
	        assert abs(total - base) < 1e-6, (variant, kinds, total, base)
	END
	result $? "$kind: CSV by Python's strict reader adds up"

	# Folded: frames, a blank, a count; per variant the counts are the base in ps.
	jq -r '.variants[] | select(.base_ns) | "\(.id) \(.base_ns * 1000 | round)"' "$tmp/$kind.json" >"$tmp/want"
	LC_ALL=C grep -avE '^[^ ]+ [0-9]+$' "$tmp/$kind.folded" >"$tmp/why"
	LC_ALL=C awk '{ split($1, frame, ";"); sum[frame[1]] += $2; if (!(frame[1] in at)) order[++n] = frame[1]; at[frame[1]] }
		END { for (i = 1; i <= n; i++) print order[i], sum[order[i]] }' "$tmp/$kind.folded" >"$tmp/got"
	[ ! -s "$tmp/why" ] && diff "$tmp/want" "$tmp/got" >"$tmp/why"
	result $? "$kind: folded counts are the bases in ps"

	LC_ALL=C awk 'NF != 3 || $2 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+$/ { exit 1 } { a += $2; b += $3 } END { print a, b }' \
		"$tmp/$kind-diff.folded" >"$tmp/got"
	jq -r '"\(.base_ns * 1000 | round) \(.new_ns * 1000 | round)"' "$tmp/$kind-diff.json" | diff - "$tmp/got" >"$tmp/why"
	result $? "$kind: differential folded has both bases"

	# Markdown: outside of code spans nothing of a name is markup, and rows have as many cells as their heading.
	sed -E 's/(`+)([^`]|[^`].*[^`])\1//g' "$tmp/$kind.markdown" | LC_ALL=C grep -anE '(^|[^\\])<|'$'\033' >"$tmp/why"
	[ ! -s "$tmp/why" ] && LC_ALL=C awk '/^\|/ { s = $0; gsub(/\\\|/, "", s); cells = gsub(/\|/, "", s); if (!last) last = cells
		if (cells != last) { print; bad = 1 } next } { last = 0 } END { exit bad }' "$tmp/$kind.markdown" >"$tmp/why"
	result $? "$kind: Markdown's tables hold together"

	# pprof: by protoc, whole; costs add up to the bases.
	if command -v protoc >/dev/null; then
		gzip -dc "$tmp/$kind.pprof" | protoc --decode=pprof.Profile --proto_path="$proto" pprof.proto >"$tmp/decoded" 2>"$tmp/why"
		[ ! -s "$tmp/why" ] && awk '/^sample \{/ { value = 0 } /^  value:/ { if (++value == 2) sum += $2 } END { print sum }' "$tmp/decoded" >"$tmp/got"
		jq '[.variants[].base_ns] | add * 1000 | round' "$tmp/$kind.json" >"$tmp/want"
		# one rounding per variant
		[ ! -s "$tmp/why" ] && [ $(($(cat "$tmp/got") - $(cat "$tmp/want"))) -le 2 ] && [ $(($(cat "$tmp/want") - $(cat "$tmp/got"))) -le 2 ]
		result $? "$kind: pprof by protoc"
	else skip "$kind: pprof by protoc" "no protoc here"; fi
	if command -v go >/dev/null; then
		PPROF_TMPDIR=$tmp HOME=$tmp go tool pprof -raw "$tmp/$kind.pprof" >"$tmp/raw" 2>"$tmp/why" &&
			awk '/^Locations/ { exit } /^ +[0-9]+ +[0-9]+:/ { sub(":", "", $2); sum += $2 } END { print sum }' "$tmp/raw" | diff "$tmp/got" - >"$tmp/why"
		result $? "$kind: pprof by go tool pprof"
	else skip "$kind: pprof by go tool pprof" "no go here"; fi
done

# Nothing measured: still what its reader takes, and no number out of nothing.
[ ! -s "$tmp/none.folded" ] && gzip -t "$tmp/none.pprof" &&
	! (cd "$tmp" && grep -iE "(^|[^a-z])nan" none.json none.csv none.markdown) >"$tmp/why" 2>&1
result $? "a run without blocks"

# -diff_base of two files is the difference of two packets.
if command -v go >/dev/null; then
	"$render" report "$tmp/sound" pprof $native >"$tmp/native.pprof" && "$render" report "$tmp/sound" pprof $skb >"$tmp/skb.pprof"
	HOME=$tmp PPROF_TMPDIR=$tmp go tool pprof -top -nodefraction=0 -diff_base "$tmp/native.pprof" "$tmp/skb.pprof" 2>"$tmp/why" |
		sed -n 's/^ *\(-\{0,1\}[0-9]*\)picoseconds .*picoseconds *[-0-9.]*%  */\1 /p' | sort -k2 >"$tmp/got"
	jq -r '[.symbols[] | select(.delta_ns != 0)] | group_by(.name)[] | "\(map(.delta_ns) | add * 1000 | round) \(.[0].name)"' "$tmp/sound-diff.json" |
		sed -E 's/bpf_prog_[0-9a-f]{16}_/bpf_prog_/; s/\.(constprop|part)\.[0-9]+$//' >"$tmp/want"
	# pprof's rows go by name, to a rounding per call path
	awk 'NR == FNR { want[$2] = $1; next } $2 in want { d = $1 - want[$2]; if (d * d > 25) { print "wanted " want[$2], $0; bad = 1 } seen++ }
		END { if (seen < 5) { print seen " symbols alike"; bad = 1 } exit bad }' "$tmp/want" "$tmp/got" >>"$tmp/why"
	result $? "go tool pprof -diff_base gives the differences"
else skip "go tool pprof -diff_base" "no go here"; fi
