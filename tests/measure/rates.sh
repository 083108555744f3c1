#!/bin/sh
# The shares of functions do not depend on the sampling rate: two budgets, 1 and 8 %, whose rates are several times
# apart, in the order 1, 8, 8, 1. A share is a component's part of all samples; those of 5 % and more are compared.
# usage: rates.sh [SECONDS]      of each of the four recordings
seconds=${1:-20}
. "$(dirname "$0")/lib.sh"
need_lab
expect 5

i=0
for budget in 1 8 8 1; do
	i=$((i + 1))
	try "record with $budget %" "$X" record lab -q -o "$tmp/run$i" --view work -V drop/no-touch@native,drop/no-touch@skb -b 1000 \
		--for "$seconds" --overhead $budget
	"$X" report "$tmp/run$i" --format json >"$tmp/report$i"
done
figure "the rates are apart, times" "$(jq -n --slurpfile a "$tmp/run1/run.json" --slurpfile b "$tmp/run2/run.json" '$b[0].sample_hz / $a[0].sample_hz')" 3 100

# shares VARIANT: name, difference of the shares in points (8 % less 1 %), half of its interval. The interval of a share, from the
# samples of both recordings with a budget: that of a count, which is narrower than what the machine's movements make of it.
shares() {
	jq -r -n --argjson v "$1" --slurpfile a "$tmp/report1" --slurpfile b "$tmp/report2" --slurpfile c "$tmp/report3" \
		--slurpfile d "$tmp/report4" '
		def of($r; $name): ([$r[].variants[$v].components[] | select(.name == $name).samples] | add // 0) as $k
			| ([$r[].variants[$v].components[].samples] | add) as $n | {p: ($k / $n), n: ($n)};
		($a + $d) as $low | ($b + $c) as $high
		| [$low[0].variants[$v].components[].name][] as $name
		| of($low; $name) as $l | of($high; $name) as $h | select($l.p >= 0.05)
		| [$name, ($h.p - $l.p) * 100, 196 * ($l.p * (1 - $l.p) / $l.n + $h.p * (1 - $h.p) / $h.n | sqrt)] | @tsv'
}
for variant in 0 1; do
	name=$(jq -r ".variants[$variant].id" "$tmp/report1")
	shares $variant >"$tmp/shares"
	sed "s|^|# $name: |" "$tmp/shares"
	within "$name: the share that differs most, points: $(sort -t "$(printf '\t')" -k 2 -g "$tmp/shares" | awk -F '\t' '
		{ d = $2 < 0 ? -$2 : $2; if (d >= most) { most = d; name = $1 } } END { print name }')" \
		$(awk -F '\t' '{ d = $2 < 0 ? -$2 : $2; if (d >= most) { most = d; v = $2; h = $3 } } END { print v, v - h, v + h }' "$tmp/shares") -3 3
	figure "$name: shares that differ by more than twice what chance makes of 95 in 100" \
		"$(awk -F '\t' '{ d = $2 < 0 ? -$2 : $2; n += d > 2 * $3 } END { print n + 0 }' "$tmp/shares")" 0 0
done
