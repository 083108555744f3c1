#!/bin/sh
# xdpzoom report of a sweep: the points of a directory as text, CSV, to the byte; and what is no sweep.
. "$(dirname "$0")/lib.sh"
need "$X"

refused() { # STATUS PATTERN COMMAND...: one sentence with PATTERN
	status=$1 pattern=$2
	shift 2
	"$@" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq "$status" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err" || { cat "$tmp/err"; false; }
}
mkdir "$tmp/one" "$tmp/two" "$tmp/mixed" "$tmp/batches"
"$render" make "$tmp/one/size=64" sound && "$render" make "$tmp/one/size=1500" poor || exit 1
for rate in 100000 2000000; do
	ln -s ../one/size=64 "$tmp/two/rate=$rate,size=64"
	ln -s ../one/size=64 "$tmp/two/rate=$rate,size=256"
	ln -s ../one/size=1500 "$tmp/two/rate=$rate,size=1500"
done
for point in 8,inject=0=64 8,inject=50=1500 16,inject=0=1500 64,inject=50=64; do # one combination is missing
	ln -s "../one/size=${point##*=}" "$tmp/batches/batch=${point%=*}"
done
golden tests/golden/sweep/one.txt "$X" report "$tmp/one"
golden tests/golden/sweep/two.txt "$X" report "$tmp/two"
golden tests/golden/sweep/batches.txt "$X" report "$tmp/batches"
# Busy time of 1 + 1.6 polls a packet, over 1.2: a base of 80 ns becomes 66.7 and 106.7 ns a poll, 68.3 in polls of 64.
for point in 1000:8 10000:16 100000:64; do
	to=$tmp/rates/rate=${point%:*}
	mkdir -p "$tmp/rates" && cp -r "$tmp/one/size=64" "$to" && jq --argjson n "${point#*:}" '.blocks[].windows[] |= (.busy_ns = (.busy_ns * (1 + 1.6 / $n) / 1.2 | floor) |
		.polls = {polls: 1000, packets: (1000 * $n), empty: 0, hist: [range(66) | if . == $n then 1000 else 0 end]})' "$tmp/one/size=64/run.json" >"$to/run.json" || exit 1
done
golden tests/golden/sweep/rates.txt "$X" report "$tmp/rates"
golden tests/golden/sweep/two.csv "$X" report "$tmp/two" --format csv
same() { "$X" report "$tmp/one" -o "$tmp/table" && cmp "$tmp/table" tests/golden/sweep/one.txt; }
ok "into a file" same
alike() { # the numbers are those of report
	[ "$("$X" report "$tmp/one" -f json | jq -c '.points[] | select(.size == 64) | [.variant, .base_ns]')" = \
		"$("$X" report "$tmp/one/size=64" -f json | jq -c '.variants[] | [.id, .base_ns]')" ]
}
ok "the bases are those of report" alike
ok "nothing" refused 1 "there is no run" "$X" report "$tmp/nothing"
ln -s ../one/size=64 "$tmp/mixed/size=64"
ln -s ../one/size=64 "$tmp/mixed/flows=1"
ok "two sweeps in one directory" refused 1 "different parameters" "$X" report "$tmp/mixed"
ok "a format that is none" refused 2 "cannot hold a sweep; there is text, json, csv, markdown, html, svg, gnuplot" "$X" report "$tmp/one" -f ktap
# Runs whose names are not quite those of points, and what looks like a point and is no run
cp -r "$tmp/one" "$tmp/near"
for point in size=-5 size=64.0 size=1e999 size=; do ln -s ../one/size=64 "$tmp/near/$point"; done
ln -s ../one/size=64 "$tmp/near/size=256.tmp-1"
ln -s ../one/size=64 "$tmp/near/notes"
mkdir "$tmp/near/size=x"
left_out() { # COMMAND...: what is left out is said in one sentence
	"$@" >"$tmp/got" 2>"$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ "$(sed 's/.*left out: //; s/;.*//' "$tmp/err" | tr -d ' ' | tr , '\n' | LC_ALL=C sort | tr '\n' ' ')" = "size= size=-5 size=1e999 size=64.0 " ] ||
		{ cat "$tmp/err"; false; }
}
ok "points with other names are left out, and named" left_out "$X" report "$tmp/near"
ok "the others are all there" cmp "$tmp/got" tests/golden/sweep/one.txt
