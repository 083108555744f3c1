#!/bin/sh
# Known costs come out again, within wide bounds; --precision stops; the same cost at another load.
. "$(dirname "$0")/lib.sh"
need_lab
plan 13

short="-w 0.3 --windows 2 --warmup 0.1"
base() { "$X" report "$1" --format json | jq ".variants[0].base_ns"; }

ok "record a planted cost" "$X" record lab -q -o "$tmp/plant" -V drop/no-touch@skb --plant 200 -b 8 $short
is "beside it, 0 ns planted" "$(jq -r '[.variants[].id] | join(" ")' "$tmp/plant/run.json")" \
	"drop/no-touch@skb drop/no-touch+chain0@skb drop/no-touch+chain200@skb"
is "nothing refused, though the generator is the faster one" "$(jq '[.blocks[].totals | .gen_errors / .gen_sent * 1000 | floor] | max' "$tmp/plant/run.json")" 0
planted=$(jq '.variants[2].plant_ns' "$tmp/plant/run.json")
between "200 ns asked for, so many planted" "$planted" 130 300
"$X" diff "$tmp/plant:drop/no-touch+chain0@skb" drop/no-touch+chain200@skb --format json >"$tmp/diff"
found() { jq "$1 | .delta_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2" "$tmp/diff"; }
set -- $(found .)
alike "found again" "$1" "$planted" "$2" 40
set -- $(found '.facilities[] | select(.name == "BPF program")')
alike "in the BPF program" "$1" "$planted" "$2" 40
fails "a planted cost nobody knows" 2 "chain walk" "$X" record lab -q -o "$tmp/x" -V drop/no-touch+sleep5@native

ok "a wide precision stops the recording" "$X" record lab -q -o "$tmp/wide" -V drop/no-touch@native -b 6 $short --precision 60 --max-time 120s
is "and says so" "$(jq -r '"\(.precision.stop) \(.precision.reached_pct <= 60)"' "$tmp/wide/run.json")" "precision true"
ok "an impossible one ends with the time" "$X" record lab -q -o "$tmp/narrow" -V drop/no-touch@native -b 6 $short --precision 0.01 --max-time 10s
is "and says that" "$(jq -r '.precision.stop' "$tmp/narrow/run.json")" max-time

# 30 % of capacity: the same base by busy time, or the gate says that polls were not alike.
ok "record at 30 % of capacity" "$X" record lab -q -o "$tmp/part" -V drop/no-touch@native -b 6 $short -r "$(base "$tmp/wide" | jq '0.3e9 / . | floor')"
"$X" diff "$tmp/wide:drop/no-touch@native" "$tmp/part:drop/no-touch@native" --format json >"$tmp/load"
if [ "$(jq '[.quality[] | select(.gate == "polls-alike" and (.ok | not))] | length' "$tmp/load")" -gt 0 ]; then
	result 0 "polls were not alike, and the gate says so"
else
	set -- $(jq '.new_ns, .base_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2' "$tmp/load")
	alike "the base at 30 % of capacity is full load's" "$1" "$2" "$3" 25
fi
