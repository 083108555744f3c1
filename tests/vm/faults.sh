#!/bin/sh
# Trouble that only a machine of one's own can have: a CPU taken offline and a NIC pulled while the program under test
# counts, and while a recording begins. One sentence, the right status, nothing left.
. "$(dirname "$0")/../rig/lib.sh"

P="pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1"
stat_on() {
	: >"$tmp/stat"
	"$X" stat rx0 -V "$1@$2" -i 0.2 -t 3600 --format json >"$tmp/stat" 2>"$tmp/err" &
	pid=$!
	started $pid
	stat_counts $pid
}
seen() { jq -s '[.[].packets] | add // 0' "$tmp/stat"; }

stat_on drop native
$P -n 1000 >"$tmp/sent"
echo 0 >/sys/devices/system/cpu/cpu1/online
is "a CPU goes" "$(cat /sys/devices/system/cpu/online)" 0
$P -n 1000 >>"$tmp/sent"
echo 1 >/sys/devices/system/cpu/cpu1/online
$P -n 1000 >>"$tmp/sent"
stat_saw 3000
kill -TERM $pid
wait $pid
is "counting goes on without it, and with it again" "$? $(awk '{ n += $3 } END { print n }' "$tmp/sent") $(seen)" "0 3000 3000"
echo 0 >/sys/devices/system/cpu/cpu1/online
fails "a CPU that is away cannot be the RX CPU" 2 "CPU 1 is not there or offline" "$X" record rx0 --cpus rx=1 -q -o "$tmp/run"
echo 1 >/sys/devices/system/cpu/cpu1/online

stat_on drop native
$P -n 1000 >/dev/null
stat_saw 1000
echo device_del rx0 >/dev/host
wait $pid
is "the NIC is pulled: failed, and says so" "$? $(grep -c '^xdpzoom: rx0 has vanished$' "$tmp/err")" "1 1"
is "what was counted before is told" "$(seen)" 1000
ok "and the NIC is gone" test ! -e /sys/class/net/rx0
fails "gone, it cannot be measured" 1 "rx0: no such device" "$X" stat rx0 -t 0.1
is "no process stays" "$(pgrep -x xdpzoom | wc -l)" 0
is "no program stays" "$(ls /proc/[0-9]*/fd -l 2>/dev/null | grep -c 'bpf-prog')" 0
