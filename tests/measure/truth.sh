#!/bin/sh
# Known costs come out again; the same cost at another load.
. "$(dirname "$0")/lib.sh"
need_lab
expect 6

short="--window 0.3 --schedule windows=2,warmup=0.1"

try "record an injected cost" "$X" record lab -q -o "$tmp/inject" -V drop/no-touch@skb --inject 200 -b 8 $short
figure "refused frames, though the generator is the faster one, in thousandths" "$(jq '[.blocks[].totals | .gen_errors / .gen_sent * 1000 | floor] | max' "$tmp/inject/run.json")" 0 0
injected=$(jq '.variants[2].injected_ns' "$tmp/inject/run.json")
figure "200 ns asked for, so many injected" "$injected" 130 300
"$X" diff "$tmp/inject:drop/no-touch+chain0@skb" drop/no-touch+chain200@skb --format json >"$tmp/diff"
found() { jq "$1 | .delta_ns, (.ci95_ns[1] - .ci95_ns[0]) / 2" "$tmp/diff"; }
set -- $(found .)
alike "the injected cost is found again" "$1" "$injected" "$2" 40
set -- $(found '.components[] | select(.name == "BPF program")')
alike "and in the BPF program" "$1" "$injected" "$2" 40

try "record at full load" "$X" record lab -q -o "$tmp/wide" --view blocks -V drop/no-touch@native -b 6 $short

# A receiver that pauses pays for waking up, so a base at 30 % of capacity is none of full load, and a check says so. The line
# through paced rates takes waking up out again. Both need a full load: by blocks, as a rate is kept only there.
wide_of() { "$X" report "$tmp/wide" --format json | jq ".variants[0] | $1"; }
slow="a check says that a CPU which pauses pays for waking up (1: it does)"
full="paced rates tell waking up from packets: full polls cost what full load does"
if [ "$(wide_of '.quality[] | select(.check == "saturation").ok')" != true ]; then
	busy="the generator kept the receiver busy for $(wide_of '.busy_pct | round') % of the time, which is no full load"
	cannot_tell "$slow" "$busy"
	cannot_tell "$full" "$busy"
	exit
fi
try "record at 30 % of capacity" "$X" record lab -q -o "$tmp/part" -V drop/no-touch@native -b 6 $short -r "$(wide_of '0.3e9 / .base_ns | floor')"
"$X" diff "$tmp/wide:drop/no-touch@native" "$tmp/part:drop/no-touch@native" --format json >"$tmp/load"
figure "$slow" "$(jq '[.quality[] | select(.check == "busy-alike" and .ok == false)] | length' "$tmp/load")" 1 1
try "record at paced rates" "$X" record lab -q -o "$tmp/rates" -V drop/no-touch@native -b 6 $short --sweep rate=100k,300k,1M
set -- $("$X" report "$tmp/rates" | paste -sd' ' | sed -n 's/.* a = \([0-9.]*\) ± *\([0-9.]*\) ns,.*/\1 \2/p')
alike "$full" "${1-}" "$(wide_of .base_ns)" "${2-}" 25
