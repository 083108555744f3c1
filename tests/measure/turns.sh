#!/bin/sh
# What variants that take turns are known to: in 60 s on one CPU native against skb to 0.4 ns and two programs of one mode to
# 0.1 ns, with frames from another core to 1.5 ns (near) or 2.5 ns (far); counting costs at most 0.1 ns.
# Every component of 10 ns or more is known to 10 % of its cost, and sampling takes no more than its budget, 4 %.
# usage: turns.sh [SECONDS]
seconds=${1:-60}
. "$(dirname "$0")/lib.sh"
need_lab
expect 8

# half WHAT BASE NEW BAR: half of the interval of their difference in $tmp/run
half() {
	"$X" diff "$tmp/run:$2" "$3" --format json >"$tmp/diff"
	figure "$1" "$(jq '(.ci95_ns[1] - .ci95_ns[0]) / 2' "$tmp/diff")" 0 "$4"
}
record() { try "record $1" "$X" record lab -q --force -o "$tmp/run" --view "$1" -V "$2" -b 1000 --for "$seconds"; }

record work drop/no-touch@native,drop/no-touch@skb
half "work: half of the interval, native against skb, ns" drop/no-touch@native drop/no-touch@skb 0.4
"$X" report "$tmp/run" --format json >"$tmp/report"
figure "work: the component of 10 ns or more that is known least, half of its interval in percent" \
	"$(jq '[.variants[].components[] | select(.self_ns >= 10) | (.ci95_ns[1] - .ci95_ns[0]) / 2 / .self_ns * 100] | max' "$tmp/report")" 0 10
within "work: what sampling takes of the CPU, percent" $(jq '[.variants[].overhead_pct] as $o | [.variants[].overhead_half_pct] as $h |
	($o | add / length) as $m | ($h | map(. * .) | add | sqrt / ($h | length)) as $w | $m, $m - $w, $m + $w' "$tmp/report") -4 4
record work drop/no-touch@native,drop/no-touch+again@native
half "work: half of the interval, native against itself, ns" drop/no-touch@native drop/no-touch+again@native 0.1
within "work: native against itself, ns" $(jq '.delta_ns, .ci95_ns[]' "$tmp/diff") -0.3 0.3
record work drop/bare@native,drop/no-touch@native
"$X" diff "$tmp/run:drop/bare@native" drop/no-touch@native --format json >"$tmp/diff"
within "work: counting, native, ns" $(jq '.delta_ns, .ci95_ns[]' "$tmp/diff") -0.1 0.1
if [ "$(nproc)" -lt 2 ]; then
	cannot_tell "crossing" "one CPU"
	cannot_tell "crossing" "one CPU"
	exit
fi
record crossing drop/no-touch@native,drop/no-touch@skb
near=$(jq '[.blocks[].placement_ns[]] | add / length < 100' "$tmp/run/run.json")
[ "$near" = true ] && bar=1.5 || bar=2.5
half "crossing: half of the interval, native against skb, ns" drop/no-touch@native drop/no-touch@skb $bar
record crossing drop/no-touch@native,drop/no-touch+again@native
half "crossing: half of the interval, native against itself, ns" drop/no-touch@native drop/no-touch+again@native $bar
