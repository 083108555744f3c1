# queues_lib.sh - a veth pair with two queues, a kthread on each of two CPUs, and a generator for each
# usage: . "$(dirname "$0")/queues_lib.sh" after lib.sh; queues_up; the receiver is $queues_rx in the namespace $queues_ns
queues_ns=xzq-$$ queues_rx=xzqb

queues_up() {
	ip netns add "$queues_ns" || lacks "no network namespaces here"
	namespaces=$queues_ns
	ip link add xzqa numtxqueues 2 numrxqueues 2 type veth peer name $queues_rx netns "$queues_ns" numtxqueues 2 numrxqueues 2
	links=xzqa
	sysctl -qw net.ipv6.conf.xzqa.disable_ipv6=1
	ip netns exec "$queues_ns" sysctl -qw net.ipv6.conf.$queues_rx.disable_ipv6=1
	ip -n "$queues_ns" link set $queues_rx up
	ip link set xzqa up
	ip netns exec "$queues_ns" ethtool -K $queues_rx gro on 2>/dev/null
	ip netns exec "$queues_ns" sh -c "echo 1 >/sys/class/net/$queues_rx/threaded"
	await queues_threads
	queues_cpu=1
	for queues_tid in $(queues_tids); do
		taskset -pc $queues_cpu "$queues_tid" >/dev/null
		queues_cpu=$((queues_cpu - 1))
	done
	for queues_cpu in 0 1; do
		"$X" gen xzqa -m "$(ip netns exec "$queues_ns" cat /sys/class/net/$queues_rx/address)" -C $queues_cpu -r 200k -t 600 >/dev/null 2>&1 &
		started $!
	done
	await queues_flow
	renice -n 10 -p $pids >/dev/null # they wait by spinning, on all CPUs
}
queues_threads() { [ "$(queues_tids | wc -l)" -eq 2 ]; }
# In the order of their NAPIs' numbers.
queues_tids() {
	for queues_t in $(grep -l "^napi/$queues_rx-" /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3); do
		echo "$(cut -d- -f2 "/proc/$queues_t/comm") $queues_t"
	done | sort -n | cut -d' ' -f2
}
# Both generators send: each has a receive queue of its own.
queues_flow() {
	[ "$(ip netns exec "$queues_ns" ethtool -S $queues_rx | awk '/rx_queue_[01]_xdp_packets:/ { n += $2 > 0 } END { print n + 0 }')" -eq 2 ]
}
