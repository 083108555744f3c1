#!/bin/sh
# AF_XDP sockets on a driver that has zero-copy: each frame from pktgen arrives once, by zero-copy and by copy; a recording of
# both finds the driver's own functions of zero-copy in the one alone.
# usage: xsk_zero.sh FUNCTIONS    of the driver, for zero-copy: a pattern
. "$(dirname "$0")/../rig/lib.sh"

# No more than the fill ring and the NIC's ring hold: a NIC that finds no buffer loses the frame without a count.
frames=200
arrived() { [ "$(jq -s '.[-1].consumer | .frames + .dropped' "$tmp/stat")" -ge "$1" ]; }
# seen ACTION: frames sent, redirected, arrived at the socket, dropped before it
seen() {
	: >"$tmp/stat"
	"$X" stat rx0 -V "$1/no-touch@native" -i 0.3 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	n=$(pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -n $frames -b 1 | awk '{ print $3 }')
	await_of $pid arrived "$n"
	kill -TERM $pid 2>/dev/null || echo "stat ended by itself: $(cat "$tmp/stat.err")"
	wait $pid
	echo "$n $(jq -rs '[([.[].cpus[].redirect] | add // 0), .[-1].consumer.frames, .[-1].consumer.dropped] | join(" ")' "$tmp/stat")"
}
is "xsk:zero-copy" "$(seen xsk:zero-copy)" "$frames $frames $frames 0"
is "xsk:copy" "$(seen xsk:copy)" "$frames $frames $frames 0"

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0
ok "record" "$X" record rx0 -q -o "$tmp/run" -V xsk:zero-copy/no-touch@native,xsk:copy/no-touch@native -b 1 --schedule windows=4 --window 1
"$X" report "$tmp/run" --format json >"$tmp/report"
has() { # VARIANT FUNCTION
	jq --arg v "$1/no-touch@native" --arg f "$2" '.variants[] | select(.id == $v) | any(.symbols[]; .name | test("^" + $f))' "$tmp/report"
}
is "packets were seen in both" "$(jq -c '[.variants[].packets > 100]' "$tmp/report")" "[true,true]"
is "zero-copy runs $1, and copy does not" "$(has xsk:zero-copy "$1") $(has xsk:copy "$1")" "true false"
is "nothing stays attached" "$(ip -o link show rx0 | grep -c xdp)" 0

