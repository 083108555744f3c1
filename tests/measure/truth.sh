#!/bin/sh
# Known costs come out again; --precision stops a recording; the same cost at another load.
. "$(dirname "$0")/lib.sh"
need_lab
expect 7

short="-w 0.3 --windows 2 --warmup 0.1"

try "record a planted cost" "$X" record lab -q -o "$tmp/plant" -V drop/no-touch@skb --plant 200 -b 8 $short
figure "refused frames, though the generator is the faster one, in thousandths" "$(jq '[.blocks[].totals | .gen_errors / .gen_sent * 1000 | floor] | max' "$tmp/plant/run.json")" 0 0
planted=$(jq '.variants[2].plant_ns' "$tmp/plant/run.json")
figure "200 ns asked for, so many planted" "$planted" 130 300
"$X" diff "$tmp/plant:drop/no-touch+chain0@skb" drop/no-touch+chain200@skb --format json >"$tmp/diff"
found() { jq "$1 | .delta_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2" "$tmp/diff"; }
set -- $(found .)
alike "the planted cost is found again" "$1" "$planted" "$2" 40
set -- $(found '.facilities[] | select(.name == "BPF program")')
alike "and in the BPF program" "$1" "$planted" "$2" 40

try "record to a wide precision" "$X" record lab -q -o "$tmp/wide" --view blocks -V drop/no-touch@native -b 6 $short --precision 60 --max-time 120s
figure "a precision of 60 % stops the recording (1: it does)" "$(jq -r 'if .precision.stop == "precision" then 1 else 0 end' "$tmp/wide/run.json")" 1 1
figure "and is reached, percent" "$(jq -r '.precision.reached_pct' "$tmp/wide/run.json")" 0 60

# 30 % of capacity: the same base by busy time, or a gate says that a CPU which pauses pays for waking up. Both by blocks, as a rate
# is kept only there.
base=$("$X" report "$tmp/wide" --format json | jq '.variants[0].base_ns')
try "record at 30 % of capacity" "$X" record lab -q -o "$tmp/part" -V drop/no-touch@native -b 6 $short -r "$(echo "$base" | jq '0.3e9 / . | floor')"
"$X" diff "$tmp/wide:drop/no-touch@native" "$tmp/part:drop/no-touch@native" --format json >"$tmp/load"
what="the base at 30 % of capacity is full load's"
failed=$(jq -r '[.quality[] | select((.gate == "polls-alike" or .gate == "busy-alike") and .ok == false).gate] | join(", ")' "$tmp/load")
if [ -n "$failed" ]; then
	cannot_tell "$what" "gates failed, which is what they are for: $failed"
else
	set -- $(jq '.new_ns, .base_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2' "$tmp/load")
	alike "$what" "$1" "$2" "$3" 25
fi
