#!/bin/sh
# What windows of perf stat change: recordings with and without them in turn, and in those with them what a packet costs while
# it counts against while it does not. Blocks whose CPUs were far from each other are left out.
# usage: tests/bench/events.sh [TURNS [EVENTS [BLOCKS [WINDOW]]]]     WINDOW in seconds
. "$(dirname "$0")/lib.sh"

turns=${1:-3} events=${2:-context-switches,cpu-clock} blocks=${3:-12} window=${4:-0.3} n=0
far=80 # ns one way
[ -z "${ANYWAY-}" ] || far=1e9
while [ $n -lt "$turns" ]; do
	n=$((n + 1))
	for with in $([ $((n % 2)) -eq 1 ] && echo none "$events" || echo "$events" none); do
		kind=with
		[ "$with" != none ] || kind=without
		"$X" record lab -q --view blocks -o "$tmp/$kind.$n" -b "$blocks" --window "$window" -V drop/no-touch@native --for 34 --stat-events "$with" || exit
		"$X" report "$tmp/$kind.$n" --format json >"$tmp/report"
		# Blocks whose CPUs were far apart are left out below.
		jq '.variants[].quality |= map(select(.check != "placement"))' "$tmp/report" >"$tmp/judged"
		checks "perf stat windows" "$tmp/judged" || exit 1
	done
done
# Of each block: without or with, ns/packet of its base windows, and of those in which perf stat counted.
for d in "$tmp"/with.* "$tmp"/without.*; do
	jq -r --argjson far "$far" --arg k "$(basename "$d" | sed 's/\..*//')" '
		def ns: (map(.busy_ns) | add) / (map(.cpus[].verdicts[]) | add);
		.blocks[] | select(.placement_ns | max < $far) |
		[$k, (.windows | map(select(.kind == "base")) | ns), (.windows | map(select(.kind == "count")) | if length > 0 then ns else "" end)] | @tsv' \
		"$d/run.json"
done | awk '
	function mean(k) { return sum[k] / n[k] }
	function var(k) { return (square[k] - sum[k] ^ 2 / n[k]) / (n[k] - 1) / n[k] }
	function add(k, x) { n[k]++; sum[k] += x; square[k] += x * x }
	{ add($1, $2) }
	NF > 2 { add("counted", $3 - $2) }
	END {
		if (n["with"] < 2 || n["without"] < 2) { print "perf stat windows: the CPUs were far from each other, run it again"; exit 1 }
		printf "perf stat windows: base %.1f ns/packet with them (%d blocks), %.1f without (%d), difference %+.1f +- %.1f\n",
			mean("with"), n["with"], mean("without"), n["without"], mean("with") - mean("without"), 2 * sqrt(var("with") + var("without"))
		printf "perf stat windows: while it counts a packet costs %+.1f +- %.1f ns more\n", mean("counted"), 2 * sqrt(var("counted"))
	}'
