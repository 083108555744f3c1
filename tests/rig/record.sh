#!/bin/sh
# Recording: what a run directory holds, and the numbers in it.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
json() { jq "$@" "$run/run.json"; }

ok "record" "$X" record lab -o "$run" -q -V drop/no-touch@native,tx/swap-macs@skb -b 3 --window 0.3 --schedule seed=7 --view blocks
is "schema" "$(json -r .schema)" xdpzoom.run/1
is "complete" "$(json -r .ended)" complete
is "blocks: each variant once a round" "$(json -c '[.blocks[] | select(.round < 3) | [.round, .variant]] | sort')" "[[0,0],[0,1],[1,0],[1,1],[2,0],[2,1]]"
is "the kernel's mode is the one asked for" "$(json '[.blocks[].mode_found] == [.blocks[] | if .variant == 0 then "native" else "skb" end]')" true
is "every frame that left was seen" "$(json '[.blocks[].totals | .gen_sent == .rx_seen] | all')" true
is "no strays" "$(json -c '[.blocks[].totals.stray] | unique')" "[0]"
is "windows: probe, base, profile, profile, base" "$(json -c '[.blocks[0].windows[].kind]')" '["probe","base","profile","profile","base"]'
is "what the receiver was charged for waiting is known" "$(json '[.blocks[].windows[].waits_ns >= 0] | all')" true
is "the speed of the CPU is probed before, between and after the base and profile windows" \
	"$(json -c '[.blocks[].speed | map(.loaded)] | unique')" '[[false,true,true,true,false]]'
is "never in a window" "$(json '[.blocks[] | .windows as $w | .speed[].at_ns | . as $t | any($w[]; .from_ns < $t and $t < .to_ns) | not] | all')" \
	true
is "the slabs of skbs were the receiver's own" "$(json .held_skbs)" 4096
# 5 % of the 7.2 s that 24 windows of 0.3 s take
is "the first block waited for a steady CPU, or so long as it may" "$(json '.waited_s > 0 and (.steady == true or .waited_s >= 0.36)')" true
is "polls are known in probe windows, and there alone" "$(json '[.blocks[].windows[] | (.kind == "probe") == (.polls != null)] | all')" true
is "packets of polls by size sum to those of the polls, packets of windows are among the device's and the block's, and times fit into them" \
	"$(json -c '[if any(.blocks[].windows[]; .softirq_ns > 0) then empty else "softirqs" end, (.blocks[] | select(([.windows[].cpus[].verdicts[]] | add) > .totals.rx_seen) | .totals),
	(.blocks[].windows[] | (1.1 * (.to_ns - .from_ns)) as $most | ({busy_ns, waits_ns, softirq_ns} | to_entries[] | select(.value != null and (.value < 0 or .value > $most)) + {$most}),
	([.cpus[].verdicts[]] | add) as $seen | (.counters.link.rx_packets | values | select(. < $seen) | [., $seen]),
	(.polls | values | select(.polls != (.hist | add) or .empty != .hist[0] or .packets != (.hist | to_entries | map(.key * .value) | add))))]')" "[]"
is "each round has a sampling rate of its own, a prime; the run's is their mean" "$(json '([.blocks[].sample_hz] | add / length) == .sample_hz and
	all(.blocks | group_by(.round)[]; map(.sample_hz) | unique | length == 1) and all(.blocks | group_by(.round) | [.[:-1], .[1:]] | transpose[];
	.[0][0].sample_hz != .[1][0].sample_hz)') $(json '.blocks[].sample_hz' | sort -un | factor | awk 'NF != 2' | wc -l)" "true 0"
is "that is how far apart samples are" "$(json -r '.blocks[] | select(.index < 3) | "\(.script) \(1e9 / .sample_hz | floor)"' | while read -r script period; do
	awk -v p="$period" '/cpu-clock:/ { good += $(NF - 1) == p || $(NF - 1) == p + 1; n++ } END { print (n > 0 && good == n) }' "$run/$script"; done | sort -u)" 1
is "perf's words are there" "$(ls "$run"/blocks/*.script | wc -l)" "$(json '.blocks | length')"
ok "samples are the receiver's, with call chains" grep -q napi_threaded_poll "$run"/blocks/*.script
is "the difference closes, to a ten-thousandth of either base" "$("$X" diff "$run:drop/no-touch@native" tx/swap-macs@skb --format json |
	jq '(([.symbols[].delta_ns] | add) + .closure.unattributed_delta_ns - .delta_ns | fabs) <= (.base_ns + .new_ns) / 1e4')" true
fails "an output directory that exists is left alone" 1 "exists" "$X" record lab -q -o "$run" -V drop/no-touch@native -b 1
is "no half-made directory is left" "$(ls -d "$tmp"/*.tmp* 2>/dev/null)" ""
nightly

ok "started as a real-time task it records all the same, --force replaces" timeout -k 5 120 chrt -f 5 "$X" record lab -q -o "$run" --force -V drop/no-touch@native -b 1 --window 0.1
ok "an injected cost, observed" "$X" record lab -q -o "$tmp/inject" -V drop/no-touch+observer:tc@skb --inject 200 -b 1 --window 0.1
is "beside it, 0 ns injected" "$(jq -r '[.variants[].id] | join(" ")' "$tmp/inject/run.json")" \
	"drop/no-touch+observer:tc@skb drop/no-touch+chain0+observer:tc@skb drop/no-touch+chain200+observer:tc@skb"
is "samples in the injected program have its name" "$(grep -l 'bpf_prog_.*xdp_bench' "$tmp"/inject/blocks/*.script | grep -q . && echo named) $(
	cat "$tmp"/inject/blocks/*.script | grep -c '^[[:space:]]*ffff.*\[unknown\]')" "named 0"
ok "record on a device that is not the lab's own" "$X" record xzrx -N xdpzoom-rx -g local:xztx@xdpzoom-tx -q -o "$tmp/nic" \
	-V drop/no-touch@native,tx/swap-macs@native,drop/no-touch@skb -b 2 --schedule windows=2 --window 0.1 --schedule warmup=0 --cpus rx="$("$X" lab status | awk '/kthread/ { print $NF }')"
is "blocks come in ABBA rounds there" "$(jq -c '.order, [.blocks[:6][].variant]' "$tmp/nic/run.json" | tr '\n' ' ')" '"abba" [0,1,2,2,1,0] '
is "no half-made directory is left" "$(ls -d "$tmp"/*.tmp* 2>/dev/null)" ""
