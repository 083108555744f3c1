#!/bin/sh
# The lab: up, status, down, again and again, and after accidents.
. "$(dirname "$0")/lib.sh"
need_root
plan 15

there() { ip netns list | grep -c '^xdpzoom-'; }
is_up() { "$X" lab status | head -n 1; }

"$X" lab down
is "down: status says so" "$(is_up)" "lab: down"
ok "down on nothing is fine" "$X" lab down
ok "up" "$X" lab up
is "status says up" "$(is_up)" "lab: up"
is "two namespaces" "$(there)" 2
kthread=$("$X" lab status | awk '/kthread/ { print $3 }')
ok "up again" "$X" lab up
is "and it is the same lab" "$("$X" lab status | awk '/kthread/ { print $3 }')" "$kthread"
is "IPv6 is off in it" "$(in_rx cat /proc/sys/net/ipv6/conf/xzrx/disable_ipv6 2>/dev/null || echo 1)" 1
is "the NAPI is threaded" "$(in_rx cat /sys/class/net/xzrx/threaded)" 1
is "the sender carries a program" "$(in_tx ip -o link show xztx | grep -c ' xdp ')" 1

in_tx ip link set xztx xdp off
is "a missing sink is seen" "$(is_up | cut -c1-16)" "lab: incomplete;"
"$X" lab up >/dev/null
is "and mended by up" "$(is_up)" "lab: up"

ip netns del xdpzoom-tx
ok "down removes what half a lab left" "$X" lab down
is "nothing left" "$(there)$(ip -o link | grep -c 'xz[rt]x')" 00
fails "a word it does not know" 2 "up, down or status" "$X" lab sideways
