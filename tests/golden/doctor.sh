#!/bin/sh
# Doctor's verdicts on machines that are not here, from made-up files of /proc and /sys.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

n=0
result() { # status, what, got, want
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else printf 'not ok %s - %s\n#   got: %s\n#  want: %s\n' "$n" "$2" "$3" "$4"; fi
}
has() { # path, content
	mkdir -p "$tmp/m/$(dirname "$1")"
	printf '%s\n' "$2" >"$tmp/m/$1"
	asked=none
}
new() {
	rm -rf "$tmp/m"
	asked=none
	mkdir -p "$tmp/m/proc" "$tmp/m/sys"
}
# says CHECK LEVEL PATTERN [DEV]: the row, its level, and words of its finding or fix
says() {
	if [ "$asked" != "${4-}" ]; then
		asked=${4-}
		"$X" doctor --root "$tmp/m" --format json $asked 2>&1 | jq -r '.rows[] | "\(.check) \(.level) \(.finding) \(.fix // "")"' >"$tmp/rows"
	fi
	got=$(sed -n "s/^$1 //p" "$tmp/rows")
	case $got in "$2 "*) ;; *) result 1 "$1 is $2" "$got" "$2"; return ;; esac
	echo "$got" | grep -q -e "$3"
	result $? "$1 is $2: $3" "$got" "$3"
}
cpu=sys/devices/system/cpu

new
has proc/sys/kernel/osrelease 5.4.0-200-generic
says tp_btf warning CONFIG_DEBUG_INFO_BTF
says lockdown unknown "mount -t securityfs"
has sys/kernel/security/lsm "capability,yama"
says lockdown ok "has none"
says vm unknown "does not show it"
says perf unknown "not in files"
mkfifo "$tmp/m/proc/sys/kernel/kptr_restrict"
asked=none
says kptr unknown "cannot be read: Invalid argument"

new
has sys/kernel/tracing/current_tracer nop
has sys/kernel/tracing/set_event ""
says tracer ok off
has sys/kernel/tracing/instances/mine/current_tracer nop
has sys/kernel/tracing/instances/mine/set_event net:netif_rx
says tracer warning "(net:netif_rx, ...) in its instance mine.*rmdir /sys/kernel/tracing/instances/mine"
has sys/kernel/tracing/set_event sched:sched_switch
says tracer warning "events (sched:sched_switch, ...): .*echo > /sys/kernel/tracing/set_event"
has sys/kernel/tracing/current_tracer function
says tracer warning "function and events.*echo nop > /sys/kernel/tracing/current_tracer"

new
says config unknown "neither /proc/config.gz"
has proc/sys/kernel/osrelease 6.12.1
has boot/config-6.12.1 "CONFIG_DEBUG_NET=y
CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y
# CONFIG_KASAN is not set"
says config warning "INIT_ON_ALLOC_DEFAULT_ON, DEBUG_NET: each packet"
has proc/cmdline "quiet init_on_alloc=0"
has sys/kernel/debug/sched/preempt "none (voluntary) full"
says config warning "^warning DEBUG_NET: .*preemption: voluntary"
printf 'CONFIG_KASAN=y\n' | gzip >"$tmp/m/proc/config.gz"
asked=none
says config warning "^warning KASAN:"
printf '# CONFIG_KASAN is not set\n' | gzip >"$tmp/m/proc/config.gz"
asked=none
says config ok "nothing in it"
has proc/cmdline "quiet slub_debug=FZ init_on_free=1"
says config warning "^warning slub_debug=FZ, init_on_free=1: each packet"
has proc/cmdline "quiet slab_debug=-"
printf 'CONFIG_SLUB_DEBUG_ON=y\n' | gzip >"$tmp/m/proc/config.gz"
asked=none
says config ok "nothing in it"
printf 'no configuration\n' >"$tmp/m/proc/config.gz"
asked=none
says config unknown "neither /proc/config.gz"

new
has proc/sys/kernel/osrelease 6.12.1
has sys/kernel/security/lockdown "none integrity [confidentiality]"
has proc/sys/kernel/kptr_restrict 2
has proc/sys/kernel/perf_event_max_sample_rate 1500
has proc/sys/kernel/nmi_watchdog 1
has proc/sys/net/core/bpf_jit_enable 0
has proc/sys/net/core/bpf_jit_harden 2
has proc/sys/kernel/bpf_stats_enabled 1
has sys/kernel/tracing/current_tracer function
has proc/cpuinfo "flags		: fpu vme hypervisor lm"
says lockdown fatal "confidentiality.*lockdown=none"
says kptr fatal "sysctl -w kernel.kptr_restrict=1"
says sample-rate warning "sysctl -w kernel.perf_event_max_sample_rate=100000"
says nmi-watchdog warning "sysctl -w kernel.nmi_watchdog=0"
says jit warning "sysctl -w net.core.bpf_jit_enable=1"
says jit-harden warning "sysctl -w net.core.bpf_jit_harden=1"
says bpf-stats warning "sysctl -w kernel.bpf_stats_enabled=0"
says tracer warning "echo nop > /sys/kernel/tracing/current_tracer"
says vm warning "a VM"

new
has proc/cpuinfo "flags		: fpu vme lm"
has $cpu/online 0-7
has $cpu/cpu7/cpufreq/scaling_governor powersave
has $cpu/intel_pstate/no_turbo 0
has $cpu/cpu7/topology/thread_siblings_list 3,7
has $cpu/cpu7/cpuidle/state0/latency 0
has $cpu/cpu7/cpuidle/state1/latency 2
has $cpu/cpu7/cpuidle/state2/latency 133
has $cpu/cpu7/cpuidle/state2/name C6
has $cpu/cpu7/cpuidle/state2/disable 0
has $cpu/cpu7/cpuidle/state3/latency 890
has $cpu/cpu7/cpuidle/state3/disable 1
has sys/devices/system/clocksource/clocksource0/current_clocksource hpet
has sys/devices/system/clocksource/clocksource0/available_clocksource "tsc hpet acpi_pm"
has proc/77/comm irqbalance
has proc/77/stat "77 (irqbalance) S 1 77 77 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 4711 1 1"
says vm ok "bare metal"
says governor warning "powersave on CPU 7 echo performance > /sys/devices/system/cpu/cpu7/cpufreq/scaling_governor"
says turbo warning "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
says smt warning "CPU 7 shares its core with CPU 3"
says c-states warning "C6 and needs 133 us.*echo 1 > /sys/devices/system/cpu/cpu7/cpuidle/state2/disable\$"
says clocksource warning "hpet.*echo tsc > "
says irqbalance warning "process 77 runs.*systemctl stop irqbalance"
has proc/77/stat "77 (irqbalance) T 1 77 77 0 -1 1 2 3 4 5 6 7 8 9 20 0 1 0 4711 1 1"
says irqbalance ok stopped

new
net=sys/class/net/eth9
has $net/mtu 9000
has $net/device/uevent "DRIVER=virtio_net"
#          0123456789 bits: csum, guest_csum, tso4, tso6, no ctrl_guest_offloads
has $net/device/features 1100000110000000
has $net/device/numa_node 1
has sys/devices/system/node/node0/cpulist 0-3
has sys/devices/system/node/node1/cpulist 4-7
has $cpu/online 0-7
has $net/queues/rx-0/rps_cpus 00000000,000000f0
has $net/queues/rx-1/rps_cpus 00000000,00000000
mkdir -p "$tmp/m/$net/device/msi_irqs"
has $net/device/msi_irqs/41 msix
has $net/device/msi_irqs/42 msix
has proc/irq/42/effective_affinity_list 2
has proc/interrupts "            CPU0       CPU2
 41:          5          0   PCI-MSI  1-edge      eth9-config
 42:         10       9000   PCI-MSI  2-edge      eth9-rx-0"
has $net/ifindex 9
says packet-sockets unknown "cannot be read" eth9
heads="sk               RefCnt Type Proto  Iface R Rmem   User   Inode"
has proc/net/packet "$heads
0000000000000000 3      3    88cc   9     1 0      0      2001
0000000000000000 3      3    0003   8     1 0      0      2002
0000000000000000 3      3    0000   9     1 0      0      2003"
says packet-sockets ok none eth9
has proc/net/packet "$(cat "$tmp/m/proc/net/packet")
0000000000000000 3      3    0003   9     1 0      0      2004
0000000000000000 3      2    0003   0     1 0      0      2005"
says packet-sockets warning "^warning 2 listen to all frames.*ss -0 -p" eth9
says virtio fatal "guest_csum, guest_tso4, guest_tso6 are on.*guest_csum=off,guest_tso4=off,guest_tso6=off" eth9
says mtu warning "ip link set eth9 mtu 1500" eth9
says rps warning "on for 1 of 2 queues.*echo 0 > /sys/class/net/eth9/queues/rx-0/rps_cpus\$" eth9
says numa warning "CPU 2 is on node 0, the NIC on node 1.*CPUs 4-7" eth9
"$X" doctor --root "$tmp/m" eth9 >/dev/null 2>&1
result $(($? != 77)) "something fatal is exit status 77" $? 77
#                             the same, but the driver may switch them off
has $net/device/features 1110000110000000
says virtio ok "switches them off by itself" eth9
#                             mergeable buffers (15), without ANY_LAYOUT (27) and VERSION_1 (32); with either
has $net/device/features 000000000000000100000000000000000000
says virtio fatal "buffer of its own (mergeable buffers without any_header_sg).*VIRTIO_F_VERSION_1" eth9
has $net/device/features 000000000000000100000000000000001000
says virtio ok "the host offers none" eth9
# Drivers without frames of several buffers: of 3072 bytes, less the head of a frame
has $net/mtu 3400
for limit in ixgbe:3050 ixgbevf:3050 igb:3046; do
	has $net/device/uevent "DRIVER=${limit%:*}"
	says mtu warning "3400: above ${limit#*:}, driver ${limit%:*} refuses native XDP .*ip link set eth9 mtu 1500" eth9
done
has $net/mtu 3050
has $net/device/uevent "DRIVER=ixgbe"
says mtu ok 3050 eth9
has $net/device/uevent "DRIVER=i40e"
says mtu warning "3050: above 3046, the driver takes only programs for frames of several buffers" eth9
"$X" doctor --root "$tmp/m" eth8 >/dev/null 2>"$tmp/err"
result $(($? != 1)) "a device that is not there: $(cat "$tmp/err")" $? 1
echo "1..$n"
