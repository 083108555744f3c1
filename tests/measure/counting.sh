#!/bin/sh
# What counting costs: drop/no-touch against a program that is only "return XDP_DROP", interleaved, native and skb.
# Where a check of the comparison failed there is no figure.
# It may cost 0.1 ns at most, as in turns.sh.
# usage: counting.sh [SECONDS]
seconds=${1:-60}
. "$(dirname "$0")/lib.sh"
need_lab
expect 2

for mode in native skb; do
	what="counting, $mode, ns a packet"
	try "record $mode" "$X" record lab -q -o "$tmp/$mode" -V "drop/bare@$mode,drop/no-touch@$mode" -b 1000 --for "$seconds"
	"$X" diff "$tmp/$mode:drop/bare@$mode" "drop/no-touch@$mode" --format json >"$tmp/diff"
	failed=$(failed_checks "$tmp/diff")
	if [ -n "$failed" ]; then
		cannot_tell "$what" "checks failed: $failed"
	else
		within "$what" $(jq '.delta_ns, .ci95_ns[]' "$tmp/diff") -0.1 0.1
	fi
done
