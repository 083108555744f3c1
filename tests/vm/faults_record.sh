#!/bin/sh
# Trouble that only a machine of one's own can have, in the middle of a recording: a full disk, the RX CPU taken offline, the
# NIC pulled. One cause in words, the right status, what was measured is kept, nothing else is left.
. "$(dirname "$0")/../rig/lib.sh"

# The NIC's interrupts on CPU 1, the one that will go; the kernel spreads them over the CPUs by what other devices there are.
for irq in $(ls /sys/class/net/rx0/device/msi_irqs /sys/class/net/rx0/device/../msi_irqs 2>/dev/null | grep '^[0-9]'); do
	echo 1 >/proc/irq/$irq/smp_affinity_list
done 2>/dev/null

pgrep=$(command -v pgrep)
taskset -c 0 pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

# hurt NAME DIR COMMAND: run COMMAND when the first block is done; status and words are in $status and $tmp/err
hurt() {
	: >"$tmp/err"
	"$X" record rx0 -o "$2/$1" -V drop/no-touch@native,drop/no-touch@skb -b 8 --schedule windows=2 --window 0.2 >/dev/null 2>"$tmp/err" &
	rec=$!
	started $rec
	await_of $rec grep -q '^block 1 of' "$tmp/err"
	eval "$3"
	wait $rec
	status=$?
}
said() { grep -c "^xdpzoom: $1" "$tmp/err"; }
# temporary directories, perf, programs of ours on the NIC, probes
left() { echo "$(ls -d "$1"/*.tmp* 2>/dev/null | wc -l) $($pgrep -x perf | wc -l) $(ip -o link | grep -c xdp) $($pgrep -x xdpzoom | wc -l)"; }

mkdir "$tmp/small"
mount -t tmpfs -o size=64k tmpfs "$tmp/small" || exit 1
hurt run "$tmp/small" :
is "a full disk: failed, and says so" "$status $(said '.*[Nn]o space left')" "1 1"
kept=$(jq -r .ended "$tmp/small/run/run.json" 2>/dev/null || echo nothing)
ok "what was measured before, if anything, is kept" test "$kept" = "disk full" -o "$kept" = nothing
is "nothing else is left" "$(left "$tmp/small")" "0 0 0 0"
umount "$tmp/small"

hurt cpu "$tmp" 'echo 0 >/sys/devices/system/cpu/cpu1/online'
is "the RX CPU goes: failed, and says so" "$status $(said 'CPU 1 went offline')" "1 1"
is "what was measured before is kept" "$(jq -r '.ended, (.blocks | length > 0)' "$tmp/cpu/run.json" | tr '\n' ' ')" "CPU went offline true "
is "nothing else is left" "$(left "$tmp")" "0 0 0 0"
echo 1 >/sys/devices/system/cpu/cpu1/online
ok "it is back: recorded" "$X" record rx0 -q -o "$tmp/back" -V drop/no-touch@native -b 1 --schedule windows=2 --window 0.2

hurt pulled "$tmp" 'echo device_del rx0 >/dev/host'
is "the NIC is pulled: failed, and says so" "$status $(said 'rx0 has vanished')" "1 1"
is "what was measured before is kept" "$(jq -r '.ended, (.blocks | length > 0)' "$tmp/pulled/run.json" | tr '\n' ' ')" "device vanished true "
is "nothing else is left" "$(left "$tmp")" "0 0 0 0"
ok "what was kept can be read" "$X" report --full "$tmp/pulled"
is "no probe stays" "$(ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c bpf)" 0
