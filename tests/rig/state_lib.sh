# state_lib.sh - what a command could leave on this machine, as lines to compare
# usage: . tests/rig/state_lib.sh after lib.sh; state >"$tmp/before"; await same_state
# $X is a copy of the program in $tmp, so that its processes are told from those of others.

# Namespaces, links, XDP and other BPF objects, pins, settings, CPUs of interrupts, processes, our files.
state() {
	ip netns list | sort
	ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/link \1/' | sort
	ip -d -o link show | grep -o 'prog/xdp.*'
	bpftool prog show 2>/dev/null | grep -oE '(xdp|raw_tracepoint|tracing|tracepoint) +name [a-z_]*' | sort
	bpftool link show 2>/dev/null | grep -oE '^[0-9]+: [a-z_]+' | sed 's/.*: /bpf link /' | sort
	find /sys/fs/bpf -mindepth 1 2>/dev/null | sort
	grep -H . /proc/sys/kernel/perf_event_* /proc/sys/kernel/bpf_stats_enabled /proc/sys/net/core/bpf_jit* /proc/sys/net/core/dev_weight \
		/proc/sys/kernel/nmi_watchdog 2>/dev/null
	grep -H . /proc/irq/*/smp_affinity_list 2>/dev/null
	ls -d /run/xdpzoom/changes.json /run/xdpzoom-lab.temporary 2>/dev/null
	# shellcheck disable=SC2009 # pgrep knows no fixed words
	ps -eo args= | grep -F "$X" | grep -v grep
	pgrep -af 'perf (record|stat|script).*/proc/[0-9]*/fd'
}
same_state() { state | cmp -s "$tmp/before" -; }
