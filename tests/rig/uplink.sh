#!/bin/sh
# Frames reach their receiver alone. That the machine's own connection is not cut off: tests/cases/user/uplink.cases
. "$(dirname "$0")/lib.sh"
rx=xzu-$$-rx tx=xzu-$$-tx
ip netns add $rx && ip netns add $tx &&
	ip link add xzua netns $tx type veth peer name xzub netns $rx || lacks "no veth here"
namespaces="$rx $tx"
for n in $rx $tx; do ip netns exec $n sysctl -qw net.ipv6.conf.all.disable_ipv6=1; done
ip netns exec $rx ethtool -K xzub gro on
ip -n $rx link set xzub up
ip -n $tx link set xzua up

mac=$(ip netns exec $rx cat /sys/class/net/xzub/address)
# where the frames of a generator go: the first that pass the program
cat >"$tmp/look.py" <<'P'
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("xzub", 0))
s.settimeout(100)
print("ready", flush=True)
print(":".join("%02x" % b for b in s.recv(64)[:6]))
P
launch look "$tmp/seen" "$tmp/launched.err" ip netns exec $rx python3 "$tmp/look.py"
await_of $look grep -q ready "$tmp/seen"
"$X" record xzub -N $rx -g local:xzua@$tx -q -o "$tmp/run" -V pass/no-touch@skb -b 1 --schedule windows=2 --window 0.1 2>"$tmp/err"
wait $look
is "the generator sends to the receiver alone" "$(tail -n 1 "$tmp/seen")" "$mac"
