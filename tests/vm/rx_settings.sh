#!/bin/sh
# Ring, coalescing and budget of a NIC, set for as long as a recording runs, and not longer; a value that the device does not
# take fails alone.
. "$(dirname "$0")/../rig/lib.sh"

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0

settings() {
	ethtool -g rx0 | awk '/^Current/ { now = 1 } now && /^RX:/ { print "ring", $2 }'
	ethtool -c rx0 | grep '^rx-usecs:\|^Adaptive'
	cat /proc/sys/net/core/netdev_budget
}
record() { # DIR OPTION...
	to=$1
	shift
	"$X" record rx0 -q -o "$tmp/$to" -V drop/no-touch@skb -b 1 --schedule windows=2 --window 0.2 --schedule warmup=0 "$@"
}
begin() { # DIR: a long recording, in $pid
	"$X" record rx0 -q -o "$tmp/$1" -V drop/no-touch@skb --window 600 --tune coalesce=50,budget=77,ring=512 2>"$tmp/err" &
	pid=$!
	started $pid
	await_of $pid begun "$1"
}
begun() { ls -d "$tmp/$1".tmp-* >/dev/null; }
settings >"$tmp/before"
sed 's/^/# /' "$tmp/before"

record sweep --sweep ring=128,512,100000,40001 2>"$tmp/err"
is "limits of the option" "$? $(grep -c 'sweep ring 100000: outside' "$tmp/err")" "2 1"
record sweep --sweep ring=128,512,40001 2>"$tmp/err"
is "two rings are recorded, one fails alone" "$? $(grep -c 'point ring=40001 failed' "$tmp/err") $(jq .device.rings.rx "$tmp"/sweep/*/run.json | paste -sd ' ')" \
	"1 1 128 512"
grep -q . "$tmp/err" && sed 's/^/# /' "$tmp/err"
is "the ring is as it was" "$(settings | diff - "$tmp/before")" ""

begin long
is "coalescing, budget and ring of the recording" "$(settings | paste -sd ' ' | tr -s '\t ' ' ' | sed 's/Adaptive.*rx-usecs/rx-usecs/')" \
	"ring 512 rx-usecs: 50 77"
kill -TERM $pid
wait $pid
is "interrupted: everything is as it was" "$(settings | diff - "$tmp/before")" ""

begin killed
kill -KILL $pid
wait $pid 2>/dev/null
is "killed: it stays changed" "$(cat /proc/sys/net/core/netdev_budget)" 77
"$X" stat rx0 -V drop@skb -t 0.2 >/dev/null 2>"$tmp/err"
is "the next xdpzoom puts it back" "$(settings | diff - "$tmp/before")" ""
is "and says so" "$(grep -c 'put back [0-9]* settings that a killed run' "$tmp/err")" 1
ok "a setting that is as it is" record same --tune budget="$(cat /proc/sys/net/core/netdev_budget)"
