#!/bin/sh
# The sending ladder: every frame that the kernel took arrives at the other end, every completion comes, nothing stays.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }
totals() { jq "[.blocks[].totals | $1] | all" "$run/run.json"; }
# Of one rung: a number per frame.
per_frame() { jq "[.blocks[] | select(.variant == $1) | .totals | $2 / .gen_sent] | add" "$run/run.json"; }
all=$(for rung in packet-bypass packet-ring xsk packet send sendmsg sendmmsg zerocopy gso; do echo rung:tx-$rung; done | paste -sd,)

plan 15
"$X" record lab -q -o "$run" -V "$all" -b 1 --windows 2 -w 0.2 --max-time 1 2>"$tmp/err"
is "recorded" "$? $(cat "$tmp/err")" "0 "
is "the ids" "$(jq -r '.variants[].id' "$run/run.json" | paste -sd,)" "$all"
is "every frame that was sent arrived" "$(totals '.gen_sent == .rx_seen + .rx_named_drops and .gen_sent > 0')" true
is "and no other frame" "$(totals '.stray == 0')" true
is "every completion came" "$(totals '.send_owed == .send_completed')" true
is "a ring owes one for each frame, and so does MSG_ZEROCOPY" "$(per_frame 1 .send_owed) $(per_frame 2 .send_owed) $(per_frame 7 .send_owed)" "1 1 1"
is "no other socket owes any" "$(per_frame 0 .send_owed) $(per_frame 4 .send_owed) $(per_frame 8 .send_owed)" "0 0 0"
is "a system call for each frame" "$(per_frame 0 .send_calls) $(per_frame 3 .send_calls) $(per_frame 4 .send_calls) $(per_frame 5 .send_calls)" "1 1 1 1"
is "for 64" "$(per_frame 6 .send_calls) $(per_frame 8 .send_calls)" "0.015625 0.015625"
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each with its system calls" "$(grep -c 'system calls per packet' "$tmp/ladder")" 9
"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
is "its page" "$(grep -o '<h1>.*</h1>' "$tmp/ladder.html")" "<h1>What each way of sending a packet costs</h1>"
fails "beside a rung that receives" 2 "takes turns with others that send" \
	"$X" record lab -q -o "$tmp/x" -V rung:tx-send,rung:tc
fails "a frame that is too long" 2 "frames of 1514 bytes at most" "$X" record lab -q -o "$tmp/x" -V rung:tx-send -s 2000
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-')" 0
