#!/bin/sh
# Two receivers, one per CPU: each is measured by itself, and both together. A kthread is woken from the other CPU, and waits until
# the generator that is busy here makes way.
. "$(dirname "$0")/lib.sh"
need_root
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
expect 7
. "$(dirname "$0")/../rig/queues_lib.sh"
queues_up

try "record both" "$X" record $queues_rx -N "$queues_ns" -q -o "$tmp/both" -V drop/no-touch@native,drop/no-touch@skb -b 6 --window 0.4 --schedule windows=2 --overhead 3
"$X" report "$tmp/both" --format json >"$tmp/report"
figure "CPU 0 has about half of the packets, percent" "$(jq '.variants[0] | (.cpus[] | select(.cpu == 0).packets) / ([.cpus[].packets] | add) * 100' "$tmp/report")" 25 75
for cpu in 0 1; do
	figure "CPU $cpu has a cost of its own, in percent of the whole" "$(jq ".variants[0] | (.cpus[] | select(.cpu == $cpu).base_ns) / .base_ns * 100" "$tmp/report")" 20 500
done
figure "and their costs, by packets, are the whole's, percent" \
	"$(jq '.variants[0] | ([.cpus[] | .base_ns * .packets] | add) / ([.cpus[].packets] | add) / .base_ns * 100' "$tmp/report")" 80 125
figure "nobody is saturated, and the cost is no rate: both together are busy, in percent of one CPU" \
	"$(jq '.variants[0] | .base_ns / (1e9 / .pps) * 100' "$tmp/report")" 0.1 99
# How long they wait is the machine's affair: seen were 2 to 1090 % of what is busy. Where it is much, samples would account for
# little of a busy time that holds it.
for variant in 0 1; do
	figure "samples account for the busy time of both, without what they waited, percent: variant $variant" \
		"$(jq ".variants[$variant].sampled_busy_pct" "$tmp/report")" 50 150
done
