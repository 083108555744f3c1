#!/bin/sh
# What a machine did before decides nothing: where the RX CPU's slabs of skbs are half full, generic XDP costs what it costs
# where they are whole, and nothing of it is the allocator's slow path. Those who make the holes stop within a slab.
# usage: slabs.sh [PAIRS]
pairs=${1:-4}
. "$(dirname "$0")/lib.sh"
need_lab
expect 2
try "compile holes.c" "${CC:-cc}" -O2 -o "$tmp/holes" tests/measure/holes.c

record() { # NAME
	try "record $1" "$X" record lab -q --view work --force -o "$tmp/run" -V drop/no-touch@native,drop/no-touch@skb -b 8 --schedule windows=2 --window 0.3
	"$X" report "$tmp/run" -f json | jq '.variants | (map(select(.mode == "skb"))[0]) as $skb | $skb.base_ns / (map(select(.mode == "native"))[0].base_ns), $skb.slab.slow_pct' |
		paste -sd' ' >>"$tmp/figures-$1"
}
i=0
while [ $i -lt "$pairs" ]; do
	i=$((i + 1))
	record whole
	rx=$(jq '.rx_cpus[0]' "$tmp/run/run.json")
	mkfifo "$tmp/end$i"
	"$tmp/holes" "$rx" 2007 <"$tmp/end$i" >"$tmp/made$i" &
	pid=$!
	exec 9>"$tmp/end$i"
	started $pid
	await_of $pid test -s "$tmp/made$i"
	record holes
	exec 9>&-
	wait $pid
done
mean() { awk -v column="$2" '{ sum += $column } END { print sum / NR }' "$tmp/figures-$1"; }
figure "where slabs have holes: the slow path, percent of the allocator's time" "$(mean holes 2)" 0 10
figure "and generic XDP over native XDP, over that where slabs are whole" "$(echo "$(mean holes 1) $(mean whole 1)" | awk '{ print $1 / $2 }')" 0.95 1.05
