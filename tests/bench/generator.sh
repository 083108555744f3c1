#!/bin/sh
# Frames that a native drop received in a second, from `xdpzoom gen lab` and from xdp-trafficgen (xdp-tools) on the same CPU, in
# turn: gen, trafficgen, trafficgen, gen, both with the nice value of gen. Their ratio; and with perf, where the time of the
# generator's CPU goes.
# usage: tests/bench/generator.sh [ROUNDS [SECONDS]]     SECONDS of each leg
. "$(dirname "$0")/lib.sh"
command -v xdp-trafficgen >/dev/null || { echo "needs xdp-trafficgen (Debian: xdp-tools)" >&2; exit 77; }

seconds=${2:-1}
in_rx() { ip netns exec xdpzoom-rx "$@"; }
mac=$(in_rx cat /sys/class/net/xzrx/address)
"$X" stat xzrx -N xdpzoom-rx -t 3600 >"$tmp/stat" 2>/dev/null &
stat=$!
pids=$stat
while ! in_rx ip link show xzrx | grep -q xdp; do sleep 0.1; done
# Where xdpzoom puts its generator; xdp-trafficgen pins its thread to the first CPU that it may use.
rx_cpu=$("$X" lab status | sed -n 's/.*kthread [0-9]* on CPU \([0-9]*\).*/\1/p')
cpu=$(seq 0 $(($(nproc) - 1)) | grep -vx "${rx_cpu:-$(($(nproc) - 1))}" | tail -1)

now() { in_rx sh -c 'cat /proc/uptime /sys/class/net/xzrx/statistics/rx_packets' | tr '\n' ' '; }
# leg NAME FILE [perf]: appends the Mpps received in the middle. No function of sh starts xdp-trafficgen, as $! would be
# the pid of a shell, and the generator would outlive its leg.
leg() {
	if [ "$1" = gen ]; then
		"$X" gen lab -C "$cpu" -t 60 >/dev/null 2>&1 &
	else
		ip netns exec xdpzoom-tx nice -n -15 taskset -c "$cpu" xdp-trafficgen udp -m "$mac" xztx >"$tmp/said" 2>&1 &
	fi
	pid=$!
	pids="$stat $pid"
	sleep 0.7
	kill -0 $pid 2>/dev/null || { echo "$1 ended: $(tail -1 "$tmp/said")" >&2; exit 77; }
	before=$(now)
	[ -z "$3" ] || perf record -q -a -C "$cpu" -o "$tmp/$1.data" -F 997 -- sleep "$seconds" >/dev/null 2>&1 || :
	[ -n "$3" ] || sleep "$seconds"
	echo "$before $(now)" | awk -v name="$1" '{ printf "%s %.3f\n", name, ($6 - $3) / ($4 - $1) / 1e6 }' >>"$2"
	kill -TERM $pid
	wait $pid 2>/dev/null
	pids=$stat
}
for _ in $(seq "${1:-6}"); do
	for name in gen trafficgen trafficgen gen; do leg $name "$tmp/legs"; done
done
for name in gen trafficgen; do
	echo "$name: $(awk -v n=$name '$1 == n { print $2 }' "$tmp/legs" | sort -n | tr '\n' ' ')Mpps received"
done
awk '{ k[$1]++; log_of[$1] += log($2) } END { printf "gen over trafficgen (geometric mean): %.3f\n", exp(log_of["gen"] / k["gen"] - log_of["trafficgen"] / k["trafficgen"]) }' "$tmp/legs"
command -v perf >/dev/null || exit 0
for name in gen trafficgen; do
	leg $name /dev/null perf
	echo "$name, functions of its CPU:"
	perf report -i "$tmp/$name.data" --no-children -g none --stdio -q 2>/dev/null | grep -v '^$' | head -14
done
