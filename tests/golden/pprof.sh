#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles of pprof, of other tools and of ours: shares of time are ns, of nothing else. tests/fixtures/pprof/ holds what the
# runtime of Go 1.19 wrote; go tool pprof -top prints the values below of it. node-cpu.pb.gz is of @datadog/pprof 5.20 and
# Node.js, of a loop in which hot() has three times the work of cold(); protoc --decode, added up, gives the values below.
. "$(dirname "$0")/lib.sh"
P=$PWD/build/perfparse
need "$P"
cd tests/fixtures/pprof || exit 1
command -v protoc >/dev/null || skip_all "no protoc here"
proto=$OLDPWD/perfparse
encode() { sed 's/^#.*//' "$1" | protoc --encode=pprof.Profile --proto_path="$proto" pprof.proto; }
encode kernel.txt >"$tmp/kernel.pb"

prints() { # WANT OPTION... FILE: event, samples, and the first functions with what each costs
	want=$1
	shift
	got=$("$P" -f json "$@" 2>"$tmp/why" | jq -r '[.event, .samples, ([.symbols[] | select((.self_ns // .self_events) > 0)][:4][] | .space, .name, ((.self_ns // .self_events) * 10 | round / 10))] | join(" ")')
	[ "$got" = "$want" ] && return
	echo "$got"
	cat "$tmp/why"
	return 1
}
refused() { # WORDS OPTION... FILE
	words=$1
	shift
	"$P" "$@" >"$tmp/got" 2>"$tmp/why" && cat "$tmp/got" && return 1
	grep -q -e "$words" "$tmp/why" && [ "$(wc -l <"$tmp/why")" = 1 ] && return
	cat "$tmp/why"
	return 1
}
cpu='cpu/nanoseconds 45 user main.hot 444.4 user main.cold 288.9 user runtime.asyncPreempt 244.4 user runtime.findRunnable 22.2'
ok 'time of a CPU, and how many samples there were' prints "$cpu" --ns 1000 go-cpu.pb.gz
node='unknown hot 739.8 unknown cold 225.3 unknown Non JS threads activity 19.2 unknown (anonymous:L#1:C#1) 11.5'
ok "time of a CPU of Node.js, which has no samples of its own" prints "cpu/nanoseconds 0 $node" --ns 1000 node-cpu.pb.gz
ok '... whose first two values are of all time, waiting or not' refused "'wall/nanoseconds' is no time" --ns 1000 --event wall node-cpu.pb.gz
ok 'from a pipe, not compressed' prints "$cpu" --ns 1000 < <(gzip -dc go-cpu.pb.gz)
ok 'its samples alone' prints "$cpu" --ns 1000 --event samples go-cpu.pb.gz
ok 'a second piece of gzip that is cut short' refused 'damaged' --ns 1000 <(cat go-cpu.pb.gz; head -c 9 go-cpu.pb.gz)
ok 'memory is no time' refused 'several values: alloc_objects/count, alloc_space/bytes,' --ns 1000 go-heap.pb.gz
ok 'one of them is no time, either' refused "'alloc_space/bytes' is no time" --ns 1000 --event alloc_space go-heap.pb.gz
ok 'bytes per packet' prints 'alloc_space/bytes 0 user runtime/pprof.StartCPUProfile 1212.7 user compress/flate.NewWriter 924.2 user compress/flate.(*compressor).init 666.2 user compress/flate.newDeflateFast 557.7' --packets 1000 --event alloc_space go-heap.pb.gz
ok 'time of waiting is no time of a CPU' refused "'delay/nanoseconds' is no time" --ns 1000 --event delay go-mutex.pb.gz
ok 'of two events, the one that is time; inlined functions' prints 'cycles 10 kernel build_skb 600 user _ZN4recvEv 300 kernel 0xffffffffa0230787 100' --ns 1000 "$tmp/kernel.pb"
ok 'the other one, per packet' prints 'llc-misses 10 kernel 0xffffffffa0230787 4.5 user _ZN4recvEv 0.5' --packets 10 --event llc-misses "$tmp/kernel.pb"
ok 'one CPU, by a label' prints 'cycles 7 kernel build_skb 857.1 kernel 0xffffffffa0230787 142.9' --ns 1000 --cpu 1 "$tmp/kernel.pb"
ok 'one task, by a label in words' prints 'cycles 6 kernel build_skb 1000' --ns 1000 --tid 7 "$tmp/kernel.pb"
ok 'no such CPU' refused 'no samples of that CPU' --ns 1000 --cpu 3 "$tmp/kernel.pb"
ok 'no labels' refused 'no labels of CPUs' --ns 1000 --cpu 3 go-cpu.pb.gz
ok 'no such event' refused 'no such values; it has: cycles_sample/count, cycles_event/count' --ns 1000 --event cycle "$tmp/kernel.pb"
ok 'callers' test "$("$P" --ns 1000 -f folded "$tmp/kernel.pb" | head -n 1)" = 'mlx5e_poll_rx_cq;napi_build_skb;build_skb 600000'
ok 'the difference of two profiles' refused 'difference of two profiles' --ns 1000 <(sed 's/value: \[6, 600/value: [6, -600/' kernel.txt | encode /dev/stdin)
ok 'a location that is not there' refused 'damaged' --ns 1000 <(sed 's/location_id: 13/location_id: 99/' kernel.txt | encode /dev/stdin)
ok 'a function that is not there' refused 'damaged' --ns 1000 <(sed 's/function_id: 9/function_id: 99/' kernel.txt | encode /dev/stdin)
ok 'a value too few' refused 'damaged' --ns 1000 <(sed 's/, 45\]/]/' kernel.txt | encode /dev/stdin)
ok 'cut short' refused 'damaged or cut short' --ns 1000 <(head -c 300 go-cpu.pb.gz)
ok 'something else that is compressed' refused 'no profile of pprof' --ns 1000 <(gzip -c kernel.txt)
run=$OLDPWD/build/runs/run1
"$X" report "$run" -f pprof -o "$tmp/both.pb.gz" && "$X" report "$run:drop/no-touch@skb" -f pprof -o "$tmp/one.pb.gz"
ok 'two of our variants are not added up' refused 'several variants (drop/no-touch@native, drop/no-touch@skb)' --ns 1000 "$tmp/both.pb.gz"
# What no function had is a function of its own there, so "rest" has more.
components() { jq -c "$1"' | [.components[] | select(.name != "rest" and .self_ns > 0) | [.name, (.self_ns * 10 | round)]] | sort'; }
"$X" report "$run:drop/no-touch@skb" -f json >"$tmp/one.json"
"$P" -f json --ns "$(jq '.variants[0].base_ns' "$tmp/one.json")" "$tmp/one.pb.gz" | components . >"$tmp/got"
components '.variants[0]' <"$tmp/one.json" >"$tmp/want"
ok 'what report writes is what it prints' diff "$tmp/want" "$tmp/got"
