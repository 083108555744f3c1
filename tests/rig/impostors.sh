#!/bin/sh
# A task's name is anybody's to choose: threads of the kernel are known by being such.
. "$(dirname "$0")/lib.sh"
need_lab
# named NAME: a process of nobody that calls itself NAME, and waits
named() {
	setpriv --reuid 65534 --clear-groups sh -c "printf '%s' '$1' >/proc/self/comm; read -r line <\"$tmp/wait\"" &
	fake=$!
	started $fake
	await_of $fake grep -qx "$1" /proc/$fake/comm
}
mkfifo "$tmp/wait"
chmod 755 "$tmp"
chmod 644 "$tmp/wait"

real=$("$X" lab status | sed -n 's/.*kthread \([0-9]*\).*/\1/p')
named napi/xzrx-1 # sorts before the real one
is "lab: the NAPI kthread is a kthread" "$("$X" lab status | sed -n 's/.*kthread \([0-9]*\).*/\1/p')" "$real"
cpus=$(taskset -pc $fake | sed 's/.*: //')
"$X" lab down && "$X" lab up >/dev/null
is "lab up pins no process of a stranger" "$(taskset -pc $fake | sed 's/.*: //')" "$cpus"
named irqbalance
ok "doctor: no irqbalance of nobody's" sh -c "! \"$X\" doctor | grep 'process $fake '"
