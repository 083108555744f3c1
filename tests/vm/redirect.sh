#!/bin/sh
# Redirects from a NIC and to it: each frame is redirected once, and arrives once, by the count of whoever gets it. Native
# frames leave the NIC while an XDP program is on it, and xdpzoom reports when the driver wants one.
# usage: redirect.sh DRIVER
. "$(dirname "$0")/../rig/lib.sh"
driver=$1

# No more than a ring holds.
frames=200
ip link add xzout type veth peer name xzend && links=xzout
for dev in xzout xzend; do
	echo 1 >/proc/sys/net/ipv6/conf/$dev/disable_ipv6
	ethtool -K $dev gro on
	ip link set $dev up
done
from_wire() { pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -n $frames -b 1 | awk '{ print $3 }'; }
from_veth() { "$X" gen xzend -m 52:54:00:00:00:02 -c $frames --format json | jq .sent; }
rx_packets() { cat "/sys/class/net/$1/statistics/rx_packets"; }

# seen DEV TARGET MODE GENERATOR END: frames sent, redirected, at the consumer, dropped before it, and arrived at END
seen() {
	: >"$tmp/stat"
	before=$(rx_packets "$5")
	"$X" stat "$1" -V "$2/no-touch@$3" -i 0.3 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	n=$("$4")
	await_of $pid arrived "$5" "$n"
	kill -TERM $pid 2>/dev/null || echo "stat ended by itself: $(cat "$tmp/stat.err")"
	wait $pid
	echo "$n $(jq -rs '[([.[].cpus[].redirect] | add // 0), .[-1].consumer.frames, .[-1].consumer.dropped] | join(" ")' "$tmp/stat")" \
		$(($(rx_packets "$5") - before))
}
arrived() { # END FRAMES
	[ "$(jq -s '.[-1].consumer | .frames + .dropped' "$tmp/stat")" -ge "$2" ] && [ $(($(rx_packets "$1") - before)) -ge "$2" ]
}

is "the NIC is driven by $driver" "$(ethtool -i rx0 | sed -n 's/^driver: //p')" "$driver"
for mode in native skb; do
	is "from the NIC to a veth, $mode" "$(seen rx0 redirect:xzout $mode from_wire xzend)" "$frames $frames $frames 0 $frames"
	is "from the NIC to another CPU, $mode" "$(seen rx0 redirect-cpu:0 $mode from_wire rx0)" "$frames $frames $frames 0 $frames"
done
fails "native frames to the NIC, without a program there" 77 "no redirected frame leaves rx0: its driver ($driver)" \
	"$X" stat xzout -V redirect:rx0/no-touch@native -t 1
is "from a veth to the NIC, skb" "$(seen xzout redirect:rx0 skb from_veth tx0)" "$frames $frames $frames 0 $frames"
"$X" stat rx0 -V pass/no-touch@native -t 3600 >"$tmp/there" 2>&1 &
there=$!
started $there
await_of $there attached rx0
is "from a veth to the NIC, native, with one" "$(seen xzout redirect:rx0 native from_veth tx0)" "$frames $frames $frames 0 $frames"
kill -TERM $there
wait $there
is "nothing stays attached" "$(ip -o link show | grep -c xdp)" 0
