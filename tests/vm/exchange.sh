#!/bin/sh
# Programs of one mode take turns on a driver that is no veth, while the kernel's pktgen sends. Times mean nothing under
# emulation, but for a large injected cost; what must hold is that packets are counted by both, in turns that are balanced.
. "$(dirname "$0")/../rig/lib.sh"

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

for mode in native skb; do
	run=$tmp/$mode
	"$X" record rx0 -q -o "$run" -V drop/no-touch@$mode,drop/no-touch+chain10000@$mode -b 2 --schedule windows=2 --window 1 2>"$tmp/err"
	is "$mode: recorded in turns" "$? $(jq -r '.view, .ended' "$run/run.json" | tr '\n' ' ')$(cat "$tmp/err")" "0 turns complete "
	is "$mode: both counted, in as many turns" "$(tail -n +2 "$run/turns" | awk '{ k[$2]++; p[$2] += $8 } END { print (k[0] == k[1]), (p[0] > 100), (p[1] > 100) }')" "1 1 1"
	# by what part the two differ most; a driver without such a counter agrees
	between "$mode: the programs saw what the device gave them, but for what came between the readings" \
		"$(jq -c '[.blocks[] | select(.variant == 0) | .counters as $c | (([$c.ethtool | to_entries[] | select(.key | test("^rx.*xdp_packets$")).value] | first // $c.packets) - $c.packets | fabs) / $c.packets] | max' "$run/run.json")" 0 0.25
	between "$mode: 10000 ns that were injected are found" \
		"$(tail -n +2 "$run/turns" | awk '{ p[$2] += $8; o[$2] += $7 } END { printf "%d", o[1] / p[1] - o[0] / p[0] }')" 1000 100000000
	is "$mode: nothing is left attached" "$(ip -d -o link show rx0 | grep -o prog/xdp)" ""
done
