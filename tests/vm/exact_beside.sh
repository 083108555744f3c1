#!/bin/sh
# What else happens in the machine changes no count: a task that competes for the receiver's CPU, and an interrupt storm.
# usage: VM_KERNEL=6.12 exact_beside.sh [NIC]
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12} nic=${1:-veth}
plan 8
count() { # run, arguments...
	run=$1
	shift
	"$X" exact -q -k "$kernel" -n "$nic" --no-memory -o "$tmp/$run" "$@"
}
outside() { "$X" report "$tmp/$1" -f json | jq '[.variants[].taken_out.interrupts] | add | floor'; }
ok "quiet: counted" count quiet
ok "a competing task: counted" count task --beside 'while :; do :; done'
ok "an interrupt storm: counted" count storm --beside 'for i in 1 2 3 4; do perl -e "select(undef, undef, undef, 0.0005) while 1" & done; wait'
for other in task storm; do
	for mode in native skb; do
		"$X" diff "$tmp/quiet:drop/no-touch@$mode" "$tmp/$other:drop/no-touch@$mode" -f json >"$tmp/diff"
		is "$other, $mode: every exact function has the same count, and there are some" \
			"$(jq -r '[.symbols[] | select(.exact)] | [length > 5, all(.change == 0)] | join(" ")' "$tmp/diff")" "true true"
	done
done
ok "there was a storm" test "$(outside storm)" -gt $((2 * $(outside quiet)))
