#!/bin/sh
# Variants that take turns: every frame is counted where it was sent, turns are balanced, and the blocks are their sums.
alone=1
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
turns() { tail -n +2 "$run/turns" | awk "$1"; }
V=drop/no-touch@native,drop/no-touch@skb,tx/swap-macs@native,tx/swap-macs@skb,pass/no-touch@native
# record_and_check VIEW VARIANTS ROUNDS BACK
record_and_check() {
	"$X" record lab -q --force -o "$run" --view "$1" -V "$2" -b "$3" --schedule windows=2 --window 0.1 --schedule seed=7 2>"$tmp/err"
	is "$1: recorded" "$? $(cat "$tmp/err")" "0 "
	is "$1: view and end" "$(json -r '.view, .ended' | tr '\n' ' ')" "$1 complete "
	n=$(json '.variants | length')
	rounds=$((($3 + n - 1) / n * n))
	# a machine whose CPUs move apart gets more rounds
	is "$1: a block for each variant and round" "$(json '[.blocks[] | select(.round < '$rounds')] | length')" $((n * rounds))
	is "$1: every frame that was sent was seen, of each variant in each round" \
		"$(json '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all')" true
	is "$1: every frame that was sent back came back" \
		"$(json -c '[.blocks[] | select(.mode_found != "" and .totals.tx_verdicts > 0) | .totals | .tx_verdicts == .gen_sent and .sink_frames == .gen_sent] | unique')" \
		"$4"
	is "$1: the kernel's mode is the one asked for" \
		"$(json '. as $r | [.blocks[] | .mode_found == ($r.variants[.variant].id | split("@")[1])] | all')" true
	is "$1: in each round all have the same number of turns, an even one" \
		"$(turns '{ k[$1, $2]++; r[$1] } END { for (i in r) for (v = 1; v < '$n'; v++) if (k[i, v] != k[i, 0] || k[i, v] % 2) bad = 1; print bad + 0 }')" 0
	is "$1: from round to round each moves on by one device" "$(turns '($2 + $1) % '$n' != $3' | wc -l)" 0
	is "$1: no turn lost a frame" "$(turns '$9 != 0' | wc -l)" 0
	is "$1: a base window holds the packets and the receiver's time of its turns" \
		"$(turns '$4 == "b" { p[$1 " " $2] += $8; o[$1 " " $2] += $7 } END { for (i in p) print i, p[i], o[i] }' | sort)" \
		"$(json -r '.blocks[] | . as $b | .windows[] | select(.kind == "base") | "\($b.round) \($b.variant) \([.cpus[].verdicts[]] | add) \(.busy_ns | floor)"' | grep -v ' 0 0$' | sort)"
	is "$1: in every second rotation samples come first" \
		"$(turns '$4 != "s" && !seen[$1]++ { print $1, $4 }' | awk '{ bad += ($2 == "p") != int($1 / '$n') % 2 } END { print bad + 0 }')" 0
	is "$1: whole rotations: each was on each device equally often" \
		"$(turns '{ print $1, $2, $3 }' | sort -u | awk '{ k[$2 " " $3]++ } END { for (i in k) print k[i] }' | sort | uniq -c | awk '{ print $1 }')" $((n * n))
	is "$1: the CPU was probed before the windows and after them" "$(probed_around_windows "$run")" true
	is "$1: the slabs of skbs were the receiver's own" "$(json .held_skbs)" 4096
}
nothing_left() { ip netns list | grep -c '^xdpzoom-'; pgrep -f 'perf record.*--control fd'; in_rx ip -o link | grep -c xzarm; }

record_and_check work "$V" 2 "[true]"
is "work: turns of as many packets as were asked for, in later rounds up to 8 times as many of what is cheap" \
	"$(turns '{ k = $8 / '"$(json .turns.frames)"'; bad += k != int(k) || k < 1 || k > ($1 ? 8 : 1) } $1 && !$2 { native = k } END { print bad + 0, (native > 1) }')" "0 1"
is "work: samples are those below the receiver's softirq, and of no other device" \
	"$(grep -c bpf_test_run "$run"/blocks/*.script | awk -F: '{ n += $2 } END { print n }') $(awk -v RS= '!/net_rx_action/' "$run"/blocks/*.script | wc -l)" "0 0"
if [ "$(nproc)" -ge 2 ]; then
	record_and_check crossing drop/no-touch@native,drop/no-touch@skb 4 "[]"
	is "crossing: samples are those of the receivers' threads" \
		"$(json '[.napi_tids[]] | length') $(awk '/cpu-clock:/ { print $1 }' "$run"/blocks/*.script | sort -u | grep -vcxF "$(json '.napi_tids[]')")" "2 0"
else
	for _ in $(seq 15); do skip "crossing" "one CPU"; done
fi
is "the arms are gone, the lab that was there stays" "$(nothing_left | tr '\n' ' ')" "2 0 "
"$X" record lab -o "$tmp/rate" -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2 -r 10k 2>"$tmp/err"
is "a rate without a view: blocks, and it says why" "$? $(jq -r .view "$tmp/rate/run.json") $(grep -c 'block by block, not in turns' "$tmp/err")" "0 blocks 1"

built refuses.so
REFUSES=turns LD_PRELOAD=$PWD/build/rig/refuses.so "$X" record lab -o "$tmp/refused" -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2 2>"$tmp/err"
is "the kernel refuses turns: blocks, and everybody says why" \
	"$? $(jq -r .view "$tmp/refused/run.json") $(grep -c "block by block, not in turns: this kernel refuses .*'turns'" "$tmp/err") $(
		"$X" report --full "$tmp/refused" | tr '\n' ' ' | grep -Ec "[0-9]+ blocks? and no turns: this kernel refuses")" "0 blocks 1 1"
fails "it refuses turns that were asked for" 77 "this kernel refuses" \
	env REFUSES=turns LD_PRELOAD="$PWD/build/rig/refuses.so" "$X" record lab -o "$tmp/x" --view work -V drop/no-touch@native

launch pid /dev/null "$tmp/err" "$X" record lab -o "$tmp/cut" -V drop/no-touch@native,drop/no-touch@skb -b 500 --schedule windows=2 --window 0.1
await_of $pid grep -q '^block 2 of' "$tmp/err"
halt INT $pid
is "interrupted: whole rounds are kept" \
	"$? $(jq -r '.ended, (.blocks | group_by(.round) | map(length) | unique)[]' "$tmp/cut/run.json" | tr '\n' ' ')$(tail -n +2 "$tmp/cut/turns" | awk '{ print $1 }' | sort -un | wc -l)" \
	"1 interrupted 2 $(jq '.blocks | length / 2' "$tmp/cut/run.json")"

nightly

launch pid /dev/null "$tmp/err" "$X" record lab -q -o "$tmp/killed" -V drop/no-touch@native,drop/no-touch@skb -b 500 --schedule windows=2 --window 0.1
arms() { in_rx ip -o link | grep -c xzarm; }
both_arms() { [ "$(arms)" = 2 ]; }
await_of $pid both_arms
halt KILL $pid
named() { "$X" doctor --format json | jq -e '.rows[] | select(.check == "leftovers" and .fix == "xdpzoom lab up")' >/dev/null; }
ok "killed: doctor names the pairs that stay in the lab" await named
"$X" stat lab -t 0.1 >/dev/null 2>"$tmp/err"
is "killed: the next command with the lab removes them" "$? $(grep -c 'removed 2 pairs' "$tmp/err") $(nothing_left | tr '\n' ' ')" "0 1 2 0 "
