#!/bin/sh
# Runs of other minutes agree: each variant of a run is compared with itself in the next one, at one speed (view work). No more of
# the intervals miss zero than chance allows of so many (5 % each; the two variants of a pair of runs share a machine, and count
# twice), and the costs of a variant, all at the speed of the first run, scatter by at most 1.5 % (standard deviation). Runs
# over a day: a pause of an hour between them.
# usage: runs.sh [RUNS [SECONDS [PAUSE]]]      RUNS: an even number; PAUSE: seconds between two runs
runs=${1:-12} seconds=${2:-25} pause=${3:-0}
. "$(dirname "$0")/lib.sh"
need_lab
expect 4
native=drop/no-touch@native skb=drop/no-touch@skb

i=0
while [ $i -lt "$runs" ]; do
	[ $i -eq 0 ] || sleep "$pause"
	i=$((i + 1))
	try "run $i" "$X" record lab -q -o "$tmp/run$i" -V $native,$skb --schedule windows=2 -b 1000 --for "$seconds"
	for v in $native $skb; do
		[ $i -eq 1 ] || "$X" diff "$tmp/run1:$v" "$tmp/run$i:$v" --format json |
			jq -r --arg v $v '[$v, .new_ns / .base_ns] | @tsv' >>"$tmp/costs"
		[ $((i % 2)) -eq 1 ] || "$X" diff --full "$tmp/run$((i - 1)):$v" "$tmp/run$i:$v" --format json |
			jq -r --arg v $v '[$v, .delta_ns, .ci95_ns[], .reference_ratio] | @tsv' | tee -a "$tmp/pairs" |
			awk -v i=$i '{ printf "# runs %d and %d, %s: %+.1f [%.1f, %.1f] ns, the generator took %.2f times as long\n", i - 1, i, $1, $2, $3, $4, $5 }'
	done
done
# the number of misses that 19 of 20 times is not passed, of so many pairs; both variants may miss together
chance=$(awk -v n=$((runs / 2)) 'BEGIN { p = 0.95 ^ n; for (sum = p; sum < 0.95; sum += p) { p *= (n - k) / (k + 1) * 0.05 / 0.95; k++ }; print 2 * k }')
figure "comparisons that have an interval" "$(wc -l <"$tmp/pairs")" "$runs" "$runs"
figure "of them miss zero, though nothing was changed" "$(awk '$3 > 0 || $4 < 0' "$tmp/pairs" | wc -l)" 0 "$chance"
for v in $native $skb; do
	figure "standard deviation of $v at one speed, percent" "$(awk -v v=$v '$1 == v { d = log($2) * 100; n++; s += d; q += d * d }
		END { if (n > 1) print sqrt((q - s * s / n) / (n - 1)) }' "$tmp/costs")" 0 1.5
done
