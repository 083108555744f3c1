#!/bin/sh
# Recording: what a run directory holds, and the numbers in it.
# usage: record.sh [emulated]    a slow machine: its ticks are late, and its numbers are no hardware's
. "$(dirname "$0")/lib.sh"
need_lab
plan 24
tick=5e6
[ $# -eq 0 ] || tick=5e7

run=$tmp/run
json() { jq "$@" "$run/run.json"; }

ok "record" "$X" record lab -o "$run" -q -V drop/no-touch@native,drop/no-touch@skb -b 3 -w 0.3 --seed 7
is "schema" "$(json -r .schema)" xdpzoom.run/1
is "complete" "$(json -r .ended)" complete
is "blocks: each variant once a round" "$(json -c '[.blocks[] | select(.round < 3) | [.round, .variant]] | sort')" "[[0,0],[0,1],[1,0],[1,1],[2,0],[2,1]]"
is "the kernel's mode is the one asked for" "$(json '[.blocks[].mode_found] == [.blocks[] | if .variant == 0 then "native" else "skb" end]')" true
is "every frame that left was seen" "$(json '[.blocks[].totals | .gen_sent == .rx_seen] | all')" true
is "no strays, no lost samples" "$(json -c '[.blocks[].totals | .stray, .perf_lost] | unique')" "[0]"
is "windows: probe, base, profile, profile, base" "$(json -c '[.blocks[0].windows[].kind]')" '["probe","base","profile","profile","base"]'
is "busy time never exceeds the window by more than a tick" "$(json '[.blocks[].windows[] | .busy_ns < .to_ns - .from_ns + '$tick'] | all')" true
is "what the receiver was charged for waiting is known" "$(json '[.blocks[].windows[].waits_ns >= 0] | all')" true
is "polls are known in probe windows, and there alone" "$(json '[.blocks[].windows[] | (.kind == "probe") == (.polls != null)] | all')" true
is "polls hold the window's packets, to one poll at each edge" "$(json '[.blocks[].windows[] | select(.kind == "probe") | .polls.packets as $p | ([.cpus[].verdicts[]] | add) as $n | $p - $n | fabs < 20000 + $n / 20] | all')" true
is "the sampling rate is no round number" "$(json '.sample_hz % 10 != 0 and .sample_hz % 2 == 1')" true
is "perf's words are there" "$(ls "$run"/blocks/*.script | wc -l)" "$(json '.blocks | length')"
ok "samples are the receiver's, with call chains" grep -q napi_threaded_poll "$run/blocks/000.script"
native=$("$X" report "$run" --format json | jq '.variants[] | select(.id == "drop/no-touch@native") | .base_ns')
skb=$("$X" report "$run" --format json | jq '.variants[] | select(.id == "drop/no-touch@skb") | .base_ns')
if [ $# -eq 0 ]; then
	between "a native drop costs tens to hundreds of ns" "$native" 5 1500
	between "generic costs more" "$skb" "$(awk "BEGIN { print $native * 1.5 }")" 100000
else
	skip "a native drop costs tens to hundreds of ns" emulated
	skip "generic costs more" emulated
fi
closure=$("$X" diff "$run:drop/no-touch@native" drop/no-touch@skb --format json | jq '.closure.residual_ns / .delta_ns * 100 | fabs')
between "closure: the residual, percent of the difference" "$closure" 0 1
fails "an output directory that exists is left alone" 1 "exists" "$X" record lab -q -o "$run" -V drop/no-touch@native -b 1
ok "started as a real-time task it records all the same, --force replaces" timeout -k 5 120 chrt -f 5 "$X" record lab -q -o "$run" --force -V drop/no-touch@native -b 1 -w 0.1
fails "an unknown variant" 2 "drop pass tx aborted" "$X" record lab -q -o "$tmp/x" -V drop/no-touch@native,frop/no-touch@skb
fails "no -o" 2 "-o DIR" "$X" record lab
"$X" record lab -q -o "$tmp/calls" -V drop/no-touch@skb -b 1 -w 0.1 --fentry do_xdp_generic,veth_poll 2>"$tmp/err"
is "functions call by call: measured, or one sentence why not" \
	"$? $(jq -c '[.blocks[].windows[] | select(.kind == "calls").calls | .function, .calls > 0]' "$tmp/calls/run.json") $(grep -c . "$tmp/err")$(
	grep -c 'lets no fentry programs in' "$tmp/err")" "$([ -s "$tmp/err" ] && echo '0 [] 11' || echo '0 ["do_xdp_generic",true,"veth_poll",true] 00')"
is "no half-made directory is left" "$(ls -d "$tmp"/*.tmp* 2>/dev/null)" ""
