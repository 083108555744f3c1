#!/bin/sh
# Exact runs in a history: what goes in comes out, and check --exact fails on 0.001 instruction per packet in a function without
# state. A function with state may differ by its spread.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/exact
run=$here/run
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

golden_plan 39
ok "an exact run is added" exits 0 history "$db" add $run --name before
ok "and has number 1" test "$(cat "$tmp/got")" = 1
ok "not twice" refused 1 "already, as exact run 1" history "$db" add $run
copy same 2026-11-23T00:00:00Z
ok "the same counts of another time are another run" exits 0 history "$db" add "$tmp/same" --name same
copy other 2026-11-23T02:00:00Z
ok "a name is taken once" refused 1 'is called "same" already' history "$db" add "$tmp/other" --name same
golden $here/history-list.txt history "$db" list

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
history "$db" add "$tmp/more" --name more >/dev/null
ok "the same: exit status 0" exits 0 history "$db" check same --against before --exact
ok "an instruction more: exit status 3" exits 3 history "$db" check more --against before --exact
copy_of_output() { history "$db" check more --against before --exact; [ $? -eq 3 ]; }
golden $here/history-check.txt copy_of_output
ok "JSON names the function and nothing else" test "$(history "$db" check more --against before --exact -f json |
	jq -c '[.variants[] | [.verdict, [.functions[] | [.name, .change, .bound, .exact]]]]')" = \
	'[["MORE",[["veth_xdp_rcv_one",1,0,true]]],["MORE",[["veth_xdp_rcv_one",1,0,true]]]]'
ok "... two blanks deep" test "$(history "$db" check more --against before --exact -f json | sed -n 2p)" = '  "schema": "xdpzoom.exact-check/2",'
ok "of a number the half is kept, and of no other" test "$(sql "$db" "SELECT DISTINCT what FROM numbers WHERE kind = 'exact' AND half IS NOT NULL")" = instructions
ok "facilities add up to the instructions of their variant in SQL, too, and so do functions" test "$(sql "$db" "
	SELECT count(*) || ' ' || sum(abs(whole - facilities) > 1e-6 * whole) || ' ' || sum(abs(whole - functions) > 1e-6 * whole) FROM (
	SELECT sum(value) FILTER (WHERE what = 'instructions') AS whole, sum(value) FILTER (WHERE what LIKE 'facility %') AS facilities,
	sum(value) FILTER (WHERE what LIKE 'symbol %') AS functions FROM numbers WHERE kind = 'exact' GROUP BY run, variant)")" = "6 0 0"
ok "... and no placement is known" test "$(sql "$db" "SELECT DISTINCT coalesce(placement, like_ns, kernel_version, machine, 'none') FROM entry WHERE kind = 'exact'")" = none
copy one 2026-11-23T03:00:00Z && jq 'del(.variants[1])' $run/run.json | jq '.time = "2026-11-23T03:00:00Z"' >"$tmp/one/run.json"
history "$db" add "$tmp/one" --name one >/dev/null
ok "a variant that the run before lacks has no change" test "$(history "$db" check before --against one --exact -f json |
	jq -c '[.variants[] | [.verdict, .base_instructions, .change]]')" = '[["same",331.238712,0],["new",null,null]]'
ktap() { history "$db" check "$1" --against "$2" --exact -f ktap | grep -v '^#'; }
ok "KTAP: both variants fail" test "$(ktap more before)" = "TAP version 13
1..2
not ok 1 drop/no-touch@native no-more-instructions
not ok 2 drop/no-touch@skb no-more-instructions"
ok "... and pass" test "$(ktap before more | grep -c '^ok')" = 2
changes() { "$X" history "$tmp/changes.db" list -f json | jq -c '[.changes[] | [.kind, .run, .variant, (.after_instructions - .before_instructions | round), .runs_before, .runs_after]]'; }
words() { tail -n 3 | paste -sd' ' | grep -c '2 variants on veth changed at exact run 4: *drop/no-touch@native: .* instructions (+8.8 %), 3 runs, then 3'; }
for more in 0 1 2 30 31 30; do
	copy "step$((step += 1))" "2026-11-24T0$step:00:00Z" && more "step$step" $more && history "$tmp/changes.db" add "$tmp/step$step" >"$tmp/got"
done
ok "the run at which a variant changed its level, beyond its deviation" test "$(changes)" = \
	'[["exact",4,"drop/no-touch@native",29,3,3],["exact",4,"drop/no-touch@skb",29,3,3]]'
ok "... in words, in the list and behind a check" test "$(history "$tmp/changes.db" list | words) $(history "$tmp/changes.db" check 6 --against 4 --exact | words)" = "1 1"
ok "an instruction less: exit status 0" exits 0 history "$db" check before --against more --exact

# Counts of an older version, which kept them in tables: the bound of each function.
old=$tmp/old.db
python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(open("tests/golden/history-last.sql").read()); c.executescript("""
	INSERT INTO exact_run SELECT 2, 2, "same", added, time, kernel, nic, emulator, made_by, compiler FROM exact_run;
	CREATE TEMP TABLE t AS SELECT * FROM exact_cost; UPDATE t SET run = 2; INSERT INTO exact_cost SELECT * FROM t""")' "$old" || exit 1
change() { # SYMBOL EXPRESSION: of run "same", against before
	sql "$old" "UPDATE exact_cost SET instructions = (SELECT b.instructions + $2 FROM exact_cost b WHERE b.run = 1 AND b.kind = 'symbol'
		AND b.variant = exact_cost.variant AND b.name = '$1') WHERE run = 2 AND kind = 'symbol' AND name = '$1'" >/dev/null
}
ok "an older version's: the same" exits 0 history "$old" check same --against before --exact
change veth_xdp_rcv_one 0.001
ok "0.001 more in a function without state: exit status 3" exits 3 history "$old" check same --against before --exact
change veth_xdp_rcv_one 0.0001
ok "less than the last digit is nothing" exits 0 history "$old" check same --against before --exact
change veth_xdp_rcv_one 0
state=$(sql "$old" "SELECT name FROM exact_cost WHERE run = 1 AND kind = 'symbol' AND NOT exact AND residual > 0.01 AND instructions > 1 LIMIT 1")
ok "there is a function with state" test -n "$state"
change "$state" "1.9 * b.residual"
ok "its deviations are allowed" exits 0 history "$old" check same --against before --exact
change "$state" "2.1 * b.residual"
ok "and no more" exits 3 history "$old" check same --against before --exact
ok "a run of today against one of then" exits 0 history "$old" add "$tmp/other" --name now
ok "... has more functions, which count" exits 3 history "$old" check now --against before --exact
ok "... and is a path; that of then is none" sh -c "'$X' report '$old/exact/now' | grep -q veth_xdp_rcv_one && ! '$X' report '$old/exact/before' 2>'$tmp/got' && grep -q 'exact run 1 was added by an older xdpzoom' '$tmp/got'"

ok "no run but those" refused 1 'no exact run "9"' history "$db" check 9 --against before --exact
ok "a run and itself" refused 1 "cannot be compared with itself" history "$db" check before --against 1 --exact
ok "no threshold" refused 2 "that of --exact is zero" history "$db" check --against 1 --exact --threshold 1
ok "measured runs are others" refused 1 'has no run "same", but an exact run; check --exact' history "$db" check before --against same
ok "... also for a number" refused 1 'has no run "1", but an exact run; check --exact' history "$db" diff 1:drop/no-touch@native 2
ok "... and the other way round" sh -c "'$X' history '$tmp/m.db' add tests/docs/runs/run1 --name one && ! '$X' history '$tmp/m.db' check last --against one --exact 2>'$tmp/got' && grep -q 'no exact run \"one\", but a measured run; without --exact' '$tmp/got'"
ok "what is of neither kind" refused 1 'no run "none"; history list' history "$db" check none --against none
ok "... nor an exact one" refused 1 'no exact run "none"; history list' history "$db" check none --against same --exact
sql "$db" "DELETE FROM file WHERE run = 2 AND kind = 'exact' AND name = 'blocks/1.paths'" >/dev/null
ok "a damaged run is told" refused 1 "exact run 2 has" history "$db" check same --against before --exact
sql "$old" "DELETE FROM exact_cost WHERE run = 2" >/dev/null
ok "... also of an older version" refused 1 "exact run 2 is damaged" history "$old" check same --against before --exact
