#!/bin/sh
# Beside a busy neighbour the intervals widen and still hold: a task on each CPU works for half a second, rests for a quarter,
# and goes on. A program against itself then has a wider interval than alone, which still holds zero to one and a half times
# its half-width, and of costs of 5, 20, 50 and 200 ns, injected in two modes, 7 of 8 are within their intervals.
# usage: busy.sh [SECONDS]
seconds=${1:-60}
. "$(dirname "$0")/lib.sh"
need_lab
expect 3

neighbour() { while :; do timeout 0.5 gzip -9 </dev/urandom >/dev/null; sleep 0.25; done; }
neighbours_begin() {
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		neighbour &
		pid=$!
		started $pid
		try "pin a neighbour" taskset -cp "$cpu" $pid
	done
}
record() { # NAME OPTIONS...
	name=$1
	shift
	try "record $name" "$X" record lab -q --view work -o "$tmp/$name" -b 1000 --for "$seconds" "$@"
}
itself() { # NAME: the difference of a program and itself, and half of its interval
	"$X" diff "$tmp/$1:drop/no-touch@native" drop/no-touch+again@native --format json | jq '.delta_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2'
}

record quiet -V drop/no-touch@native,drop/no-touch+again@native
neighbours_begin
record busy -V drop/no-touch@native,drop/no-touch+again@native
for mode in native skb; do
	record injected-$mode -V drop/no-touch@$mode --inject 5,20,50,200
	for ns in 5 20 50 200; do
		"$X" diff "$tmp/injected-$mode:drop/no-touch+chain0@$mode" "drop/no-touch+chain$ns@$mode" --format json |
			jq -r '"\(.injected_off_ns) \(.injected_off_half_ns)"' >>"$tmp/offs"
	done
done
# shellcheck disable=SC2046 # words
set -- $(itself quiet) $(itself busy)
figure "half of a program's interval against itself, busy over quiet" "$(echo "$2 $4" | awk '{ print $2 / $1 }')" 1 1000
figure "busy: a program against itself, off by so many half-widths" "$(echo "$3 $4" | awk '{ print $1 / $2 }')" -1.5 1.5
figure "busy: injected costs within their intervals, of 8" "$(awk '$1 * $1 <= $2 * $2' "$tmp/offs" | wc -l)" 7 8
