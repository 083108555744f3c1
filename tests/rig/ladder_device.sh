#!/bin/sh
# The receive ladder on a device that is not the lab's: a veth in a namespace that has rules, addresses and sockets of its
# own. Frames sent are frames seen at each layer and losses that are counted; what others made stays; what we made goes.
# usage: ladder_device.sh [all]    all: more layers, and readers that wait for seconds where they share a CPU with the generator
. "$(dirname "$0")/lib.sh"
in=xdpzoom-test-$$ namespaces=$in links=xzt$$ dev=xzr$$

ip netns add "$in" 2>/dev/null && ip link add "$links" type veth peer name "$dev" netns "$in" 2>/dev/null ||
	lacks "no veth or no namespaces here"
ip netns exec "$in" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.conf.all.rp_filter=0 "net.ipv4.conf.$dev.rp_filter=0"
sysctl -qw "net.ipv6.conf.$links.disable_ipv6=1"
ip link set "$links" up
ip -n "$in" link set lo up
ip -n "$in" link set "$dev" up
ip netns exec "$in" ethtool -K "$dev" gro on
nft() { ip netns exec "$in" nft "$@"; }
tables() { nft "list tables"; }
xdp() { ip -n "$in" -d link show "$dev" | grep -c 'prog/xdp'; }
layers() { "$X" record "$dev" -N "$in" -g local:"$links" --tune threaded -q -b 1 --schedule windows=2 --window 0.05 --schedule warmup=0 "$@" 2>"$tmp/err"; }

# The device has no address yet.
layers -o "$tmp/bare" -V layer:tc,layer:nft-raw,layer:udp-recv
is "a layer whose frames need an address is named" "$? $(grep '^xdpzoom' "$tmp/err")" \
	"0 xdpzoom: layer:udp-recv: $dev has no IPv4 address that frames could go to; give it one: ip addr add 198.18.0.2/32 dev $dev; everything else is measured"
is "and the others are measured" "$(jq -c '[.variants[].id]' "$tmp/bare/run.json")" '["layer:tc","layer:nft-raw"]'

ip -n "$in" addr add 198.18.0.2/32 dev "$dev"
nft "add table inet own; add chain inet own drops { type filter hook forward priority 0; policy drop; }"
before=$(nft "list ruleset")
more='' readers=layer:udp-recv
[ $# -eq 0 ] || more=layer:nft-raw,layer:udp-closed, readers=layer:xsk-copy,layer:packet-ring,layer:udp-recv
all=drop/no-touch@native,layer:tc,layer:nft-ingress,layer:conntrack,layer:udp-full,$more$readers
layers -o "$tmp/run" -V "$all"
is "recorded" $? 0
is "rules of others are named" "$(grep '^xdpzoom' "$tmp/err")" \
	"xdpzoom: rules are here already (table inet own); they stay, and are part of what the layers behind them cost"
is "and they stay, alone" "$(nft "list ruleset")" "$before"
is "all layers, block by block" "$(jq -r '.view, (.variants | map(.id) | join(","))' "$tmp/run/run.json" | paste -sd' ')" "blocks $all"
# Other frames come to no device here. The socket of a starved reader may refuse some, which it counts.
is "every frame that was sent was seen at its layer, or is counted as lost" \
	"$(jq -c '[.blocks[].totals | select(.gen_sent <= 0 or .gen_sent != .rx_seen + .rx_named_drops - (.consumer_dropped // 0))]' "$tmp/run/run.json")" '[]'
is "readers read what came to them" \
	"$(jq '[.blocks[].totals | select(.consumer_frames != null) | .consumer_frames > 0 and .redirected == .consumer_frames + .consumer_dropped] | length > 0 and all' "$tmp/run/run.json")" true
is "their time is a consumer" \
	"$(jq -r '[.variants[] | select(.consumer) | .id] | join(",")' "$tmp/run/run.json")" "$readers"
"$X" report "$tmp/run" --format ladder >"$tmp/ladder"
is "a line for each layer" "$(awk '/^ +[0-9.]+ +[0-9.]+ /' "$tmp/ladder" | wc -l)" "$(echo "$all" | tr , '\n' | wc -l)"
is "no program stays" "$(xdp)" 0

# A port in use. The words of the process are those of /proc, 15 letters at most.
ip netns exec "$in" python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("198.18.0.2", 9)); print(flush=True); time.sleep(600)' >"$tmp/port" &
pid=$!
started $pid
await_of $pid test -s "$tmp/port"
layers -o "$tmp/port.run" -V layer:nft-input,layer:udp-closed,layer:udp-recv
is "a port in use is named, with who has it" "$? $(grep -c "^xdpzoom: layer:udp-.*: python3.* (process $pid) has UDP port 9, which the frames go to; everything else is measured$" "$tmp/err")" "0 2"
is "the other layer is measured" "$(jq -c '[.variants[].id]' "$tmp/port.run/run.json")" '["layer:nft-input"]'
layers -o "$tmp/x" -V layer:udp-full
is "none is left" "$? $(tail -n 1 "$tmp/err")" "77 xdpzoom: none of these can be measured on $dev"
halt TERM $pid

# without threaded, which the next command would put back
launch pid /dev/null "$tmp/err" "$X" record "$dev" -N "$in" -g local:"$links" -q -b 500 -o "$tmp/killed" -V layer:nft-ingress,layer:nft-raw
ours() { tables | grep -q "xdpzoom_$pid"; }
ok "the rules stand in a table of our own" await_of $pid ours
halt KILL $pid
foreign() { tables | grep -v 'inet own'; }
gone "which ends with a recorder that is killed" foreign
is "rules of others stay" "$(nft "list ruleset")" "$before"

"$X" record "$dev" --ladder rx -N "$in" -g local:"$links" --tune threaded -b 1 -o "$tmp/whole" -V layer:tc,layer:nft-raw >"$tmp/out" 2>&1
is "a ladder of a device" "$? $(grep -Ec ' (tc|nft-raw)$' "$tmp/out")" "0 2"
