#!/bin/sh
# pktgen/: what is sent is what arrives, rates, threads, and however a script ends, pktgen is as clean as before.
. "$(dirname "$0")/pktgen_lib.sh"

run single_flow_burst -n 1001 -b 1
is "-n frames, one at a time" "$(said)" "tx0@0: sent 1001 frames of 60 bytes"
is "all of them arrive" $frames 1001
run single_flow_burst -n 20000 -s 128
between "in bursts, the last one whole" "$(sent)" 20000 20031
is "all of them arrive, so long" "$frames $octets" "$(sent) $(($(sent) * 128))"
run single_flow_burst -6 -t 2 -c 10 -n 500 -b 1 -s 100
is "IPv6, two threads, clones" "$(said)" \
	"tx0: sent 1000 frames of 100 bytes tx0@0: sent 500 frames of 100 bytes tx0@1: sent 500 frames of 100 bytes"
is "all of them arrive" $frames 1000
run single_flow_burst --flows 1 -n 10 -b 0
is "the first CPU" "$(said)" "tx0@1: sent 10 frames of 60 bytes"
is "no device stays" "$(devices)" ""

# rates
run fixed_rate -n 50 -r 500
is "a fixed rate: all arrive" "$(sent) $frames $(echo "$err" | grep -v 'this CPU sends no faster')" "50 50 "
between "a fixed rate: not faster" "$(echo "$text" | sed 's/.* \([0-9]*\) pps.*/\1/')" 1 520
run fixed_rate -n 50 -r 500 -t 2 -j
between "two threads share it" "$(echo "$text" | jq '[.threads[].pps] | add')" 1 520
run fixed_rate -n 2000 -r 100000000
is "a rate that is beyond the CPU is said" "$status $(echo "$err" | sed 's/sent [0-9]*/sent N/')" \
	"0 pktgen_fixed_rate.sh: asked for 100000000 frames/s, sent N: this CPU sends no faster"
run single_flow_burst -w 1000000 -n 30
between "a delay between frames, which come one by one" "$(echo "$text" | sed 's/.* in \([0-9.]*\) s.*/\1/')" 0.027 20
is "... exactly" "$(sent) $frames" "30 30"

# threads
run many_threads -n 100 -b 1 -j
is "a thread for each queue" "$(echo "$text" | jq -c '[(.threads | length), .sent]')" "[1,100]"
fails "more threads than CPUs" 1 "no pktgen thread for CPU 2\|has 2 CPUs" pktgen/pktgen_many_threads.sh -i tx0 -t 3 -n 1

# JSON
run single_flow_burst -n 100 -b 1 -t 2 -j
is "JSON: the sum and the threads" "$(echo "$text" | jq -c '[.schema, .device, .sent, .errors, [.threads[] | .cpu, .sent, .errors]]')" \
	'["xdpzoom.pktgen/1","tx0",200,0,[0,100,0,1,100,0]]'
is "JSON: bits are frames times bytes" "$(echo "$text" | jq '(.threads[0] | .bits_per_s - .pps * 480) | fabs < 480')" true

run imix -n 1200 -j
is "IMIX: all arrive" "$(echo "$text" | jq .sent) $frames" "1200 1200"
between "IMIX: bits as they were received" "$(echo "$text" | jq ".bits_per_s * .seconds / 8 - $octets")" -1600 1600

# -a
fails "appended: configured, not started" 0 "configured; to start all devices: echo start" $P -i tx0 -a -n 50 -b 1 -m $M
ok "one more" $P -i tx0 -a -n 70 -b 1 -m $M --flows 1
fails "twice the same" 1 "takes a device once per thread" $P -i tx0 -a -n 1
frames=$(received)
echo start >/proc/net/pktgen/pgctrl
settled
is "both are sent" $(($(received) - frames)) 120
run single_flow_burst -n 10 -b 1
is "without -a all begins anew" "$frames $(devices)" "10 "

# ends
for sig in INT TERM KILL; do
	before=$(received)
	# A shell's background job would not see SIGINT.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' $P -i tx0 -m $M >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_sending
	[ $sig = TERM ] || fails "SIG$sig: another script meanwhile is refused" 1 "another script already drives pktgen" $P -i tx0 -n 1
	kill -$sig $pid
	wait $pid 2>/dev/null
	status=$?
	settled
	if [ $sig = KILL ]; then
		until [ -z "$(devices)" ]; do sleep 0.5; done
	else
		is "SIG$sig ends it well, with nothing to complain" "$status $(cat "$tmp/err")" "0 "
		is "SIG$sig: detail was sent has arrived" "$(awk '{ print $3 }' "$tmp/out")" $(($(received) - before))
	fi
	is "SIG$sig: no device stays" "$(devices)" ""
done
# The kernel answers a start before a thread begins that gets a twentieth of its CPU.
chrt --flows 1 taskset -c 0 perl -e '1 while 1' &
pid=$!
until grep -q perl /proc/$pid/comm; do sleep 0.1; done
sleep 1 | taskset -c 1 $P -i tx0 -m $M -e 10 -j 2>"$tmp/err" | tail -n 1 >"$tmp/out"
kill $pid
is "a thread on a CPU with other work is waited for" "$(cat "$tmp/err") $(jq -c '[.state, .seconds > 0]' "$tmp/out")" ' ["done",true]'
before=$(received)
(sleep 3; echo; sleep 1) | $P -i tx0 -m $M -e 10 -j >"$tmp/out"
settled
is "-e: ends with its input; sent is received" "$(jq -s .[1].sent "$tmp/out")" $(($(received) - before))
is "-e: says first what sends" "$(jq -rs '.[0] | [.state, .device, .mac] | join(" ")' "$tmp/out")" "sending tx0 52:54:00:00:00:02"
sleep 30 | { $P -i tx0 -m $M -e 1 >"$tmp/out"; echo $? >"$tmp/status"; } &
pid=$!
until [ -s "$tmp/status" ]; do sleep 0.2; done
is "-e: ends when its input is silent" "$(cat "$tmp/status") $(devices)" "0 "

# A machine so slow that the stop comes before the start is written: as if it were so.
mkdir "$tmp/slow" && cp $P "$tmp/slow"
sed 's/; echo start >/; sleep 2; echo start >/' pktgen/engine.sh >"$tmp/slow/engine.sh"
sleep 0.5 | timeout 60 sh "$tmp/slow/pktgen_single_flow_burst.sh" -i tx0 -m $M -e 5 -j >"$tmp/out"
is "a stop that comes before its start stops it all the same" "$? $(devices) $(cmp -s pktgen/engine.sh "$tmp/slow/engine.sh"; echo $?)" "0  1"

fails "no such CPU" 1 "no pktgen thread for CPU 7" $P -i tx0 -n 1 --flows 7
