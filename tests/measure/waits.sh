#!/bin/sh
# How long packets wait, by watch (mean fill over rate), and by frames that carry the time at which they went into the queue:
# within 10 %. A slow program makes a queue, bursts of frames at random times fill it. All of that is on CPU 1. watch looks from
# CPU 0.
# usage: waits.sh [SECONDS]     ONLY='ring socket' takes some of the places, NICS='tx0 rx0' what drivers of these NICs have,
# too (BQL), of which nothing else is left meanwhile; SLOW=10 for a tenth of the frames with ten times the work, in a virtual machine;
# WATCH_CPU=1 for watch beside all that
seconds=${1:-60} slow=${SLOW:-1}
interval=$(awk -v slow="$slow" 'BEGIN { print slow / 10 }')
. "$(dirname "$0")/lib.sh"
need_root
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
command -v tc >/dev/null && command -v ethtool >/dev/null && command -v bpftool >/dev/null || skip_all "needs tc, ethtool and bpftool"

cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom
try "compile waits.bpf.c" clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c -o "$tmp/waits.bpf.o" tests/measure/waits.bpf.c
bpftool gen skeleton "$tmp/waits.bpf.o" name waits_bpf >"$tmp/waits.skel.h"
try "compile waits.c" "${CC:-cc}" -O2 -I "$tmp" -o "$tmp/waits" tests/measure/waits.c -lxdp -lbpf -lm
name=xzq$$
namespaces=$name
inside() { ip netns exec "$name" "$@"; }

# begin [QUEUES]: the pair of devices; NAPI's threads on CPU 1, above all that reads
begin() {
	ip netns add "$name"
	ip -n "$name" link add wrx numrxqueues "${1:-1}" numtxqueues "${1:-1}" type veth peer name wtx numrxqueues "${1:-1}" numtxqueues "${1:-1}"
	for dev in wrx wtx; do
		inside sysctl -qw "net.ipv6.conf.$dev.disable_ipv6=1" "net.ipv4.conf.$dev.rp_filter=0"
		inside ethtool -K $dev gro on >"$tmp/try.out" 2>&1
		ip -n "$name" link set $dev up
	done
	inside sysctl -qw net.ipv4.conf.all.rp_filter=0 net.core.rmem_max=8000000 net.core.rmem_default=8000000 2>/dev/null
	ip -n "$name" addr add 10.99.0.1/24 dev wrx
	inside sh -c 'echo 1 >/sys/class/net/wrx/threaded'
	for p in $(pgrep '^napi/wrx-'); do taskset -p -c 1 "$p" >/dev/null && chrt -f -p 20 "$p"; done
}
go() { # the process that was started last
	mine="$! $mine"
	started $!
}
# place NAME KIND WORK_NS RATE BURST [SETUP]: one figure
place() {
	case " ${ONLY-$1} " in *" $1 "*) ;; *) return ;; esac
	set -- "$1" "$2" $(($3 * slow)) $(($4 / slow)) "$5" "${6-}"
	[ "$1" != tap ] || modprobe -q tun || true
	mine=
	begin "${queues-1}"
	[ -z "${6-}" ] || eval "$6"
	meter=$tmp/meter work=$3 to=wtx on=0
	case $1 in
	socket | packet | tap)
		ip netns exec "$name" chrt --flows 10 taskset -c 1 "$tmp/waits" read "$3" "$1" >"$tmp/read" &
		go
		await_of $! test -s "$tmp/read"
		meter=$tmp/read work=0
		;;
	xsk) on=1 ;;
	bql) to=${at#bql:} ;;
	esac
	[ "$1" != tap ] || { to=wtap && inside ip link set wtap up; }
	ip netns exec "$name" chrt --flows 10 taskset -c $on "$tmp/waits" meter "$work" "${at-$1}" >"$tmp/meter" &
	go
	await_of $! test -s "$tmp/meter"
	for p in $(pgrep '^cpumap/1/'); do chrt -f -p 10 "$p"; done
	ip netns exec "$name" chrt --flows 30 taskset -c 1 "$tmp/waits" send $to "$(inside cat /sys/class/net/wrx/address)" "$4" "$5" &
	go
	nsenter --net=/run/netns/"$name" chrt --flows 15 taskset -c "${WATCH_CPU-0}" "$X" watch wrx "$to" -i "$interval" -t "$seconds" -f jsonl --overhead 0 >"$tmp/lines" 2>"$tmp/watch.err"
	for p in $mine; do kill -TERM "$p" && wait "$p"; done 2>/dev/null
	# shellcheck disable=SC2046 # words
	set -- "$@" -- $(python3 tests/measure/waits.py "$meter" "$tmp/lines" "$2")
	what="$1, $4/s in bursts of $5, $3 ns of work"
	while [ "$1" != -- ]; do shift; done
	within "$what: watch ${5-} us, frames ${6-} us, ${7-} frames" "${2-}" "${3-}" "${4-}" 0.9 1.1
	ip netns del "$name"
}
# shellcheck disable=SC2086 # words
[ -n "${ONLY-}" ] || expect $((19 + $(set -- ${NICS-}; echo $#)))
place ring ring 1000 40000 4
place ring ring 2000 20000 16
place ring ring 5000 40000 32
place ring ring 20000 20000 64
place ring ring 10000 200000 64 # the ring is full
queues=2
place ring ring 5000 40000 32
queues=1
# tbf KBIT
tbf() { inside tc qdisc add dev wtx root tbf rate $(($1 / slow))kbit burst 200 limit 1000000; }
place qdisc qdisc 0 20000 32 'tbf 100000'
place qdisc qdisc 0 10000 64 'tbf 20000'
place socket "udp socket" 3000 20000 32
place socket "udp socket" 20000 20000 64
rps() { inside sh -c 'for q in /sys/class/net/wrx/queues/rx-*; do echo 2 >$q/rps_cpus; done'; }
place packet "packet socket" 3000 20000 32
place packet "packet socket" 20000 20000 64
place tap tap 3000 20000 32
place tap tap 20000 20000 64
place xsk "af_xdp rx" 3000 20000 32
place xsk "af_xdp rx" 20000 20000 64
place backlog backlog 5000 20000 32 rps
at=cpumap:1
place cpumap cpumap 5000 40000 64
place cpumap cpumap 20000 10000 64
# to NIC: it comes into the namespace, and leaves it when that ends
to() { ip link set "$1" netns "$name" && ip -n "$name" link set "$1" up; }
for nic in ${NICS-}; do
	at=bql:$nic
	place bql bql 0 20000 16 "to $nic"
done
