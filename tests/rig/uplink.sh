#!/bin/sh
# The machine's own connection is not cut off, and frames reach their receiver alone.
. "$(dirname "$0")/lib.sh"
rx=xzu-$$-rx tx=xzu-$$-tx
ip netns add $rx && ip netns add $tx &&
	ip link add xzua netns $tx type veth peer name xzub netns $rx || lacks "no veth here"
namespaces="$rx $tx"
for n in $rx $tx; do ip netns exec $n sysctl -qw net.ipv6.conf.all.disable_ipv6=1; done
ip netns exec $rx ethtool -K xzub gro on
ip -n $rx link set xzub up
ip -n $tx link set xzua up
ip -n $tx link set lo up

mac=$(ip netns exec $rx cat /sys/class/net/xzub/address)
fails "gen: no receiver, no frames" 2 "give the receiver's address with --dst-mac" "$X" gen xzua -N $tx -c 1
ok "gen: with a receiver" "$X" gen xzua -N $tx -c 1 -m "$mac"

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
pids=

refused() { # what, why, command...: what is refused goes on with --allow-management-interface
	fails "$1" 1 "$2; --allow-management-interface" timeout 100 "$X" "$3" "$4" -N $tx $5
}
ip -n $tx addr add 192.0.2.1/24 dev xzua
ip -n $tx route add default via 192.0.2.2
route="xzua: this machine's default route goes over it" ssh="xzua: this ssh session goes over it"
refused "stat: the default route" "$route" stat xzua
refused "record: the default route" "$route" record xzua "-o $tmp/none"
refused "gen: the default route" "$route" gen xzua "-c 1 -m $mac"
fails "the generator: the default route" 1 "$route" "$X" record xzub -N $rx -g local:xzua@$tx -o "$tmp/none"
is "none of them made anything" "$(ls "$tmp" | grep -c none)" 0
ok "--allow-management-interface" "$X" gen xzua -N $tx -c 1 -m "$mac" --allow-management-interface

ip -n $tx route del default
export SSH_CONNECTION="192.0.2.9 50000 192.0.2.1 22"
refused "stat: the ssh session" "$ssh" stat xzua
# sudo takes the variable away; the shell that called sudo still has it
fails "behind sudo" 1 "$ssh" sh -c "env -u SSH_CONNECTION \"$X\" stat xzua -N $tx -t 1; exit \$?"
SSH_CONNECTION="192.0.2.9 50000 192.0.2.7 22" ok "a session over another device" \
	"$X" gen xzua -N $tx -c 1 -m "$mac"
unset SSH_CONNECTION
ip -n $tx link add link xzua name xzuv type macvlan
ip -n $tx addr add 198.51.100.1/24 dev xzuv
ip -n $tx link set xzuv up
ip -n $tx route add default via 198.51.100.2
refused "the device below the one that has the route" "$route" stat xzua
ip -n $tx route del default
ip netns exec $tx sysctl -qw net.ipv6.conf.xzua.disable_ipv6=0
ip -n $tx -6 route add default dev xzua
refused "the default route of IPv6" "$route" stat xzua
