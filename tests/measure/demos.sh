#!/bin/sh
# Demos agree: what generic XDP costs more than native comes out of each of so many demos within its interval of what the others
# say, all at the speed of the first one. Of 20 demos 19 have to. An interval is that of a demo and of the others' mean together,
# the latter from their scatter: once with a demo's own interval, and once with the wider one that it prints too, which counts that
# runs differ.
# usage: demos.sh [RUNS [PAUSE]]      PAUSE: seconds between two demos, so that 20 of them can be spread over a day
runs=${1:-20} pause=${2:-0}
. "$(dirname "$0")/lib.sh"
need_lab
expect 4

i=0 longest=0
while [ $i -lt "$runs" ]; do
	[ $i -eq 0 ] || sleep "$pause"
	i=$((i + 1))
	began=$(date +%s)
	try "demo $i" "$X" demo --force -o "$tmp/demo"
	took=$(($(date +%s) - began))
	[ "$took" -le "$longest" ] || longest=$took
	"$X" diff "$tmp/demo:drop/no-touch@native" drop/no-touch@skb --format json >"$tmp/diff"
	reference_ns=$("$X" report "$tmp/demo" --format json | jq '.variants[] | select(.id == "drop/no-touch@native").speed.reference_ns')
	[ $i -gt 1 ] || first_ns=$reference_ns
	jq -r --argjson f "$first_ns" --argjson r "$reference_ns" \
		'[.delta_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2, .base_ns, .new_ns] | map(. * $f / $r) | @tsv' "$tmp/diff" >>"$tmp/demos"
	tail -n 1 "$tmp/demos" | awk -v i=$i -v took=$took '{ printf "# demo %d: generic costs %.1f +- %.1f ns more; %d s\n", i, $1, $2, took }'
done
# The factor of a 95 % interval of a mean of n values, from Student's distribution with n - 1 degrees of freedom, by the
# Cornish-Fisher expansion of its quantile (off by less than 2 % from 4 degrees on).
# agree RUN-PCT: percent of the demos, where the bases differ by RUN-PCT from run to run
agree() {
	awk -v pct="$1" '
	{ d[NR] = $1; var_of[NR] = ($2 ^ 2 + (1.96 * pct / 100) ^ 2 * ($3 ^ 2 + $4 ^ 2)); sum += $1; squares += $1 * $1 }
	END {
		n = NR - 1; f = n - 1; z = 1.959964
		if (f < 4) exit
		t = z + (z ^ 3 + z) / 4 / f + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / 96 / f ^ 2
		for (i = 1; i <= NR; i++) {
			mean = (sum - d[i]) / n
			var = (squares - d[i] * d[i] - n * mean * mean) / (n - 1)
			if ((d[i] - mean) ^ 2 <= var_of[i] + t * t * (var > 0 ? var : 0) / n) ok++
		}
		print ok / NR * 100
	}' "$tmp/demos"
}
figure "of the demos agree with the others within their own intervals, percent" "$(agree 0)" 95 100
figure "of the demos agree with the others, runs counted, percent" "$(agree 1)" 95 100
figure "the longest demo, s" "$longest" 0 90
figure "standard deviation of what native costs, at one speed, percent" "$(awk '{ n++; d = log($3) * 100; s += d; q += d * d }
	END { if (n > 1) print sqrt((q - s * s / n) / (n - 1)) }' "$tmp/demos")" 0 1.5
