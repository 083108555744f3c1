#!/bin/sh
# What the generator delivers into a native drop from one core in 10 s, and how long it was silent: the time missing in those of
# the 10 ms steps that had less than half of the median rate. Finer steps would take the CPU from the generator. Then how well it
# keeps a rate, and whether its batches wander.
. "$(dirname "$0")/lib.sh"
need_lab
expect 7

for write in --unwritten ""; do
	: >"$tmp/stat"
	"$X" stat xzrx -N xdpzoom-rx -i 0.01 --format json -t 60 >"$tmp/stat" 2>/dev/null &
	pid=$!
	started $pid
	stat_counts $pid
	"$X" gen lab -t 10 $write --format json >"$tmp/gen"
	kill -TERM $pid
	wait $pid
	figure "${write:-written}: Mpps that left the device (12 is for CPUs that are near)" "$(jq '.pps / 1e6' "$tmp/gen")" 12 1000
	figure "${write:-written}: silent, percent of the time" "$(jq -s '(map(.packets > 0) | index(true)) as $a | (map(.packets > 0) | rindex(true)) as $b | .[$a:$b + 1] |
		(map(.pps) | sort | .[length / 2 | floor]) as $m |
		(map(select(.pps < $m / 2) | .seconds * (1 - .pps / $m)) | add // 0) / (map(.seconds) | add) * 100' "$tmp/stat")" 0 1
done

"$X" stat xzrx -N xdpzoom-rx -t 600 >/dev/null 2>&1 &
pid=$!
started $pid
await_of $pid attached xzrx xdpzoom-rx
flowing() {
	flowing_now=$(in_rx cat /sys/class/net/xzrx/statistics/rx_packets)
	[ "$flowing_now" -gt "${flowing_last:-$flowing_now}" ] || { flowing_last=$flowing_now && false; }
}
figure "a rate of 200,000" "$("$X" gen lab -r 200k -t 2 --format json | jq .pps)" 190000 202000
figure "a rate of 10,000" "$("$X" gen lab -r 10k -t 2 --format json | jq .pps)" 8500 10200
# Of 5000 polls a second, those at each tenth of 200 us: at regular intervals all are at the same, and sampling may keep step.
"$X" gen lab -r 5k -t 600 >/dev/null 2>&1 &
gen=$!
started $gen
await_of $gen flowing
perf record -q -a -o "$tmp/polls" -e napi:napi_poll -- sleep 1 >/dev/null 2>&1
kill -INT $gen
wait $gen
figure "batches wander: tenths of their time with a fiftieth of them or more" \
	"$(perf script -i "$tmp/polls" --ns -F time,trace 2>/dev/null | awk '/device xzrx/ { n++; at[int($1 * 50000) % 10]++ }
		END { for (i in at) tenths += at[i] >= n / 50; print tenths + 0 }')" 6 10
