#!/bin/sh
# A measured run beside exact counts: what carries the difference, byte for byte; the parts add up; what cannot be is refused.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/explain
run=build/runs/run1
exact=build/runs/counted

golden $here/explain.txt "$X" report $run --exact $exact --full
golden $here/explain.json "$X" report $run:drop/no-touch@skb --exact $exact -f json
# Counts of another kernel: a packet takes 100 instructions more, in a function that one call a packet has.
cp -r $exact "$tmp/to" && for f in "$tmp"/to/blocks/*.paths; do
	awk '$1 == "path" && $5 == "veth_xdp_rcv_one" && NR == FNR { more += 100 * $3 }
		NR != FNR && $1 == "path" && $5 == "veth_xdp_rcv_one" { $4 += 100 * $3 }
		NR != FNR && $1 == "cpu" && $4 { $4 += more; more = 0 }
		NR != FNR' "$f" "$f" >"$tmp/paths" && cp "$tmp/paths" "$f"
done
"$X" report $run --exact $exact --exact "$tmp/to" -f json >"$tmp/changes"
ok "--to: the change of instructions, times what one costs, with its interval" jq -e '. as $e | (.changes | length == 2) and all(.changes[];
	(.instructions - 100 | fabs < 0.01) and .transfers == null and (.ns - 100 * $e.instruction_ns | fabs < 0.01) and
	(.half_ns / 100 - ([$e.instruction_ns - $e.instruction_ci95_ns[0], $e.instruction_ci95_ns[1] - $e.instruction_ns] | max) | fabs < 0.001))' "$tmp/changes"
for format in text markdown html; do
	ok "... in $format, too" sh -c '"$1" report "$2" --exact "$3" --exact "$4" --full -f "$5" | grep -q "Nobody has measured it"' - "$X" $run $exact "$tmp/to" $format
done
cp -r build/runs/memory "$tmp/again"
ok "... of instructions to 0.1, of transfers to 0.01" sh -c '"$1" report "$2" --exact "$3" --exact "$4" --full | grep -qxE " +\+0\.0 +\+0\.00 +\+0\.00 +\+0\.00 ± 0\.00  drop/no-touch@skb"' - "$X" $run build/runs/memory "$tmp/again"
ok "... and nothing else changes" sh -c 'jq -S "del(.to, .changes)" "$1/changes" >"$1/a" && "$2" report "$3" --exact "$4" -f json | jq -S "del(.to, .changes)" | diff "$1/a" -' - "$tmp" "$X" $run $exact
golden $here/explain.md "$X" report $run --exact $exact -f markdown
golden $here/memory.txt "$X" report $run --exact build/runs/memory --full
golden $here/memory.json "$X" report $run --exact build/runs/memory -f json

"$X" report $run --exact $exact -f json >"$tmp/all"
sums() { jq -c '[(.differences[], .variants[]) | (.by_instructions_ns + (.by_transfers_ns // 0) + (.by_calls_ns // 0) + .rest_ns + .not_counted_ns + .unattributed_ns - .ns) | fabs < 1e-6] | all' "$tmp/all"; }
ok "the parts of each variant and difference add up to what was measured" test "$(sums)" = true
functions() { jq -c '[.variants[] | ([.functions[].ns] | add) + .unattributed_ns - .ns | fabs < 1e-6] | all' "$tmp/all"; }
ok "the functions and what is unattributed add up to the base" test "$(functions)" = true
difference() { "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f json | jq '.delta_ns'; }
ok "the difference is that of diff" test "$(jq '.differences[0].ns' "$tmp/all")" = "$(difference)"
ok "two functions that wait for the packet's lines do not fit" \
	test "$(jq -c '[.misfits[].name] | sort' "$tmp/all")" = '["eth_type_trans","veth_xdp_rcv"]'

# A run whose functions cost 0.2 ns an instruction, 15 ns a transferred line and 2 ns a call, reckoned by jq, gives these back.
"$X" report build/runs/memory:drop/no-touch@skb -f json | jq '[.variants[0].symbols[] |
	{name, ns: (0.2 * .instructions + 15 * ([.lines_transferred, 0] | max) + 2 * .calls)}]' >"$tmp/costs"
jq -r '(map(.ns) | add) as $all | .[] | [100 * .ns / $all, .name] | @tsv' "$tmp/costs" | awk '{ printf "%.9f%%  [k] %s\n", $1, $2 }' >"$tmp/perf.txt"
"$X" import -V drop/no-touch@skb --samples 100M --pps "$(jq '1e9 / (map(.ns) | add)' "$tmp/costs")" -o "$tmp/true" "$tmp/perf.txt" >/dev/null
"$X" report "$tmp/true" --exact build/runs/memory -f json >"$tmp/fit"
ok "the ns of an instruction, a line and a call are found again" jq -e '
	[.instruction_ns * 5, .transfer_ns / 15, .call_ns / 2] | all(. - 1 | fabs < 1e-6)' "$tmp/fit"
ok "... each within its interval" jq -e '[.instruction_ci95_ns[0] < 0.2, .instruction_ci95_ns[1] > 0.2, .transfer_ci95_ns[0] < 15,
	.transfer_ci95_ns[1] > 15, .call_ci95_ns[0] < 2, .call_ci95_ns[1] > 2] | all' "$tmp/fit"

# Nothing that depends on the order of variants in the files.
jq '.variants |= reverse' $exact/run.json >"$tmp/run.json"
cp -r $exact "$tmp/exact" && cp "$tmp/run.json" "$tmp/exact/run.json"
"$X" report $run --exact "$tmp/exact" -f json >"$tmp/reversed"
ok "the order of variants does not matter" cmp "$tmp/all" "$tmp/reversed"

refused() { # STATUS PATTERN COMMAND...: one sentence with PATTERN
	status=$1 pattern=$2
	shift 2
	"$@" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq "$status" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err" || { cat "$tmp/err"; false; }
}
ok "no variant in common" refused 1 "no variant was both measured and counted" "$X" report $run:tx/swap-macs@native --exact $exact --full
ok "two measured runs" refused 1 "is no exact run" "$X" report $run --exact $run --full
ok "two exact runs" refused 1 "name the measured run first" "$X" report $exact --exact $exact --full
ok "a format that cannot hold it" refused 2 "there is text, json" "$X" report $run --exact $exact -f csv
native=drop/no-touch@native
ok "--strict names the checks that failed" sh -c "'$X' report $run --exact $exact --full --strict 2>'$tmp/err' >'$tmp/got'; [ \$? -eq 3 ] && [ -s '$tmp/got' ] && [ \$(wc -l <'$tmp/err') -eq 1 ] && grep -q 'saturation of $native, irqs-off of $native, saturation of drop/no-touch@skb' '$tmp/err'"
ok "... of the variant that is explained" sh -c "'$X' report $run:drop/no-touch@skb --exact $exact --full --strict 2>'$tmp/err' >'$tmp/got'; [ \$? -eq 3 ] && grep -q 'saturation of drop/no-touch@skb' '$tmp/err' && ! grep -q native '$tmp/err'"
ok "diff: a run that is not there" refused 1 "nope/run.json: No such file" "$X" diff --full $exact:$native "$tmp/nope"
ok "diff: a measured run beside exact counts" refused 1 "is no exact run: its costs are in ns" "$X" diff --full $exact:$native $run
ok "diff: exact counts beside a measured run" refused 1 "holds exact counts (xdpzoom exact), and no measured run" "$X" diff --full $run:$native $exact
ok "plot: exact counts" refused 1 "holds exact counts, and no measured run" "$X" report -f svg --plot waterfall $exact -o "$tmp/p.svg"

# A pipe can be read once only, and both runs are told by its rules.
rules=perfparse/components.conf
same_rules() { # COMMAND...: the same by rules from a pipe as from a file
	"$@" -F $rules >"$tmp/file" 2>&1 && cat $rules | "$@" -F /dev/stdin >"$tmp/pipe" 2>&1 && diff "$tmp/file" "$tmp/pipe"
}
ok "rules from a pipe: two measured runs" same_rules "$X" diff --full $run:$native build/runs/run2
ok "... two exact runs" same_rules "$X" diff --full $exact:$native build/runs/memory
ok "... a measured run beside an exact one" same_rules "$X" report $run --exact $exact --full
