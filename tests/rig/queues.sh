#!/bin/sh
# Two receivers, one per CPU: each is measured by itself, and both together. A veth pair with two queues; frames that leave
# from CPU n enter queue n, whose kthread runs on the other CPU: it is woken from there, and waits until the generator that is
# busy here makes way.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
plan 14

ns=xzq-$$
ip netns add "$ns" || skip_all "no network namespaces here"
namespaces=$ns
ip link add xzqa numtxqueues 2 numrxqueues 2 type veth peer name xzqb netns "$ns" numtxqueues 2 numrxqueues 2
links=xzqa
sysctl -qw net.ipv6.conf.xzqa.disable_ipv6=1
ip netns exec "$ns" sysctl -qw net.ipv6.conf.xzqb.disable_ipv6=1
ip -n "$ns" link set xzqb up
ip link set xzqa up
ip netns exec "$ns" ethtool -K xzqb gro on 2>/dev/null
ip netns exec "$ns" sh -c 'echo 1 >/sys/class/net/xzqb/threaded'
napis=$(grep -l '^napi/xzqb-' /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3)
is "two NAPI kthreads" "$(echo "$napis" | wc -l)" 2
cpu=1
for tid in $(for t in $napis; do echo "$(cut -d- -f2 "/proc/$t/comm") $t"; done | sort -n | cut -d' ' -f2); do
	taskset -pc $cpu "$tid" >/dev/null
	cpu=$((cpu - 1))
done

for cpu in 0 1; do
	"$X" gen xzqa -c $cpu -r 200k -t 100 >/dev/null 2>&1 &
	started $!
done
sleep 0.3
ok "record both" "$X" record xzqb -N "$ns" -q -o "$tmp/both" -V drop/no-touch@native,drop/no-touch@skb -b 6 -w 0.4 --windows 2 --overhead 3
is "found by their packets" "$(jq -c '.rx_cpus' "$tmp/both/run.json")" "[0,1]"
is "both kthreads are known" "$(jq '.napi_tids | length' "$tmp/both/run.json")" 2
"$X" report "$tmp/both" --format json >"$tmp/report"
between "CPU 0 has about half of the packets, percent" "$(jq '.variants[0] | (.cpus[] | select(.cpu == 0).packets) / ([.cpus[].packets] | add) * 100' "$tmp/report")" 25 75
for cpu in 0 1; do
	between "CPU $cpu has a cost of its own, in percent of the whole" "$(jq ".variants[0] | (.cpus[] | select(.cpu == $cpu).base_ns) / .base_ns * 100" "$tmp/report")" 20 500
done
between "and their costs, by packets, are the whole's, percent" \
	"$(jq '.variants[0] | ([.cpus[] | .base_ns * .packets] | add) / ([.cpus[].packets] | add) / .base_ns * 100' "$tmp/report")" 80 125
between "nobody is saturated, and the cost is no rate: both together are busy, in percent of one CPU" \
	"$(jq '.variants[0] | .base_ns / (1e9 / .pps) * 100' "$tmp/report")" 0.1 99
"$X" report "$tmp/both" >"$tmp/text"
is "the text has a row per CPU" "$(grep -cE '^ +[0-9,]+ +[0-9.]+ +[0-9.]+  [01]$' "$tmp/text")" 4
# How long they wait is the machine's affair: seen were 2 to 1090 % of what is busy. Where it is much, samples would account for
# little of a busy time that holds it.
for variant in 0 1; do
	waits=$(jq ".variants[$variant] | .waits_ns / .base_ns * 100" "$tmp/report")
	between "what they waited is known, in percent of busy time: variant $variant" "$waits" 0 1000000
	between "and samples account for the busy time of both, without it, percent: variant $variant" \
		"$(jq ".variants[$variant].sampled_busy_pct" "$tmp/report")" 50 150
done
