#!/bin/sh
# Costs of 5, 20, 50 and 200 ns, injected in the program, come out of the difference of two variants that take turns: within 2 %
# or half a nanosecond, whichever is more, and the interval of what the clock around the injected cost read in the same turns. That
# clock is in the variant with 0 ns too.
# usage: injected.sh [SECONDS]
seconds=${1:-60}
. "$(dirname "$0")/lib.sh"
need_lab
expect 8

for mode in native skb; do
	try "record $mode" "$X" record lab -q -o "$tmp/$mode" -V drop/no-touch@$mode --inject 5,20,50,200 -b 1000 --for "$seconds"
	for ns in 5 20 50 200; do
		"$X" diff "$tmp/$mode:drop/no-touch+chain0@$mode" "drop/no-touch+chain$ns@$mode" --format json >"$tmp/diff"
		# shellcheck disable=SC2046 # words
		set -- $(jq '.injected_ns, .injected_half_ns, .delta_ns, .injected_off_ns, .injected_off_half_ns' "$tmp/diff")
		# shellcheck disable=SC2046 # words
		within "$(rounded "$1") +- $(rounded "$2") ns injected, $(rounded "$3") found, $mode: off by, ns" \
			$(awk -v t="$1" -v th="$2" -v off="$4" -v oh="$5" 'BEGIN {
				b = (t * 0.02 > 0.5 ? t * 0.02 : 0.5) + th
				print off, off - oh, off + oh, -b, b
			}')
	done
done
