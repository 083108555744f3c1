#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Texts in the shapes in which people post them, see tests/fixtures/perf/wild/README.rst. Each figure can be worked out by hand.
. "$(dirname "$0")/lib.sh"
wild=tests/fixtures/perf/wild
here=tests/golden/perfparse

# golden NAME OPTION...: what perfparse prints is NAME, to the byte
golden() {
	name=$1
	shift
	build/perfparse "$@" >"$tmp/got" 2>&1 || echo "failed" >>"$tmp/got"
	[ -z "${UPDATE-}" ] || cp "$tmp/got" "$here/$name"
	diff -u "$here/$name" "$tmp/got" >"$tmp/diff" 2>&1
	result $? "$name" "$tmp/diff"
}
# costs WHAT "NAME NS ..." OPTION...: these are the symbols and their costs, largest first
costs() {
	what=$1 want=$2
	shift 2
	build/perfparse --ns 100 --format csv "$@" 2>"$tmp/why" | awk -F, 'NR > 1 && $1 !~ /^\[/ { printf "%s%s %.2f", sep, $1, $7; sep = " " }' >"$tmp/out"
	echo " $(cat "$tmp/out")" >>"$tmp/why"
	[ "$(cat "$tmp/out")" = "$want" ]
	result $? "$what" "$tmp/why"
}
# refused WORDS OPTION...: one sentence with WORDS, and status 1, or $status
refused() {
	words=$1
	shift
	build/perfparse --ns 100 "$@" >"$tmp/out" 2>"$tmp/why"
	[ $? -eq "${status:-1}" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why"
	result $? "refused: $words" "$tmp/why"
}

group="veth_xdp_rcv 60.00 build_skb 25.00 kfree_skb_reason 10.00 memcpy_erms 5.00"
costs "a group with perf's dummy event" "$group" $wild/group-dummy.txt
costs "its rows without header" "$group" $wild/group-bare.txt
costs "its rows below the names of the columns alone" "$group" --input report <<END
Overhead  Symbol
$(cat $wild/group-bare.txt)
END
refused "there is: cpu/event=0x3c,umask=0x0/, cpu-clock" $wild/group-three.txt --event nonsense
refused "several events, pick one: cpu/event=0x3c,umask=0x0/, cpu-clock" $wild/group-three.txt
costs "three events, one of them the dummy" "$group" $wild/group-three.txt --event cpu/event=0x3c,umask=0x0/
refused "the event 'cpu-clock' has no samples" $wild/group-three.txt --event cpu-clock
costs "children and self, pasted: not a group" "a 10.00 b 5.00 kthread 0.00" <<END
   100.00%     0.00%  [k] kthread
    99.00%    10.00%  [k] a
    20.00%     5.00%  [k] b
END
costs "decimal commas" "veth_xdp_rcv 60.00 build_skb 25.50 memcpy_erms 4.25" $wild/comma.txt
costs "perf top without header" "mvpp2_rx 14.50 __pi___inval_dcache_area 9.25 check_preemption_disabled 3.25 mlx5e_xdp_handle 1.00" $wild/top.txt
costs "perf top of old, without marks" "_raw_spin_lock 11.80 memcpy 5.70 ixgbe_poll 3.40" $wild/top-old.txt
golden wild-top.text --ns 100 $wild/top.txt
golden wild-cut.text --ns 100 $wild/cut-base.txt
golden wild-cut-diff.text --ns 100 --diff $wild/cut-new.txt --ns2 120 $wild/cut-base.txt
golden wild-cut-diff.json --ns 100 --diff $wild/cut-new.txt --ns2 120 --format json $wild/cut-base.txt
golden wild-cut-diff.csv --ns 100 --diff $wild/cut-new.txt --ns2 120 --format csv $wild/cut-base.txt
golden wild-diff.text --ns 100 --ns2 200 $wild/diff.txt
golden wild-diff-old.text --ns 100 --ns2 200 $wild/diff-old.txt
golden wild-programs.text --ns 100 --diff $wild/programs-full.txt --ns2 120 $wild/programs.txt
build/perfparse --ns 100 --ns2 200 --input diff <$wild/diff.txt 2>&1 | diff $here/wild-diff.text - >"$tmp/diff"
result $? "perf diff from standard input" "$tmp/diff"
refused "two sides" $wild/diff.txt
status=2
refused "leave --diff out" --ns2 5 --diff $wild/diff.txt $wild/diff.txt
refused "two bases and one profile" --ns2 5 $wild/top.txt
status=
sed "s/Delta Abs/    Ratio/" $wild/diff.txt >"$tmp/ratio.txt"
refused "no column Delta" --ns2 5 "$tmp/ratio.txt"
{ cat $wild/diff.txt; sed "s/'cycles'/'instructions'/" $wild/diff.txt; } >"$tmp/events.txt"
refused "several events, pick one: cycles, instructions" --ns2 5 "$tmp/events.txt"
build/perfparse --ns 100 --ns2 200 --event cycles "$tmp/events.txt" 2>&1 | diff $here/wild-diff.text - >"$tmp/diff"
result $? "one event of perf diff" "$tmp/diff"
printf '# Baseline  Delta Abs  Symbol\n' >"$tmp/none.txt"
refused "no table of perf diff" --ns2 5 "$tmp/none.txt"

costs "a task that perf prints as :PID is no separator" "build_skb 40.00 mlx5e_poll_rx_cq 35.00 ip_rcv 20.00 kfree_skb 5.00" <<END
  40.00%  :4711        [kernel.kallsyms]  [k] build_skb
  35.00%  ;odd         [kernel.kallsyms]  [k] mlx5e_poll_rx_cq
  20.00%  ksoftirqd/1  [kernel.kallsyms]  [k] ip_rcv
   5.00%  ^            [kernel.kallsyms]  [k] kfree_skb
END
costs "and a separator is one" "build_skb 60.00 ip_rcv 40.00" <<END
60.00%  :ksoftirqd/1 :[kernel.kallsyms]  :[k] build_skb
40.00%  ::4711       :[kernel.kallsyms]  :[k] ip_rcv
END
# picked JQ WHAT WANT OPTION...: this of the JSON, in one line
picked() {
	filter=$1 what=$2 want=$3
	shift 3
	build/perfparse --ns 100 --format json "$@" 2>"$tmp/why" | jq -r "$filter" 2>>"$tmp/why" | paste -sd' ' >"$tmp/out"
	cat "$tmp/out" >>"$tmp/why"
	[ "$(cat "$tmp/out")" = "$want" ]
	result $? "$what" "$tmp/why"
}
source_lines='.symbols[].lines[] | "\(.source) \(.pct)"'
picked "$source_lines" "annotate: a place in front of the share, as old perf prints it" "skbuff.c:300 70" <<END
 Percent |      Source code & Disassembly of vmlinux for cycles (1000 samples)
         :      ffffffff81000000 <build_skb>:
   10.00 :        ffffffff81000000:       push   %rbp
 skbuff.c:300   70.00 :        ffffffff81000001:       rep stos %rax,%es:(%rdi)
   20.00 :        ffffffff81000004:       ret
END
picked "$source_lines" "annotate: a line of the source is one row, however it is named" \
	"300 memset(skb, 0, sizeof(*skb)); 70 301 skb->len = 0; 30" <<END
 Percent |	Source code & Disassembly of vmlinux for cycles (100 samples, percent: local period)
         : 5    ffffffff81000000 <build_skb>:
         : 300  memset(skb, 0, sizeof(*skb));
   10.00 :   ffffffff81000000:       xor    %eax,%eax // skbuff.c:300
   60.00 :   ffffffff81000002:       rep stos %rax,%es:(%rdi)
         : 301  skb->len = 0;
   30.00 :   ffffffff81000005:       ret // skbuff.c:301
END
for clock in 'cpu-clock (msec)' 'msec cpu-clock' cpu-clock cpu-clock-msecs; do
	picked '.counts[] | "\(.event) \(.count) \(.unit) \(.per_packet)"' "perf stat: the unit of '$clock'" "cpu-clock 2000 msec 100" <<END
 Performance counter stats for 'CPU(s) 3':
       2000.000000      $clock          #    1.000 CPUs utilized
       2.000000000 seconds time elapsed
END
done
interval() { printf '%15s      3,000,000,000      cycles\n%15s      1,000,000,000      instructions\n' "$1" "$1"; }
for at in 1.0001 41.0001; do
	for i in 0 1 2; do interval "$(echo "$at $i" | awk '{ printf "%.9f", $1 + 1.0001 * $2 }')"; done >"$tmp/intervals"
	picked '.window_s * 1e4 | round / 1e4' "perf stat -I from $at s on: three intervals" 3.0003 "$tmp/intervals"
done
interval 41.000100000 >"$tmp/intervals"
refused "give --window" "$tmp/intervals"
cat >"$tmp/zero.txt" <<END
# Event 'cycles'
# Baseline  Delta Abs  Shared Object      Symbol
    50.00%    -10.00%  [kernel.kallsyms]  [k] mlx5e_poll_rx_cq
     0.00%     +2.00%  [kernel.kallsyms]  [k] dev_gro_receive
     5.00%             [kernel.kallsyms]  [k] build_skb
END
picked '.symbols[] | select(.name == "dev_gro_receive") | .base_ns, .new_ns, .delta_ns, .class' "perf diff: a share of 0.00 % is listed" \
	"0 2 2 new" --ns2 100 "$tmp/zero.txt"

# Each reader reads a text that a mail quotes, a mailer encodes, or a page shows as it reads the text itself.
quoted() { sed 's/^/> /'; }
deeply() { sed 's/^/>> > /'; }
piped() { sed 's/^/| /'; }
encoded() { sed 's/=/=3D/g; s/^.\{50\}/&=\n/; $s/$/=20/'; }
spaced() { LC_ALL=C sed 's/  /\xc2\xa0 /g'; }
coloured() { sed 's/[0-9][0-9.]*%/\x1b[31m&\x1b[m/'; }
tabbed() { sed 's/^/\t/'; }
returned() { sed 's/$/\r\r/'; }
backquoted() { sed 's/\(%.*\] \)\([^ ]*\)$/\1`\2`/'; }
begun() { printf '\xef\xbb\xbf' && cat; }
dressed() { # FILE OPTION...
	file=$1
	shift
	build/perfparse "$@" "$file" >"$tmp/plain" || result 1 "$file is read"
	for dress in quoted deeply piped encoded spaced coloured tabbed returned backquoted begun; do
		$dress <"$file" >"$tmp/dressed"
		build/perfparse "$@" <"$tmp/dressed" >"$tmp/out" 2>"$tmp/why"
		sed -i '/^perfparse: the text is read without /d' "$tmp/why"
		diff "$tmp/plain" "$tmp/out" >>"$tmp/why"
		[ ! -s "$tmp/why" ]
		result $? "$(basename "$file"), $dress" "$tmp/why"
	done
}
for file in 6.1/report-self.txt 6.1/report-children.txt 6.1/report-fractal.txt 6.1/script.txt 6.1/script-flat.txt 6.1/stat-text.txt \
	6.1/annotate.txt wild/top.txt wild/top-old.txt wild/group-dummy.txt; do
	dressed tests/fixtures/perf/$file --ns 100
done
dressed tests/fixtures/perf/6.1/stat-fields.txt --packets 1000 --window 1
dressed tests/fixtures/perf/6.1/stat-json.txt --packets 1000 --window 1
dressed $wild/diff.txt --ns 100 --ns2 200 --input diff
build/perfparse --ns 100 --format json <<END >"$tmp/out" 2>"$tmp/why"
> 60.00%  [k] build_skb
> 40.00%  [k] mlx5e_poll_rx_cq
END
grep -q '^perfparse: the text is read without marks of a quote on 2 lines$' "$tmp/why" && ! grep -q quote "$tmp/out"
result $? "one sentence says what was taken away" "$tmp/why"
# A script whose headers a mailer wrapped, that lost blanks or its ends, or that names no function.
script=tests/fixtures/perf/6.1/script.txt
refused "the text was wrapped" <(sed 's/ *cpu-clock:/\n&/' $script) --ns 100
refused "the text was wrapped" <(sed 's/\] /]\n/' $script) --ns 100
refused "others have none; was the text cut" <(sed '1s/cpu-clock:.*/cpu-cl/' $script) --ns 100
refused "names a function" <(grep cpu-clock: $script) --ns 100
build/perfparse --ns 100 -f csv $script >"$tmp/want"
sed 's/^[ \t]*//' $script | build/perfparse --ns 100 -f csv 2>&1 | diff - "$tmp/want" >"$tmp/why"
result $? "a script without the blanks in front of its lines" "$tmp/why"
# bpftool prog profile: a run of the program is a packet.
picked '.counts[] | select(.event == "cycles" or .event == "llc_misses") | .per_packet' "bpftool prog profile: counts of a run, which bpftool does not scale" "963.275135461 0.601322910403" <<END

             50000 run_cnt
          40000000 cycles                                                 (83.05%)
          42500000 instructions    #   1.06 insns per cycle               (83.39%)
             25000 llc_misses      #   588.24 LLC misses per million insns  (83.15%)
END
cat >"$tmp/bpftool.json" <<END
[{"metric":"cycles","run_cnt":50000,"value":40000000,"enabled":10000,"running":8305},{"metric":"llc_misses","run_cnt":50000,"value":25000,"enabled":10000,"running":8315}]
END
jq . "$tmp/bpftool.json" | sed 's/^/> /' >"$tmp/quoted.json"
for json in bpftool quoted; do
	picked '.counts[] | select(.event != "run_cnt") | .per_packet' "bpftool -j prog profile: $json" "963.275135461 0.601322910403" "$tmp/$json.json"
done
sed '$d' "$tmp/quoted.json" >"$tmp/cut.json"
refused "cut short" "$tmp/cut.json" --ns 100
jq 'map(.run_cnt += 1)' "$tmp/bpftool.json" | cat "$tmp/bpftool.json" - >"$tmp/two.json"
refused "several runs of bpftool" "$tmp/two.json" --ns 100
for file in tests/fixtures/perf/*/stat-json.txt; do
	build/perfparse --packets 1000 --window 1 -f csv "$file" >"$tmp/want"
	jq -s . "$file" | build/perfparse --packets 1000 --window 1 -f csv 2>&1 | diff - "$tmp/want" >"$tmp/why"
	result $? "$file, laid out by jq as a list" "$tmp/why"
done
# Two tables of perf diff and of perf annotate.
sed 's/build_skb/napi_build_skb/' $wild/diff.txt | cat $wild/diff.txt - >"$tmp/two"
refused "a second table begins here; .*--table" "$tmp/two" --ns 100 --ns2 200
picked '.symbols[0].name, (.symbols | length)' "the second of two tables of perf diff" "napi_build_skb 5" "$tmp/two" --ns2 200 --table 2
picked '.symbols[0].name, (.symbols | length)' "... the first" "build_skb 5" "$tmp/two" --ns2 200 --table 1
refused "table 3: the text has 2" "$tmp/two" --ns 100 --ns2 200 --table 3
cut_diff() { printf '%s\n' '    20.00%     +5.00%  [kernel.kallsyms]  [k] build_skb' '    10.00%     -5.00%  [kernel.kallsyms]  [k] ip_rcv'; }
{ cut_diff && echo "and with the second patch:" && cut_diff; } >"$tmp/two"
refused "a second table begins here" "$tmp/two" --ns 100 --ns2 200
{ cut_diff && echo && echo "> wait, what is ip_rcv doing here?" && echo '     5.00%     +1.00%  [kernel.kallsyms]  [k] udp_rcv'; } >"$tmp/two"
picked '.symbols | length' "a reply in the middle of one table of perf diff" 3 "$tmp/two" --ns2 200
cat tests/fixtures/perf/6.1/annotate.txt tests/fixtures/perf/6.1/annotate.txt >"$tmp/two"
refused "two tables of leaf; .*--table" "$tmp/two" --ns 100
printf '# Samples: 100  of event .cycles.\n   100.00%%  [.] leaf\n' >"$tmp/leaf"
refused "two tables of leaf; .*--table" "$tmp/two" --ns 100 --profile "$tmp/leaf"
build/perfparse --ns 100 -f csv --table 2 "$tmp/two" >"$tmp/got" 2>"$tmp/why" && build/perfparse --ns 100 -f csv tests/fixtures/perf/6.1/annotate.txt | cmp - "$tmp/got" >>"$tmp/why"
result $? "the second table of perf annotate" "$tmp/why"
refused "table 3: the text has 2" "$tmp/two" --ns 100 --table 3
# Folded stacks, of perfparse and of others.
script=tests/fixtures/perf/6.1/script.txt
components() { jq -c '[.components[] | {(.name): (.self_ns * 100 | round)}] | add'; }
build/perfparse --ns 100 -f folded $script >"$tmp/folded"
build/perfparse --ns 100 -f json $script | components >"$tmp/want"
build/perfparse --ns 100 -f json "$tmp/folded" 2>"$tmp/why" | components | diff - "$tmp/want" >>"$tmp/why"
result $? "folded stacks have the costs of their script" "$tmp/why"
printf 'ksoftirqd/1;net_rx_action_[k];mlx5e_napi_poll_[k];mlx5e_poll_rx_cq_[k] 30\nswapper;intel_idle_[k] 50\n\nksoftirqd/1;napi_skb_finish;build_skb_[k] 20\n' >"$tmp/folded"
picked '[.idle_pct, .samples] + [.symbols[] | select(.self_ns > 0) | .name, .space, .self_ns] | .[]' "... of another profiler, with idle and the kernel's mark" \
	"50 0 mlx5e_poll_rx_cq kernel 60 build_skb kernel 40" "$tmp/folded"
echo "after the patch:" >>"$tmp/folded"
refused "line 5 is no folded stack" "$tmp/folded"
# Samples of an event that is no time are no nanoseconds.
of_event() { printf "# Samples: 4K of event '%s'\n# Event count (approx.): 4275\n    90.00%%  [k] kmem_cache_alloc_node\n    10.00%%  [k] ip_rcv\n" "$1"; }
for event in kmem:kmem_cache_alloc_node page-faults page-faults:u cpu/mem-loads,ldlat=30/P LLC-load-misses branch-misses instructions:k cs \
	skb:kfree_skb:u cpu_core/cache-misses/ r01c2 cpu/event=0xd0,umask=0x81/ cpu/event=0x3c,cmask=1/ ibs_op/cnt_ctl=1/ \
	uops_retired.all mem_load_retired.l1_miss armv8_pmuv3/l1d_cache_refill/ cpu_clk_unhalted.ring0_trans dummy:HG; do
	of_event $event >"$tmp/event"
	refused "the event '$event' is no time" "$tmp/event"
done
for event in cycles cycles:ppp cpu-clock:k cpu_core/cycles/ cpu/event=0x3c,umask=0x0/ task-clock r003c cycles:P \
	CPU_CYCLES armv8_pmuv3_0/cpu_cycles/ cycles/freq=1000,call-graph=no/ cpu_clk_unhalted.thread ibs_op//p ''; do
	of_event "$event" >"$tmp/event"
	picked '.symbols[0].self_ns' "shares of the event '$event' are shares of time" 90 "$tmp/event"
done
of_event skb:kfree_skb >"$tmp/event"
events() { # WHAT WANT OPTION...: base, the first function's events, and no ns at all
	what=$1 want=$2
	shift 2
	build/perfparse -f json "$@" 2>"$tmp/why" | jq -r '[.base_events, .symbols[0].self_events, .components[0].self_events, .schema] | join(" ")' >"$tmp/out"
	cat "$tmp/out" >>"$tmp/why"
	[ "$(cat "$tmp/out")" = "$want xdpzoom.event-profile/1" ] && ! build/perfparse -f json "$@" | grep -q "_ns\"" &&
		! build/perfparse -f text "$@" | grep -q "ns" && ! build/perfparse -f csv "$@" | grep -q "_ns"
	result $? "$what" "$tmp/why"
}
events "events per packet of --packets" "4.275 3.8475 3.8475" --packets 1000 "$tmp/event"
events "... of --pps for a time" "2.1375 1.92375 1.92375" --pps 1000 --window 2 "$tmp/event"
[ "$(build/perfparse --packets 1000 -f folded "$tmp/event" | paste -sd' ')" = "kmem_cache_alloc_node 3847500 ip_rcv 427500" ]
result $? "... folded, in millionths"
printf '    50.00%%  [k] default_idle\n' | sed -i 's/90.00%/40.00%/;/ip_rcv/r /dev/stdin' "$tmp/event"
events "... and none of the idle" "2.1375 1.71 1.71" --packets 1000 "$tmp/event"
traced() { printf 'a 1 [001] 1.0:%s skb:kfree_skb: x\n\tffffffff81000000 build_skb ([kernel.kallsyms])\n\n' "$1" "$1" "$1"; }
traced "          7" >"$tmp/event"
events "... of a script's periods" "0.021 0.021 0.021" --packets 1000 "$tmp/event"
traced "" >"$tmp/event"
refused "with -F +period" --window 1 "$tmp/event"
of_event page-faults | grep -v count >"$tmp/event"
refused '"Event count (approx.)" is missing' --window 1 "$tmp/event"
of_event page-faults >"$tmp/event"
picked '.symbols[0].self_ns' "shares of any event with --as-time" 90 --as-time "$tmp/event"
# Intervals of perf stat -I: none is missing, and each count is in each.
intervals() { for stamp in "$@"; do printf '    %s.000100000      3,000,000,000      cycles\n' "$stamp"; done; }
intervals 1 2 3 2 3 >"$tmp/intervals"
refused "2.0001 s stands behind 3.0001 s" "$tmp/intervals"
intervals 1 2 3 7 8 >"$tmp/intervals"
refused "give --window" "$tmp/intervals"
(intervals 41 42; printf '    42.300100000      1,000,000,000      cycles\n') >"$tmp/intervals"
picked '.window_s' "the last interval may be shorter" 2.3 "$tmp/intervals"
(intervals 41; printf '    41.000100000      5,000      skb:kfree_skb\n'; intervals 42 43) >"$tmp/intervals"
refused "skb:kfree_skb is in 1 of 3 intervals" "$tmp/intervals"
# Two tables are never added up; one with a reply inside stays one.
twice() { # WHAT LINE [BETWEEN]: a list, what is between, and another list
	printf '%s\n' "20.00%  [k] mlx5e_poll_rx_cq" "10.00%  [k] build_skb" ${3+"$3"} "15.00%  [k] mlx5e_poll_rx_cq" " 5.00%  [k] ip_rcv" >"$tmp/two"
	refused "line $2: a second table begins here" "$tmp/two"
	costs "... the first $1" "mlx5e_poll_rx_cq 20.00 build_skb 10.00" --table 1 "$tmp/two"
	costs "... the second $1" "mlx5e_poll_rx_cq 15.00 ip_rcv 5.00" --table 2 "$tmp/two"
}
twice "of two, without anything between" 3
twice "behind a blank line" 4 ""
twice "behind words" 4 "With the patch I get"
twice "behind a title" 4 "after:"
twice "screen of perf top" 4 "   PerfTop:    1000 irqs/sec  kernel:99%  exact:  0.0% [1000Hz cycles],  (all, CPU: 3)"
twice "with a header" 4 "Overhead  Symbol"
refused "line 4: a second table begins here" <<END
> > 20.00%  [k] mlx5e_poll_rx_cq
> > 10.00%  [k] build_skb
> 30.00%  [k] ip_rcv
END
refused "line 4: a second table begins here" <<END
 20.00%  ip_rcv
 10.00%  build_skb

  7.00%  ip_rcv
END
twice "with a header that perf prints" 6 "# Samples: 1K of event 'cycles'
# Overhead  Symbol
# ........  ......"
refused "\-\-table 3: the text has 2" --table 3 "$tmp/two"
printf '%s\n' "20.00%  [k] a_a" "10.00%  [k] b_b" "CPU 2:" " 9.00%  [k] c_c" " 8.00%  [k] d_d" >"$tmp/two"
refused "line 4: a second table begins here" "$tmp/two"
costs "two tables of two sides, each by its number" "mlx5e_poll_rx_cq 20.00 build_skb 10.00" --table 1 <<END
20.00%  [k] mlx5e_poll_rx_cq
10.00%  [k] build_skb

12.00%  [k] build_skb
END
printf '%s\n' "20.00%  [k] a_a" "10.00%  [k] b_b" "after:" "15.00%  [k] a_a" " 5.00%  [k] c_c" >"$tmp/two"
build/perfparse --ns 100 --table 1 --diff "$tmp/two" --ns2 200 --table2 2 -f json "$tmp/two" | jq -r '.symbols[] | "\(.name) \(.base_ns) \(.new_ns)"' >"$tmp/out" 2>&1
[ "$(cat "$tmp/out")" = "a_a 20 30
b_b 10 null
c_c null 10" ]
result $? "--table and --table2: both sides from one text" "$tmp/out"
costs "a reply inside" "mlx5e_poll_rx_cq 20.00 build_skb 10.00 ip_rcv 5.00" <<END
> 20.00%  [k] mlx5e_poll_rx_cq
> 10.00%  [k] build_skb
I agree that 10% is much.

> 5.00%  [k] ip_rcv
END
(cat $wild/diff.txt && cat $wild/diff.txt) >"$tmp/two"
refused "a second table begins here" --ns2 5 "$tmp/two"
# A row that cannot be read is never left out.
costs "rows with one blank between cells" "mlx5e_poll_rx_cq 20.00 build_skb 15.50" <<END
 20.00%  swapper  [kernel.kallsyms]  [k] mlx5e_poll_rx_cq
 10.00%  swapper  [kernel.kallsyms]  [k] build_skb
  5.5%  swapper [kernel.kallsyms] [k] build_skb
END
costs "rows of a table of Markdown" "mlx5e_poll_rx_cq 20.00 build_skb 10.00" <<END
|  20.00%  | [k] mlx5e_poll_rx_cq |
| 10.00% | [k] build_skb |
END
costs "remarks behind names" "build_skb 20.00 ip_rcv 10.00 <core::a as core::b>::c 5.00" <<END
 20.00%  [k] build_skb <--- this one!
 10.00%  [k] ip_rcv   // (was 7.00)
  5.00%  [k] <core::a as core::b>::c
END
for row in "20.00%  [k] build_skb    10.00%  [k] build_skb" "20.00% -> 10.00%  [k] build_skb" "20.00%  [k] build_skb  10.00%" \
	"60.00%  [k] build_skb  [.] main" "6.00%  5.00%  1.00%  [k] build_skb" "* 10.00%  [k] build_skb" "**10.00%**  [k] build_skb" \
	"10.00 %  [k] build_skb" "10.00%  [k]build_skb" "10.00%  [K] build_skb" "10.00%  [kernel.kallsyms]  build_skb" "10.00%  a  [mlx5_core]"; do
	refused "line 2 looks like a row" <(printf '%s\n' " 61.00%  [k] ip_rcv" "  $row")
done
refused "line 2 looks like a row" <(printf '%s\n' " 61.00%  ip_rcv" " 10.00%  build_skb  <-- this one")
refused "Overhead and Latency?" <(printf '%s\n' "20.00%  30.00%  [k] a_b" "10.00%  0.00%  [k] c_d") # Self is never above Children
for row in "20.00%    +5.00%  [kernel] [k] build_skb" "20.00%  +5.00%  +4.00%  [k] build_skb" "20.00% -> 25.00%  [kernel]  [k] build_skb"; do
	refused "line 3 looks like a row" --ns2 5 <(printf '%s\n' "# Baseline  Delta Abs  Symbol" "    40.00%    -5.00%  [k] ip_rcv" "    $row")
done
refused "line 2: a share falls by more" --ns2 5 <(printf '%s\n' "# Baseline  Delta Abs  Symbol" "    10.00%   -15.00%  [k] ip_rcv")
refused "is above the blank line, too" <(printf '%s\n' "a;b 10" "a;c 30" "" "a;b 5")
refused "two counts in each line" <(printf '%s\n' "a;b 10 20" "a;c 30 10")
refused "give --window" <(printf '%s\n' "     3000000 cycles" "  1m2.5s seconds time elapsed")
# Numbers of samples in digits that perf does not print: no interval, and not a wrong one.
picked '.samples' "samples with commas" 0 <(printf '%s\n' "# Samples: 119,499 of event 'cycles'" "# Overhead  Symbol" "  20.00%  [k] build_skb")
picked '.samples' "... in a column" 0 <(printf '%s\n' "# Overhead  Samples  Symbol" "  20.00%  1,200  [k] build_skb" "  10.00%  600  [k] ip_rcv")
# One event of several: neither the first that fits, nor all that do.
group_of() { printf "# Samples: 4K of events '%s'\n#\n#         Overhead  Symbol\n# ................  ......\n   60.00%%   30.00%%  [k] ip_rcv\n   40.00%%   70.00%%  [k] build_skb\n" "$1"; }
group_of "cycles:u, cycles:k" >"$tmp/group"
refused "several events, pick one: cycles:u, cycles:k" -e cycles "$tmp/group"
costs "the second event of a group" "build_skb 70.00 ip_rcv 30.00" -e cycles:k "$tmp/group"
group_of "anon group { cpu_core/cycles/, cpu_core/instructions/ }" >"$tmp/group"
costs "cycles of a hybrid CPU" "ip_rcv 60.00 build_skb 40.00" -e cpu_core/cycles/ "$tmp/group"
refused "the event 'cpu_core/instructions/' is no time" -e cpu_core/instructions/ "$tmp/group"
# Latency is a column of its own, and without a header it cannot be told from Self.
printf "# %s  Symbol\n" "Overhead   Latency" >"$tmp/latency"
printf "    60.00%%    70.00%%  [k] ip_rcv\n    40.00%%    30.00%%  [k] build_skb\n" >>"$tmp/latency"
costs "Overhead and Latency" "ip_rcv 60.00 build_skb 40.00" "$tmp/latency"
sed "1s/Overhead   Latency/Latency   Overhead/" "$tmp/latency" >"$tmp/latency2"
costs "Latency and Overhead" "ip_rcv 70.00 build_skb 30.00" "$tmp/latency2"
sed 1d "$tmp/latency" >"$tmp/bare"
refused "Overhead and Latency?" "$tmp/bare"
annotated() {
	printf " Percent |\tSource code & Disassembly of vmlinux for %s (100 samples, percent: local period)\n" "$1"
	printf -- "--------\n         : 5    ffffffff81000000 <build_skb>:\n  100.00 :   ffffffff81000005:       ret\n"
}
annotated cache-misses >"$tmp/event"
refused "the event 'cache-misses' is no time" "$tmp/event"
sed "s/# Event '.*'/# Event 'page-faults'/" $wild/diff.txt >"$tmp/event"
refused "the event 'page-faults' is no time" --ns2 5 "$tmp/event"
