#!/bin/sh
# What the kernel charges a receiver for waiting between wakeup and start: ns/packet without it and with it, and how much of
# either the samples account for, by the rate of the load.
# usage: tests/bench/wakeups.sh [BLOCKS [WINDOW [RATE...]]]     WINDOW in seconds; RATE: packets per second, or none
. "$(dirname "$0")/lib.sh"

blocks=${1:-8} window=${2:-0.4}
if [ $# -gt 2 ]; then shift 2; else set -- 50k 200k 1M none; fi
for rate; do
	limit="--rate $rate"
	[ $rate != none ] || limit=
	"$X" record lab -q --view blocks --force -o "$tmp/run" -b "$blocks" --window "$window" -V drop/no-touch@native,drop/no-touch@skb --overhead 3 $limit || exit
	"$X" report "$tmp/run" --format json >"$tmp/report"
	# The rate is what is varied, so the CPU need not be saturated; samples account for one of the two figures alone.
	jq '.variants[].quality |= map(select(.check | IN("saturation", "sampled-busy") | not))' "$tmp/report" >"$tmp/judged"
	! checks "waits, $rate packets/s" "$tmp/judged" || jq -r --arg rate $rate '
		def times($x): if . == null then . else . * $x end;
		def whole: if . == null then "not known" else round end;
		def round1: times(10) | whole | if type == "number" then . / 10 else . end;
		.variants[] | (.base_ns / (.base_ns + .waits_ns)) as $part |
		"waits, \($rate) packets/s \(.mode): \(.packets_per_poll | round1) packets per poll, \(.base_ns | round1) ns/packet without them, " +
		"\(.base_ns + .waits_ns | round1) with; samples account for \(.sampled_busy_pct | whole) % without, \(.sampled_busy_pct | times($part) | whole) % with"' "$tmp/report"
done
