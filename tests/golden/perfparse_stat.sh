#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat and perf annotate as documents print them: every count exactly, and what follows from them.
. "$(dirname "$0")/lib.sh"
perfparse=build/perfparse
document=tests/fixtures/perf/document

# event, count, variance, share of time: by another tool's eyes
counts() {
	awk '$1 ~ /^[0-9,]+$/ && $2 ~ /^[A-Za-z_]/ {
		count = $1; gsub(",", "", count)
		variance = "-"; share = 100
		if (match($0, /\( *\+- *[0-9.]+ *%/)) { variance = substr($0, RSTART, RLENGTH); gsub(/[^0-9.]/, "", variance) }
		if (match($0, /\([0-9.]+%\)/)) share = substr($0, RSTART + 1, RLENGTH - 3)
		print $2, count, variance, share }' "$1"
}
ours() {
	$perfparse --packets 1e6 --format csv "$1" |
		awk -F, 'NR > 1 { print $1, $5, ($8 == "" ? "-" : $8), $9 }'
}
same_numbers() { awk '{ for (i = 3; i <= NF; i++) if ($i != "-") $i = sprintf("%.2f", $i); print }'; }

for f in stat-1 stat-2 stat-hybrid-1 stat-hybrid-2 stat-hybrid-3 stat-hybrid-4; do
	counts $document/$f.txt | same_numbers >"$tmp/want"
	ours $document/$f.txt | same_numbers >"$tmp/out"
	equal "$f: $(wc -l <"$tmp/want") counts" "$tmp/want" "$tmp/out"
done

{ $perfparse --pps 8413417 --window 1 $document/stat-1.txt; $perfparse --pps 4574424 --window 1 $document/stat-2.txt; } |
	sed -n 's/.* \([0-9.]*\) per cycle/\1/p' >"$tmp/out"
printf '2.01\n1.51\n' >"$tmp/want"
equal "instructions per cycle of XDP_DROP and XDP_TX" "$tmp/want" "$tmp/out"

$perfparse --pps 100000 --format json $document/stat-hybrid-1.txt |
	jq -r '.counts[] | select(.per_cycle) | "\(.pmu) \(.per_cycle * 100 | round)"' >"$tmp/out"
printf 'cpu_atom 77\ncpu_core 118\n' >"$tmp/want"
equal "instructions per cycle of each kind of core" "$tmp/want" "$tmp/out"

# 122.47 ns * 10.36 % * 75.65 %
$perfparse --pps 8165032 --profile $document/self.txt $document/annotate.txt | grep 'rep stos' >"$tmp/out"
echo ' 75.65% =>   9.6 ns  ffffffff816d2b43  rep stos %rax,%es:(%rdi)' >"$tmp/want"
equal "rep stos in __build_skb" "$tmp/want" "$tmp/out"

{ $perfparse --pps 19803663 --pps2 12006685; $perfparse --pps 12006685 --pps2 8413417; $perfparse --pps 12006685 --pps2 8148972; } |
	sed 's/.*difference: //' >"$tmp/out"
printf '%s\n' '+32.79 ns/packet' '+35.57 ns/packet' '+39.43 ns/packet' >"$tmp/want"
equal "the differences of the document's rates" "$tmp/want" "$tmp/out"

$perfparse --pps 8165032 --diff $document/awk-self.txt --pps2 8148972 --format json $document/self.txt |
	jq -r '[(.closure | .sum_delta_ns + .residual_ns), .delta_ns] | "\(.[0] - .[1] | fabs < 1e-9)"' >"$tmp/out"
echo true >"$tmp/want"
equal "two reports side by side close" "$tmp/want" "$tmp/out"
