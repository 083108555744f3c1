#!/bin/sh
# The receive ladder: every frame that was sent ends at its rung and is counted there, and nothing stays behind.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
all=drop/no-touch@native,drop/no-touch@skb,rung:tc,rung:nft-ingress,rung:nft-raw,rung:conntrack,rung:nft-input,rung:udp-closed,rung:udp-full
# The receivers' namespaces have no names. With each goes its receiver, and with that the sender's device.
senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }

plan 15
"$X" record lab -q -o "$run" -V $all -b 1 --windows 2 -w 0.1 2>"$tmp/err"
is "all rungs recorded" "$? $(cat "$tmp/err")" "0 "
is "in turns" "$(json -r '.view, .ended' | tr '\n' ' ')" "work complete "
is "every frame that was sent ended at its rung, in each round" \
	"$(json '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all')" true
is "a rung is no program" "$(json -c '[.blocks[] | select(.mode_found == "stack") | [.prog_id, .prog_name]] | unique')" '[[0,""]]'
is "the ids" "$(json -r '.variants[].id' | paste -sd,)" "$all"
ok "the receivers are gone" no_senders

"$X" report "$run" --format ladder >"$tmp/ladder"
is "a line for each rung" "$(awk '/^(drop|rung:)/ && !/more than/' "$tmp/ladder" | wc -l)" 9
is "80 columns" "$(awk 'length > 80' "$tmp/ladder" | wc -l)" 0
"$X" diff "$run:rung:nft-raw" rung:conntrack --format json >"$tmp/diff.json"
is "two rungs compared" "$? $(jq -r '.base, .new' "$tmp/diff.json" | tr '\n' ' ')" "0 rung:nft-raw rung:conntrack "

fails "an unknown rung" 2 "unknown rung" "$X" record lab -q -o "$tmp/x" -V rung:nothing
fails "a rung on a NIC" 2 "measured in the lab" "$X" record xzrx -N xdpzoom-rx -q -o "$tmp/x" -V rung:tc
fails "a rung in blocks" 2 "measured in the lab" "$X" record lab --view blocks -q -o "$tmp/x" -V rung:tc

"$X" ladder rx -o "$tmp/cut" -b 500 2>"$tmp/err" &
pid=$!
started $pid
all_senders() { [ "$(senders)" = 9 ]; }
await_of $pid all_senders
is "all senders are there" "$(senders)" 9
kill -KILL $pid
wait $pid 2>/dev/null
ok "a recorder that was killed leaves no namespace behind" await no_senders
"$X" lab down
is "and nothing of the lab" "$(ip netns list | grep -c '^xdpzoom-')" 0
