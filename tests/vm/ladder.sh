#!/bin/sh
# The receive ladder on a driver, with a generator that knows nothing of it (pktgen): packets come to each layer, what cannot be
# had is named, and a full table of connections is. Times mean nothing under emulation.
. "$(dirname "$0")/../rig/lib.sh"

ip addr add 198.18.0.42/32 dev rx0
modprobe -a nf_tables nf_conntrack
pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -d 198.18.0.42 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

layers() { "$X" record rx0 -q -b 1 --schedule windows=2 --window 0.2 --schedule warmup=0 "$@" 2>"$tmp/err"; }
all=drop/no-touch@native,drop/no-touch@skb,layer:xsk-copy,layer:tc,layer:nft-raw,layer:conntrack,layer:udp-closed,layer:udp-recv
layers -o "$tmp/run" -V xsk:zero-copy/no-touch@native,layer:cpumap,$all
is "recorded" $? 0
is "two cannot be had" "$(grep -c '; everything else is measured$' "$tmp/err") $(grep -c . "$tmp/err")" "2 2"
is "a driver without zero-copy" "$(grep -c 'rx0: driver virtio_net has no zero-copy' "$tmp/err")" 1
is "a cpumap whose losses nobody counts" "$(grep -c '^xdpzoom: layer:cpumap: nobody counts' "$tmp/err")" 1
is "all others, block by block" "$(jq -r '.view, (.variants | map(.id) | join(","))' "$tmp/run/run.json" | paste -sd' ')" "blocks $all"
is "packets came to each" "$(jq -c '[.blocks[] | [.variant, .totals.rx_seen > 100]] | unique | length == 8 and all(.[1])' "$tmp/run/run.json")" true
is "readers read what came to them" \
	"$(jq '[.blocks[] | select(.totals.consumer_frames != null) | [.variant, (.totals | .consumer_frames > 100 and .redirected == .consumer_frames + .consumer_dropped)]] |
		unique | length == 2 and all(.[1])' "$tmp/run/run.json")" true
is "a line for each layer" "$("$X" report "$tmp/run" --format ladder | awk '/^ +[0-9]+[.][0-9][0-9][0-9]  /' | wc -l)" 8
is "nothing stays attached" "$(ip -o link show rx0 | grep -c xdp)" 0

# A table of connections with room for one, which a process takes that talks to itself. A rule makes the kernel track.
ip link set lo up
nft "add table ip t" "add chain ip t c { type filter hook output priority 0; }" "add rule ip t c ct state new accept"
echo 1 >/proc/sys/net/netfilter/nf_conntrack_max
python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 7)); s.sendto(b"x", ("127.0.0.1", 7))' 2>/dev/null # refused where the table is full already
await test "$(cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 1
layers -o "$tmp/full" -V layer:tc,layer:conntrack
is "a full table of connections is named" \
	"$? $(grep -c '^xdpzoom: layer:conntrack: the table of connections is full ([0-9]* of 1); everything else is measured$' "$tmp/err")" "0 1"
[ "$tests_failed" -eq 0 ] || sed 's/^/# /' "$tmp/err"
