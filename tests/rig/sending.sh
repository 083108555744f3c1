#!/bin/sh
# The sending ladder: every frame that the kernel took arrives at the other end, every completion comes, nothing stays.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/senders_lib.sh"
need_lab
modprobe -q pktgen 2>/dev/null

run=$tmp/run
totals() { jq "[.blocks[].totals | $1] | all" "$run/run.json"; }
# Of one layer, over all its blocks: a number per frame.
per_frame() { jq --arg id layer:tx-$1 '([.variants[].id] | index($id)) as $v | [.blocks[] | select(.variant == $v) | .totals] | (map('"$2"') | add) / (map(.gen_sent) | add)' "$run/run.json"; }
all=$(for layer in live pktgen packet-bypass packet-ring xsk packet send sendmsg sendmmsg zerocopy gso; do echo layer:tx-$layer; done | paste -sd,)

"$X" record lab -q -o "$run" -V "$all" -b 1 --schedule windows=2 --window 0.2 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel without pktgen lacks that layer.
if [ -e /proc/net/pktgen/pgctrl ]; then
	is "without a word" "$(cat "$tmp/err")" ""
else
	all=$(echo "$all" | sed 's/,layer:tx-pktgen//')
	is "without pktgen, with a line alone" "$(cat "$tmp/err")" \
		"xdpzoom: layer:tx-pktgen: this kernel has no pktgen, or its module is not loaded (modprobe pktgen); everything else is measured"
fi
is "the ids" "$(jq -r '.variants[].id' "$run/run.json" | paste -sd,)" "$all"
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
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each with its system calls" "$(grep -c 'system calls per packet' "$tmp/ladder")" "$(echo "$all" | tr , '\n' | wc -l)"
"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
is "its page" "$(grep -o '<h1>.*</h1>' "$tmp/ladder.html")" "<h1>What each way of sending a packet costs</h1>"
fails "beside a layer that receives" 2 "takes turns with others that send" \
	"$X" record lab -q -o "$tmp/x" -V layer:tx-send,layer:tc
fails "a frame that is too long" 2 "frames of 1514 bytes at most" "$X" record lab -q -o "$tmp/x" -V layer:tx-send -s 2000
killed_in_the_middle "$all" layer:tx-send,layer:tx-xsk
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-')" 0
