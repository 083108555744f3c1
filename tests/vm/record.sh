#!/bin/sh
# The straight line on another kernel and driver: record, report and diff. Times mean nothing under emulation; what must
# hold is that packets are counted, the kernel's symbols are found, and self costs add up to the base.
# usage: record.sh DRIVER-SYMBOL    a function, by its beginning, that the driver spends time in
. "$(dirname "$0")/../rig/lib.sh"

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

ok "record" "$X" record rx0 -q -o "$tmp/run" -V drop/no-touch@native,drop/no-touch@skb -b 1 --schedule windows=2 --window 0.5
"$X" report "$tmp/run" --format json >"$tmp/report"
is "both modes, as asked" "$(jq -c '[.variants[].mode] | sort' "$tmp/report")" '["native","skb"]'
is "packets were seen in both" "$(jq '[.variants[].packets > 100] | all' "$tmp/report")" true
is "self costs and what is unattributed add up to the base" \
	"$(jq '[.variants[] | (([.symbols[].self_ns] | add) + .unattributed_ns - .base_ns | fabs) < 0.01 * .base_ns] | all' "$tmp/report")" true
is "the driver is in the profile: $1" "$(jq --arg s "$1" '[.variants[] | any(.symbols[]; .name | startswith($s))] | any' "$tmp/report")" true
is "the difference closes" "$("$X" diff "$tmp/run:drop/no-touch@native" drop/no-touch@skb --format json |
	jq '([.symbols[].delta_ns] | add) + .closure.unattributed_delta_ns - .delta_ns | fabs < 1')" true
