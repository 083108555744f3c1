#!/bin/sh
# The RX path on a veth pair of its own, with three queues: which the load comes to, its NAPI in a thread for as long as a
# command runs, and put back however that ends.
# usage: steer.sh [more]    with what takes longer
more=${1:+1}
. "$(dirname "$0")/lib.sh"
rx=xzsrx$$ tx=xzstx$$
namespaces="$rx $tx"
pair $rx xzs0 $tx xzs1 3
"$X" gen xzs1 -N $tx -m "$(ip netns exec $rx cat /sys/class/net/xzs0/address)" --flows 5 -r 20000 -C 0 >/dev/null 2>"$tmp/gen" & # -C: a veth's queue is that of the sending CPU
gen=$!
started $gen
flows() { [ "$(ip netns exec $rx cat /sys/class/net/xzs0/statistics/rx_packets)" -gt 0 ]; }
await_of $gen flows

threaded() { ip netns exec $rx cat /sys/class/net/xzs0/threaded; }
written() { jq '.changes | length' /run/xdpzoom/changes.json 2>/dev/null || echo 0; }
begin() { # in the background; returns when its RX path is told
	: >"$tmp/err"
	launch pid "$tmp/out" "$tmp/err" "$X" stat xzs0 -N $rx "$@" -t 600
	await_of $pid grep -q '^RX path: ' "$tmp/err"
}
thread() { sed -n 's/^RX path: .*polled in thread \([0-9]*\)$/\1/p' "$tmp/err"; }

for sig in INT TERM HUP; do
	begin --tune threaded,steer
	is "SIG$sig: threaded while it runs" "$(threaded) $(written)" "1 2"
	kill -$sig $pid
	wait $pid
	is "SIG$sig: as it was after it" "$? $(threaded) $(written)" "0 0 0"
done
is "the load: five ports of one flow, each frame of it, on one queue" "$(sed -n 's/^load: \(.*\), \([0-9]* %\) of [0-9][0-9][0-9]* packets; \(.*\)/\1 \2 \3/p' "$tmp/err")" \
	"udp4 198.18.0.1 0 198.18.0.2 9 100 % 100 % came on one queue"
is "its path" "$(sed -n 's/^RX path: \(queue [0-9], CPU [0-9]*\)\(, NAPI [0-9]*\)\?, polled in thread [0-9]*$/there/p' "$tmp/err")" there
is "no rules, said" "$(grep -c '^steered: without a rule: driver veth has no ntuple rules' "$tmp/err")" 1
nightly

begin --tune threaded
before=$(cut -d' ' -f1 "/proc/$(thread)/schedstat")
ran() { [ "$(cut -d' ' -f1 "/proc/$(thread)/schedstat")" -gt "$before" ]; }
ok "the thread named is the one that polls" await_of $pid ran
halt KILL $pid
is "SIGKILL: it stays" "$(threaded) $(written)" "1 2"
"$X" stat xzs0 -N $rx -t 0.2 >/dev/null 2>"$tmp/err"
is "the next run puts it back" "$(threaded) $(written) $(grep -c 'put back 2 settings' "$tmp/err")" "0 0 1"

begin --tune threaded
ip netns exec $rx sh -c 'echo 0 >/sys/class/net/xzs0/threaded'
halt INT $pid
is "another user put it back meanwhile: fine" "$? $(threaded) $(written)" "0 0 0"
fails "an interrupt that a veth has not" 77 "cannot find the interrupt of the RX queue" "$X" stat xzs0 -N $rx --tune irq=0 -t 1

# A veth receives on the sender's CPU. Its thread gets a CPU of its own, and stays there.
halt TERM $gen
: >"$tmp/err"
launch rec /dev/null "$tmp/err" "$X" record xzs0 -N $rx -g local:xzs1@$tx --tune threaded -r 20k -o "$tmp/run" -b 500 --window 0.1 --schedule windows=2 \
	-V drop/no-touch@native,drop/no-touch@skb
await_of $rec grep -q '^RX path: ' "$tmp/err"
both_read() { # a reading, whether both variants have been measured since the first one
	taskset -pc "$(thread)" >>"$tmp/affinity" && grep -q '^block 2 of' "$tmp/err"
}
: >"$tmp/affinity"
await_of $rec both_read
halt INT $rec
own=$(jq '.load.cpu' "$tmp/run/run.json")
counted=$(jq -c '[.blocks[].windows[].cpus[] | select(.verdicts | add > 0) | .cpu] | unique' "$tmp/run/run.json")
is "record: the thread stayed on one CPU, in $(wc -l <"$tmp/affinity") readings" "[$(sed 's/.*: //' "$tmp/affinity" | sort -u)]" "$counted"
if [ "$(nproc)" -gt 1 ]; then
	is "which is not the generator's" "$(echo "$counted" | jq -c "index($own)")" null
else
	skip "which is not the generator's" "one CPU"
fi
ip netns exec $rx ethtool -K xzs0 gro off
fails "without gro: no NAPI for a thread, and the command" 77 "a veth needs gro on (ip netns exec $rx ethtool -K xzs0 gro on)" \
	"$X" record xzs0 -N $rx -g local:xzs1@$tx --tune threaded -V drop/no-touch@skb -q -o "$tmp/none"
[ -z "$more" ] || fails "without gro: no frames in skb mode, and the command" 1 "only with gro on (ip netns exec $rx ethtool -K xzs0 gro on)" \
	"$X" record xzs0 -N $rx -g local:xzs1@$tx -V drop/no-touch@skb -q -o "$tmp/none"
