#!/bin/sh
# Recordings on a NIC with --tune steer,irq,threaded, and doctor --fix: killed at moments drawn from a seed, as often as $KILLS says.
# No interrupt, no thread, no setting, no process, no program is left.
# usage: steer_kills.sh MODE [SEED]
. "$(dirname "$0")/../rig/lib.sh"
mode=$1 times=${KILLS-4} seed=${2-1}
. "$(dirname "$0")/kills_lib.sh"
kills_span=12000
mkdir -p /run/xdpzoom

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 5000000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

receiver() { "$@"; }
spoil() {
	echo 2 >/proc/sys/kernel/kptr_restrict
	ethtool -K rx0 gro off
	echo 1 >/sys/class/net/rx0/queues/rx-0/rps_cpus
}
unspoil() {
	echo 0 >/proc/sys/kernel/kptr_restrict
	ethtool -K rx0 gro on
	echo 0 >/sys/class/net/rx0/queues/rx-0/rps_cpus
}
settings() {
	for irq in $(ls /sys/class/net/rx0/device/msi_irqs /sys/class/net/rx0/device/../msi_irqs 2>/dev/null | grep '^[0-9]'); do
		[ ! -d "/proc/irq/$irq" ] || echo "$irq $(irq_cpus "$irq")"
	done
	for what in g k l; do ethtool -$what rx0; done 2>&1 | grep -v fixed
	cat /sys/class/net/rx0/threaded /sys/class/net/rx0/mtu /sys/class/net/rx0/queues/rx-*/rps_cpus /proc/sys/kernel/kptr_restrict
}
kills "$times" "$seed" rx0 -V "drop/no-touch@$mode" --tune steer,irq=0,threaded
