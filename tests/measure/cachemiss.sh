#!/bin/sh
# The document's cache miss: reading a packet that the sender has just written costs, in native mode; an unwritten
# one, and one that the stack has touched already, does not. Frames have to come from another CPU for this. Bars
# follow from how far the CPUs are from each other.
. "$(dirname "$0")/lib.sh"
need_lab
[ "$(nproc)" -ge 2 ] || skip_all "one CPU: packets are never cold"
expect 6

# delta MODE RECORD-OPTION...: what read-data costs more than no-touch, in all and in the program itself: each with the ends of
# its interval
delta() {
	mode=$1
	shift
	rm -rf "$tmp/run"
	"$X" record lab -q -o "$tmp/run" --view crossing -V "drop/no-touch@$mode,drop/read-data@$mode" -b 6 --schedule windows=2 --window 0.3 --schedule warmup=0.1 "$@" || return
	"$X" diff "$tmp/run:drop/no-touch@$mode" "drop/read-data@$mode" --format json >"$tmp/diff" || return
	jq -r '[., (.components[] | select(.name == "BPF program"))] | map(.delta_ns, .ci95_ns[]) | @tsv' "$tmp/diff"
}

set -- $(delta native)
placement=$("$X" report "$tmp/run" --format json | jq '[.variants[].placement.ns] | add / length | round')
if [ "$placement" -lt 100 ]; then
	within "native, written, near ($placement ns): the base rises a little at most" "$1" "$2" "$3" -5 30
	within "native, written, near: the program pays for the miss" "$4" "$5" "$6" 5 60
else
	within "native, written, far ($placement ns): the base rises" "$1" "$2" "$3" 12 120
	within "native, written, far: the program pays for the miss" "$4" "$5" "$6" 20 250
fi
set -- $(delta native --unwritten)
within "native, unwritten: the base does not rise" "$1" "$2" "$3" -8 8
within "native, unwritten: there is no miss to pay for" "$4" "$5" "$6" -4 5
set -- $(delta skb)
within "skb: the stack has touched the packet already" "$1" "$2" "$3" -60 60
within "skb: nothing is left for the program to pay" "$4" "$5" "$6" -12 12
