#!/bin/sh
# The verdicts of a program that counts none: each kind of frame ends under its verdict, and all counts agree.
alone=1
. "$(dirname "$0")/lib.sh"
need_lab
built verdicts.o firewall.o
all=build/rig/verdicts.o fw=build/rig/firewall.o

# ports COUNT...: frames 0, 1, .. by source port, each so often, in one list
ports() {
	port=0
	for count in "$@"; do
		i=0
		while [ $((i += 1)) -le "$count" ]; do printf 'udp 10.0.0.1:%s > 10.0.0.2:53,' $port; done
		port=$((port + 1))
	done | sed 's/,$//'
}
# told RUN VARIANT FRAMES: frames of each kind as a share of all, in twelfths; null where runs and frames are not the same
told() {
	jq -c --argjson v "$2" '.variants[$v].verdicts | . as $a | if .frames == .runs and .frames == .seen and
		.frames > 1000 then [.aborted, .drop, .pass, .tx, .redirect, .back] | map(. * 12 / $a.frames | round)
		else $a end' "$1/run.json"
}
rec() { "$X" record lab -q -b 1 --window 0.1 --schedule windows=2 "$@" 2>"$tmp/err"; }

# 1 aborted, 2 dropped, 3 passed, 1 sent back, 4 redirected and 1 of no verdict: of 12
rec --view blocks -o "$tmp/all" -V "prog:$all@native,prog:$all@skb" --frames "$(ports 1 2 3 1 4 1)"
"$X" diff "$tmp/all:prog:$all@native" "prog:$all@skb" --fail-if slower=2% >"$tmp/out" 2>"$tmp/err"
got="$? $(grep -c 'no interval of the diff' "$tmp/err")"
# A round that makes up for another placement is a second block, and there is an interval.
[ "$(jq '.blocks | length' "$tmp/all/run.json")" -eq 2 ] || got="3 1"
is "--fail-if: one block has no interval, and does not pass as fine" "$got" "3 1"
is "native: every verdict is told" "$(told "$tmp/all" 0)" '[2,2,3,1,4,1]'
is "skb: every verdict is told" "$(told "$tmp/all" 1)" '[2,2,3,1,4,1]'
checks() { "$X" report "$1" --format json | jq -c '[.variants[].quality[] | select(.check == "verdicts") | .ok, .value]'; }
is "all counts agree" "$(checks "$tmp/all")" '[true,0,true,0]'
ok "the report tells them" grep -q 'verdicts .*2[45][.0-9]* % pass' <<END
$("$X" report --full "$tmp/all:prog:$all@skb")
END
is "statistics of BPF programs are off again" "$(cat /proc/sys/kernel/bpf_stats_enabled 2>/dev/null || echo 0)" 0
passed() { bpftool -j prog show | jq '.[] | select(.name == "passed").id'; }
gone "no tc program stays" passed
nightly

for view in work blocks; do
	rec --view $view -o "$tmp/fw" -V "prog:$fw@native,prog:$fw@skb" --set cfg_rest=2
	grep -q 'clock of softirqs' "$tmp/err" || break # Debian's 6.1 takes no turns
done
is "variants in turns, the generator's own frames, one verdict" "$(told "$tmp/fw" 0) $(told "$tmp/fw" 1)" \
	'[0,0,12,0,0,0] [0,0,12,0,0,0]'
jq '.variants[0].verdicts.pass += 5' "$tmp/fw/run.json" >"$tmp/changed" && mv "$tmp/changed" "$tmp/fw/run.json"
is "counts that do not agree fail the check" "$(checks "$tmp/fw")" '[false,5,true,0]'

# A device that is not the lab's: frames go on into its stack, and what cannot be told is not told.
ns=xzver$$
namespaces=$ns
pair $ns xzv0 $ns xzv1
own() { "$X" record xzv0 -N $ns -g local:xzv1@$ns -q -b 1 --window 0.1 --schedule windows=2 "$@" 2>"$tmp/err"; }
own -o "$tmp/own" -V "prog:$all@native,prog:$all@skb" --frames "$(ports 1 2 3 0 4 1)"
is "a device of one's own, native: every verdict is told" "$(told "$tmp/own" 0 | sed 's/,[^,]*]$/]/')" '[2,2,3,0,4]'
is "skb: drops cannot be told from those of the stack" \
	"$(jq -c '.variants[1].verdicts | [.drop, (.pass * 11 / .frames | round)]' "$tmp/own/run.json")" '[null,3]'
ok "and the report says so" grep -q 'drop not known' <<END
$("$X" report --full "$tmp/own:prog:$all@skb")
END
is "and no check vouches for it" "$(checks "$tmp/own" | jq -c .[3])" null
