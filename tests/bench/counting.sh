#!/bin/sh
# What counting costs: drop/no-touch against a program that is only "return XDP_DROP", interleaved, native and skb.
# usage: tests/bench/counting.sh [BLOCKS]
. "$(dirname "$0")/lib.sh"

for mode in native skb; do
	"$X" record lab -q -o "$tmp/$mode" -V "drop/bare@$mode,drop/no-touch@$mode" -b "${1:-24}" --windows 2 -w 0.25 --warmup 0.1 || exit
	"$X" diff "$tmp/$mode:drop/bare@$mode" "drop/no-touch@$mode" --format json |
		jq -r --arg m $mode '"counting, \($m): \(.delta_ns * 100 | round / 100) ns/packet, 95 % interval \(.ci95_ns | map(. * 100 | round / 100)), bare base \(.base_ns * 10 | round / 10) ns (bar: at most 1 ns, native)"'
done
