# state_lib.sh - what a command could leave on this machine, as lines to compare
# usage: . tests/rig/state_lib.sh after lib.sh; state >"$tmp/before"; changed "$tmp/before"
# $X is a copy of the program in $tmp, so that its processes are told from those of others; XDPZOOM_CACHE, if virtual
# machines are started, a name in $tmp of the cache.

# Namespaces, links, XDP and other BPF objects, pins, tracing, settings, CPUs of interrupts and of the kernel's threads,
# processes, our files; and the network's part of it in our namespaces.
state() {
	ip netns list | sort
	bpftool prog show 2>/dev/null | grep -oE '(xdp|raw_tracepoint|tracing|tracepoint|sched_cls) +name [a-z_]*' | sort
	bpftool link show 2>/dev/null | grep -oE '^[0-9]+: [a-z_]+' | sed 's/.*: /bpf link /' | sort
	find /sys/fs/bpf -mindepth 1 2>/dev/null | sort
	find /sys/kernel/tracing/instances -mindepth 1 -maxdepth 1 2>/dev/null | sort
	grep -H . /sys/kernel/tracing/tracing_on /sys/kernel/tracing/current_tracer /sys/kernel/tracing/set_event \
		/sys/kernel/tracing/?probe_events 2>/dev/null
	grep -H . /proc/sys/kernel/perf_event_* /proc/sys/kernel/bpf_stats_enabled /proc/sys/net/core/bpf_jit* /proc/sys/net/core/dev_weight \
		/proc/sys/kernel/nmi_watchdog /sys/devices/system/cpu/online 2>/dev/null
	grep -H . /proc/irq/*/smp_affinity_list 2>/dev/null
	threads
	ls -d /run/xdpzoom/changes.json /run/xdpzoom-lab.temporary 2>/dev/null
	# shellcheck disable=SC2009 # pgrep knows no fixed words
	ps -eo args= | grep -F -e "$X" -e "${XDPZOOM_CACHE:-$X}/" | grep -v grep
	pgrep -af 'perf (record|stat|script).*/proc/[0-9]*/fd'
	net_state
	for state_ns in $(ip netns list | grep -o '^xdpzoom-[^ ]*' | sort); do
		ip netns exec "$state_ns" sh -c '. tests/rig/state_lib.sh; net_state' | sed "s/^/$state_ns: /"
	done
}
same_state() { state | cmp -s "$1" -; }
# changed FILE: what the state has that the file has not, and the other way round; nothing when it is the same within a minute
changed() {
	changed_turns=0
	until state >"$tmp/now" && cmp -s "$1" "$tmp/now" || [ $((changed_turns += 1)) -gt 150 ]; do sleep 0.1; done
	diff "$1" "$tmp/now"
}

# The kernel's threads that receive: name without a number that is new each time, priority, CPUs.
threads() {
	ps --ppid 2 -o pid=,ni=,cls=,rtprio=,comm= | awk '$5 ~ "^(napi|irq|ksoftirqd)/" {
		file = "/proc/" $1 "/status"
		cpus = "?"
		while ((getline line <file) > 0)
			if (sub(/^Cpus_allowed_list:[ \t]*/, "", line))
				cpus = line
		close(file)
		sub(/^napi\/.*/, "&-", $5)
		sub(/-[0-9]*-$/, "", $5)
		print "thread", $5, "nice", $2, $3, $4, "CPUs", cpus
	}' | sort
}

# Of the network namespace that this runs in: links, their programs, filters and settings, tables of rules, sysctls.
net_state() {
	ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/link \1/' | sort
	ip -d -o link show | grep -o 'prog/xdp.*' | sed -E 's/ (id|load_time|btf_id) [0-9]+//g'
	nft list tables 2>/dev/null
	grep -H . /sys/class/net/*/mtu /sys/class/net/*/flags /sys/class/net/*/threaded /sys/class/net/*/tx_queue_len /sys/class/net/*/gro_flush_timeout \
		/sys/class/net/*/napi_defer_hard_irqs /sys/class/net/*/queues/*/?ps_* 2>/dev/null
	grep -H . /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/ip_unprivileged_port_start /proc/sys/net/ipv4/conf/*/rp_filter \
		/proc/sys/net/ipv6/conf/*/disable_ipv6 /proc/sys/net/core/netdev_budget* /proc/sys/net/bridge/* 2>/dev/null
	state_qdiscs=$(tc qdisc show 2>/dev/null)
	echo "$state_qdiscs" | sort
	for state_link in $(echo "$state_qdiscs" | sed -nE 's/^qdisc (clsact|ingress) .* dev ([^ ]*).*/\2/p'); do
		tc filter show dev "$state_link" ingress
		tc filter show dev "$state_link" egress
	done 2>/dev/null
	for state_link in /sys/class/net/*; do
		case $state_link in
		*/xz*) ethtool -k "${state_link##*/}" ;;
		*) [ ! -e "$state_link/device" ] || for state_kind in -k -c -g -l; do ethtool $state_kind "${state_link##*/}"; done ;;
		esac
	done 2>/dev/null
}
