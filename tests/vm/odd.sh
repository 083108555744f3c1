#!/bin/sh
# A machine whose clock is set while it records: it records all the same, and nothing is left. usage: odd.sh CPUS[,maxcpus=N]
. "$(dirname "$0")/../rig/lib.sh"
. tests/rig/state_lib.sh
if [ "$(id -u)" -ne 0 ] || [ ! -e /dev/host ]; then # on the host
	exec vm/run -k "$VM_KERNEL" -n none -c "$1" -t 600 -- sh tests/vm/odd.sh "$1"
fi
last() { sed 's/.*-//' /sys/devices/system/cpu/$1; }
is "the CPUs that are there, and that are possible" "$(last online) $(last possible)" "$((${1%%,*} - 1)) $((${1##*[,=]} - 1))"
cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom
state >"$tmp/before"
"$X" record lab -q -o "$tmp/run" -V drop/no-touch@native,drop/no-touch@skb -b 2 --window 0.3 --schedule windows=2 -r 10k 2>"$tmp/err" &
recorder=$!
started $recorder
await_of $recorder pgrep -x perf >/dev/null
date -s 2031-01-01 >/dev/null
sleep 2
date -s 2001-01-01 >/dev/null
wait $recorder
is "the clock is set forward, and far back: it records" "$? $(cat "$tmp/err")" "0 "
lengths=$(jq -c '[.blocks[].windows[] | (.to_ns - .from_ns) / 1e9]' "$tmp/run/run.json")
is "all windows have their length: $lengths" "$(echo "$lengths" | jq 'length > 0 and all(. > 0.05 and . < 60)')" true
ok "the report works" "$X" report --full "$tmp/run"
is "nothing is left" "$(changed "$tmp/before")" ""
