#!/bin/sh
# What a recording's clocks and counters read, against each other: they are read one after the other, and a machine that stands
# still between two readings shows in the figures.
. "$(dirname "$0")/lib.sh"
need_lab
expect 12

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
try "record" "$X" record lab -q -o "$run" -V drop/no-touch@native,drop/no-touch@skb,tx/swap-macs@native -b 6 --window 0.3 --stat-events cpu-clock
figure "busy time is more than its window, ms at most (a tick is 4)" "$(json '[.blocks[].windows[] | (.busy_ns - (.to_ns - .from_ns)) / 1e6] | max')" -1000 5
figure "packets of polls less those of the window, of which a poll at each edge may be, percent at most" \
	"$(json '[.blocks[].windows[] | select(.kind == "probe") | .polls.packets as $p | ([.cpus[].verdicts[]] | add) as $n | ($p - $n | fabs) / $n * 100] | max')" 0 5
figure "samples that perf lost" "$(json '[.blocks[].totals.perf_lost] | add')" 0 0
figure "the driver's count of a window off the program's, percent at most" \
	"$(json '[.blocks[].windows[] | select(.counters) | .counters | (.ethtool.rx_queue_0_xdp_packets / .packets - 1 | fabs) * 100] | max')" 0 10

"$X" report "$run" --format json >"$tmp/report"
figure "the driver's count a packet, of the variant that is furthest from 1" \
	"$(jq '[.variants[].counters[] | select(.name == "rx_queue_0_xdp_packets").per_packet] | sort_by(. - 1 | fabs) | last' "$tmp/report")" 0.9 1.1
base() { jq "[.variants[] | select(.id == \"$1\") | .base_ns, .ci95_ns[]] | @tsv" -r "$tmp/report"; }
set -- $(base drop/no-touch@native)
native=$1
within "a native drop, ns a packet" "$1" "$2" "$3" 5 1500
set -- $(base drop/no-touch@skb)
within "a generic one, times as much" $(for v; do awk -v v="$v" -v n="$native" 'BEGIN { print v / n }'; done) 1.5 60
figure "the sink's cost is excluded from tx, ns a packet" "$(jq '.variants[2].excluded_ns' "$tmp/report")" 5 3000
set -- $(base tx/swap-macs@native)
within "and without it tx is below, ns a packet" "$1" "$2" "$3" 5 3000

figure "the CPU's clock off the time that perf counted, percent at most" \
	"$(json '[.blocks[].windows[].events[]? | select(.event == "cpu-clock") | .count * 1e6 / .enabled_ns - 1 | fabs * 100] | max')" 0 1
# The RX CPU's clock a packet is what a packet took, by the rate of those very windows: of the blocks that the report uses.
used=$(jq -c '[.variants[].blocks[] | select(.fate == "used") | .index]' "$tmp/report")
rate=$(json --argjson used "$used" '[.blocks[] | select(.variant == 0 and ([.index] | inside($used))) | .windows[] | select(.events) | (.to_ns - .from_ns) / ([.cpus[].verdicts[]] | add)] | add / length')
figure "the CPU's clock a packet, percent of what the rate of those windows gives" \
	"$(jq --argjson rate "$rate" '.variants[0].events[] | select(.event == "cpu-clock").per_packet / $rate * 100' "$tmp/report")" 99 101
figure "samples account for the busy time, percent, of the variant that is furthest" \
	"$(jq '[.variants[].sampled_busy_pct] | sort_by(. - 100 | fabs) | last' "$tmp/report")" 95 105
