#!/bin/sh
# watch counts the packets of devices that work, exactly, in threads and in softirqs, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"
need_lab
plan 10

mac=$(in_rx cat /sys/class/net/xzrx/address)
threaded() { in_rx sh -c "echo $1 >/sys/class/net/xzrx/threaded"; }
programs() { bpftool prog show 2>/dev/null | grep -c 'name watch_'; }
watches() { [ "$(programs)" -gt "$1" ]; }
# watch_saw PACKETS: as stat_saw does, of $tmp/watch
watch_holds() { [ "$(jq -s '[.[] | select(.device == "xzrx").packets] | add // 0' "$tmp/watch")" = "$1" ]; }

# counted MODE OPTIONS...: frames that were sent, packets that watch saw and that stat saw; cost and busy time make sense
counted() {
	mode=$1
	shift
	: >"$tmp/stat"
	"$X" stat xzrx -N xdpzoom-rx -m "$mode" -i 0.1 -t 600 --format json >"$tmp/stat" 2>/dev/null &
	stat=$!
	started $stat
	stat_counts $stat
	before=$(programs)
	"$X" watch lab -i 0.1 -f jsonl "$@" >"$tmp/watch" 2>"$tmp/watch.err" &
	watch=$!
	started $watch
	await_of $watch watches "$before"
	n=$("$X" gen xztx -N xdpzoom-tx -m "$mac" --format json -n 100000 -r 500k 2>"$tmp/gen.err" | jq .sent)
	await watch_holds "$n"
	stat_saw "$n"
	kill -TERM $watch $stat
	wait $watch || echo "watch failed: $(cat "$tmp/watch.err")"
	wait $stat
	jq -s --argjson n "$n" -r '[.[] | select(.device == "xzrx")] | "\($n) \(map(.packets) | add) \(map(.timed_packets) | add)"' "$tmp/watch"
}
# the sums of the lines hold: poll by poll in the histogram, busy time over packets is the cost
sound() {
	jq -s '[.[] | select(.device == "xzrx") | .polls == (.poll_histogram | add) and .empty_polls == .poll_histogram[0] and
		(.ns_per_packet == null or (.ns_per_packet > 0 and (.busy_pct * 1e7 * .seconds / .packets / .ns_per_packet - 1 | . * . < 1e-6)))] | all' "$tmp/watch"
}

is "native, in a thread: all packets, all timed" "$(counted native)" "100000 100000 100000"
is "its lines agree with themselves" "$(sound)" true
is "it names the program that sits there" "$(jq -s -c 'map(.programs[] | "\(.hook) \(.name)") | unique' "$tmp/watch")" '["xdp native xdp_bench"]'
is "skb, in a thread" "$(counted skb)" "100000 100000 100000"
threaded 0
set -- $(counted native --time-all)
is "native, in softirqs, all timed" "$*" "100000 100000 100000"
set -- $(counted skb)
is "skb, in softirqs" "$1 $2" "100000 100000"
between "of which some are timed, drawn at random" "$3" 1 30000
is "counted only: nothing is timed" "$(counted native --count-only)" "100000 100000 0"
threaded 1

before=$(programs)
"$X" watch lab >/dev/null 2>&1 &
watch=$!
started $watch
await_of $watch watches "$before"
kill -KILL $watch
wait $watch
await sh -c "[ \"\$(bpftool prog show | grep -c 'name watch_')\" = $before ]"
is "after kill -9 no program is left" "$(programs)" "$before"
fails "a device that is not there" 1 "no such device" "$X" watch nonsense
