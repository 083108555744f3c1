#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What others measured, as run directories: the study of 2017 closes, and what is not known stays so.
. "$(dirname "$0")/lib.sh"
document=tests/fixtures/perf/document
wild=tests/fixtures/perf/wild
conf=tests/synthetic.conf
fails() { # STATUS WORDS COMMAND...: ends with STATUS after one sentence with WORDS, and makes nothing
	local want=$1 words=$2 got
	shift 2
	"$X" "$@" >"$tmp/out2" 2>"$tmp/why"
	got=$?
	[ $got -eq "$want" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why" && [ ! -e "$tmp/no" ] && return 0
	echo "exit status $got"
	cat "$tmp/why"
	return 1
}
holds() { # FILTER: jq finds this in $tmp/json
	jq -e "$1" "$tmp/json" >/dev/null || jq . "$tmp/json"
	[ -s "$tmp/json" ] && jq -e "$1" "$tmp/json" >/dev/null
}

skb=drop/read-data@skb
native=drop/read-data@native
ok "import of a profile" "$X" import -o "$tmp/skb" -V $skb --pps 8165032 --about driver=mlx5_core --about "source=Eval Generic netstack XDP patch, 2017" $document/self.txt
ok "import of a rate" "$X" import -o "$tmp/native" -V $native --pps 12006685 --about driver=mlx5_core
"$X" report "$tmp/skb" -f json >"$tmp/json"
ok "the sum of the functions and the rest is the base" holds '.variants[0] | ((([.symbols[].self_ns] | add) + .unattributed_ns - .base_ns) | fabs < 0.001) and (.base_ns - 122.473 | fabs < 0.001)'
ok "each function costs what the study says" holds '.variants[0].symbols | map({(.name): (.self_ns * 10 | round / 10)}) | add | .mlx5e_handle_rx_cqe == 42.0 and .__build_skb == 12.7 and .page_frag_free == 6.2'
ok "shares are of all samples, not of the listed ones" holds '.variants[0].symbols[0].self_pct - 34.33 | fabs < 0.001'
ok "what nobody told is null" holds '.variants[0] | .busy_pct == null and .base_ns_by_busy == null and .overhead_pct == null and .packets_per_poll == null and (.symbols | length > 20 and all(.children_ns == null))'
ok "the facts that were given are there" holds '.run.device.driver == "mlx5_core" and .run.environment.imported_from == "Eval Generic netstack XDP patch, 2017" and (.run.environment | has("kernel") | not)'
"$X" diff "$tmp/native:$native" "$tmp/skb:$skb" -f json >"$tmp/json"
ok "native against skb closes at 39.2 ns" holds '(.closure.sum_delta_ns - 39.1866 | fabs < 0.001) and (([.symbols[].new_ns] | add) + .closure.unattributed_delta_ns - .delta_ns | fabs < 0.001)'
ok "functions of the variant that was never profiled are not known" holds '[.symbols[], .components[]] | length > 20 and all(.base_ns == null and .delta_ns == null and .new_ns > 0 and .class == "untested")'
for format in text csv markdown html; do
	ok "report and diff as $format" sh -c "'$X' report '$tmp/skb' -f $format >'$tmp/o' && '$X' diff '$tmp/native:$native' '$tmp/skb:$skb' -f $format >'$tmp/o'"
done
ok "a history takes both" sh -c "'$X' history add --db '$tmp/h.db' '$tmp/native' -F $conf && '$X' history add --db '$tmp/h.db' '$tmp/skb' -F $conf && [ \$('$X' history list --db '$tmp/h.db' -f json | jq '.variants | length') = 2 ]"
if unshare -Ur true 2>/dev/null; then
	ok "root of a user namespace that has no other user" sh -c "unshare -Ur '$X' import -o '$tmp/inside' -V $skb --pps 8165032 $document/self.txt && cmp '$tmp/inside/blocks/000.report' '$tmp/skb/blocks/000.report'"
else
	skip "root of a user namespace that has no other user" "no user namespaces here"
fi
# root as a container has it: it can take other users, and cannot read what is closed to itself.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	(umask 077 && cat $document/self.txt >"$tmp/closed.txt")
	ok "root that has no right to read everybody's files reads its own" sh -c "umask 077 && setpriv --bounding-set=-dac_read_search '$X' import -o '$tmp/closed' -V $skb --pps 8165032 '$tmp/closed.txt' && setpriv --bounding-set=-dac_read_search '$X' report --full '$tmp/closed' >/dev/null"
else
	skip "root that has no right to read everybody's files reads its own" "needs root and setpriv"
fi
golden tests/golden/import-list.txt "$X" import --list $wild/mail.txt
ok "one table of several" "$X" import -o "$tmp/mail" -V pass/no-touch@native --ns 200 --table 2 $wild/mail.txt
"$X" report "$tmp/mail" -f json >"$tmp/json"
ok "... with the samples of its header" holds '.variants[0] | .samples == 20000 and (.symbols | length) == 3 and (.unattributed_ns - 110 | fabs < 0.01) and (.detection_limit_ns - 10 | fabs < 0.01)'
ok "perf script" "$X" import -o "$tmp/script" -V drop/no-touch@skb --pps 1M tests/fixtures/perf/6.1/script.txt
"$X" report "$tmp/script" -f json >"$tmp/json"
ok "... closes too" holds '.variants[0] | .samples > 50 and (([.symbols[].self_ns] | add) + .unattributed_ns - 1000 | fabs < 0.1)'
ok "rates of xdp-bench" "$X" import -o "$tmp/rates" -V drop/no-touch@native $wild/xdp-bench.txt
"$X" report "$tmp/rates" -f json >"$tmp/json"
ok "... each is a block" holds '.variants[0] | .blocks_used == 3 and (.pps - 12e6 | fabs < 1) and .ci95_ns[0] < 83 and .ci95_ns[1] > 84'
for want in prog:mine.o@native=unknown layer:nft-raw=drop layer:bridge=redirect; do
	variant=${want%=*} verdict=${want##*=}
	ok "packets of $variant are $verdict" sh -c "'$X' import -o '$tmp/$verdict' -V $variant --pps 1M &&
		jq -e '.blocks[0].windows[0].cpus[0].verdicts.$verdict == 1000000' '$tmp/$verdict/run.json'"
done
rates=tests/fixtures/rates
golden tests/golden/import-rates.txt sh -c 'for f in "$2"/*.txt; do echo "$(basename "$f")"; "$1" import --list "$f"; done' sh "$X" $rates
ok "a real xdp-bench" "$X" import -o "$tmp/bench" -V drop/no-touch@native $rates/drop.txt
"$X" report "$tmp/bench" -f json >"$tmp/json"
ok "... each second is a block, and its title names device and driver" holds '(.variants[0] | .blocks_used == 7 and (.pps - 80198 / 7 | fabs < 0.01)) and .run.device.name == "xzrx" and .run.device.driver == "veth"'
ok "a redirect, whose lines have no Summary" "$X" import -o "$tmp/cpu" -V redirect-cpu:1/no-touch@native $rates/redirect-cpu.txt
# What was received and what went on are two rates.
ok "of two measurements without titles, one is to be picked" fails 1 "2 tables or measurements" import -o "$tmp/no" -V drop/no-touch@native $rates/untitled.txt
ok "a redirect of which nothing left" fails 1 "0 of 1000000 packets a second were sent on" import -o "$tmp/no" -V redirect/no-touch@native $rates/nothing-forwarded.txt
ok "... nor for XDP_TX" fails 1 "0 of 1000000 packets a second were sent on" import -o "$tmp/no" -V tx/swap-macs@native $rates/nothing-forwarded.txt
ok "what was sent is not what was received" fails 1 "xdp-trafficgen counted only what was sent" import -o "$tmp/no" -V drop/no-touch@native $rates/xdp-trafficgen.txt
ok "... nor the other way round" fails 1 "xdp-bench counted only what was received" import -o "$tmp/no" -V layer:tx-live $rates/drop.txt
rate() { # PPS GATE VARIANT OPTION... FILE: is imported with that rate, and only the check, if any, fails
	local pps=$1 check=$2 variant=$3
	shift 3
	rm -rf "$tmp/rate"
	"$X" import -o "$tmp/rate" -V "$variant" "$@" && "$X" report "$tmp/rate" -f json >"$tmp/json" &&
		jq -e --arg check "$check" --argjson pps "$pps" '(.variants[0].pps / $pps - 1 | fabs < 1e-6) and
			([.variants[0].quality[] | select(.verdict == "failed" and .check != "blocks") | .check] | unique == ($check | split(" ")))' "$tmp/json" >/dev/null && return 0
	jq -c '.variants[0] | .pps, (.quality[] | [.check, .verdict])' "$tmp/json"
	return 1
}
ok "frames that went on" rate 3000000 "" redirect/no-touch@native --table 1 $rates/two-pairs.txt
ok "frames of which 40 % did not: of a redirect" rate 1000000 consumer-drops redirect/no-touch@native --table 2 $rates/two-pairs.txt
ok "... of XDP_TX" rate 1000000 tx-returned tx/swap-macs@native --table 2 $rates/two-pairs.txt
ok "... of a layer, which has no such check" fails 1 "only 60 % of the packets were sent on" import -o "$tmp/no" -V layer:bridge --table 2 $rates/two-pairs.txt
ok "a generator's frames are those of a layer that sends" rate 7450000 "" layer:tx-live $rates/xdp-trafficgen.txt
ok "... pktgen's too" rate 8000000 "" layer:tx-pktgen $rates/pktgen.txt
ok "each CPU of xdp_rxq_info is one" rate 3000000 "" drop/no-touch@native --table 2 $rates/xdp-rxq-info.txt
ok "... and the sum of several is refused" fails 1 "several CPUs received these packets" import -o "$tmp/no" -V drop/no-touch@native $rates/extended-cpus.txt
ok "a counter of drops is no rate" fails 1 "of dropped packets" import -o "$tmp/no" -V tx/swap-macs@native --table 3 $rates/ethtool-stats.txt
ok "perf stat" "$X" import -o "$tmp/stat" -V drop/no-touch@native --pps 1M tests/fixtures/perf/6.1/stat-text.txt
"$X" report "$tmp/stat" -f json >"$tmp/json"
ok "... counts per packet, and what was not counted is null" holds '.variants[0] | (.events | map({(.event): .per_packet}) | add | (.["page-faults"] - 49 / 1269 | fabs < 1e-9) and .cycles == null) and .counting_pct == null'
printf "     1000  cycles\n\n  500000.0 seconds time elapsed\n" >"$tmp/long.txt"
ok "more packets than a run holds" fails 1 "more than 2^53 packets" import -o "$tmp/no" -V $skb --pps 100e9 "$tmp/long.txt"
echo '{"counter-value" : 1e300, "unit" : "", "event" : "cycles", "event-runtime" : 100, "pcnt-running" : 100.00}
1.0 seconds time elapsed' >"$tmp/many.txt"
ok "a count that is none" fails 1 "the count of cycles is larger than" import -o "$tmp/no" -V $skb --pps 1M "$tmp/many.txt"
ok "perf stat of several CPUs" fails 1 "counts of several places" import -o "$tmp/no" -V $skb --pps 1M tests/fixtures/perf/6.1/stat-cpus.txt
ok "no rate" fails 1 "give --pps or --ns" import -o "$tmp/no" -V $skb $document/self.txt
ok "several tables" fails 1 "2 tables or measurements; --list" import -o "$tmp/no" -V $skb --ns 5 $wild/mail.txt
ok "no samples" fails 1 "give --samples" import -o "$tmp/no" -V $skb --ns 5 --table 1 $wild/mail.txt
ok "samples that the table states itself" fails 1 "self.txt states its number of samples" import -o "$tmp/no" -V $skb --ns 5 --samples 7 $document/self.txt
ok "samples of rates" fails 1 "is for a profile" import -o "$tmp/no" -V $skb --samples 7 $wild/xdp-bench.txt
ok "samples of counts" fails 1 "is for a profile" import -o "$tmp/no" -V $skb --pps 1M --samples 7 tests/fixtures/perf/6.1/stat-text.txt
ok "no rate and no file" fails 2 "give --pps or --ns" import -o "$tmp/no" -V $skb
printf 'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n' >"$tmp/passwd"
ok "fields that are none of perf stat" fails 1 "passwd: neither a table" import -o "$tmp/no" -V $skb --ns 5 "$tmp/passwd"
sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' tests/fixtures/perf/6.1/stat-fields-runs.txt >"$tmp/comma.txt"
ok "a sentence of a reader names the file" fails 1 "comma.txt: .*LC_ALL=C" import -o "$tmp/no" -V $skb --ns 5 "$tmp/comma.txt"
printf '# Samples: 10  of event x\n    10.00%%  [k] a\0b\n' >"$tmp/nul.txt"
ok "... whichever it is" fails 1 "nul.txt: " import -o "$tmp/no" -V $skb --ns 5 "$tmp/nul.txt"
ok "nothing in it" fails 1 "neither a table" import -o "$tmp/no" -V $skb --ns 5 $conf
ok "no such variant" fails 2 "unknown action" import -o "$tmp/no" -V nonsense/no-touch@skb --ns 5
ok "an existing directory" fails 1 "exists" import -o "$tmp/skb" -V $skb --ns 5
# Call graphs are no rows, and end no table: import reads what perfparse reads.
{
	printf "# Samples: 1000  of event 'cycles'\n# Event count (approx.): 1000000\n#\n# Overhead  Symbol\n# ........  ...............\n#\n"
	cat <<GRAPH
    60.00%  [k] mlx5e_poll_rx_cq
            |
            ---net_rx_action
               mlx5e_napi_poll
               mlx5e_poll_rx_cq

    38.90%  [k] build_skb
            |
            |--20.00%--mlx5e_handle_rx_cqe
            |          mlx5e_poll_rx_cq
            |
             --18.90%--napi_get_frags

     0.40%  [k] ip_rcv
     0.40%  [k] udp_rcv
     0.30%  [k] kfree_skb
GRAPH
} >"$tmp/graph.txt"
cat >"$tmp/browser.txt" <<BROWSER
Samples: 1K of event 'cycles', Event count (approx.): 1000000
-   60.00%  [k] mlx5e_poll_rx_cq
   - mlx5e_poll_rx_cq
      + 20.00% mlx5e_napi_poll
      - 40.00% net_rx_action
           __do_softirq
+   38.90%  [k] build_skb
+    0.40%  [k] ip_rcv
     0.40%  [k] udp_rcv
     0.30%  [k] kfree_skb
BROWSER
as_perfparse() { # FILE: one table, with perfparse's samples and costs
	rm -rf "$tmp/graph"
	"$X" import -V drop/no-touch@skb -p 1000000 -o "$tmp/graph" "$1" &&
		"$X" report "$tmp/graph" -f json | jq -S '.variants[0] | .samples, ([.symbols[] | {(.name): (.self_ns * 100 | round)}] | add)' >"$tmp/imported" &&
		build/perfparse --pps 1000000 --format json "$1" |
		jq -S '.samples, ([.symbols[] | {(.name): (.self_ns * 100 | round)}] | add)' | diff - "$tmp/imported"
}
for file in "$tmp/graph.txt" "$tmp/browser.txt" tests/fixtures/perf/6.1/report-{graph,fractal,flat,folded,folded-count}.txt; do
	ok "a table with a call graph: $(basename "$file")" as_perfparse "$file"
done
ok "... whose rest is hidden by no line of it" test "$("$X" import --list "$tmp/graph.txt")" = "  1  lines 1 to 22  5 functions, 100.00 %  first: mlx5e_poll_rx_cq"
echo 'ksoftirqd/1;net_rx_action;build_skb 50' >"$tmp/folded.txt"
ok "folded stacks are for perfparse" fails 1 "perfparse --ns" import -o "$tmp/no" -V drop/no-touch@skb -p 1M "$tmp/folded.txt"
ok "a hierarchy is refused as a whole" fails 1 "without --hierarchy" import -o "$tmp/no" -V drop/no-touch@skb -p 1M tests/fixtures/perf/6.1/report-hierarchy.txt
printf "# Samples: 4275  of event 'page-faults'\n    90.00%%  [k] build_skb\n    10.00%%  [k] ip_rcv\n" >"$tmp/faults.txt"
ok "a CPU of a text" fails 2 "are for a perf.data" import -o "$tmp/no" -V drop/no-touch@skb -p 1M -C 1 "$tmp/faults.txt"
ok "shares of an event that is no time" fails 1 "'page-faults' is no time, .*perfparse --packets" import -o "$tmp/no" -V drop/no-touch@skb -p 1M "$tmp/faults.txt"
sed "1a # Event count (approx.): 4275" "$tmp/faults.txt" >"$tmp/counted.txt"
ok "... whose number is not known" fails 1 '"Event count (approx.)" is missing' import -o "$tmp/no" -V drop/no-touch@skb -p 1M --window 2 "$tmp/faults.txt"
ok "... for a time: events per packet" sh -c "'$X' import -o '$tmp/events' -V drop/no-touch@skb -p 1k --window 2 '$tmp/counted.txt' && '$X' report '$tmp/events' -f json >'$tmp/json'"
ok "... and no nanoseconds of functions" holds '.variants[0] | (.events | map({(.event): .per_packet}) | add) == {"page-faults": 2.1375} and .symbols == []'
sed 's/90.00/40.00/; $a \    50.00%  [k] default_idle' "$tmp/counted.txt" >"$tmp/idle.txt"
ok "... without those of idle" sh -c "'$X' import -o '$tmp/idle' -V drop/no-touch@skb -p 1k --window 2 '$tmp/idle.txt' && '$X' report '$tmp/idle' -f json >'$tmp/json'"
ok "... which are half of them" holds '.variants[0].events[0].per_packet == 1.06875'
ok "... which are taken as shares of the time" "$X" import -o "$tmp/as-time" -V drop/no-touch@skb -p 1M --as-time "$tmp/faults.txt"
"$X" report "$tmp/as-time" -f json >"$tmp/json"
ok "... and report tells so" holds '.run.event == "page-faults" and (.variants[0] | .scale == "as time" and (.symbols | map({(.name): .self_ns | round}) | add) == {build_skb: 900, ip_rcv: 100})'
ok "... in words, too" sh -c "'$X' report --full '$tmp/as-time' | grep -q 'shares of an event that is no time, taken as'"
ok "... and so does diff" sh -c "'$X' import -o '$tmp/as-time2' -V drop/no-touch@skb --ns 900 --as-time '$tmp/faults.txt' && '$X' diff '$tmp/as-time' '$tmp/as-time2' -f json | grep -q 'page-faults, which is no time'"
ok "... of rates, it has nothing to take" fails 1 "\-\-as-time is for a profile" import -o "$tmp/no" -V drop/no-touch@native --as-time $wild/xdp-bench.txt
# Two mails that quote cut lists. A function that one list does not have costs at most what its last line does.
ok "a table that is quoted" "$X" import -o "$tmp/before" -V drop/no-touch@native --ns 100 $wild/quoted-before.txt
ok "... and one in a quote of a quote" "$X" import -o "$tmp/after" -V drop/no-touch@native --ns 166.7 $wild/quoted-after.txt
for format in text markdown; do
	golden tests/golden/import-diff.$format "$X" diff "$tmp/before" "$tmp/after" --full -f $format
done
"$X" diff "$tmp/before" "$tmp/after" -f json >"$tmp/json"
of() { echo "([.symbols[] | select(.name == \"$1\")][0])"; }
ok "a difference that the limit cannot explain" holds "$(of memcpy_erms) | .base_ns == 8 and .new_ns == null and .class == \"changed\" and (.absent_at_most_ns - 3.334 | fabs < 0.001) and (.ci95_ns[1] - .delta_ns - (.delta_ns - .ci95_ns[0]) - 3.334 | fabs < 0.001)"
ok "one that it explains is no difference, and is not tested" holds "$(of net_rx_action) | .base_ns == 1 and .new_ns == null and .class == \"unlisted\" and .p == null and .q == null"
ok "a component may hide all that is not listed" holds '[.components[] | select(.new_ns == null)] | length > 0 and all(.absent_at_most_ns - 35.007 | fabs < 0.001)'
ok "what is hidden is unattributed: it closes" holds '([.symbols[].delta_ns] | add) + .closure.unattributed_delta_ns - .delta_ns | fabs < 0.001'
ok "no check guesses" holds '[.quality[] | select(.check == "cpus" or .check == "saturation")] | length == 4 and all(.verdict == "not available" and .note == "")'
ok "several variants in a directory: one is to be named" fails 2 "name two: diff DIR BASE NEW" diff "$tmp/before" "$tmp/before"
"$X" diff "$tmp/before" "$tmp/after" -f html >"$tmp/page"
ok "the page has the limit and the class" sh -c "grep -q '&lt;3.3' '$tmp/page' && grep -q 'tag unlisted' '$tmp/page'"
ok "a table indented by tabs, with single blanks" sh -c "'$X' import --list $wild/quoted-tab.txt | grep -q '3 functions, 27.00 %'"
ok "the sum of a group is that of the event with samples" sh -c "'$X' import --list $wild/group-dummy.txt | grep -q '4 functions, 100.00 %'"
ok "a group of three events" fails 1 "several events, pick one" import -o "$tmp/no" -V $skb --ns 100 $wild/group-three.txt
ok "... of which one is picked" "$X" import -o "$tmp/three" -V $skb --ns 100 -e cpu/event=0x3c,umask=0x0/ $wild/group-three.txt
"$X" report "$tmp/three" -f json >"$tmp/json"
ok "... also by report" holds '.variants[0].symbols | map({(.name): .self_ns}) | add | .veth_xdp_rcv - 60 | fabs < 0.001'
ok "perf top of old" "$X" import -o "$tmp/top" -V $skb --ns 100 --samples 5000 $wild/top-old.txt
