#!/bin/sh
# What the generator delivers into a native drop from one core in 10 s, and how long it was silent: the time missing in
# those of the 10 ms steps that had less than half of the median rate. Finer steps would take the CPU from the generator.
# usage: tests/bench/generator.sh
. "$(dirname "$0")/lib.sh"

for write in "" --write; do
	"$X" stat xzrx -N xdpzoom-rx -i 0.01 --format json -t 13 >"$tmp/stat" 2>/dev/null &
	pids=$!
	sleep 0.5
	"$X" gen lab -t 10 $write --format json >"$tmp/gen"
	kill -TERM $pids; wait $pids
	pids=
	jq -r --arg w "${write:-unwritten}" '"generator, \($w): \(.pps / 1e6 * 100 | round / 100) Mpps left the device (bar: 12 when the CPUs are near), \(.refused) refused"' "$tmp/gen"
	jq -s -r '(map(.packets > 0) | index(true)) as $a | (map(.packets > 0) | rindex(true)) as $b | .[$a:$b + 1] |
		(map(.pps) | sort | .[length / 2 | floor]) as $m |
		"generator, silent: \((map(select(.pps < $m / 2) | .seconds * (1 - .pps / $m)) | add // 0) / (map(.seconds) | add) * 10000 | round / 100) % of \(map(.seconds) | add | . * 10 | round / 10) s (bar: 1 %), median \($m / 1e6 * 100 | round / 100) Mpps"' "$tmp/stat"
done
