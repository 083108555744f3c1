#!/bin/sh
# A program compared with itself: of 400 comparisons, and of their rows, 5 % (3 to 7) have an interval that misses zero. The
# comparisons are drawn from one long run; the head of resample.py says how, and what that cannot show.
# usage: aa.sh [SECONDS [HEADLINES]]
seconds=${1:-120} headlines=${2:-400}
. "$(dirname "$0")/lib.sh"
need_lab
expect 3

try "record" "$X" record lab -q -o "$tmp/run" --view work -V drop/no-touch@native,drop/no-touch+again@native -b 1000 \
	--for "$seconds"
try "resample" "$(dirname "$0")/resample.py" "$X" "$tmp/run" "$tmp/copy" "$headlines" 8 1
count=$(tail -n 1 "$tmp/try.out")
figure "comparisons that have an interval" "$(echo "$count" | jq .headlines)" "$headlines" "$headlines"
figure "of these intervals miss zero, percent" "$(echo "$count" | jq '.misses / .headlines * 100')" 3 7
figure "of the rows of components p is below 0.05, percent" "$(echo "$count" | jq '.row_misses / .rows * 100')" 3 7
