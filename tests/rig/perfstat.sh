#!/bin/sh
# perf stat in a recording. Software events, which every machine has; what a PMU counts is asked for where there is one.
. "$(dirname "$0")/lib.sh"
need_lab

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
events=context-switches,page-faults,cpu-clock,task-clock,minor-faults

ok "record with events" "$X" record lab -o "$run" -q -V drop/no-touch@native,drop/no-touch@skb -b 2 --window 0.2 --stat-events $events
is "two groups, so two windows of perf stat in the middle of a block" "$(json -c '[.blocks[0].windows[].kind]')" '["probe","base","profile","count","count","profile","base"]'
is "every event once a block, in the order asked for" "$(json -c '[.blocks[] | [.windows[].events[]?.event] | join(",")] | unique')" "[\"$events\"]"
is "software events share no counter" "$(json -c '[.blocks[].windows[].events[]?.running_pct] | unique')" "[100]"
is "perf counted the whole window" "$(json '[.blocks[].windows[] | select(.events) | . as $w | .events[] | .enabled_ns >= $w.to_ns - $w.from_ns - 1e6] | all')" true
"$X" report "$run" --format json >"$tmp/report.json"
is "report: a unit that says so" "$(jq -r '.variants[0].events[] | select(.event == "cpu-clock") | .unit' "$tmp/report.json")" ns
"$X" diff --full "$run:drop/no-touch@native" drop/no-touch@skb >"$tmp/diff.txt"
interval=' *± +[0-9.]+'
[ "$(jq '[.variants[] | [.blocks[] | select(.fate == "used")] | length] | min' "$tmp/report.json")" -gt 1 ] || interval=
ok "diff: both sides and the difference, with an interval where there are two blocks" grep -Eq "^ +[0-9.]+ +[0-9.]+ +[+-][0-9.]+$interval .*cpu-clock +ns *\$" "$tmp/diff.txt"
[ "$tests_failed" -eq 0 ] || sed 's/^/# /' "$tmp/diff.txt"
is "nothing of perf stat is left in the run" "$(ls "$run" | grep -c perf.stat)" 0

nightly

if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	"$X" record lab -o "$tmp/raw" -q -V drop/no-touch@native -b 1 --window 0.1 --stat-events msr/event=0x0,name=clock/,context-switches
	is "a raw event with terms of its own is counted" "$(jq -c '[.blocks[].windows[].events[]? | [.event, .count >= 0, .count > 1e6]] | unique' "$tmp/raw/run.json")" '[["clock",true,true],["context-switches",true,false]]'
else
	skip "a raw event with terms of its own" "no msr events here"
fi
if [ "$(json -r .event)" = cycles ]; then
	skip "an event this machine does not count" "it has a PMU"
else
	fails "an event this machine does not count" 77 "does not count cycles" "$X" record lab -q -o "$tmp/x" -V drop/no-touch@native --stat-events cycles
fi
"$X" record lab -o "$tmp/none" -q -V drop/no-touch@native -b 1 --window 0.1 --stat-events none
is "none: no such windows" "$(jq -c '[.blocks[].windows[].kind] | index("count")' "$tmp/none/run.json")" null

# perf stat killed in a block: one sentence, no process, and the blocks before are kept or nothing is.
launch pid /dev/null "$tmp/killed.err" "$X" record lab -o "$tmp/killed" -q -V drop/no-touch@native -b 50 --stat-events context-switches
perf_stat() { ps --ppid $pid -o pid=,args= | awk '/perf stat .*-D/ { print $1 }'; }
kill_perf_stat() { kill -KILL $(perf_stat); }
await_of $pid kill_perf_stat
wait $pid
is "perf stat killed: the recording fails" $? 1
is "and says who died" "$(grep -o 'perf stat died' "$tmp/killed.err" || cat "$tmp/killed.err")" "perf stat died"
