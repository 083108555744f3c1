#!/bin/sh
# AF_XDP sockets on a driver that has no zero-copy: each frame from pktgen is redirected once, arrives once, in native and skb
# mode; zero-copy is refused.
. "$(dirname "$0")/../rig/lib.sh"

frames=3000
# frames: so many are at the consumer or were dropped before it, by the last look
arrived() { [ "$(jq -s '.[-1].consumer | .frames + .dropped' "$tmp/stat")" -ge "$1" ]; }

# seen ACTION MODE: frames sent, redirected, arrived at the socket, dropped before it
seen() {
	: >"$tmp/stat"
	"$X" stat rx0 -V "$1/no-touch@$2" -i 0.3 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	n=$(pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -n $frames -b 1 | awk '{ print $3 }')
	await_of $pid arrived "$n"
	kill -TERM $pid 2>/dev/null || echo "stat ended by itself: $(cat "$tmp/stat.err")"
	wait $pid
	echo "$n $(jq -rs '[([.[].cpus[].redirect] | add // 0), .[-1].consumer.frames, .[-1].consumer.dropped] | join(" ")' "$tmp/stat")"
}

is "xsk:copy, native" "$(seen xsk:copy native)" "$frames $frames $frames 0"
is "xsk:copy, skb" "$(seen xsk:copy skb)" "$frames $frames $frames 0"
is "xsk, which takes what the driver has" "$(seen xsk native)" "$frames $frames $frames 0"
fails "zero-copy is refused" 77 "rx0: driver virtio_net has no zero-copy AF_XDP in this kernel; use xsk:copy" \
	"$X" stat rx0 -V xsk:zero-copy/no-touch -t 1
fails "and in skb mode there is none" 2 "only native XDP has zero-copy" "$X" stat rx0 -V xsk:zero-copy/no-touch@skb -t 1
is "nothing stays attached" "$(ip -o link show rx0 | grep -c xdp)" 0
