#!/bin/sh
# The ladders of forwarding, of sending and of TCP: every frame or byte that was sent arrives at the other end or is counted as
# lost, every completion comes, and nothing stays behind.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
totals() { jq "[.blocks[].totals | $1] | all" "$run/run.json"; }
senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }
# killed_in_the_middle IDS NEXT: 4 tests. Of a recording of IDS that is killed nothing stays but devices, and a recording of
# NEXT works and removes them.
killed_in_the_middle() {
	killed_ids=$1 killed_next=$2
	launch killed_pid /dev/null /dev/null "$X" record lab -q -o "$tmp/killed" -V "$killed_ids" -b 500 --window 0.5
	ok "all senders are there" await_of $killed_pid killed_has_all
	halt KILL $killed_pid
	gone "killed: no process stays" pgrep -f "$tmp/killed"
	"$X" record lab -q -o "$tmp/next" -V "$killed_next" -b 1 --schedule windows=2 --window 0.1 --for 1 2>"$tmp/err"
	is "the next command needs nobody's help" \
		"$? $(jq '[.blocks[].totals | .gen_sent == .rx_seen + .rx_named_drops and .gen_sent > 0] | length > 0 and all' "$tmp/next/run.json")" "0 true"
	ok "and leaves nothing of either" no_senders
}
killed_has_all() { [ "$(senders)" = "$(echo "$killed_ids" | tr , '\n' | wc -l)" ] && pgrep -P $killed_pid >/dev/null; }
# shown PATTERN TITLE: of the run, that its layers are those of $all, each on a line with PATTERN, and its page
shown() {
	ok "the receivers are gone" no_senders
	is "the ids" "$(jq -r '.variants[].id' "$run/run.json" | paste -sd,)" "$all"
	"$X" report "$run" --format ladder >"$tmp/ladder"
	is "a line for each" "$(grep -v 'more than' "$tmp/ladder" | grep -c "$1")" "$(echo "$all" | tr , '\n' | wc -l)"
	"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
	is "its page" "$(grep -o '<h1>.*</h1>' "$tmp/ladder.html")" "<h1>$2</h1>"
}
gone_with_the_lab() { # LINKS
	"$X" lab down
	is "nothing of the lab stays" "$(ip netns list | grep -c '^xdpzoom-') $(ip -o link | grep -c "$1")" "0 0"
	rm -rf "$tmp/killed"* "$tmp/next"
	"$X" lab up >"$tmp/up"
}

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
is "every frame that was sent arrived" \
	"$(totals '.gen_sent == .rx_seen and .gen_sent > 0 and .tx_verdicts == .sink_frames and .rx_named_drops == 0')" true
is "and no other frame" "$(totals '.stray == 0')" true
is "they went on" "$(jq -c '[.blocks[] | select(.mode_found == "stack") | .windows[].cpus[].verdicts | with_entries(select(.value > 0)) | keys] | unique' \
		"$run/run.json")" '[["redirect"]]'
shown '^ *[0-9][0-9]*[.][0-9][0-9][0-9]  ' "What each way of forwarding a packet costs"

# Each device serves each layer once: what one changes, the next finds as it was.
"$X" record lab -q -o "$tmp/turned" -V layer:bridge,layer:route,layer:udp-closed -b 3 --schedule windows=2 --window 0.1 --flows 16
is "a bridge and a router leave their device as it was" "$? $(run=$tmp/turned; totals '.gen_sent == .rx_seen')" "0 true"

# From some moment of a block on, the other end takes no frames of this size: the device refuses them, and counts them. It is told
# when the first frames have come: before that it may not have been told its MTU yet. Each block has another device.
launch pid /dev/null "$tmp/err" "$X" record lab -q -o "$tmp/lossy" -V layer:tc-redirect -s 1500 -b 500 --schedule windows=2 --window 0.5
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
halt INT $pid
is "with an end that refuses frames too, until it is told to end" "$? $(jq -r .ended "$tmp/lossy/run.json")" "1 interrupted"
is "frames are lost" "$(jq '[.blocks[].totals.rx_named_drops > 0] | any' "$tmp/lossy/run.json")" true
is "and each is counted" "$(run=$tmp/lossy; totals '.gen_sent == .rx_seen + .rx_named_drops')" true

killed_in_the_middle "$all" layer:bridge,layer:route
gone_with_the_lab 'xzway\|xzend\|xzbridge'

# Sending.
modprobe -q pktgen 2>/dev/null

# Of one layer, over all its blocks: a number per frame.
per_frame() { jq --arg id layer:tx-$1 '([.variants[].id] | index($id)) as $v | [.blocks[] | select(.variant == $v) | .totals] | (map('"$2"') | add) / (map(.gen_sent) | add)' "$run/run.json"; }
all=$(for layer in live pktgen packet-bypass packet-ring xsk xsk-csum xsk-sw-csum xsk-stamp packet send sendmsg sendmmsg zerocopy gso; do echo layer:tx-$layer; done | paste -sd,)

"$X" record lab -q --force -o "$run" -V "$all" -b 1 --schedule windows=2 --window 0.2 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel may lack pktgen, and before Linux 6.11 the metadata of AF_XDP: those layers have a line each.
lacks='pktgen: this kernel has no pktgen, or its module is not loaded (modprobe pktgen)\|xsk-[a-z-]*: this kernel has no TX metadata for AF_XDP (Linux 6.11)'
lacking=$(sed -n "s/^xdpzoom: \\(layer:tx-\\($lacks\\)\\); everything else is measured$/\\1/p" "$tmp/err" | cut -d: -f1,2)
is "without another word" "$(wc -l <"$tmp/err")" "$(echo $lacking | wc -w)"
is "pktgen is left out where there is none" "$(echo "$lacking" | grep -c pktgen)" "$([ -e /proc/net/pktgen/pgctrl ]; echo $?)"
all=$(echo "$all" | tr , '\n' | grep -vxF "$lacking" | paste -sd,)
is "every frame that was sent arrived" "$(totals '.gen_sent == .rx_seen + .rx_named_drops and .gen_sent > 0')" true
is "and no other frame" "$(totals '.stray == 0')" true
is "every completion came" "$(totals '.send_owed == .send_completed')" true
is "a ring owes one for each frame, and so does MSG_ZEROCOPY" "$(per_frame packet-ring .send_owed) $(per_frame xsk .send_owed) $(per_frame zerocopy .send_owed)" "1 1 1"
is "no other socket owes any" "$(per_frame packet-bypass .send_owed) $(per_frame send .send_owed) $(per_frame gso .send_owed)" "0 0 0"
is "a system call for each frame" "$(per_frame packet-bypass .send_calls) $(per_frame packet .send_calls) $(per_frame send .send_calls) $(per_frame sendmsg .send_calls)" "1 1 1 1"
is "for a turn" "$(per_frame live .send_calls | awk '{ print ($1 > 0 && $1 < 0.001) }')" 1
is "for 64" "$(per_frame sendmmsg .send_calls) $(per_frame gso .send_calls)" "0.015625 0.015625"
"$X" report "$run" -f json >"$tmp/report"
is "the report has them too" "$(jq -c '[.variants[] | select(.id == "layer:tx-send" or .id == "layer:tx-zerocopy") | .sending | (.system_calls * 1e6 | round), .completions, .completions_missing]' "$tmp/report")" \
	"[1000000,0,0,$(per_frame zerocopy .send_calls | jq '. * 1e6 | round'),1,0]"
shown 'system calls per packet' "What each way of sending a packet costs"
killed_in_the_middle "$all" layer:tx-send,layer:tx-xsk
gone_with_the_lab xzsend

# TCP.
calls() { jq -c --arg id layer:tcp-$1 '([.variants[].id] | index($id)) as $v | [.blocks[] | select(.variant == $v) | .totals | .send_calls / .gen_sent] | unique' "$run/run.json"; }
all=$(for layer in read pass pass-skb splice copy uring; do echo layer:tcp-$layer; done | paste -sd,)

# So many samples that each side has some.
"$X" record lab -q --force -o "$run" -V "$all" -b 1 --schedule windows=2 --window 0.6 --overhead 20 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel that has no io_uring, or forbids it, lacks that layer.
if grep -q '^xdpzoom: layer:tcp-uring: this kernel has no io_uring.*; everything else is measured$' "$tmp/err"; then
	all=${all%,layer:tcp-uring}
	skip "a chain of requests for a burst" "no io_uring"
else
	is "a chain of requests for a burst" "$(cat "$tmp/err") $(calls uring)" " [0.015625]"
fi
is "every segment that was sent arrived" \
	"$(jq '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all' "$run/run.json")" true
is "a call reads 16 segments, and another writes them" "$(calls read) $(calls pass) $(calls pass-skb) $(calls copy)" \
	"[0.0625] [0.0625] [0.0625] [0.125]"
shown 'system calls per packet, .* per KiB; .* ns per KiB$' "What each way of reading or relaying a TCP segment costs"
"$X" report "$run:layer:tcp-copy" --format folded >"$tmp/folded"
ok "its stacks have the relay's process" grep -q 'tcp_sendmsg' "$tmp/folded"
ok "and the softirq side" grep -q 'napi_threaded_poll.*tcp_v4_rcv' "$tmp/folded"
is "and the other end is in none" "$(grep -c net_rx_action "$tmp/folded")" 0

# The kept data is compared: one bit in some hundred reads is found.
built refuses.so
REFUSES=bits LD_PRELOAD=$PWD/build/rig/refuses.so "$X" record lab -q -o "$tmp/x" -V layer:tcp-copy -b 1 --schedule windows=2 --window 0.1 2>"$tmp/err"
is "a relay that changes a bit" "$? $(tail -n 1 "$tmp/err")" "1 xdpzoom: what arrived over TCP is not what was sent"
ok "and there is no run" [ ! -e "$tmp/x" ]
killed_in_the_middle "$all" layer:tcp-read,layer:tcp-copy
gone_with_the_lab 'xznear\|xzfar'
