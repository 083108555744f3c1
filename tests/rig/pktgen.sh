#!/bin/sh
# pktgen/ where it would crash the kernel or mislead, with real devices and XDP programs; no pktgen is needed to say no.
. "$(dirname "$0")/lib.sh"

name=xzpg$$
links="${name}a ${name}c"
namespaces=$name
P=pktgen/pktgen_single_flow_burst.sh
N=pktgen/pktgen_netif_receive.sh
ip netns add $name
ip link add ${name}a type veth peer name ${name}b
ip link add ${name}c type veth peer name ${name}d netns $name
fails "no such device" 1 "nosuch0: no such device" $P -i nosuch0
fails "a path instead of a device" 1 "is not a name that a device can have" $P -i ../../../$tmp
fails "a device that is down" 1 "is down; bring it up" $P -i ${name}a
ip link set ${name}a up
fails "no link" 1 "has no link" $P -i ${name}a
ip link set ${name}b up
ip link set ${name}c up
ip -n $name link set ${name}d up
fails "larger than the MTU" 1 "1515 bytes are more than ${name}a takes" $P -i ${name}a -s 1515

with_xdp() { # mode, device, COMMAND...: while a program is there
	: >"$tmp/stat"
	launch xdp "$tmp/stat" - "$X" stat "$2" -V "drop@$1" -i 0.2 --format json
	stat_counts $xdp
	shift 2
	"$@"
	halt TERM $xdp
}
with_xdp native ${name}b fails "native XDP at the other end" 1 "${name}b runs XDP natively" $P -i ${name}a
with_xdp skb ${name}b fails "generic XDP at the other end, and bursts" 1 "a burst is one skb many times" $P -i ${name}a
with_xdp skb ${name}b fails "generic XDP at the other end, and clones" 1 "clones are one skb many times" $P -i ${name}a -b 1 -c 2
with_xdp skb ${name}b fails "generic XDP here, injected bursts" 1 "a burst is one skb many times" $N -i ${name}b
with_xdp native ${name}b fails "native XDP here, injected" 1 "the program would see none" $N -i ${name}b -b 1
with_xdp skb lo fails "generic XDP on the loopback" 1 "lo runs generic XDP" $P -i lo -b 2
: >"$tmp/stat"
launch far "$tmp/stat" - ip netns exec $name "$X" stat ${name}d -V drop@native -i 0.2 --format json
stat_counts $far
fails "native XDP at the other end, in another namespace" 1 "${name}d runs XDP natively" $P -i ${name}c
halt TERM $far
if [ -d /proc/net/pktgen ] || modprobe -n pktgen 2>/dev/null; then
	skip "no pktgen" "it is here"
else
	fails "no pktgen" 77 "this kernel has no pktgen" $P -i ${name}a -b 1
fi
