#!/bin/sh
# Redirected frames: the consumer keeps up with a paced load, the generator waits for it, and its cost is known.
. "$(dirname "$0")/lib.sh"
need_lab
expect 17

# A paced load arrives, most of it.
for mode in native skb; do
	for what in redirect redirect-cpu:0 redirect-cpu:1 xsk; do
		: >"$tmp/stat"
		"$X" stat lab -V "$what/no-touch@$mode" -i 0.2 -t 600 --format json >"$tmp/stat" 2>/dev/null &
		pid=$!
		started $pid
		stat_counts $pid
		"$X" gen lab -c 50001 -r 100k >/dev/null 2>&1
		stat_saw 50001
		stat_looks 3
		kill -TERM $pid
		wait $pid
		figure "$what@$mode: arrived of 50001 at 100,000 a second, percent" "$(jq -s '.[-1].consumer.frames / 50001 * 100' "$tmp/stat")" 50 100
	done
done

all=redirect/no-touch@native,redirect/no-touch@skb,redirect-cpu/no-touch@native,redirect-cpu/no-touch@skb,xsk/no-touch@native,xsk/no-touch@skb
try "record all three in both modes" "$X" record lab -q -o "$tmp/run" -b 1 --window 0.2 --schedule windows=2 -r 100k -V $all
"$X" report "$tmp/run" --format json >"$tmp/report"
for variant in 0 1 2 3 4 5; do
	figure "consumer, ns a frame, by its task or from the softirqs: $(jq -r ".variants[$variant] | .id + \", \" + (.consumer.clock // \"no clock\")" "$tmp/report")" \
		"$(jq ".variants[$variant].consumer.ns" "$tmp/report")" 5 20000
done
figure "frames of the consumer less those of the program in a window, at most" \
	"$(jq '[.blocks[].windows[] | select(.consumer_packets != null) | .consumer_packets - ([.cpus[].verdicts[]] | add) | fabs] | max' "$tmp/run/run.json")" 0 5000

# The generator waits for the consumer too, wherever that runs.
try "record without a rate" "$X" record lab -q -o "$tmp/full" -b 1 --window 0.2 --schedule windows=2 \
	-V redirect/no-touch@native,redirect-cpu/no-touch@native,redirect-cpu:1/no-touch@native,redirect-cpu/no-touch@skb,xsk/no-touch@native,xsk/no-touch@skb
figure "frames that the consumer dropped, percent at most" "$(jq '[.blocks[].totals | .consumer_dropped / .redirected * 100] | max' "$tmp/full/run.json")" 0 1
"$X" report "$tmp/full" --format json >"$tmp/report"
figure "variants that were not busy and did not wait for the consumer" \
	"$(jq --argjson gen "$(jq .load.cpu "$tmp/full/run.json")" '[.variants[] | select(.busy_pct < 90 and .consumer.cpu == $gen).quality[1].check] | unique - ["consumer-pace"] | length' "$tmp/report")" 0 0
