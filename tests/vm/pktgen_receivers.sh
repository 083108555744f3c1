#!/bin/sh
# pktgen/ where this machine receives what it sends: what would crash the kernel or mislead is refused, the rest is exact.
. "$(dirname "$0")/pktgen_lib.sh"

stat() { # run xdpzoom on rx0 in skb mode while COMMAND runs: frames that it saw
	: >"$tmp/stat"
	"$X" stat "$statdev" -V "drop@$statmode" -i 0.2 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	stat_looks 3 # what has arrived has been counted
	kill -TERM $pid
	wait $pid
	seen=$(jq -s '[.[].packets] | add // 0' "$tmp/stat")
}
statdev=rx0 statmode=skb
N=pktgen/pktgen_netif_receive.sh
is "injected in bursts" "$($N -i rx0 -n 2048 | sed 's/ in .*//')" "rx0@0: sent 2048 frames of 60 bytes"
stat $N -i rx0 -n 500 -b 1
if uname -r | grep -q '^6\.1\.'; then
	is "generic XDP: this kernel would crash, and is spared" "$status $seen $(grep -c 'would crash' "$tmp/err")" "1 0 1"
else
	is "generic XDP sees each that is injected" "$status $seen" "0 500"
fi
stat $N -i rx0 -n 500 -b 2
is "generic XDP and bursts: refused" "$status $seen $(grep -c 'a burst is one skb many times' "$tmp/err")" "1 0 1"
stat $N -i rx0 -n 500
is "... by default too" "$status $seen" "1 0"
statmode=native
stat $N -i rx0 -n 500 -b 1
is "native XDP sees none of it: refused" "$status $seen $(grep -c 'the program would see none' "$tmp/err")" "1 0 1"

# a veth, whose other end is here or in another namespace
sysctl -qw net.ipv6.conf.default.disable_ipv6=1
ip netns add far
ip netns exec far sysctl -qw net.ipv6.conf.default.disable_ipv6=1
ip link add va type veth peer name vb
ip link add vc type veth peer name vd netns far
links="va vc"
for l in "link set va up" "link set vb up" "link set vc up" "-n far link set vd up"; do ip $l; done
V="$P -n 300 -b 1 -m $(cat /sys/class/net/vb/address)"
is "veth: takes skbs one by one" "$($V -i va | sed 's/ in .*//')" "va@0: sent 300 frames of 60 bytes"
fails "veth: no bursts" 1 "no IFF_TX_SKB_SHARING" $P -i va -n 10 -b 2
fails "veth: no clones" 1 "no IFF_TX_SKB_SHARING" $P -i va -n 10 -b 1 -c 2
statdev=vb statmode=native
stat $V -i va
is "veth whose other end runs XDP natively: refused" "$status $seen $(grep -c 'vb runs XDP natively' "$tmp/err")" "1 0 1"
statmode=skb
stat $V -i va
if uname -r | grep -q '^6\.1\.'; then
	is "veth and generic XDP: this kernel would crash, and is spared" "$status $seen $(grep -c 'would crash' "$tmp/err")" "1 0 1"
else
	is "veth and generic XDP: each is seen" "$status $seen" "0 300"
fi
ip netns exec far "$X" stat vd -V drop@native -t 60 -i 0.2 >"$tmp/stat" 2>&1 &
pid=$!
started $pid
until ip -n far -o link show vd | grep -q ' xdp '; do sleep 0.1; done
fails "the other end in another namespace: refused just so" 1 "vd runs XDP natively" $V -i vc
kill -TERM $pid
wait $pid
ip netns del far
