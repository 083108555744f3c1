#!/bin/sh
# Memory that goes away while record measures, and that is short from the start: a whole result or a failure in words, and
# nothing left either way. A balloon takes the memory.
. "$(dirname "$0")/../rig/lib.sh"

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 300000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0
left() { echo "$(ls -d "$tmp"/*.tmp* 2>/dev/null | wc -l) $(pgrep -x perf | wc -l) $(ip -o link | grep -c xdp) $(pgrep -x xdpzoom | wc -l)"; }
available() { awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo; }
# balloon MB OPERATOR NUMBER: the VM has so many; until so many of them are available, or for a while
# shellcheck disable=SC1009,SC1072,SC1073 # the operator is an argument
available_is() { [ "$(available)" "$1" "$2" ]; }
balloon() {
	echo "balloon $1" >/dev/host
	await available_is "$2" "$3"
}
squeeze() { balloon $((1024 - $(available) + $1)) -le $(($1 + 10)); }
record() { # its name
	"$X" record rx0 -o "$tmp/$1" -V drop/no-touch@native -b 2 --schedule windows=2 --window 0.2 >/dev/null 2>"$tmp/err" &
	rec=$!
	started $rec
}
# how the recording ended, in $ended: whole, failed (and said why), or what is wrong about it
end() {
	wait $rec
	status=$?
	balloon 1024 -ge 500
	sed -n 's/^xdpzoom/# xdpzoom/p' "$tmp/err"
	ended="$status $(jq -r .ended "$tmp/$1/run.json" 2>/dev/null) $(grep -c '^xdpzoom: ' "$tmp/err")"
	case $ended in
	"0 complete 0") ended=whole ;;
	"1 complete "*) ;;
	"1 "*" 1") ended=failed ;;
	esac
}

record middle
await_of $rec grep -q '^block 1 of' "$tmp/err"
squeeze 15
between "the balloon leaves little, in MB" "$(available)" 0 100
end middle
ok "in the middle: whole, or failed and said why: $ended" test "$ended" = whole -o "$ended" = failed
is "nothing is left" "$(left)" "0 0 0 0"

squeeze 5
between "the balloon leaves less" "$(available)" 0 100
record start
end start
ok "from the start: whole, or failed and said why: $ended" test "$ended" = whole -o "$ended" = failed
is "nothing is left" "$(left)" "0 0 0 0"
ok "with its memory back it records" "$X" record rx0 -q -o "$tmp/back" -V drop/no-touch@native -b 1 --schedule windows=2 --window 0.2
