#!/bin/sh
# Programs of one mode take turns on one device: every frame is counted by one of them, turns are balanced, a cost that
# one of them has is found, and nothing stays attached. The device is a veth of one's own in a namespace of its own.
. "$(dirname "$0")/lib.sh"

ns=xzex$$
namespaces=$ns
pair $ns xzx0 $ns xzx1

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
turns() { tail -n +2 "$run/turns" | awk "$1"; }
own() { "$X" record xzx0 -N $ns -g local:xzx1@$ns -q --force --window 0.1 --schedule windows=2,warmup=0.05,seed=7 -r 20k "$@"; }
program() { # NAME ACTION: a program of the user's own
	printf '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nSEC("xdp") int %s(struct xdp_md *x) { return %s; }\nchar _license[] SEC("license") = "GPL";\n' "$1" "$2" >"$tmp/$1.bpf.c"
	bpf "$tmp/$1.bpf.c" "$tmp/$1.o"
}

# exchanged WHAT ROUNDS VARIANTS OPTIONS...: 10 tests
exchanged() {
	what=$1 rounds=$2 variants=$3
	shift 3
	own -o "$run" -V "$variants" -b "$rounds" --overhead 20 "$@" 2>"$tmp/err"
	is "$what: recorded in turns" "$? $(json -r '.view, .ended' | tr '\n' ' ')$(cat "$tmp/err")" "0 turns complete "
	n=$(json '.variants | length')
	is "$what: the kernel's mode is the one asked for, and each variant has a program of its own" \
		"$(json '. as $r | [.blocks[] | .mode_found == ($r.variants[.variant].id | split("@")[1])] | all') $(json '[.blocks[] | select(.round == 0) | .prog_id] | unique | length')" "true $n"
	is "$what: what was sent was seen by one of them, in each round" \
		"$(json -c '[.blocks[].totals | select(.gen_sent != .rx_seen or .gen_sent <= 0 or .stray != 0) | [.gen_sent, .rx_seen, .rx_named_drops, .stray]]') $(json '[.blocks | group_by(.round)[] | [.[].totals.rx_seen] | unique | length] | unique[]')" "[] 1"
	is "$what: all that turns counted was seen" \
		"$({ json -r '.blocks[] | select(.variant == 0) | "\(.round) \(.totals.rx_seen)"' && tail -n +2 "$run/turns"; } |
			awk 'NF == 2 { seen[$1] = $2; next } { p[$1] += $8 } END { for (i in seen) bad += !(p[i] > 0 && p[i] <= seen[i]); print bad + 0 }')" 0
	is "$what: each program counted" "$(turns '{ p[$2] += $8 } END { for (i in p) n += p[i] > 0; print n }')" "$n"
	is "$what: each group of turns holds each variant twice, at the same mean place" \
		"$(turns '{ i = (NR - 1) % (2 * '$n'); k[$2]++; at[$2] += i; if (i == 2 * '$n' - 1) { for (v = 0; v < '$n'; v++) if (k[v] != 2 || at[v] != 2 * '$n' - 1) bad++; split("", k); split("", at) } } END { print bad + 0, NR % (2 * '$n') }')" "0 0"
	is "$what: with samples as without, each variant has as many turns as the others" \
		"$(turns '{ k[$1 " " $4, $2]++; s[$1 " " $4] } END { for (i in s) for (v = 1; v < '$n'; v++) if (k[i, v] != k[i, 0]) bad = 1; print bad + 0 }')" 0
	is "$what: a turn is as long as it says, and something is left out before each" \
		"$(turns '$6 < '"$(json .turns.ns)"' || $7 > $6 || (NR > 1 && $5 - end < '"$(json .turns.settle_ns)"') { bad++ } { end = $5 + $6 } END { print bad + 0 }')" 0
	is "$what: a window holds the packets and the receiver's time of its turns" \
		"$(turns '{ p[$1 " " $2 " " $4] += $8; o[$1 " " $2 " " $4] += $7 } END { for (i in p) print i, p[i], o[i] }' | sort)" \
		"$(json -r '.blocks[] | . as $b | .windows[] | "\($b.round) \($b.variant) \(.kind[0:1]) \([.cpus[].verdicts[]] | add) \(.busy_ns | floor)"' | sort)"
	is "$what: the CPU was probed before the windows and after them" "$(probed_around_windows "$run")" true
	is "$what: the slabs of skbs were the receiver's own" "$(json .held_skbs)" 4096
}
# slower A B: by how much a packet of variant B costs more than one of A, in ns of the receiver's work
slower() { turns '{ p[$2] += $8; o[$2] += $7 } END { printf "%d", o['"$2"'] / p['"$2"'] - o['"$1"'] / p['"$1"'] }'; }

exchanged native 2 drop/no-touch@native,drop/no-touch+chain10000@native --tune threaded
between "native: 10000 ns that were injected are found" "$(slower 0 1)" 3000 1000000
is "native: only the thread's samples, of turns that were profiled" \
	"$(awk '/cpu-clock:|cycles:/ { print $1 }' "$run"/blocks/*.script | sort -u | grep -vcxF "$(json '.napi_tids[]')")" 0
exchanged "skb, in softirqs" 3 drop/no-touch@skb,drop/no-touch+chain10000@skb,pass/no-touch@skb
between "skb: 10000 ns that were injected are found" "$(slower 0 1)" 3000 1000000
is "skb: busy time is known without a thread, and samples are those below the softirq" \
	"$(json '.napi_threaded, ([.blocks[].windows[].busy_ns > 0] | any)' | tr '\n' ' ')$(awk -v RS= '!/net_rx_action/' "$run"/blocks/*.script | wc -l)" "false true 0"
exchanged "one alone, which is timed, too" 2 drop/no-touch@native
program old XDP_DROP && program new XDP_PASS || exit 1
exchanged "own programs" 2 "prog:$tmp/old.o@native,prog:$tmp/new.o@native"
ok "the difference is a report like any other" "$X" diff --full "$run:prog:$tmp/old.o@native" "prog:$tmp/new.o@native"

own -o "$tmp/modes" -V drop/no-touch@native,drop/no-touch@skb -b 1 2>"$tmp/err"
is "two modes: blocks, as ever" "$? $(jq -r .view "$tmp/modes/run.json") $(cat "$tmp/err")" "0 blocks "
two=drop/no-touch@native,drop/read-data@native
built refuses.so
fails "the kernel refuses turns that were asked for" 77 "refuses to exchange" env REFUSES=exchange LD_PRELOAD="$PWD/build/rig/refuses.so" "$X" record xzx0 -N $ns -g local:xzx1@$ns -q \
	-o "$tmp/x" --view turns -V $two --window 0.1 --schedule windows=2
REFUSES=exchange LD_PRELOAD=$PWD/build/rig/refuses.so "$X" record xzx0 -N $ns -g local:xzx1@$ns -o "$tmp/refused" -V $two -b 1 --window 0.1 --schedule windows=2 -r 20k 2>"$tmp/err"
is "it refuses others: blocks, and everybody says why" \
	"$? $(jq -r .view "$tmp/refused/run.json") $(grep -c 'block by block, not in turns: .*refuses to exchange' "$tmp/err") $("$X" report --full "$tmp/refused" | tr '\n' ' ' | grep -c 'no turns: .*refuses')" "0 blocks 1 1"

launch pid /dev/null "$tmp/err" "$X" record xzx0 -N $ns -g local:xzx1@$ns -o "$tmp/killed" -V $two -b 500 --window 0.1 --schedule windows=2 -r 20k
await_of $pid grep -q '^block 2 of' "$tmp/err"
# Between two rounds nothing is attached for a moment.
ok "a program is attached while it records" await_of $pid attached xzx0 $ns
halt KILL $pid
programs() { ip -n $ns -d -o link show xzx0 | grep -o prog/xdp; }
gone "killed in a round: nothing is attached" programs

# Another pair in the same namespace: who records there at the same time is in nobody's way, and reads nothing of the other.
pair $ns xzx2 $ns xzx3
beside() { # DEVICE PEER RATE BLOCKS: the command's words are in $words
	words="record $1 -N $ns -g local:$2@$ns -o $tmp/$1 -V $two -b $4 --window 0.05 --schedule windows=2,warmup=0 --tune threaded -r $3"
}
beside xzx0 xzx1 20k 500
launch pid /dev/null "$tmp/xzx0.err" "$X" $words
await_of $pid grep -q '^block 2 of' "$tmp/xzx0.err"
beside xzx2 xzx3 5k 1
ok "two record at once: the second ends well" "$X" $words -q
ok "... and the first goes on" await_of $pid attached xzx0 $ns
halt INT $pid
is "... until it is told to end" "$? $(jq -r .ended "$tmp/xzx0/run.json" || tail -n 1 "$tmp/xzx0.err")" "1 interrupted"
for dev in xzx0 xzx2; do
	is "$dev: each frame that was sent was seen, none of the other's, and samples are those of its own thread" \
		"$(jq -c '[.device.name, ([.blocks[].totals | .gen_sent > 0 and .gen_sent == .rx_seen and .stray == 0] | unique)]' "$tmp/$dev/run.json") $(
			awk '/cpu-clock:|cycles:/ { print $1 }' "$tmp/$dev"/blocks/*.script | sort -u | grep -vcxF "$(jq '.napi_tids[]' "$tmp/$dev/run.json")")" \
		"[\"$dev\",[true]] 0"
done
