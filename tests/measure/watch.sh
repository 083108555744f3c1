#!/bin/sh
# What watch shows is what record measures, within 3 %: of the same packets in the same tenths of a second, native and skb, in
# softirqs (view work, all of them timed) and in NAPI threads (view crossing); and in turn, on devices of its own in softirqs
# (view turns; one of 16 timed, and all): any rate, datagrams into a socket, another device on the same CPU, several queues. And
# what it costs.
#
# At the same time each of the two has the other's programs in its time. So what watch says that its programs cost at polls is added
# to its ns/packet, as record pays for that; and from softirqs is taken the clock reading of record before the first poll, and what
# they take longer after the last one than before record began. Watch begins first, and finds its own costs under a load of another
# generator.
# usage: watch.sh [SECONDS]; ONLY='lab devices cost' takes some of its three parts
seconds=${1:-4}
only=${ONLY:-lab devices cost}
. "$(dirname "$0")/lib.sh"

need_root
figures=0
case $only in *lab* | *cost*) need_lab ;; esac
case $only in *lab*) figures=$((figures + 4)) ;; esac
case $only in *devices*) figures=$((figures + 10)) ;; esac
case $only in *cost*) figures=$((figures + 6)) ;; esac
expect $figures
mac=$(in_rx cat /sys/class/net/xzrx/address 2>/dev/null)
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
knows_itself() { tail -n 1 "$tmp/lines" | jq -e '.own_softirqs_ns and .softirq_tail_ns and .ns_per_packet'; }
agrees() { # WHAT
	what=$1
	# shellcheck disable=SC2046 # words
	set -- $(python3 tests/measure/together.py "$tmp/run" "$tmp/lines")
	within "$what: watch less record, percent" "${1-}" "${2-}" "${3-}" -3 3
	echo "#     ${4-no} ns per packet in polls of ${5-no} packets; ${6-no} % of that is added or taken"
}
# together VARIANT VIEW OPTION...: of both, at the same time
together() {
	variant=$1 view=$2
	shift 2
	threaded 0
	"$X" watch lab -i 0.1 -f jsonl --no-queues --overhead 0 "$@" >"$tmp/lines" 2>"$tmp/watch.err" &
	watch=$!
	started $watch
	attach "${variant#*@}"
	"$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600 >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
	await_of $watch knows_itself >"$tmp/knows"
	sleep 3 # until ends of softirqs were seen several times
	kill -TERM $gen
	wait $gen
	attach none
	threaded 1
	"$X" record lab -q --force -o "$tmp/run" --view "$view" -V "$variant" -b 1000 --schedule windows=2 --for "$seconds" >"$tmp/record" 2>&1 || cat "$tmp/record"
	kill -TERM $watch
	wait $watch
	agrees "$variant, $view${1:+, $1}"
}
the_lab() {
	together drop/no-touch@native work --timing all
	together drop/no-touch@skb work --timing all
	together drop/no-touch@native crossing
	together drop/no-touch@skb crossing
}

# ---- devices of its own: two pairs, with two queues each
frame='udp 10.99.0.2:7 > 10.99.0.1:9 len 150'
make_devices() {
	rx=xzw-rx$$ tx=xzw-tx$$
	namespaces="$rx $tx"
	ip netns add $rx && ip netns add $tx
	for n in $rx $tx; do ip netns exec $n sysctl -q -w net.ipv6.conf.all.disable_ipv6=1; done
	for pair in w v; do
		ip link add ${pair}rx netns $rx numrxqueues 2 numtxqueues 2 type veth peer name ${pair}tx numrxqueues 2 numtxqueues 2 netns $tx
		for end in $rx:${pair}rx $tx:${pair}tx; do
			ip netns exec ${end%:*} ethtool -K ${end#*:} gro on
			ip netns exec ${end%:*} ethtool -L ${end#*:} rx 2 tx 2
			ip -n ${end%:*} link set ${end#*:} up
		done
	done
	ip -n $rx addr add 10.99.0.1/24 dev wrx
	ip -n $tx addr add 10.99.0.2/24 dev wtx
	mac=$(ip netns exec $rx cat /sys/class/net/wrx/address)
	ip -n $tx neigh add 10.99.0.1 lladdr $mac dev wtx nud permanent
	cpu=$(($(nproc) - 1))
}
# load DEV [OPTION...]: sends on the CPU that receives
load() {
	dev=$1
	shift
	taskset -c $cpu "$X" gen $dev -N $tx -m "$mac" -t 600 "$@" >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
}
ended() { kill -TERM "$1" && wait "$1"; } 2>/dev/null
# apart NAME ACTION [WATCH-OPTION]: in turn, of a load that goes on, so that neither pays for the other: where polls hold few packets,
# what one knows of the other's cost is not known well enough. The ratio of neighbours, its median, and of that a 95 % interval.
apart() {
	name=$1 action=$2 timing=${3-}
	sleep 1
	for _ in $(seq "$pairs"); do
		"$X" record wrx -N $rx -q --force -o "$tmp/run" --view turns -V "$action/no-touch@native" -b 1000 --schedule windows=2 --for "$seconds" >"$tmp/record" 2>&1 || cat "$tmp/record"
		"$X" report "$tmp/run" -f json | jq .variants[0].base_ns >"$tmp/base"
		[ "$action" != drop ] || ip -n $rx link set wrx xdpdrv obj build/bpf/xdp_bench.bpf.o sec xdp
		# shellcheck disable=SC2086 # no word, or two
		nsenter --net=/run/netns/$rx "$X" watch wrx -i 1 -c $((seconds + 2)) -f jsonl --no-queues $timing >"$tmp/lines" 2>"$tmp/watch.err"
		ip -n $rx link set wrx xdpdrv off
		jq -s --slurpfile base "$tmp/base" '[.[] | select(.device and .ns_per_packet)][2:] |
			100 * ((map(.ns_per_packet * .packets) | add) / (map(.packets) | add) / $base[0] - 1)' "$tmp/lines"
	done | sort -g >"$tmp/ratios"
	ended $gen
	[ -z "${other-}" ] || ended $other
	other=
	# shellcheck disable=SC2046 # words
	within "$name${timing:+, $timing}: watch less record, percent" $(awk '{ r[NR] = $1 } END {
		half = 0.98 * sqrt(NR)
		print (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2, r[int(NR / 2 - half) + 1], r[NR - int(NR / 2 - half)]
	}' "$tmp/ratios") -3 3
	echo "#     $(cat "$tmp/base") ns per packet by record, in polls of $(jq -s '.[-1] | .packets / .polls' "$tmp/lines") packets"
}
reads_all() {
	ip netns exec $rx python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.99.0.1", 9))
while True:
    s.recv(2048)
' &
	other=$!
	started $other
}
# Frames that a process sends through the stack go to a queue by their flow, and live frames by the CPU.
sends_flows() {
	ip netns exec $tx taskset -c $cpu python3 -c '
import socket
all = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(16)]
while True:
    for s in all:
        s.sendto(bytes(100), ("10.99.0.1", 9))
' &
	other=$!
	started $other
}
devices() {
	make_devices
	pairs=12
	for rate in 20k 200k 100M; do # 100M: as many as come
		for timing in "" "--timing all"; do
			load wtx --frames "$frame" --rate $rate
			apart "at most $rate packets a second" drop "$timing"
		done
	done
	reads_all
	load wtx --frames "$frame"
	apart "into a UDP socket" pass
	load vtx
	other=$gen
	load wtx --frames "$frame"
	apart "two devices on one CPU" drop
	for timing in "" "--timing all"; do
		sends_flows
		gen=$other other=
		apart "two queues" drop "$timing"
	done
}

# own_of WHAT: the mean over the lines of $tmp/cost in which watch knows what it takes
own_of() { jq -s "[.[] | select(.device == \"xzrx\" and .packets > 1000 and .own_polls_ns and .own_softirqs_ns) | (.own_polls_ns + .own_softirqs_ns) as \$own | $1] | add / length" "$tmp/cost"; }
# cost MODE BAR WHAT: what watch says that it costs. In NAPI threads polls find 64 packets; in softirqs of the lab each of them is
# followed by one that finds nothing, and each is in a softirq of its own
cost() {
	attach "$1"
	"$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600 >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
	"$X" watch lab -i 0.3 -f jsonl --for 30 >"$tmp/cost" 2>"$tmp/watch.err"
	kill -TERM $gen
	wait $gen
	attach none
	figure "$3: what watch takes of it, percent" "$(own_of '100 * $own / ($own + .busy_pct * 1e7 * .seconds)')" 0 "$2"
}
costs() {
	threaded 1
	cost native 2 "native drop, threads"
	cost skb 1 "skb drop, threads"
	threaded 0
	cost native 2 "native drop, softirqs of one poll, every other one empty"
	cost skb 1 "skb drop, the same"
	figure "a poll that is counted, ns: 64 packets at 10 Mpps have 6400, 0.5 % of that" "$(own_of '.own_polls_ns / .polls')" 0 32
	"$X" watch xzrx -N xdpzoom-rx -i 0.1 -c 50 -f jsonl >"$tmp/lines" 2>&1 &
	watch=$!
	started $watch
	await sh -c "grep -q xdpzoom.watch/ $tmp/lines"
	figure "its memory, MB" "$(awk '/^VmRSS/ { print $2 / 1000 }' /proc/$watch/status)" 0 30
	wait $watch
}

case $only in *lab*) the_lab ;; esac
case $only in *devices*) devices ;; esac
case $only in *cost*) costs ;; esac
