#!/bin/sh
# XDP_TX: what was sent back is counted where it arrives, and a broken way back is caught.
# usage: tx.sh [emulated]    a slow machine: fewer frames
. "$(dirname "$0")/lib.sh"
need_lab

rounds=2 many=1000 how=
[ $# -eq 0 ] || rounds=1 how="-r 10k --schedule windows=2"
V=tx/swap-macs@native,tx/swap-macs@skb
ok "record tx in both modes" "$X" record lab -q -o "$tmp/run" -V $V -b $rounds --window 0.2 $how
for i in $(seq 0 $((2 * rounds - 1))); do
	b=".blocks[$i].totals"
	is "block $i: frames back = verdicts = frames sent" \
		"$(jq "$b.sink_frames == $b.tx_verdicts and $b.tx_verdicts == $b.gen_sent and $b.tx_verdicts > $many" "$tmp/run/run.json")" true
done
check() { "$X" report "$1" --format json | jq -c "[.variants[].quality[] | select(.check == \"tx-returned\") | .ok]"; }
is "the check is content" "$(check "$tmp/run")" "[true,true]"
in_tx ip link set xztx xdp off
ok "record with a broken way back" "$X" record xzrx -N xdpzoom-rx -g local:xztx@xdpzoom-tx -q -o "$tmp/broken" \
	-V tx/swap-macs@native -b $rounds --window 0.2 $how --cpus rx="$("$X" lab status | awk '/kthread/ { print $NF }')"
is "the check catches it" "$(check "$tmp/broken")" "[false]"
