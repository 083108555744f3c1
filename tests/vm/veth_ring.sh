#!/bin/sh
# The ring of a veth is a queue that no qdisc sees. With a receiver that is too slow: where do packets wait, how long, and where are
# they lost, with and without a qdisc? A study, by hand, in a VM of each kernel; docs/study.rst shows what it prints:
#     vm/run -k 6.1 -n none -c 2 -- tests/vm/veth_ring.sh
# usage: veth_ring.sh [SECONDS]
. "$(dirname "$0")/../rig/lib.sh"
need_root
seconds=${1-8}
rx=xzring-rx tx=xzring-tx namespaces="xzring-rx xzring-tx"
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
for tool in clang tc chrt jq; do command -v $tool >/dev/null || skip_all "needs $tool"; done
modprobe -q pktgen || skip_all "needs pktgen"
in_rx() { ip netns exec $rx "$@"; }
in_tx() { ip netns exec $tx "$@"; }

# What makes the receiver slow: a program that takes 0.4 ms for each packet, in a tenth of a CPU's time. A group's quota would not
# do, as newer kernels throttle no kernel thread by it; and a receiver that never rests slows the emulated sender down. The program
# also sends all packets through the ring (veth_skb_is_eligible_for_napi()).
cat >"$tmp/slow.c" <<'C'
#include <linux/bpf.h>
#define SEC(n) __attribute__((section(n), used))
static __u64 (*now)(void) = (void *)5;
static long (*loop)(__u32 n, void *f, void *context, __u64 flags) = (void *)181;
static int is_over(__u32 i, __u64 *end) { return now() >= *end; }
SEC("xdp") int slow(struct xdp_md *ctx)
{
	__u64 end = now() + 400000;

	loop(1 << 16, is_over, &end, 0);
	return XDP_DROP;
}
char _license[] SEC("license") = "GPL";
C
clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c -o "$tmp/slow.o" "$tmp/slow.c" || exit 1
ip netns add $rx && ip netns add $tx || exit 1
ip -n $rx link add wrx type veth peer name wtx netns $tx || exit 1
in_rx sysctl -qw net.ipv6.conf.all.disable_ipv6=1
in_tx sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n $rx link set wrx up
ip -n $tx link set wtx up
in_rx ip link set dev wrx xdpdrv obj "$tmp/slow.o" sec xdp || exit 1
in_rx sh -c 'echo 1 >/sys/class/net/wrx/threaded'
chrt -d --sched-runtime 4000000 --sched-deadline 40000000 --sched-period 40000000 -p 0 "$(pgrep '^napi/wrx-')" || exit 1

pg() { in_tx sh -c "echo '$2' >/proc/net/pktgen/$1"; }
mac=$(in_rx cat /sys/class/net/wrx/address)
counter() { ip -n "$1" -s -j link show "$2" | jq ".[0].stats64.$3"; }
counters() { echo "$(counter $rx wrx rx.packets) $(counter $tx wtx tx.dropped) $(in_tx tc -s -j qdisc show dev wtx root | jq '[.[].drops // 0] | add // 0') $(date +%s%N)"; }
look() { # NAMESPACE DEVICE KIND: median, 99 %, percent of the time at 90 % or more, wait in ms, of all intervals but the first
	jq -s -r "[.[] | select(.schema == \"xdpzoom.watch-queues/1\") | [.queues[] | select(.kind == \"$3\" and .device == \"$2\")][0]] | .[1:] | map(select(. != null and .p50 != null)) |
		def mean: if length > 0 then add / length | round else \"-\" end;
		if length == 0 then \"- - - -\" else [(map(.p50) | mean), (map(.p99) | max), (map(.near_pct // 0) | mean), (map(.wait_us // empty | . / 1000) | mean)] | join(\" \") end" "$tmp/$1"
}
echo "# Linux $(uname -r)"
echo "#                      packets/s                             ring                     qdisc"
row='# %-20s %7s %8s %7s %7s  %6s %4s %5s %6s  %6s %4s %5s %6s\n'
# shellcheck disable=SC2059 # one format for all rows
printf "$row" qdisc offered received "at ring" "at qdisc" median '99 %' near% ms median '99 %' near% ms
for qdisc in noqueue 'pfifo limit 200' 'fq_codel limit 200'; do
	# shellcheck disable=SC2086 # words
	in_tx tc qdisc replace dev wtx root $qdisc
	pg kpktgend_0 rem_device_all
	pg kpktgend_0 "add_device wtx"
	for words in 'count 0' 'delay 1000000' 'pkt_size 64' 'xmit_mode queue_xmit' "dst_mac $mac" 'dst_min 198.18.0.1' 'dst_max 198.18.0.1'; do
		pg wtx "$words"
	done
	in_tx sh -c 'echo start >/proc/net/pktgen/pgctrl' &
	sender=$!
	started $sender
	sleep 3 # until what can fill is full
	"$X" watch wrx -N $rx -t "$seconds" --overhead 0 -f jsonl >"$tmp/$rx" 2>"$tmp/err" &
	one=$!
	"$X" watch wtx -N $tx -t "$seconds" --overhead 0 -f jsonl >"$tmp/$tx" 2>"$tmp/err2" &
	two=$!
	started $one $two
	before=$(counters)
	wait $one
	wait $two
	# shellcheck disable=SC2046,SC2086 # words
	set -- $(echo $before $(counters) | awk '{ s = ($8 - $4) / 1e9; printf "%.0f %.0f %.0f %.0f", ($5 - $1 + $6 - $2 + $7 - $3) / s, ($5 - $1) / s, ($6 - $2) / s, ($7 - $3) / s }')
	in_tx sh -c 'echo stop >/proc/net/pktgen/pgctrl'
	wait $sender
	# shellcheck disable=SC2046,SC2059 # words
	printf "$row" "$qdisc" "$@" $(look $rx wrx ring) $(look $tx wtx qdisc)
	ok "$qdisc: packets came" test "$2" -gt 0
	ok "$qdisc: the ring was looked at" test "$(look $rx wrx ring)" != "- - - -"
done
