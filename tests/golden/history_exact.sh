#!/bin/sh
# Exact runs in a history: what goes in comes out, and check fails on 0.001 instruction per packet in a function without
# state. A function with state may differ by its spread.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/exact
run=build/runs/counted
db=$tmp/h.db

sql() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(*[r[0] for r in c.execute(sys.argv[2])]); c.commit()' "$@"; }
history() { "$X" history "$@"; }
copy() { # NAME TIME: the same counts, as another run
	cp -r $run "$tmp/$1" && sed -i "s/\"time\": \"[^\"]*\"/\"time\": \"$2\"/" "$tmp/$1/run.json"
}
exits() { # STATUS COMMAND...: its standard error goes to the output
	status=$1
	shift
	"$@" >"$tmp/got" 2>&1
	got=$?
	[ $got -eq "$status" ] || { cat "$tmp/got"; echo "exit status $got"; false; }
}
refused() { # STATUS PATTERN COMMAND...: one sentence with PATTERN
	status=$1 pattern=$2
	shift 2
	exits "$status" "$@" && [ "$(wc -l <"$tmp/got")" -eq 1 ] && grep -q -- "$pattern" "$tmp/got" || { cat "$tmp/got"; false; }
}

ok "an exact run is added" exits 0 history add --db "$db" $run --name before
ok "and has number 1" test "$(cat "$tmp/got")" = 1
ok "not twice" refused 1 "already, as exact run 1" history add --db "$db" $run
copy same 2026-11-23T00:00:00Z
ok "the same counts of another time are another run" exits 0 history add --db "$db" "$tmp/same" --name same
copy other 2026-11-23T02:00:00Z
ok "a name is taken once" refused 1 'is called "same" already' history add --db "$db" "$tmp/other" --name same
golden $here/history-list.txt history list --db "$db"

# Instructions more for each packet, in the counts themselves.
more() { # NAME N
	for f in "$tmp/$1"/blocks/*.paths; do
		awk -v n="$2" '$1 == "path" && $5 == "veth_xdp_rcv_one" && NR == FNR { more += n * $3 }
			NR != FNR && $1 == "path" && $5 == "veth_xdp_rcv_one" { $4 += n * $3 }
			NR != FNR && $1 == "cpu" && $4 { $4 += more; more = 0 }
			NR != FNR' "$f" "$f" >"$tmp/paths" && cp "$tmp/paths" "$f"
	done
}
copy more 2026-11-23T01:00:00Z
more more 1
history add --db "$db" "$tmp/more" --name more >/dev/null
ok "the same: exit status 0" exits 0 history check --db "$db" same --against before
ok "an instruction more: exit status 3" exits 3 history check --db "$db" more --against before
copy_of_output() { history check --db "$db" more --against before; [ $? -eq 3 ]; }
golden $here/history-check.txt copy_of_output
ok "JSON names the function and nothing else" test "$(history check --db "$db" more --against before -f json |
	jq -c '[.variants[] | [.verdict, [.functions[] | [.name, .change, .bound, .exact]]]]')" = \
	'[["MORE",[["veth_xdp_rcv_one",1,0,true]]],["MORE",[["veth_xdp_rcv_one",1,0,true]]]]'
ok "... two blanks deep" test "$(history check --db "$db" more --against before -f json | sed -n 2p)" = '  "schema": "xdpzoom.exact-check/2",'
ok "of a number the half is kept, and of no other" test "$(sql "$db" "SELECT DISTINCT what FROM numbers WHERE kind = 'exact' AND half IS NOT NULL")" = instructions
ok "components add up to the instructions of their variant in SQL, too, and so do functions" test "$(sql "$db" "
	SELECT count(*) || ' ' || sum(abs(whole - components) > 1e-6 * whole) || ' ' || sum(abs(whole - functions) > 1e-6 * whole) FROM (
	SELECT sum(value) FILTER (WHERE what = 'instructions') AS whole, sum(value) FILTER (WHERE what LIKE 'component %') AS components,
	sum(value) FILTER (WHERE what LIKE 'symbol %') AS functions FROM numbers WHERE kind = 'exact' GROUP BY run, variant)")" = "6 0 0"
ok "... and no placement is known" test "$(sql "$db" "SELECT DISTINCT coalesce(like_ns, kernel_version, machine, 'none') FROM entry WHERE kind = 'exact'")" = none
copy one 2026-11-23T03:00:00Z && jq 'del(.variants[1])' $run/run.json | jq '.time = "2026-11-23T03:00:00Z"' >"$tmp/one/run.json"
history add --db "$db" "$tmp/one" --name one >/dev/null
ok "a variant that the run before lacks has no change" test "$(history check --db "$db" before --against one -f json |
	jq -c '[.variants[] | [.verdict, .base_instructions, .change]]')" = '[["same",331.238712,0],["new",null,null]]'
ktap() { history check --db "$db" "$1" --against "$2" -f ktap | grep -v '^#'; }
ok "KTAP: both variants fail" test "$(ktap more before)" = "TAP version 13
1..2
not ok 1 drop/no-touch@native no-more-instructions
not ok 2 drop/no-touch@skb no-more-instructions"
ok "... and pass" test "$(ktap before more | grep -c '^ok')" = 2
changes() { "$X" history list --db "$tmp/changes.db" -f json | jq -c '[.changes[] | [.kind, .run, .id, (.after_instructions - .before_instructions | round), .runs_before, .runs_after]]'; }
words() { grep -c "3[0-9][0-9]\.[0-9]* * 3[0-9][0-9]\.[0-9]* *+8.8 *3 *3 *drop/no-touch@native *exact/4 *veth$"; }
for more in 0 1 2 30 31 30; do
	copy "step$((step += 1))" "2026-11-24T0$step:00:00Z" && more "step$step" $more && history add --db "$tmp/changes.db" "$tmp/step$step" >"$tmp/got"
done
ok "the run at which a variant changed its level, beyond its deviation" test "$(changes)" = \
	'[["exact",4,"drop/no-touch@native",29,3,3],["exact",4,"drop/no-touch@skb",29,3,3]]'
ok "... in words, in the list and behind a check" test "$(history list --db "$tmp/changes.db" | words) $(history check --db "$tmp/changes.db" 6 --against 4 | words)" = "1 1"
ok "an instruction less: exit status 0" exits 0 history check --db "$db" before --against more

ok "no run but those" refused 1 'no exact run "9"' history check --db "$db" exact/9 --against before
ok "a run and itself" refused 1 "cannot be compared with itself" history check --db "$db" before --against 1
ok "no threshold" refused 2 "threshold is for measured runs; counts of exact runs" history check --db "$db" 2 --against 1 --threshold 1
ok "of a number that both kinds have, the measured run is meant" sh -c "'$X' history add --db '$tmp/m.db' build/runs/run1 --name one && '$X' history add --db '$tmp/m.db' build/runs/run2 && '$X' history add --db '$tmp/m.db' $run && '$X' history add --db '$tmp/m.db' '$tmp/same' --name same; '$X' history check --db '$tmp/m.db' 2 --against 1 | grep -q 'ref ns'"
ok "... exact/2 is the exact one, and so is the last one" sh -c "for r in exact/2 ' ' same; do '$X' history check --db '$tmp/m.db' \$r --against 1 | grep -q ' ref .* verdict' || exit 1; done"
ok "... and kinds are not mixed" refused 1 'has no exact run "one", but a measured run' history check --db "$tmp/m.db" same --against one
ok "what is of neither kind" refused 1 'no run "none"; history list' history check --db "$db" none --against none
ok "... nor an exact one" refused 1 'no exact run "none"; history list' history check --db "$db" exact/none --against same
sql "$db" "DELETE FROM file WHERE run = 2 AND kind = 'exact' AND name = 'blocks/1.paths'" >/dev/null
ok "a damaged run is told" refused 1 "exact run 2 has" history check --db "$db" same --against before
