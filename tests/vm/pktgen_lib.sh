# pktgen_lib.sh - for the tests of pktgen/: run a script, and what arrived meanwhile
# usage: . "$(dirname "$0")/pktgen_lib.sh"
. "$(dirname "$0")/../rig/lib.sh"

P=pktgen/pktgen_single_flow_burst.sh
M=52:54:00:00:00:01
modprobe pktgen
devices() { cat /proc/net/pktgen/kpktgend_* | sed -n 's/^\(Running\|Stopped\): *//p' | tr -d '\n'; }
received() { cat /sys/class/net/rx0/statistics/rx_packets; }
bytes() { cat /sys/class/net/rx0/statistics/rx_bytes; }
until_sending() { until grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0 2>/dev/null; do sleep 0.2; done; }
settled() {
	last=
	until now=$(received) && [ "$now" = "$last" ]; do
		last=$now
		sleep 0.3
	done
}
# run SCRIPT OPTIONS...: $text and $err, and what the receiver saw: $frames, $octets
run() {
	frames=$(received) octets=$(bytes)
	script=$1
	shift
	text=$(pktgen/pktgen_"$script".sh -i tx0 -m $M "$@" 2>"$tmp/err")
	status=$? err=$(cat "$tmp/err")
	settled
	frames=$(($(received) - frames)) octets=$(($(bytes) - octets))
}
said() { echo "$text" | sed 's/ in .*//' | sort | tr '\n' ' ' | sed 's/ $//'; }
sent() { echo "$text" | tail -n 1 | awk '{ print $3 }'; }
