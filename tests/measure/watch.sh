#!/bin/sh
# What watch shows is what record measures, of the same packets in the same tenths of a second, within 3 %: native and skb, in
# softirqs (view work; one softirq of 16 timed, and all) and in NAPI threads (view crossing). And what it costs.
#
# Each of the two has the other's programs in its time. So what watch says that its programs cost at polls is added to its
# ns/packet, as record pays for that; and from softirqs a clock reading of record's is taken, which is between watch's reading
# and the first poll. Watch begins first, and finds its own costs under a load of another generator.
# usage: watch.sh [SECONDS]
seconds=${1:-4}
. "$(dirname "$0")/lib.sh"

need_lab
expect 12
mac=$(in_rx cat /sys/class/net/xzrx/address)
threaded() { in_rx sh -c "echo $1 >/sys/class/net/xzrx/threaded"; }

# attach native|skb|none: the benchmark program, which drops, and no program of xdpzoom beside it
attach() {
	ip -n xdpzoom-rx link set xzrx xdpdrv off
	ip -n xdpzoom-rx link set xzrx xdpgeneric off
	case $1 in
	native) ip -n xdpzoom-rx link set xzrx xdpdrv obj build/bpf/xdp_bench.bpf.o sec xdp ;;
	skb) ip -n xdpzoom-rx link set xzrx xdpgeneric obj build/bpf/xdp_bench.bpf.o sec xdp ;;
	esac
}
# knows_itself: watch has measured its own programs, alone; behind programs of record it would measure those, too
knows_itself() { tail -n 1 "$tmp/lines" | jq -e '.own_softirqs_ns and .packets > 0'; }
# together VARIANT VIEW OPTION...: of both, at the same time
together() {
	variant=$1 view=$2
	shift 2
	threaded 0
	"$X" watch lab -i 0.1 -f jsonl --overhead 0 "$@" >"$tmp/lines" 2>"$tmp/watch.err" &
	watch=$!
	started $watch
	attach "${variant#*@}"
	"$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600 >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
	await_of $watch knows_itself >"$tmp/knows"
	kill -TERM $gen
	wait $gen
	attach none
	threaded 1
	"$X" record lab -q --force -o "$tmp/run" --view "$view" -V "$variant" -b 1000 --windows 2 --max-time "$seconds" >"$tmp/record" 2>&1 || cat "$tmp/record"
	kill -TERM $watch
	wait $watch
	name="$variant, $view${1:+, $1}"
	# shellcheck disable=SC2046 # words
	set -- $(python3 tests/measure/together.py "$tmp/run" "$tmp/lines")
	within "$name: watch less record, percent" "${1-}" "${2-}" "${3-}" -3 3
}
for options in "" --time-all; do
	together drop/no-touch@native work $options
	together drop/no-touch@skb work $options
done
together drop/no-touch@native crossing
together drop/no-touch@skb crossing

# cost MODE BAR WHAT: what watch says that it costs. In NAPI threads polls find 64 packets; in softirqs of the lab each of them is
# followed by one that finds nothing, and each is in a softirq of its own
cost() {
	attach "$1"
	"$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600 >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
	"$X" watch lab -i 0.3 --cost --for 60 >"$tmp/cost" 2>"$tmp/watch.err"
	kill -TERM $gen
	wait $gen
	attach none
	sed 's/^/# /' "$tmp/cost"
	set -- $(sed -n 's/^xzrx .* \([0-9.]*\) ± *\([0-9.]*\)$/\1 \2/p' "$tmp/cost") "$2" "$3"
	figure "$4: what watch takes of it, percent" "$1" 0 "$3"
}
threaded 1
cost native 2 "native drop, threads"
cost skb 1 "skb drop, threads"
threaded 0
cost native 2 "native drop, softirqs of one poll, every other one empty"
cost skb 1 "skb drop, the same"
figure "a poll that is counted, ns: 64 packets at 10 Mpps have 6400, 0.5 % of that" "$(awk '/a poll that is counted$/ { print $1 }' "$tmp/cost")" 0 32
"$X" watch xzrx -N xdpzoom-rx -i 0.1 -c 50 -f jsonl >"$tmp/lines" 2>&1 &
watch=$!
started $watch
await sh -c "grep -q xdpzoom.watch/ $tmp/lines"
figure "its memory, MB" "$(awk '/^VmRSS/ { print $2 / 1000 }' /proc/$watch/status)" 0 30
wait $watch
