#!/bin/sh
# What the tool makes of costs that are known: each figure beside its bar. xdpzoom selftest says the rest.
# usage: tests/bench/truth.sh [BLOCKS]
. "$(dirname "$0")/lib.sh"
blocks=${1:-12}
gates="-w 0.3 --windows 2 --warmup 0.1"

for mode in native skb; do
	for ns in 20 50 200; do
		run=$tmp/$mode-$ns
		"$X" record lab -q -o "$run" -V "drop/no-touch@$mode" --plant $ns -b "$blocks" $gates || exit
		"$X" diff "$run:drop/no-touch+chain0@$mode" "drop/no-touch+chain$ns@$mode" --format json |
			jq -r --argjson ns "$(jq '.variants[2].plant_ns' "$run/run.json")" --arg m $mode 'def r: . * 10 | round / 10;
			([.facilities[] | select(.name == "BPF program").delta_ns] | add // 0) as $in |
			"planted, \($m): \($ns | r) ns, found \(.delta_ns | r) ns, 95 % interval \(.ci95_ns | map(r)), off by \(.delta_ns - $ns | r) ns (bar: \([$ns * 0.05, 1.5] | max | r)); in BPF program \($in | r) ns, \($in / .delta_ns * 100 | r) % (bar: 90); closure residual \(.closure.residual_ns / .base_ns * 100 | fabs) % of base (bar: 0.5)"'
		"$X" report "$run" --format json | jq -r '.variants[] | "samples against busy time, \(.id): \(.sampled_busy_pct - 100 | . * 100 | round / 100) % (bar: 2)"'
	done
done

# Two processes, one after the other: do their headline differences agree within their intervals?
for i in 1 2; do
	"$X" record lab -q -o "$tmp/two$i" -V drop/no-touch@native,drop/no-touch@skb -b "$blocks" $gates || exit
	"$X" diff "$tmp/two$i:drop/no-touch@native" drop/no-touch@skb --format json >"$tmp/two$i.json"
done
jq -rs '"native against skb, two runs: \(map("\(.delta_ns * 10 | round / 10) ns \(.ci95_ns | map(. * 10 | round / 10))") | join(" and ")), \(if .[0].ci95_ns[0] <= .[1].ci95_ns[1] and .[1].ci95_ns[0] <= .[0].ci95_ns[1] then "within" else "NOT within" end) their intervals"' "$tmp/two1.json" "$tmp/two2.json"

"$X" lab down
"$X" selftest -q
