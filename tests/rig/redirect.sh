#!/bin/sh
# Redirected frames: each one that was sent is redirected, and arrives at the second stage or is a drop with a name.
. "$(dirname "$0")/lib.sh"
need_lab
plan 36

# counted ACTION OPERATION MODE FRAMES: stat around an exact number of frames, paced so that the second stage keeps up:
# frames sent, verdicts XDP_REDIRECT, and whether second stage and named drops account for all of them
counted() {
	"$X" stat lab -a "$1" -p "$2" -m "$3" -i 0.2 -t 60 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	sleep 0.8
	n=$("$X" gen lab --format json -n "$4" -r "${5-100k}" 2>"$tmp/gen.err" | jq .sent)
	sleep 0.5
	kill -TERM $pid
	wait $pid
	echo "$n $(jq -s '[.[].cpus[].redirect] | add // 0' "$tmp/stat") $(jq -s '.[-1].second_stage | .frames + .dropped' "$tmp/stat")"
}
arrived() { jq -s '.[-1].second_stage.frames' "$tmp/stat"; }

N=50001
for mode in native skb; do
	for what in redirect/no-touch redirect/swap-macs redirect-cpu:0/read-data redirect-cpu:1/no-touch xsk/parse-ip xsk:copy/no-touch; do
		is "$what@$mode: sent, redirected, accounted for" "$(counted "${what%/*}" "${what#*/}" $mode $N)" "$N $N $N"
		between "$what@$mode: and arrived" "$(arrived)" $((N * 9 / 10)) $N
	done
done

is "xsk as fast as it goes: what does not arrive is a named drop" "$(counted xsk no-touch native 1000000 10M)" "1000000 1000000 1000000"
ok "lab status knows the second pair" sh -c "'$X' lab status | grep -q 'redirect *xzout'"

redirects() { "$X" stat xzrx -N xdpzoom-rx -t 2 -i 0.2 -a "$@"; }
fails "redirect to a device that is not there" 1 "nosuch0: no such device" redirects redirect:nosuch0
fails "redirect to itself" 1 "on xzrx itself" redirects redirect:xzrx
fails "redirect on a NIC without a target" 2 "redirect:DEV" redirects redirect
fails "a CPU that is not there" 2 "CPU 4000 is not there or offline" redirects redirect-cpu:4000
fails "zero-copy where the driver has none" 77 "veth has no zero-copy" redirects xsk:zero-copy
in_rx ip link set xzout down
fails "redirect to a device that is down" 1 "xzout is down" redirects redirect:xzout
in_rx ip link set xzout up
fails "another word behind xsk" 2 "copy zero-copy" redirects xsk:fast

# Without an XDP program or gro on its peer, a veth takes no XDP frames.
in_rx ip link add xzdeaf type veth peer name xzdeaf2
in_rx ip link set xzdeaf2 up
in_rx ip link set xzdeaf up
"$X" gen lab -r 20k -t 30 >/dev/null 2>&1 &
started $!
fails "native redirect to a device that takes no XDP frames" 77 "no redirected frame leaves xzdeaf" \
	"$X" stat xzrx -N xdpzoom-rx -t 5 -i 0.5 -a redirect:xzdeaf
"$X" stat xzrx -N xdpzoom-rx -t 1 -i 0.2 -a redirect:xzdeaf -m skb --format json >"$tmp/stat" 2>/dev/null
between "as skbs it takes them" "$(arrived)" 1000 1000000
in_rx ip link del xzdeaf
is "nothing is left on the receiver" "$(in_rx ip -d -o link show xzrx | grep -c 'prog/xdp')" 0
