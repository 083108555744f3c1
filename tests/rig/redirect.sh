#!/bin/sh
# Redirected frames: each one that was sent is redirected, and arrives at the consumer or is a drop with a name.
# usage: redirect.sh [emulated]    a slow machine: fewer frames, and nothing is killed while they flow
. "$(dirname "$0")/lib.sh"
need_lab
N=50001 many=1000000
[ $# -eq 0 ] || N=2001 many=20000

# counted ACTION OPERATION MODE FRAMES [RATE [INTERVAL]]: stat around an exact number of frames, paced so that the consumer keeps up:
# frames sent, verdicts XDP_REDIRECT, and whether consumer and named drops account for all of them
counted() {
	: >"$tmp/stat"
	launch pid "$tmp/stat" "$tmp/stat.err" "$X" stat lab -V "$1/$2@$3" -i "${6-0.2}" -t 600 --format json
	stat_counts $pid
	n=$("$X" gen lab --format json -c "$4" -r "${5-100k}" 2>"$tmp/gen.err" | jq .sent)
	await_of $pid accounted "$4"
	kill -TERM $pid 2>/dev/null || echo "stat ended by itself: $(cat "$tmp/stat.err")"
	wait $pid
	echo "$n $(redirected) $(jq -s '.[-1].consumer | .frames + .dropped' "$tmp/stat")"
}
accounted() { # frames: so many redirected, and as many arrived or dropped
	[ "$(redirected)" -ge "$1" ] && [ "$(jq -s '.[-1].consumer | .frames + .dropped' "$tmp/stat")" -ge "$1" ]
}
redirected() { jq -s '[.[].cpus[].redirect] | add // 0' "$tmp/stat"; }

for mode in native skb; do
	all="redirect/no-touch redirect-cpu:0/read-data xsk/parse-ip"
	case $mode${CHECK_ALL:+, all} in
	native,*) all="$all redirect/swap-macs redirect-cpu:1/no-touch xsk:copy/no-touch xsk:copy:128x2048/no-touch" ;;
	skb*) all="redirect/no-touch xsk:copy:256/no-touch ${CHECK_ALL:+redirect-cpu:0/read-data}" ;;
	esac
	for what in $all; do
		is "$what@$mode: sent, redirected, accounted for" "$(counted "${what%/*}" "${what#*/}" $mode $N)" "$N $N $N"
		is "$what@$mode: each arrived or is a named drop" "$(jq -s '.[-1].consumer | .frames >= 64 and .frames + .dropped == '$N "$tmp/stat")" true
	done
done

ok "lab status knows the second pair" sh -c "'$X' lab status | grep -q 'redirect *xzout'"
redirects() { "$X" stat xzrx -N xdpzoom-rx -t 2 -i 0.2 -V "$@"; }
fails "zero-copy where the driver has none" 77 "veth has no zero-copy" redirects xsk:zero-copy
ok "record all three in both modes" "$X" record lab -q -o "$tmp/run" -b 1 --window 0.2 --schedule windows=2 -r 100k \
	-V redirect/no-touch@native,redirect/no-touch@skb,redirect-cpu/no-touch@native,redirect-cpu/no-touch@skb,xsk/no-touch@native,xsk/no-touch@skb
is "each frame sent was seen, redirected, and arrived or is a named drop" \
	"$(jq -c '[.blocks[].totals | .gen_sent == .rx_seen and .rx_seen == .redirected and .redirected == .consumer_frames + .consumer_dropped and .redirected > 100] | unique' "$tmp/run/run.json")" "[true]"
[ "$tests_failed" -eq 0 ] || jq -c '.blocks[] | "# \(.variant) \(.totals)"' -r "$tmp/run/run.json"
"$X" report "$tmp/run" --format json >"$tmp/report"
is "the checks agree; a block of 0.2 s on a busy machine may be discarded, and then they are not known" \
	"$(jq -c '[.variants[].quality[] | select(.check == "conservation" or .check == "consumer") | .ok | select(. != null)] | unique' "$tmp/report")" "[true]"
nightly

is "xsk as fast as it goes: what does not arrive is a named drop" "$(counted xsk no-touch native $many 10M)" "$many $many $many"
is "a look each ms, at which the socket's thread may not have run yet" "$(counted xsk no-touch native $N 10M 0.001)" "$N $N $N"

fails "record says so before it measures anything" 77 "veth has no zero-copy" \
	"$X" record lab -q -o "$tmp/none" -V drop/no-touch@native,xsk:zero-copy/no-touch@native

is "nothing is left on the receiver" "$(in_rx ip -d -o link show xzrx | grep -c 'prog/xdp')" 0

[ "$tests_failed" -eq 0 ] || jq -c '.variants[].quality[] | select(.check == "consumer" or .check == "conservation")' "$tmp/report" | sed 's/^/# /'
is "and is not in the base: its task's samples are not the receiver's" \
	"$(jq '[.variants[].symbols[] | select(.samples > 0 and (.name | test("^cpu_map_kthread_run|^xsk_poll|^receive_main")))] | length' "$tmp/report")" 0
# The generator waits for the consumer too, wherever that runs.
ok "record without a rate" "$X" record lab -q -o "$tmp/full" -b 1 --window 0.2 --schedule windows=2 \
	-V redirect/no-touch@native,redirect-cpu:1/no-touch@native,redirect-cpu/no-touch@skb,xsk/no-touch@native
is "each frame sent was seen, and arrived or is a named drop" \
	"$(jq -c '[.blocks[].totals | .gen_sent == .rx_seen and .rx_seen == .redirected and .redirected == .consumer_frames + .consumer_dropped and .redirected > 100] | unique' "$tmp/full/run.json")" "[true]"
[ "$tests_failed" -eq 0 ] || jq -c '.blocks[] | "# \(.variant) \(.totals)"' -r "$tmp/full/run.json"
killed_left() {
	in_rx ip -d -o link show xzrx | grep -o 'prog/xdp.*'
	for map in $maps; do grep -lx "cpumap/.*map:$map" /proc/[0-9]*/comm 2>/dev/null; done # its own, of which others have such, too
}
# Not emulated: a slow machine hits a race of the kernel's then (tests/vm/README.rst).
for what in redirect redirect-cpu xsk; do
	[ $# -eq 0 ] || { skip "$what, killed" emulated; continue; }
	launch pid /dev/null - "$X" record lab -q -o "$tmp/killed" -V $what/no-touch@native -b 30 --window 0.1 -r 50k
	await_of $pid attached xzrx xdpzoom-rx
	maps=$(sed -n 's/^map_id:[[:blank:]]*//p' /proc/$pid/fdinfo/* 2>/dev/null | sort -u)
	halt KILL $pid
	gone "$what, killed: no program and no kthread stay" killed_left
	rm -rf "$tmp"/killed*
done
"$X" lab down

# Frames of several buffers, out of a packet socket, along the same ways.
"$X" lab up --mtu 9000 >"$tmp/up"
long() { "$X" record lab -q -o "$tmp/long" --force -b 1 --window 0.1 --schedule windows=2 "$@" 2>"$tmp/err"; }
counts() { jq -c '[.blocks[].totals | .gen_sent == .rx_seen and .rx_seen == .redirected and .redirected == .consumer_frames + .consumer_dropped and .consumer_frames > 100] | unique' "$tmp/long/run.json"; }
both=redirect/no-touch@native,redirect/no-touch@skb,redirect-cpu/no-touch@native,redirect-cpu/no-touch@skb
# An AF_XDP socket takes several of its buffers for a frame since Linux 6.6.
! printf '6.6\n%s\n' "$(uname -r)" | sort -CV || both=$both,xsk/no-touch@native,xsk/no-touch@skb
long -V $both -s 6000
is "frames of several buffers: each frame sent was seen, and arrived or is a named drop" "$? $(counts)" "0 [true]"
[ "$tests_failed" -eq 0 ] || { sed 's/^/# /' "$tmp/err"; jq -r '.blocks[] | "# \(.variant) \(.totals)"' "$tmp/long/run.json"; }
is "the run names what sent them, and how many variants" \
	"$(jq -c '[.load.kind, .load.bytes, .view, (.variants | length)]' "$tmp/long/run.json")" \
	"[\"packet-socket\",6000,\"blocks\",$(echo $both | tr , '\n' | wc -l)]"
is "the second pair has the lab's MTU" "$(in_rx cat /sys/class/net/xzout/mtu) $(in_tx cat /sys/class/net/xzend/mtu)" "9000 9000"
long -V xsk/no-touch@native -s 3000
is "a long frame in one buffer reaches an AF_XDP socket" "$? $(counts)" "0 [true]"
[ "$tests_failed" -eq 0 ] || sed 's/^/# /' "$tmp/err"
long -V layer:devmap-program,layer:cpumap -s 3000 --for 1
is "and a second program, at a device or a CPU" \
	"$? $(jq -c '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 100 and .stray == 0] | unique' "$tmp/long/run.json")" "0 [true]"
if in_rx ip tuntap add dev xztap mode tap 2>/dev/null; then
	in_rx ip link set xztap mtu 9000 up
	fails "a driver that sends none of them" 77 "xztap takes no redirected frames of several buffers in native mode: its driver (tun)" \
		"$X" record lab -q -o "$tmp/none" -V redirect:xztap/no-touch@native -s 6000
else
	skip "a driver that sends none of them" "no tap here"
fi
"$X" lab down
is "lab down takes the second pair along" "$(ip netns list | grep -c '^xdpzoom-')$(ip -o link | grep -c 'xz[oe]')" 00
