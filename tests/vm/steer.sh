#!/bin/sh
# The RX path of a NIC by name, its interrupt moved and its NAPI threaded for as long as a command runs, and not longer.
# usage: steer.sh MODE
. "$(dirname "$0")/../rig/lib.sh"
mode=$1

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 10000000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

irqs() { ls /sys/class/net/rx0/device/msi_irqs /sys/class/net/rx0/device/../msi_irqs 2>/dev/null | grep '^[0-9]'; cat /sys/class/net/rx0/device/irq 2>/dev/null; }
settings() {
	for n in $(irqs); do [ ! -d /proc/irq/$n ] || echo "$n $(irq_cpus $n)"; done
	cat /sys/class/net/rx0/threaded
	ethtool -k rx0 | grep ntuple
}
steered() { # its CPU: "threaded, interrupt, thread"
	irq=$(sed -n 's/^RX path: .*IRQ \([0-9]*\) .*/\1/p' "$tmp/err")
	tid=$(sed -n 's/^RX path: .*polled in thread \([0-9]*\)$/\1/p' "$tmp/err")
	echo "$(cat /sys/class/net/rx0/threaded) $(irq_cpus $irq) $(taskset -pc "$tid" 2>/dev/null | sed 's/.*: //')"
}
begin() {
	: >"$tmp/err"
	"$X" stat rx0 -V "drop@$mode" --tune steer,threaded,irq="$1" -t 3600 >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	started $pid
	await_of $pid grep -q '^steered: ' "$tmp/err"
}

settings >"$tmp/before"
for cpu in 0 1; do
	begin $cpu
	is "interrupt and thread on CPU $cpu" "$(steered)" "1 $cpu $cpu"
	sleep 1
	kill -INT $pid
	wait $pid
	is "interrupted: status 0, everything as it was" "$? $(settings | diff - "$tmp/before")" "0 "
done
sed 's/^/# /' "$tmp/err"
ok "the load is named" grep -q '^load: udp4 .* 9 198.18.0.42 9, [0-9]* % of' "$tmp/err"
ok "and its path: queue, CPU, IRQ, NAPI" grep -q '^RX path: queue 0, CPU 1, IRQ .*polled in thread' "$tmp/err"
ok "no rules: said, and why none are needed" grep -q 'has no ntuple rules, and one flow stays on one queue' "$tmp/err"

begin 0
kill -TERM $pid
wait $pid
is "SIGTERM: everything as it was" "$? $(settings | diff - "$tmp/before")" "0 "

begin 0
kill -KILL $pid
wait $pid 2>/dev/null
is "SIGKILL: it stays changed" "$(cat /sys/class/net/rx0/threaded)" 1
is "doctor sees it" "$("$X" doctor --format json | jq -r '.rows[] | select(.check == "leftovers").level')" warning
"$X" stat rx0 -V drop@skb -t 0.2 >/dev/null 2>"$tmp/err"
is "the next xdpzoom puts it back, and says so" "$(settings | diff - "$tmp/before") $(grep -c 'put back [0-9]* settings that a killed run' "$tmp/err")" " 1"

begin 1
kill -KILL $pid
wait $pid 2>/dev/null
"$X" doctor --undo >/dev/null
is "and so does doctor --undo" "$? $(settings | diff - "$tmp/before")" "0 "
bad=0
for ms in 2 3 4 5 6 7 8 9; do
	timeout -s KILL 0.$ms "$X" stat rx0 -V "drop@$mode" --tune threaded,irq=0 -t 60 >/dev/null 2>&1
	"$X" doctor --undo >/dev/null && settings | cmp -s - "$tmp/before" || bad=$((bad + 1))
done
is "killed at 8 moments: put back each time" $bad 0

ok "record" "$X" record rx0 -q --tune threaded,irq=0 -o "$tmp/run" -V "drop/no-touch@$mode" -b 1 --schedule windows=2 --window 0.3
is "the run names its path" "$(jq -c '.device.rx_path | [.cpu, .queue, .threaded]' "$tmp/run/run.json")" '[0,0,true]'
is "its RX CPU is the one asked for, and its busy time is known" \
	"$(jq -c '[.rx_cpus, ([.blocks[].windows[] | .busy_ns > 0] | all)]' "$tmp/run/run.json")" '[[0],true]'
is "after it everything is as it was" "$(settings | diff - "$tmp/before")" ""
