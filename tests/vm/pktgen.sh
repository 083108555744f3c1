#!/bin/sh
# pktgen/: exact counts, refusals in words, and pktgen as clean after a script as before.
. "$(dirname "$0")/../rig/lib.sh"
plan 20

P=pktgen/pktgen_single_flow_burst.sh
M=52:54:00:00:00:01
devices() { cat /proc/net/pktgen/kpktgend_* | sed -n 's/^\(Running\|Stopped\): *//p' | tr -d '\n'; }
received() { cat /sys/class/net/rx0/statistics/rx_packets; }
until_sending() { until grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0 2>/dev/null; do sleep 0.2; done; }

before=$(received)
is "-n frames, one at a time" "$($P -i tx0 -m $M -n 1001 -b 1 | sed 's/ in .*//')" "tx0@0: sent 1001 frames of 60 bytes"
sleep 0.5
is "all of them arrive" $(($(received) - before)) 1001
before=$(received)
sent=$($P -i tx0 -m $M -n 20000 -s 128 | awk '{ print $3 }')
between "in bursts, the last one whole" "$sent" 20000 20031
sleep 0.5
is "all of them arrive" $(($(received) - before)) "$sent"
before=$(received)
is "IPv6, two threads, clones" "$($P -i tx0 -m $M -6 -t 2 -c 10 -n 500 -b 1 -s 100 | sed 's/ in .*//' | sort | tr '\n' ' ')" \
	"tx0@0: sent 500 frames of 100 bytes tx0@1: sent 500 frames of 100 bytes "
sleep 0.5
is "all of them arrive" $(($(received) - before)) 1000
is "no device stays" "$(devices)" ""

for sig in INT TERM; do
	before=$(received)
	# A shell's background job would not see SIGINT.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' $P -i tx0 -m $M >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_sending
	[ $sig = TERM ] || fails "another script meanwhile is refused" 1 "another script already drives pktgen" $P -i tx0 -n 1
	kill -$sig $pid
	wait $pid
	is "SIG$sig ends it well, with nothing to complain" "$? $(cat "$tmp/err")" "0 "
	sleep 0.5
	is "SIG$sig: what it says was sent has arrived" "$(awk '{ print $3 }' "$tmp/out")" $(($(received) - before))
	is "SIG$sig: no device stays" "$(devices)" ""
done

fails "no such device" 1 "nosuch0: no such device" $P -i nosuch0 -n 1
fails "no device named" 2 "name the device" $P
fails "half a number" 2 "-n 64abc: not a whole number" $P -i tx0 -n 64abc
fails "an address of the other family" 2 "not an IPv6 address" $P -i tx0 -6 -d 198.18.0.1
fails "no such CPU" 1 "no pktgen thread for CPU 7" $P -i tx0 -n 1 -f 7
fails "a driver that takes no bursts" 1 "lo@0: burst 32: .* use -b 1" $P -i lo -n 10
