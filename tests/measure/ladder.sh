#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The receive ladder: ten layers in three minutes, each step known to 5 % or 3 ns, the steps' sum against the difference of top and
# bottom, the profile of the consumer; and a sweep of 30 points in ten minutes.
# usage: ladder.sh
. "$(dirname "$0")/lib.sh"
need_lab
expect 13

# The way up, without what is aside.
way="layer:test-run drop/no-touch@native drop/no-touch@skb layer:tc layer:nft-ingress layer:nft-raw layer:nft-input layer:udp-recv"
seconds() { date +%s; }

from=$(seconds)
try "ladder rx" "$X" record lab --ladder rx -q -o "$tmp/run" -V "$(echo "$way" | tr ' ' ,),layer:conntrack,layer:udp-recvmmsg"
figure "ladder rx of 10 layers, seconds" "$(($(seconds) - from))" 0 180
below=
for layer in $way; do
	if [ "$below" ]; then
		"$X" diff "$tmp/run:$below" "$layer" --format json >"$tmp/diff"
		figure "step to $layer, half of its interval beyond 5 % and 3 ns" \
			"$(jq '((.ci95_ns[1] - .ci95_ns[0]) / 2) as $half | [0, $half - ([3, .delta_ns * 0.05] | max)] | max' "$tmp/diff")" 0 0
		jq -r '"# \(.base) to \(.new): \(.delta_ns * 10 | round / 10) ± \((.ci95_ns[1] - .ci95_ns[0]) * 5 | round / 10) ns"' "$tmp/diff"
		jq .delta_ns "$tmp/diff" >>"$tmp/steps"
	fi
	below=$layer
done
"$X" diff "$tmp/run:layer:test-run" layer:udp-recv --format json >"$tmp/diff"
half=$(jq '(.ci95_ns[1] - .ci95_ns[0]) / 2' "$tmp/diff")
figure "sum of the steps less the difference of top and bottom, ns; the bar is its interval" \
	"$(jq -s --argjson all "$(jq .delta_ns "$tmp/diff")" 'add - $all' "$tmp/steps")" "-$half" "$half"
"$X" report "$tmp/run" --format json >"$tmp/report"
for layer in udp-recv udp-recvmmsg; do
	within "$layer: part of the reader's time that its samples account for, percent" \
		$(jq --arg id "layer:$layer" '.variants[] | select(.id == $id).consumer | .sampled_pct, .sampled_pct - .sampled_half_pct, .sampled_pct + .sampled_half_pct' "$tmp/report") 99 101
done

from=$(seconds)
try "a sweep of 30 points" "$X" record lab -q -o "$tmp/sweep" -V drop/no-touch@native,drop/no-touch@skb \
	--sweep size=64,128,256,512,1024,1500 --sweep flows=1,4,16,64,256
figure "a sweep of 30 points of two variants, seconds" "$(($(seconds) - from))" 0 600
figure "points of it" "$("$X" report "$tmp/sweep" --format json | jq '.points | length')" 30 30
