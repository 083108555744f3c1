#!/bin/sh
# The forwarding ladder: every frame that was sent arrives at the other end or is counted as lost, and nothing stays.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }
totals() { jq "[.blocks[].totals | $2] | all" "$1/run.json"; }
all=tx/swap-macs@native,layer:xdp-redirect,layer:devmap-program,tx/swap-macs@skb,layer:skb-redirect,layer:tc-redirect,layer:peer-veth,layer:bridge,layer:flowtable,layer:route

"$X" record lab -q -o "$run" -V $all -b 1 --schedule windows=2 --window 0.3 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel that has no flowtables lacks that layer.
if grep -q '^xdpzoom: layer:flowtable: nft cannot set its rules: .*; everything else is measured$' "$tmp/err"; then
	all=$(echo $all | sed 's/,layer:flowtable//')
	is "with a line alone" "$(wc -l <"$tmp/err")" 1
else
	is "without a word" "$(cat "$tmp/err")" ""
fi
is "the ids" "$(jq -r '.variants[].id' "$run/run.json" | paste -sd,)" "$all"
is "every frame that was sent arrived" \
	"$(totals "$run" '.gen_sent == .rx_seen and .gen_sent > 0 and .tx_verdicts == .sink_frames and .rx_named_drops == 0')" true
is "and no other frame" "$(totals "$run" '.stray == 0')" true
is "they went on" "$(jq -c '[.blocks[] | select(.mode_found == "stack") | .windows[].cpus[].verdicts | with_entries(select(.value > 0)) | keys] | unique' \
		"$run/run.json")" '[["redirect"]]'
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each" "$(awk '/^(tx|layer:)/ && !/more than/' "$tmp/ladder" | wc -l)" "$(echo $all | tr , '\n' | wc -l)"
"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
is "its page" "$(grep -o '<h1>.*</h1>' "$tmp/ladder.html")" "<h1>What each way of forwarding a packet costs</h1>"

# Each device serves each layer once: what one changes, the next finds as it was.
"$X" record lab -q -o "$tmp/turned" -V layer:bridge,layer:route,layer:udp-closed -b 3 --schedule windows=2 --window 0.1 --flows 16
is "a bridge and a router leave their device as it was" "$? $(totals "$tmp/turned" '.gen_sent == .rx_seen')" "0 true"

# From some moment of a block on, the other end takes no frames of this size: the device refuses them, and counts them. It is told
# when the first frames have come: before that it may not have been told its MTU yet. Each block has another device.
"$X" record lab -q -o "$tmp/lossy" -V layer:tc-redirect -s 1500 -b 500 --schedule windows=2 --window 0.5 2>"$tmp/err" &
pid=$!
started $pid
refuses() {
	find "/proc/$pid/fd" -lname 'net:*' >"$tmp/namespaces" 2>/dev/null
	while read -r f; do
		nsenter --net="$f" ip -s -j link show xzend 2>/dev/null | jq -e '.[0].stats64.rx.packets > 0' >/dev/null &&
			nsenter --net="$f" ip link set xzend mtu 1000 && return
	done <"$tmp/namespaces"
	return 1
}
lost_in_a_block() {
	refuses
	grep -q '"rx_named_drops": *[1-9]' "$tmp"/lossy.tmp-*/run.json*
}
await_of $pid lost_in_a_block
kill -INT $pid
wait $pid
is "with an end that refuses frames too, until it is told to end" "$? $(jq -r .ended "$tmp/lossy/run.json")" "1 interrupted"
is "frames are lost" "$(jq '[.blocks[].totals.rx_named_drops > 0] | any' "$tmp/lossy/run.json")" true
is "and each is counted" "$(totals "$tmp/lossy" '.gen_sent == .rx_seen + .rx_named_drops')" true

"$X" record lab --ladder forward -o "$tmp/cut" -b 500 2>"$tmp/err" &
pid=$!
started $pid
all_senders() { [ "$(senders)" = 9 ]; }
await_of $pid all_senders
kill -KILL $pid
wait $pid 2>/dev/null
ok "a recorder that was killed leaves no namespace behind" await no_senders
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-')" 0
is "nor of the layers" "$(ip -o link | grep -c 'xzout\|xzend\|xzbridge')" 0
