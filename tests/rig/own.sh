#!/bin/sh
# Programs of the user's own: every frame is counted without a count in the program, in both modes; what is set, filled
# and run for them; bad ones end in one sentence, and nothing of them stays.
. "$(dirname "$0")/lib.sh"
need_lab
build=$PWD/build/rig
built firewall.o several.o none.o
fw=$build/firewall.o several=$build/several.o

# counted N ACTION MODE OPTION...: what `stat` counts of N frames, in $packets; what it said is in $tmp/err
counted() {
	frames=$1 action=$2 mode=$3
	shift 3
	: >"$tmp/stat"
	launch stat "$tmp/stat" "$tmp/err" "$X" stat lab -V "$action@$mode" --format json -i 0.1 "$@"
	stat_counts $stat
	"$X" gen lab -c "$frames" -r 200k >/dev/null 2>&1
	stat_saw "$frames"
	halt INT $stat
	status=$?
	packets=$(jq -s '[.[].packets] | add // 0' "$tmp/stat")
}
for mode in native skb; do
	counted 20000 "prog:$fw" $mode
	is "$mode: frames sent are packets counted" "$packets" 20000
	is "$mode: under no verdict, as the program tells none" "$(jq -s 'map(.cpus[].unknown) | add' "$tmp/stat")" 20000
done
counted 5000 "prog:$several:entry" native
is "a tail call" "$packets" 5000
counted 5000 "prog:$several:whole" skb
is "a program that knows fragments" "$packets" 5000
is "an own program's name" "$(jq -rs '.[0].action' "$tmp/stat")" prog
modes="tcx clsact netkit netkit-peer" # Linux 6.6 has tcx, 6.7 netkit, and some kernels are built without
"$X" stat lab -t 0.1 -V "prog:$build/none.o@netkit" >"$tmp/out" 2>&1
[ $? -ne 77 ] || { modes="tcx clsact" && is "without netkit: one sentence" "$(cat "$tmp/out")" "xdpzoom: this kernel has no netkit devices"; }
for mode in $modes; do
	counted 5000 "prog:$build/none.o" $mode
	is "a tc program in $mode" "$packets" 5000
done
"$X" record lab -q -o "$tmp/tc" -V "$(printf ",prog:$build/none.o@%s" $modes | cut -c2-)" -b 1 --window 0.05 2>"$tmp/err" --frames \
	'udp 10.0.0.1 > 10.0.0.2 len 200,udp 10.0.0.1 > 10.0.0.2,udp 10.0.0.1 > 10.0.0.2 len 300'
is "tc programs: two of three frames, which are long, are shot, and each other one passes" "$(jq -c '.variants[].verdicts |
	[.frames > 1000, .frames == .runs, .drop + .pass == .runs, (.pass * 12 / .runs | round)]' "$tmp/tc/run.json" | uniq)" '[true,true,true,4]'
launch stat "$tmp/stat" "$tmp/err" "$X" stat lab -V "prog:$build/none.o@tcx" -t 600 -i 0.1 --setup 'echo $XDPZOOM_PROG_ID >'"$tmp/id"
tcx_link() { bpftool -j link show | jq -re --argjson p "$(cat "$tmp/id")" '.[] | select(.prog_id == $p).id' >"$tmp/link"; }
await_of $stat tcx_link
bpftool link detach id "$(cat "$tmp/link")"
await grep -q 'the program is no longer on xzrx' "$tmp/err"
halt INT $stat 2>/dev/null
is "a program that somebody takes off tcx is missed" $? 1

# --setup fills the map, so every frame is a hit, which the program counts there; --teardown reads the map
block='bpftool map update pinned $XDPZOOM_PINS/blocked key 198 18 0 1 value 0 0 0 0 0 0 0 0'
hits='bpftool -j map lookup id $XDPZOOM_MAP_blocked key 198 18 0 1 >'"$tmp/hits"
counted 3000 "prog:$fw" native --setup "$block" --teardown "$hits; env >$tmp/env"
is "--setup fills a map by its pin, --teardown reads it by its id" "$(jq '.formatted.value' "$tmp/hits")" 3000
is "the environment names the program" "$(sed -n 's/^XDPZOOM_PROGRAM=//p' "$tmp/env")" "prog:$fw@native"
is "the environment names the device" "$(sed -n 's/^XDPZOOM_DEV=//p' "$tmp/env")" xzrx
is "the environment has the program's number" "$(grep -c '^XDPZOOM_PROG_ID=[0-9]' "$tmp/env")" 1
rights() { sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status; }
counted 1 "prog:$fw" native --setup "sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status >$tmp/rights" \
	--teardown "sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status >>$tmp/rights"
is "they have the caller's rights" "$(sort -u "$tmp/rights")" "$(rights)"
counted 1000 "prog:$fw" native --setup "$block" --set cfg_only=198.18.0.1 --teardown "$hits"
is "--set an address: the one that the frames come from" "$(jq '.formatted.value' "$tmp/hits")" 1000
counted 1000 "prog:$fw" native --setup "$block" --set cfg_only=198.18.0.3 --teardown "$hits"
is "--set an address: another one" "$(jq '.formatted.value' "$tmp/hits")" 0

# set_to WORDS: the variables of the program's .data after --set WORDS
set_to() {
	"$X" stat lab -V "prog:$fw" -t 0.1 --set "$1" --teardown 'for m in $(bpftool -j prog show id $XDPZOOM_PROG_ID |
		jq ".map_ids[]"); do bpftool -j map dump id $m; done >'"$tmp/data" >/dev/null 2>"$tmp/err"
}
is "--set a number" "$(set_to cfg_odd=0xfffe; grep -c '"cfg_odd":65534' "$tmp/data")" 1
is "--set a text" "$(set_to cfg_name=abc; tr -d '",[]' <"$tmp/data" | grep -c 'cfg_name:abc}*')" 1
is "--set a MAC address" "$(set_to cfg_mac=02:00:00:00:00:ff; grep -c '"cfg_mac":\[2,0,0,0,0,255\]' "$tmp/data")" 1

own() { "$X" stat lab -t 0.1 -V "$@"; } # objects that cannot be run: tests/cases/user/own.cases
# by its number, which --teardown was told
programs_left() { bpftool prog show id "$(sed -n 's/^XDPZOOM_PROG_ID=//p' "$tmp/env")" 2>/dev/null; in_rx ip -d link show xzrx | grep prog/xdp; }
gone "no program of ours stays" programs_left
nightly

# a program that is loaded already
mkdir "$tmp/bpf"
mounts=$tmp/bpf
mount -t bpf none "$mounts"
bpftool prog load "$fw" "$tmp/bpf/fw" 2>"$tmp/err"
id=$(bpftool -j prog show pinned "$tmp/bpf/fw" | jq .id)
map=$(bpftool -j prog show id "$id" | jq '.map_ids[]' | while read -r m; do bpftool -j map show id "$m"; done | jq 'select(.name == "blocked") | .id')
counted 2000 "prog:pinned:$tmp/bpf/fw" skb --setup "$block"
is "a pinned program" "$packets" 2000
counted 2000 "prog:id:$id" native
is "a program by its number" "$packets" 2000
is "it is the same program, with the same map" \
	"$(bpftool -j map dump id "$map" | jq '.. | .formatted?.value // empty')" 4000
is "it stays loaded" "$(bpftool -j prog show id "$id" | jq .id)" "$id"
bpftool map pin id "$map" "$tmp/bpf/map"
fails "a pin of a map" 1 'not a program' "$X" stat lab -V "prog:pinned:$tmp/bpf/map" -t 0.1
umount "$tmp/bpf"

built loop.o core.o
loop=$build/loop.o
# so many samples that lines are known
"$X" record lab -q -o "$tmp/run" -V "prog:$loop@native,prog:$loop@skb" -b 1 --window 0.1 --overhead 20 2>"$tmp/err"
is "record: each frame sent is a packet counted, in both modes" \
	"$(jq -c '[.blocks[] | {v: .variant, ok: (.totals.rx_seen == .totals.gen_sent and .totals.rx_seen > 0)}] |
		group_by(.v) | map(all(.ok))' "$tmp/run/run.json")" '[true,true]'
is "the run names the program" "$(jq -r '.variants[0].program' "$tmp/run/run.json")" "$loop"
"$X" report "$tmp/run" --format json >"$tmp/report"
here=$(sed -n '\|/\* here \*/|=' tests/rig/own/loop.bpf.c)
is "samples find the source line that takes the time, in both modes" "$(jq -c '[.variants[].source_lines[0] | .line, .name[25:]]' "$tmp/report")" \
	"[$here,\"_spin\",$here,\"_spin\"]"
is "lines have the samples of their functions" "$(jq -c '[.variants[] | ([.source_lines[].samples] | add) ==
	([.symbols[] | select(.name | test("^bpf_prog_.*_(spin|loop)$")).samples] | add)]' "$tmp/report")" '[true,true]'

# programs that need the kernel's types and its functions
core=prog:$build/core.o
if grep -qw bpf_dynptr_from_xdp /proc/kallsyms; then
	"$X" record lab -q --view blocks -o "$tmp/core" -b 1 --window 0.05 --schedule windows=2 2>"$tmp/err" -V "$core:types@native,$core:context@skb,\
$core:slice@native,$core:slice@skb,$core:metadata@native"
	is "types, context, dynptr and metadata: what they read is right for each frame" \
		"$(jq -c '[.variants[].verdicts | .frames > 1000 and .frames == .drop]' "$tmp/core/run.json" | tr -d '\n')" \
		'[true,true,true,true,true]'
	fails "metadata of a driver in skb mode" 1 "Can't attach device-bound programs in generic mode" own "$core:metadata@skb"
	fails "metadata of a driver in turns with others" 1 'give --view blocks' "$X" record lab -o "$tmp/no" -b 1 --window 0.05 \
		-V "$core:metadata@native,$core:types@native"
else # Linux 6.4
	for what in all skb turns; do skip "functions of the kernel: $what" "this kernel has no bpf_dynptr_from_xdp()"; done
fi
fails "a kernel without BTF" 1 'cannot load .*core.o: .*BTF' unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh \
	"$X" stat lab -t 0.1 -V "$core:types"

fails "--setup hangs, with children" 1 'did not end within 60 s' own "prog:$fw" --setup 'sleep 7777 & sleep 7777'
gone "its children are gone" pgrep -f '^sleep 7777$'
fails "a device that carries a program" 1 'already carries XDP program' \
	"$X" stat xztx -N xdpzoom-tx -t 0.1 -V "prog:$fw"
