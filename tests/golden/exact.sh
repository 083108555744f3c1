#!/bin/sh
# A run of exact counts -> exact text, JSON, CSV, folded stacks and callgrind's format; the sums close to the instruction.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/exact
run=$here/run

golden_plan 12
golden $here/report.txt "$X" report $run
golden $here/report.csv "$X" report $run -f csv
golden $here/report.json "$X" report $run:drop/no-touch@native -f json
golden $here/diff.txt "$X" diff $run:drop/no-touch@native drop/no-touch@skb
golden $here/diff.csv "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f csv
golden $here/diff-self.txt "$X" diff $run:drop/no-touch@skb $run
golden $here/native.callgrind "$X" report $run:drop/no-touch@native -f callgrind

# What callgrind_annotate adds up is what was counted.
if command -v callgrind_annotate >/dev/null; then
	total() { callgrind_annotate $here/native.callgrind | awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }'; }
	ok "callgrind_annotate opens it, with the same total" test "$(total)" = "$(cat $run/blocks/?.paths | awk '$1 == "path" { sum += $4 } END { print sum }')"
else
	skip "callgrind_annotate opens it" "no callgrind_annotate here (Debian: valgrind)"
fi
folded() { "$X" report $run:drop/no-touch@native -f folded | awk '{ sum += $NF } END { print sum }'; }
ok "folded stacks add up to what was counted" test "$(folded)" = "$(cat $run/blocks/?.paths | awk '$1 == "path" { sum += $4 } END { print sum }')"

refused() { # PATTERN COMMAND...: status 1, one sentence with PATTERN
	pattern=$1
	shift
	"$@" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err"
}
ok "no such variant: those there are" refused "it has drop/no-touch@native, drop/no-touch@skb" "$X" report $run:pass/no-touch@skb
ok "ns and instructions do not compare" refused "cannot be compared with" "$X" diff $run:drop/no-touch@native tests/golden/recorded/run
ok "a format without exact counts" refused "cannot hold exact counts" "$X" report $run -f pprof
