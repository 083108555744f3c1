#!/bin/sh
# The lab: up, status, down, again and again, and after accidents.
. "$(dirname "$0")/lib.sh"
need_root

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
is "and fixed by up" "$(is_up)" "lab: up"

# The pairs of variants that take turns, as a recorder that is killed leaves them (turns.sh kills one).
arms() { echo "$(in_rx ip -o link | grep -c xzarm) $(in_tx ip -o link | grep -c xzsend)"; }
leave_arms() { for arm in 0 31; do in_tx ip link add xzsend$arm type veth peer name xzarm$arm netns xdpzoom-rx 2>/dev/null; done; }
leftovers() { "$X" doctor --format json | jq -r '.rows[] | select(.check == "leftovers") | .level, .fix' | tr '\n' ' '; }
swept() { # COMMAND: it removes them
	leave_arms
	"$X" "$@" >/dev/null 2>"$tmp/err"
	is "$1 removes what a killed recorder left" "$? $(grep -c 'removed 2 pairs of devices' "$tmp/err") $(arms)" "0 1 0 0"
}
leave_arms
flock -F /run/xdpzoom-lab.lock sleep 600 &
holder=$!
started $holder
lab_held() { ! flock -n /run/xdpzoom-lab.lock true; }
await lab_held
is "pairs of a command that lives are none that were left" "$(leftovers)" "ok null "
is "status takes them for such" "$("$X" lab status | grep -c 'turns$')" 1
for command in "lab up" "gen lab" "stat lab"; do "$X" $command >/dev/null 2>&1 && echo "$command"; done >"$tmp/used"
is "nobody takes them away" "$(arms) $(cat "$tmp/used")" "2 2 "
halt TERM $holder
is "doctor names those that were left" "$(leftovers)" "warning xdpzoom lab up "
is "status does, and leaves them" "$("$X" lab status | grep -c 'a killed command left') $(arms)" "1 2 2"
swept lab up
swept stat lab -t 0.1
swept gen lab -c 1000
leave_arms
"$X" lab down
is "down does too" "$(there)" 0
is "no lab: nothing was left" "$(leftovers)" "ok null "
"$X" lab up >/dev/null

ip netns del xdpzoom-tx
ok "down removes what half a lab left" "$X" lab down
is "nothing left" "$(there)$(ip -o link | grep -c 'xz[rt]x')" 00
nightly

# A task's name is anybody's to choose: threads of the kernel are known by being such.
named() { # NAME: a process of nobody that calls itself so, and waits
	launch fake /dev/null "$tmp/err" setpriv --reuid 65534 --clear-groups sh -c "printf '%s' '$1' >/proc/self/comm; read -r line <\"$tmp/wait\""
	await_of $fake grep -qx "$1" /proc/$fake/comm
}
mkfifo "$tmp/wait"
chmod 755 "$tmp"
chmod 644 "$tmp/wait"
lab=1
"$X" lab up >/dev/null
real=$("$X" lab status | awk '/kthread/ { print $3 }')
named napi/xzrx-1 # sorts before the real one
is "the NAPI kthread is a kthread" "$("$X" lab status | awk '/kthread/ { print $3 }')" "$real"
cpus=$(taskset -pc $fake | sed 's/.*: //')
"$X" lab down && "$X" lab up >/dev/null
is "lab up pins no process of a stranger" "$(taskset -pc $fake | sed 's/.*: //')" "$cpus"
named irqbalance
ok "doctor: no irqbalance of nobody's" sh -c "! \"$X\" doctor | grep 'process $fake '"
# A device of the same name in another namespace, with a NAPI thread of its own: it is not the receiver.
namespaces=xzt-$$
pair $namespaces xzrx $namespaces other
ip netns exec $namespaces sh -c 'echo 1 >/sys/class/net/xzrx/threaded'
thread=$("$X" map -f json | jq --arg dev "$namespaces/xzrx" '.devices[] | select(.device == $dev).napis[0].thread // empty')
is "lab status names the lab's own" "$("$X" lab status | awk '/kthread/ { print $3 }' | grep -cx "${thread:-none}")" 0
ok "it records" "$X" record lab -q -o "$tmp/run" -V drop/no-touch@native --view blocks -b 2 --window 0.1 --schedule windows=2
is "one receiver, and another one" "$(jq -c --argjson thread "${thread:-0}" '.napi_tids | length, index($thread)' "$tmp/run/run.json" | paste -sd' ')" "1 null"
