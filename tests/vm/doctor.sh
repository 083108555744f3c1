#!/bin/sh
# Doctor on a NIC: detail, what its fixes do, and everything as it was after --undo.
# usage: doctor.sh CHECK LEVEL WORDS...    a row, its level, and words of what it found or of the fix
. "$(dirname "$0")/../rig/lib.sh"
check=$1 level=$2
shift 2

row() { "$X" doctor rx0 --format json | jq -r --arg c "$1" '.rows[] | select(.check == $c) | "\(.level) \(.finding) \(.fix // "")"'; }
# A change may take the link down for a moment, and pause frames are what comes out of negotiating.
settings() {
	await grep -q 1 /sys/class/net/rx0/carrier
	for what in g a k l; do ethtool -$what rx0; done 2>&1 | grep -v fixed
	cat /sys/class/net/rx0/mtu /sys/class/net/rx0/queues/rx-0/rps_cpus /proc/sys/kernel/kptr_restrict
}

# What the driver lets one spoil
ip link set rx0 mtu 4000 2>/dev/null
echo 1 >/sys/class/net/rx0/queues/rx-0/rps_cpus
ethtool -L rx0 combined "$(ethtool -l rx0 2>/dev/null | awk '/^Combined/ { print $2; exit }')" 2>/dev/null
got=$(row "$check")
is "$check: $level" "${got%% *}" "$level"
ok "$check: $*" sh -c 'echo "$1" | grep -q -e "$2"' sh "$got" "$*"
is "looking leaves nothing written down" "$(ls /run/xdpzoom 2>/dev/null | grep -c json)" 0

echo 2 >/proc/sys/kernel/kptr_restrict
is "kptr_restrict 2 is fatal" "$(row kptr | cut -d' ' -f1)" fatal
settings >"$tmp/before"
"$X" doctor rx0 --fix -y >"$tmp/fixed" 2>"$tmp/err"
is "--fix -y: status 0" $? 0
sed 's/^/# /' "$tmp/fixed" "$tmp/err"
is "what a command can fix is fixed" "$("$X" doctor rx0 --format json |
	jq -r '[.rows[] | select(.fixable) | .check] | join(" ")')" ""
"$X" doctor --undo >"$tmp/undone"
is "--undo: status 0, as many as were changed" "$? $(grep -c 'again$' "$tmp/undone")" "0 $(grep -c 'now$' "$tmp/fixed")"
is "--undo: everything as it was" "$(settings | diff - "$tmp/before")" ""
is "nothing is written down any more" "$(ls /run/xdpzoom | grep -c json)" 0
