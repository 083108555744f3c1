#!/bin/sh
# TCP's ladder: every byte that was sent arrives, read or relayed, and the same byte; nothing stays behind.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/senders_lib.sh"
need_lab

run=$tmp/run
calls() { jq -c --arg id layer:tcp-$1 '([.variants[].id] | index($id)) as $v | [.blocks[] | select(.variant == $v) | .totals | .send_calls / .gen_sent] | unique' "$run/run.json"; }
all=$(for layer in read pass pass-skb splice copy uring; do echo layer:tcp-$layer; done | paste -sd,)

# So many samples that each side has some.
"$X" record lab -q -o "$run" -V "$all" -b 1 --schedule windows=2 --window 0.6 --overhead 20 --for 1 2>"$tmp/err"
is "recorded" $? 0
# A kernel that has no io_uring, or forbids it, lacks that layer.
if grep -q '^xdpzoom: layer:tcp-uring: this kernel has no io_uring.*; everything else is measured$' "$tmp/err"; then
	all=${all%,layer:tcp-uring}
	skip "a chain of requests for a burst" "no io_uring"
else
	is "a chain of requests for a burst" "$(cat "$tmp/err") $(calls uring)" " [0.015625]"
fi
is "the ids" "$(jq -r '.variants[].id' "$run/run.json" | paste -sd,)" "$all"
is "every segment that was sent arrived" \
	"$(jq '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all' "$run/run.json")" true
is "a call reads 16 segments, and another writes them" "$(calls read) $(calls pass) $(calls pass-skb) $(calls copy)" \
	"[0.0625] [0.0625] [0.0625] [0.125]"
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each with its calls and ns per KiB" \
	"$(grep -c 'system calls per packet, .* per KiB; .* ns per KiB$' "$tmp/ladder")" "$(echo "$all" | tr , '\n' | wc -l)"
"$X" report "$run" --format ladder-html -o "$tmp/ladder.html"
is "its page" "$(grep -o '<h1>.*</h1>' "$tmp/ladder.html")" "<h1>What each way of reading or relaying a TCP segment costs</h1>"
"$X" report "$run:layer:tcp-copy" --format folded >"$tmp/folded"
ok "its stacks have the relay's process" grep -q 'tcp_sendmsg' "$tmp/folded"
ok "and the softirq side" grep -q 'napi_threaded_poll.*tcp_v4_rcv' "$tmp/folded"
is "and the other end is in none" "$(grep -c net_rx_action "$tmp/folded")" 0

# The kept data is compared: one bit in some hundred reads is found.
built flip_byte.so
LD_PRELOAD=$PWD/build/rig/flip_byte.so "$X" record lab -q -o "$tmp/x" -V layer:tcp-copy -b 1 --schedule windows=2 --window 0.1 2>"$tmp/err"
is "a relay that changes a bit" "$? $(tail -n 1 "$tmp/err")" "1 xdpzoom: what arrived over TCP is not what was sent"
ok "and there is no run" [ ! -e "$tmp/x" ]
fails "beside a layer that receives" 2 "takes turns with others that send" \
	"$X" record lab -q -o "$tmp/x" -V layer:tcp-read,layer:tc
killed_in_the_middle "$all" layer:tcp-read,layer:tcp-copy
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-') $(ip -o link | grep -c 'xznear\|xzfar')" "0 0"
