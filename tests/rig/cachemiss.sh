#!/bin/sh
# The document's cache miss: reading a packet that the sender has just written costs, in native mode; an unwritten one,
# and one that the stack has touched already, does not. Bounds follow from how far the CPUs are from each other.
. "$(dirname "$0")/lib.sh"
need_lab
[ "$(nproc)" -ge 2 ] || skip_all "one CPU: packets are never cold"
plan 6

# delta MODE RECORD-OPTION...: what read-data costs more than no-touch, in all and in the program itself
delta() {
	mode=$1
	shift
	rm -rf "$tmp/run"
	"$X" record lab -q -o "$tmp/run" -V "drop/no-touch@$mode,drop/read-data@$mode" -b 6 --windows 2 -w 0.3 --warmup 0.1 "$@" || return
	"$X" diff "$tmp/run:drop/no-touch@$mode" "drop/read-data@$mode" --format json >"$tmp/diff" || return
	jq -r '"\(.delta_ns) \([.facilities[] | select(.name == "BPF program").delta_ns] | add)"' "$tmp/diff"
}

set -- $(delta native)
placement=$("$X" report "$tmp/run" --format json | jq '[.variants[].placement.ns] | add / length | round')
if [ "$placement" -lt 100 ]; then
	between "native, written, near ($placement ns): the base rises a little at most" "$1" -5 30
	between "native, written, near: the program pays for the miss" "$2" 5 60
else
	between "native, written, far ($placement ns): the base rises" "$1" 12 120
	between "native, written, far: the program pays for the miss" "$2" 20 250
fi
set -- $(delta native --unwritten)
between "native, unwritten: the base does not rise" "$1" -8 8
between "native, unwritten: there is no miss to pay for" "$2" -4 5
set -- $(delta skb)
between "skb: the stack has touched the packet already" "$1" -60 60
between "skb: nothing is left for the program to pay" "$2" -12 12
