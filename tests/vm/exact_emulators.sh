#!/bin/sh
# Two emulators count alike: the installed QEMU, and one of another suite of Debian (vm/emulator).
# usage: VM_KERNEL=6.12 VM_EMULATOR=sid VM_INSTALLED=/usr/bin/qemu-system-x86_64 exact_emulators.sh [transfers]
#        transfers: in the machine with two CPUs, too
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
other=$(vm/cache)/qemu-${VM_EMULATOR:?}/bin
[ -x "$other/qemu-system-x86_64" ] || skip_all "no QEMU of $VM_EMULATOR in $(vm/cache); vm/emulator $VM_EMULATOR unpacks it"
here=${VM_INSTALLED-$(command -v qemu-system-x86_64)}
[ -n "$here" ] || skip_all "no qemu-system-x86_64 is installed"
count() { # folder of the emulator, run, arguments...
	dir=$1 run=$2
	shift 2
	env PATH="$dir:$PATH" "$X" exact -q -k "$kernel" -o "$tmp/$run" "$@"
}
ok "counted by the installed QEMU" count "${here%/*}" here
ok "counted by that of $VM_EMULATOR" count "$other" other
for run in here other; do "$X" report "$tmp/$run" -f json | jq -r .emulator; done >"$tmp/emulators"
is "these are two" "$(sort -u "$tmp/emulators" | wc -l)" 2
for mode in native skb; do
	"$X" diff "$tmp/here:drop/no-touch@$mode" "$tmp/other:drop/no-touch@$mode" -f json >"$tmp/diff"
	is "$mode: functions that are exact have the same count ($(paste -sd' ' "$tmp/emulators")), and there are some" \
		"$(jq -c '[.symbols[] | select(.exact)] | [length > 8, [.[] | select(.change != 0) | [.name, .change]]]' "$tmp/diff")" "[true,[]]"
done
[ $# -gt 0 ] || exit 0

# With a wrong number of a vCPU the receiver fetches lines of its own stack, and a run that does not close ends with 3.
ok "loads, stores and lines, of machines with one CPU and with two: they close" \
	count "$other" memory -V drop/no-touch@skb
between "eth_type_trans fetches the packet from the sender's CPU, a line a packet" \
	"$("$X" report "$tmp/memory" -f json | jq '[.variants[0].symbols[] | select(.name == "eth_type_trans") | .lines_transferred] | add * 1000 | floor')" 990 1050
