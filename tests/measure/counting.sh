#!/bin/sh
# What counting costs: drop/no-touch against a program that is only "return XDP_DROP", interleaved, native and skb.
# Where a gate of the comparison failed there is no figure.
# usage: counting.sh [BLOCKS]
blocks=${1:-24}
. "$(dirname "$0")/lib.sh"
need_lab
expect 2

for mode in native skb; do
	what="counting, $mode, ns a packet"
	try "record $mode" "$X" record lab -q -o "$tmp/$mode" -V "drop/bare@$mode,drop/no-touch@$mode" -b "$blocks" --windows 2 -w 0.25 --warmup 0.1
	"$X" diff "$tmp/$mode:drop/bare@$mode" "drop/no-touch@$mode" --format json >"$tmp/diff"
	failed=$(failed_gates "$tmp/diff")
	if [ -n "$failed" ]; then
		cannot_tell "$what" "gates failed: $failed"
	else
		set -- $(jq '.delta_ns, .ci95_ns[]' "$tmp/diff")
		case $mode in
		native) within "$what" "$1" "$2" "$3" -1 1 ;;
		skb) within "$what" "$1" "$2" "$3" -4 4 ;;
		esac
	fi
done
