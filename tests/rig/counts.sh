#!/bin/sh
# Every frame that was sent is seen, once, with its verdict; numbers come from the device's counters.
# usage: counts.sh [PART]    a PART-th of the frames, for slow machines
. "$(dirname "$0")/lib.sh"
need_lab
part=${1-1}

sent() { "$X" gen lab --format json "$@" 2>"$tmp/gen.err" | jq .sent; }

# seen ACTION OPERATION MODE VERDICT FRAMES: run stat around an exact number of frames
seen() {
	: >"$tmp/stat"
	launch pid "$tmp/stat" /dev/null "$X" stat xzrx -N xdpzoom-rx -V "$1/$2@$3" -i 0.2 -t 600 --format json
	stat_counts $pid
	n=$(sent -c "$5" -r 500k)
	stat_saw "$n"
	halt TERM $pid
	echo "$n $(jq -s "[.[].cpus[].$4] | add // 0" "$tmp/stat") $(jq -s '[.[].packets] | add' "$tmp/stat")"
}

many=$((100000 / part)) some=$((20001 / part))
is "drop/no-touch native" "$(seen drop no-touch native drop $many)" "$many $many $many"
is "drop/read-data native" "$(seen drop read-data native drop $some)" "$some $some $some"
is "drop/parse-ip native" "$(seen drop parse-ip native drop $some)" "$some $some $some"
is "pass/no-touch native" "$(seen pass no-touch native pass $some)" "$some $some $some"
is "aborted/no-touch native" "$(seen aborted no-touch native aborted $some)" "$some $some $some"
is "tx/swap-macs native" "$(seen tx swap-macs native tx $some)" "$some $some $some"
is "drop/no-touch skb" "$(seen drop no-touch skb drop $many)" "$many $many $many"
is "drop/swap-macs skb" "$(seen drop swap-macs skb drop $some)" "$some $some $some"
is "pass/parse-ip skb" "$(seen pass parse-ip skb pass $some)" "$some $some $some"
is "tx/swap-macs skb" "$(seen tx swap-macs skb tx $some)" "$some $some $some"

launch pid /dev/null - "$X" stat xzrx -N xdpzoom-rx -V drop/parse-ip -t 600
await_of $pid attached xzrx xdpzoom-rx
is "many flows, written, long frames: all leave" "$(sent -c $((30000 / part)) --flows 100 -s 1400 -r 300k)" $((30000 / part))
is "as fast as it goes, exactly" "$(sent -c $((3000000 / part)))" $((3000000 / part))
counted() { "$X" gen lab --format json -c $((300000 / part)) 2>&1 | jq -c '[.sent, .dropped]'; }
is "the receiver's program counts, so its ring refuses nothing" "$(counted)" "[$((300000 / part)),0]"
received() { in_rx cat /sys/class/net/xzrx/statistics/rx_packets; }
received_since() { [ "$(received)" -gt "$1" ]; }
# How near it comes to the limit depends on the machine: tests/measure/generator.sh.
"$X" gen lab -r 200k -t 1 --format json >"$tmp/rate"
is "a rate is the frames that were sent in its seconds, never above the limit" \
	"$(jq -c '[.seconds >= 1, .sent > 0, (.pps * .seconds / .sent * 1000 | round), .pps <= 202000]' "$tmp/rate")" "[true,true,1000,true]"
before=$(in_tx cat /sys/class/net/xztx/statistics/tx_packets)
left() { in_tx cat /sys/class/net/xztx/statistics/tx_packets; }
begun=$(received)
launch pid "$tmp/gen.out" - "$X" gen lab
await_of $pid received_since "$begun"
halt INT $pid
is "stopped by SIGINT: success" $? 0
is "and says what left" "$(sed -n 's/^sent \([0-9]*\) frames.*/\1/p' "$tmp/gen.out")" $(($(left) - before))
