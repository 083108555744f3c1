#!/bin/sh
# Frames from pktgen over a wire to a NIC: each is seen once, with its verdict; those sent back are counted where they
# arrive. usage: counts.sh DRIVER MODE [FRAMES]    no more frames than the ring holds where the driver counts no loss
. "$(dirname "$0")/../rig/lib.sh"
driver=$1 mode=$2 frames=${3-1000}

# No more processes than needed: each takes its time under emulation.
rx_packets() { read -r n <"/sys/class/net/$1/statistics/rx_packets" && echo "$n"; }
# Frames that XDP_TX lost at a full ring: the driver's own count in native mode (virtio_net has a sum and the queues, or the
# queues alone; vmxnet3 one for all that was dropped), the stack's in skb mode.
stated_losses() {
	case $mode in
	native) ethtool -S rx0 | awk '/tx_?(queue_)?[0-9]+_xdp_tx_drops:|xdp drops:/ { n += $NF } END { print n + 0 }' ;;
	skb) cat /sys/class/net/rx0/statistics/tx_dropped ;;
	esac
}

# The counts of both NICs have been the same for twenty looks.
quiet() {
	now="$(rx_packets rx0) $(rx_packets tx0)"
	[ "$now" = "$last" ] || still=0
	last=$now
	[ $((still += 1)) -gt 20 ]
}
# All that was sent has been seen; or is lost, which is for the caller to find out. What is sent back is still on its way then.
arrived() { [ "$verdict" != tx ] && stat_holds "$n" || quiet; }

# seen ACTION OPERATION VERDICT PKTGEN_OPTION...: frames sent, seen, with that verdict, back at the sender
seen() {
	action=$1 operation=$2 verdict=$3
	shift 3
	: >"$tmp/stat"
	"$X" stat rx0 -V "$action/$operation@$mode" -i 0.2 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	back=$(rx_packets tx0)
	n=$(pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 "$@" | awk '{ print $3 }')
	last='' still=0
	[ -z "$n" ] || await arrived
	[ "$verdict" != tx ] || stat_saw "$n"
	kill -TERM $pid
	wait $pid
	echo "$n $(jq -rs "[([.[].packets] | add // 0), ([.[].cpus[].$verdict] | add // 0)] | join(\" \")" "$tmp/stat")" \
		"$(($(rx_packets tx0) - back))"
}

is "the NIC is driven by $driver" "$(ethtool -i rx0 | sed -n 's/^driver: //p')" "$driver"
is "drop/no-touch $mode" "$(seen drop no-touch drop -n $frames -b 1)" "$frames $frames $frames 0"
is "drop/read-data $mode" "$(seen drop read-data drop -n $frames -b 1)" "$frames $frames $frames 0"
is "drop/parse-ip $mode, long frames" "$(seen drop parse-ip drop -n $frames -b 1 -s 1500)" "$frames $frames $frames 0"
is "drop/swap-macs $mode" "$(seen drop swap-macs drop -n $frames -b 1)" "$frames $frames $frames 0"
is "pass/no-touch $mode" "$(seen pass no-touch pass -n $frames -b 1)" "$frames $frames $frames 0"
is "aborted/no-touch $mode" "$(seen aborted no-touch aborted -n $frames -b 1)" "$frames $frames $frames 0"
is "tx/swap-macs $mode: what a ring holds comes back whole" "$(seen tx swap-macs tx -n 200 -b 1)" "200 200 200 200"
lost=$(stated_losses)
set -- $(seen tx swap-macs tx -n $frames -b 1)
lost=$(($(stated_losses) - lost))
is "tx/swap-macs $mode: and of more, all but what the driver says it lost" "$1 $2 $3 $(($4 + lost))" "$frames $frames $frames $frames"
is "IPv6, drop/parse-ip $mode" "$(seen drop parse-ip drop -6 -n $frames -b 1)" "$frames $frames $frames 0"
set -- $(seen drop no-touch drop -t 2 -n $frames)
ok "two CPUs, in bursts: at least what was asked for" test "$1" -ge "$frames"
is "nothing stays attached" "$(ip -o link show rx0 | grep -c xdp)" 0
