#!/bin/sh
# The document's cache miss: reading a packet that the sender has just written costs, in native mode; an unwritten one,
# and one that the stack has touched already, does not. Bounds follow from how far the CPUs are from each other.
. "$(dirname "$0")/lib.sh"
need_lab
[ "$(nproc)" -ge 2 ] || skip_all "one CPU: packets are never cold"
plan 3

# delta MODE RECORD-OPTION...: what read-data costs more than no-touch
delta() {
	mode=$1
	shift
	rm -rf "$tmp/run"
	"$X" record lab -q -o "$tmp/run" -V "drop/no-touch@$mode,drop/read-data@$mode" -b 8 -w 0.25 "$@" || return
	"$X" diff "$tmp/run:drop/no-touch@$mode" "drop/read-data@$mode" --format json >"$tmp/diff" || return
	jq '.delta_ns' "$tmp/diff"
}

ns=$(delta native)
placement=$("$X" report "$tmp/run" --format json | jq '[.variants[].placement.ns] | add / length')
if awk "BEGIN { exit !($placement < 100) }"; then
	between "native, written, near ($placement ns): the miss shows" "$ns" 1 25
else
	between "native, written, far ($placement ns): the miss shows" "$ns" 12 120
fi
between "native, unwritten: it does not" "$(delta native --unwritten)" -6 6
between "skb: the stack has touched the packet already" "$(delta skb)" -15 15
