#!/bin/sh
# A NIC with a queue for each CPU, on a tap: frames of many flows, which the kernel of this machine spreads over the queues,
# are each seen once.
# usage: mq.sh MODE
. "$(dirname "$0")/../rig/lib.sh"
mode=$1
need_root
[ -c /dev/net/tun ] || skip_all "no /dev/net/tun"

cpus=4 frames=4000 flows=64
namespaces=xzvm-$$
ip netns add $namespaces || exit 1
ip netns exec $namespaces sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
mkdir "$tmp/share"

# What runs in the VM; a file in /share says how far it is.
cat >"$tmp/share/receiver" <<END
build/xdpzoom stat rx0 -V drop@$mode -i 0.2 --format json >/share/stat &
until [ -s /share/stat ] || ! kill -0 \$!; do sleep 0.1; done
touch /share/ready
until [ -e /share/sent ]; do sleep 0.1; done
kill -TERM \$!
wait
ethtool -S rx0 >/share/counters
cat /sys/class/net/rx0/statistics/rx_packets >/share/rx_packets
END
ip netns exec $namespaces vm/run -k "$VM_KERNEL" -n virtio-mq -c $cpus -w xzvm0 -x "$tmp/share" -t 600 -- sh /share/receiver 2>"$tmp/err" &
vm=$!
started $vm
until [ -e "$tmp/share/ready" ] || ! kill -0 $vm 2>/dev/null; do sleep 0.2; done

ip -n $namespaces addr add 198.18.0.1/24 dev xzvm0
ip -n $namespaces link set xzvm0 up
ip -n $namespaces neigh add 198.18.0.2 lladdr 52:54:00:00:00:01 dev xzvm0
counter() { ip netns exec $namespaces cat "/sys/class/net/xzvm0/statistics/$1"; }
took=$(counter tx_packets)
# Slowly: a queue of the tap holds some hundred.
ip netns exec $namespaces perl -MSocket -e '
	my ($frames, $flows) = @ARGV;
	my $to = sockaddr_in(9, inet_aton("198.18.0.2"));
	my @s = map { socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!; $s } 1 .. $flows;
	for (0 .. $frames - 1) { send($s[$_ % $flows], "x" x 18, 0, $to) or die $!; select(undef, undef, undef, 0.01) if $_ % 32 == 31 }
' $frames $flows
took=$(($(counter tx_packets) - took))
until last=$(wc -c <"$tmp/share/stat"); sleep 1.5; tail -n 1 "$tmp/share/stat" | grep -q '"packets":0,' || ! kill -0 $vm; do :; done
touch "$tmp/share/sent"
wait $vm
is "the VM ends well" $? 0

by_cpu() { jq -s "[.[].cpus[] | select(.cpu == $1) | .drop] | add // 0" "$tmp/share/stat"; }
is "the tap took what was sent, and lost none" "$took $(counter tx_dropped 2>/dev/null || echo 0)" "$frames 0"
is "each was seen once, and dropped" "$(jq -s '[([.[].packets] | add), ([.[].cpus[].drop] | add)] | join(" ")' "$tmp/share/stat")" "\"$took $took\""
seen=$(for cpu in $(seq 0 $((cpus - 1))); do by_cpu "$cpu"; done | tr '\n' ' ')
queues=$(awk '$1 ~ /^rx(_queue_)?[0-9]+_xdp_packets:$/ { print $2 }' "$tmp/share/counters" | tr '\n' ' ')
echo "# by CPU: $seen; by queue: $queues"
is "no CPU is left out" "$(echo "$seen" | tr ' ' '\n' | grep -c '^[1-9]')" $cpus
is "the device's own count is the same" "$(cat "$tmp/share/rx_packets")" "$took"
# Those that it shows: under native XDP virtio_net receives on as many queues more, without counters.
visible=$(echo "$queues" | tr ' ' '\n' | grep -c '^[1-9]')
case $mode in
native) is "no queue is left out" "$visible" $cpus ;;
skb) is "no queue counts XDP of its own" "$visible" 0 ;;
esac
is "nothing stays attached here" "$(ip -n $namespaces -o link | grep -c xdp)" 0
