#!/bin/sh
# What the generator delivers into a native drop from one core in 10 s, and how long it was silent (in steps of 1 ms).
# usage: tests/bench/generator.sh
. "$(dirname "$0")/lib.sh"

for write in "" --write; do
	"$X" stat xzrx -N xdpzoom-rx -i 0.001 --format json -t 13 >"$tmp/stat" 2>/dev/null &
	pids=$!
	sleep 0.5
	"$X" gen lab -t 10 $write --format json >"$tmp/gen"
	kill -TERM $pids; wait $pids
	pids=
	jq -r --arg w "${write:-unwritten}" '"generator, \($w): \(.pps / 1e6 * 100 | round / 100) Mpps left the device (bar: 12 when the CPUs are near), \(.refused) refused"' "$tmp/gen"
	jq -s -r '(map(.packets > 0) | index(true)) as $a | (map(.packets > 0) | rindex(true)) as $b | .[$a:$b + 1] |
		"generator, silent: \((map(select(.packets == 0) | .seconds) | add // 0) / (map(.seconds) | add) * 10000 | round / 100) % of \(map(.seconds) | add | . * 10 | round / 10) s (bar: 1 %), median \(map(.pps) | sort | .[length / 2 | floor] / 1e6 * 100 | round / 100) Mpps"' "$tmp/stat"
done
