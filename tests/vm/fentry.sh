#!/bin/sh
# Calls of kernel functions, counted and timed one by one: as many as frames were sent.
# usage: fentry.sh POLL-FUNCTION
. "$(dirname "$0")/../rig/lib.sh"
poll=$1

P="taskset -c 0 pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1"
functions=napi_gro_receive,do_xdp_generic,$poll

# The receiver's poll in a thread of its own on one CPU, the sender on the other: how busy it is, is exact.
echo 1 >/sys/class/net/rx0/threaded
for pid in $(pgrep '^napi/rx0'); do taskset -pc 1 "$pid" >/dev/null; done

"$X" stat rx0 -V drop@skb -i 0.5 --fentry $functions --format json >"$tmp/stat" 2>"$tmp/err" &
pid=$!
started $pid
stat_counts $pid
$P -n 2000 >/dev/null
stat_saw 2000
stat_looks 2
kill -TERM $pid
wait $pid
calls() { jq -s --arg f "$1" '[.[].functions[] | select(.function == $f).calls] | add' "$tmp/stat"; }
is "stat: frames seen" "$(jq -s '[.[].packets] | add' "$tmp/stat")" 2000
is "stat: each is one call of napi_gro_receive" "$(calls napi_gro_receive)" 2000
is "stat: and one of do_xdp_generic" "$(calls do_xdp_generic)" 2000
between "stat: in fewer polls" "$(calls "$poll")" 31 2000
# In all intervals: in one of them a call may have begun and not ended.
is "stat: each call has its time" "$(jq -s -c '[.[].functions[]] | group_by(.function) | map([(map(.calls) | add) == (map(.timed) | add),
	(map(.ns) | add) > 0]) | unique' "$tmp/stat")" "[[true,true]]"

# A task that is moved to another CPU in the middle of a call: its call has its time, and so have all later ones on both.
: >"$tmp/stat"
"$X" stat rx0 -V drop@skb -i 0.5 --fentry locks_lock_inode_wait --format json >"$tmp/stat" 2>"$tmp/err" &
pid=$!
started $pid
stat_counts $pid
waits_for_lock() { grep -q "^[0-9]*: -> FLOCK .* $waiter " /proc/locks; }
for _ in 1 2 3; do
	exec 9>"$tmp/held"
	flock 9
	taskset -c 0 flock "$tmp/held" true 9>&- &
	waiter=$!
	await waits_for_lock
	taskset -pc 1 $waiter >/dev/null
	exec 9>&-
	wait $waiter
	taskset -c 0 flock "$tmp/held" true
	taskset -c 1 flock "$tmp/held" true
done
stat_looks 2
kill -TERM $pid
wait $pid
between "stat: locks taken" "$(calls locks_lock_inode_wait)" 12 1000
is "stat: a task that changed its CPU in a call is timed" \
	"$(jq -s -c '[.[].functions[]] | (map(.calls) | add) == (map(.timed) | add)' "$tmp/stat")" true

$P >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0
ok "record" "$X" record rx0 -q -o "$tmp/run" -V drop/no-touch@skb -b 2 --schedule windows=2 --window 2 --overhead 20 --fentry $functions
"$X" report "$tmp/run" --format json >"$tmp/report"
"$X" report --full "$tmp/run" >"$tmp/text"
of() { jq --arg f "$1" ".variants[0].calls[] | select(.function == \$f).$2" "$tmp/report"; }
between "record: one call of napi_gro_receive for each packet" "$(of napi_gro_receive per_packet)" 0.99 1.01
between "record: and one of do_xdp_generic" "$(of do_xdp_generic per_packet)" 0.99 1.01
sed -n '/call by call/,/^$/s/^/#/p' "$tmp/text"

fails "no such function" 1 "this kernel has no function no_such_function" \
	"$X" stat rx0 -t 0.1 --fentry no_such_function
is "nothing stays attached" "$(ip -o link show rx0 | grep -c xdp) $(ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c bpf)" "0 0"
