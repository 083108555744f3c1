#!/bin/sh
# The receive ladder: every frame that was sent ends at its layer and is counted there, and nothing stays behind.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
readers=layer:xsk-copy,layer:cpumap,layer:packet-ring,layer:udp-recv,layer:udp-recvmmsg,layer:udp-gro,layer:udp-uring
all=layer:test-run,drop/no-touch@native,drop/no-touch@skb,layer:tc,layer:clsact,layer:nft-ingress,layer:nf-bpf,layer:nft-raw,layer:conntrack,layer:nft-input,layer:udp-closed,layer:socket-filter,layer:udp-full,$readers
# The receivers' namespaces have no names. With each goes its receiver, and with that the sender's device.
senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }

# Not a whole rotation of the devices: one round, or two. So many samples that each reader has some.
"$X" record lab -q -o "$run" -V $all -b 1 --schedule windows=2 --window 0.5 --overhead 20 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel that has no io_uring, or forbids it, lacks that layer.
if grep -q '^xdpzoom: layer:udp-uring: .*; everything else is measured$' "$tmp/err"; then
	all=${all%,layer:udp-uring} readers=${readers%,layer:udp-uring}
else
	is "without a word" "$(cat "$tmp/err")" ""
fi
number() { echo "$1" | tr , '\n' | wc -l; }
is "in turns" "$(json -r '.view, .ended' | tr '\n' ' ')" "work time limit "
is "every frame that was sent ended at its layer, in each round" \
	"$(json '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all')" true
is "readers are consumers" \
	"$(json -r '[.variants[] | select(.consumer) | .id] | join(",")')" "$readers"
is "each of their frames was read" \
	"$(json '[.blocks[] | select(.consumer_tid) | .totals | .redirected == .consumer_frames and .consumer_dropped == 0] | all')" true
is "on the clock, in each window, on another CPU than the receiver" \
	"$(json '(.rx_cpus[0]) as $rx | ([.blocks[] | select(.consumer_tid) | .windows[] | .consumer_busy_ns > 0 and .consumer_packets > 0]
		+ [.variants[].consumer | select(.) | .cpu != $rx]) | all')" true
is "a layer is no program" "$(json -c '[.blocks[] | select(.mode_found == "stack") | [.prog_id, .prog_name]] | unique')" '[[0,""]]'
is "the ids" "$(json -r '.variants[].id' | paste -sd,)" "$all"
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each layer" "$(awk '/^ +[0-9]+[.][0-9][0-9][0-9]  /' "$tmp/ladder" | wc -l)" "$(number $all)"
is "the reader has a profile of its own" \
	"$("$X" report "$run:layer:udp-recv" --format json |
		jq '.variants[0].consumer | [.symbols[].self_ns] | (length > 0 and add > 0)')" true
"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
is "a page on which each step leads to its functions" \
	"$(grep -o 'href="#step-[0-9]*"' "$tmp/ladder.html" | cut -d '"' -f 2 | tr -d '#' | sort)" \
	"$(grep -o 'id="step-[0-9]*"' "$tmp/ladder.html" | cut -d '"' -f 2 | sort)"
is "80 columns" "$(awk 'length > 80' "$tmp/ladder" | wc -l)" 0
"$X" diff "$run:layer:nft-raw" layer:conntrack --format json >"$tmp/diff.json"
is "two layers compared" "$? $(jq -r '.base, .new' "$tmp/diff.json" | tr '\n' ' ')" "0 layer:nft-raw layer:conntrack "

nightly

"$X" record lab -q -o "$tmp/long" -V layer:packet-ring -s 1500 -b 1 --schedule windows=2 --window 0.2
"$X" report "$tmp/long" --format ladder >"$tmp/aside"
is "a ladder of layers that are all aside has no sum" "$? $(grep -c 'more than' "$tmp/aside")" "0 0"
is "a packet socket's ring has room for long frames" \
	"$(jq '[.blocks[].totals | .consumer_frames == .gen_sent and .consumer_dropped == 0] | length > 0 and all' "$tmp/long/run.json")" true

built refuses.so
REFUSES=gro LD_PRELOAD=$PWD/build/rig/refuses.so "$X" record lab -q -o "$tmp/less" -V layer:tc,layer:udp-gro -b 1 --schedule windows=2 --window 0.2 2>"$tmp/err"
is "a layer that the kernel lacks is named" "$? $(cat "$tmp/err")" \
	"0 xdpzoom: layer:udp-gro: cannot switch UDP_GRO on: Protocol not available; everything else is measured"
is "and the others are measured" "$(jq -c '[.variants[].id, .ended]' "$tmp/less/run.json")" '["layer:tc","complete"]'
REFUSES=gro LD_PRELOAD=$PWD/build/rig/refuses.so "$X" record lab -q -o "$tmp/none" -V layer:udp-gro 2>"$tmp/err"
is "none is left" "$? $(tail -n 1 "$tmp/err")" "77 xdpzoom: this kernel lacks all of these layers"
ok "and there is no run" [ ! -e "$tmp/none" ]

launch pid /dev/null "$tmp/err" "$X" record lab --ladder rx -o "$tmp/cut" -b 500
all_senders() { [ "$(senders)" = 20 ]; }
await_of $pid all_senders
is "all senders are there" "$(senders)" 20
halt KILL $pid
ok "a recorder that was killed leaves no namespace behind" await no_senders
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-')" 0
