#!/bin/sh
# Commands that are killed, stopped and robbed of their children and of their namespaces at moments drawn from a seed: afterwards this machine is as it was, what
# was recorded before is the same to the byte, and the next run works. usage: faults.sh [TIMES [SEED]]
alone=1
. "$(dirname "$0")/lib.sh"
. tests/rig/state_lib.sh
times=${1-${FAULTS-20}} seed=${2-1} verbose=${3-}
need_root
# Its processes are told from those of others by the name of this directory; virtual machines by the name of their cache.
mkdir "$tmp/build" && cp "$X" build/count-*.so "$tmp/build" && X=$tmp/build/xdpzoom && ln -s "$PWD/vm" "$(vm/cache)" "$tmp/"
export XDPZOOM_CACHE="$tmp/xdpzoom"
"$X" lab down

random() { # below
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}
children() { ps --ppid "$1" -o pid=,args= | awk -v word="$2" 'index($0, word) { print $1 }'; }
# pick N WORD...: the Nth word, from 0 on, again from the beginning
pick() {
	pick_n=$1
	shift
	shift $((pick_n % $#))
	echo "$1"
}
begin() { # COMMAND
	case $1 in
	stat) exec "$X" stat lab -t 3 -V drop@native ;;
	record) exec "$X" record lab -q --force -o "$tmp/run" -V drop/no-touch@native,drop/no-touch@skb -b 2 --window 0.1 --schedule windows=2 --for 20 ;;
	gen) exec "$X" gen lab -t 3 ;;
	lab) exec "$X" lab up ;;
	demo) exec "$X" demo -o "$tmp/run" ;;
	ladder) exec "$X" record lab --ladder "$(pick $n rx tcp tx forward)" -o "$tmp/run" --for 20 ;;
	exact) exec "$X" exact -q --force -o "$tmp/run" -V drop/no-touch@native ;;
	esac
}
hurt() { # pid how
	case $2 in
	vm) kill -KILL $(pgrep -f "[q]emu-system.*$tmp/") ;;
	perf) kill -KILL $(children "$1" 'perf ') ;;
	netns) ip netns del xdpzoom-tx; ip netns del xdpzoom-rx ;;
	child) kill -KILL $(children "$1" "$tmp/") ;;
	STOP) kill -STOP "$1" && sleep 0.2 && kill -CONT "$1" && kill -INT "$1" ;;
	*) kill -"$2" "$1" ;;
	esac 2>/dev/null
}
# Nine commands meet eight ways in turn, so each meets each.
commands="record stat gen exact record lab ladder record demo"
hows="KILL TERM INT HUP STOP perf child netns"
exact=1
command -v qemu-system-x86_64 >/dev/null && [ -f "$XDPZOOM_CACHE/6.12/initrd" ] || exact=

needs "a recording" "$X" record lab -q -o "$tmp/kept" -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2
kept=$(cd "$tmp/kept" && find . -type f -exec cksum {} + | sort)
state >"$tmp/before"
"$X" lab up >/dev/null
"$X" stat lab -V drop@skb -t 0.1 >/dev/null 2>&1 # the kernel makes some things for the first frame, and they stay
state >"$tmp/up"
"$X" lab down
echo "# seed $seed"
n=0 survived=0
while [ $n -lt "$times" ]; do
	command=$(pick $n $commands)
	random 1000000
	how=$(pick $((n % 8 + drawn % 2)) $hows)
	random 1000
	"$X" lab down >/dev/null 2>&1
	# Each other round has a lab that was there before, whose settings are to be what they were.
	lab_there=$((n / 2 % 2))
	case $command in
	gen) lab_there=1 ;;
	lab | demo) lab_there=0 ;;
	ladder) drawn=$((drawn * 3)) ;; # it makes many things
	exact)
		drawn=$((drawn * 4)) # its machine takes a while
		case $how in perf | netns) how=vm ;; esac
		[ -n "$exact" ] || command=stat
		;;
	esac
	[ $lab_there = 0 ] || "$X" lab up >/dev/null
	case $command in demo | ladder) rm -rf "$tmp/run" ;; esac # they replace none
	(begin "$command") >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	started $pid
	sleep "$(printf '%d.%03d' $((drawn / 1000)) $((drawn % 1000)))"
	hurt $pid $how
	case $how in perf | child | vm) kill -INT $pid 2>/dev/null ;; esac
	wait $pid 2>/dev/null
	status=$?
	# The next run removes what the dead could not; the lab of `lab up` is the caller's own.
	"$X" stat lab -V drop@skb -t 0.1 >/dev/null 2>"$tmp/next" || cat "$tmp/next" >>"$tmp/bad"
	# Where the lab is still there, what is left outside of it shows after the next lab down too.
	as=$tmp/before
	case $lab_there$how in
	1netns) ;;
	1*) as=$tmp/up ;;
	*) [ "$command" != lab ] || "$X" lab down ;;
	esac
	changed "$as" >"$tmp/diff"
	if [ ! -s "$tmp/diff" ]; then survived=$((survived + 1)); else
		echo "# $n: $command, $how after $drawn ms (status $status) left:"
		sed 's/^/#   /' "$tmp/diff"
	fi
	[ -z "$verbose" ] || echo "# $n $command $how $drawn ms: status $status"
	n=$((n + 1))
done
"$X" lab down
changed "$tmp/before" >"$tmp/diff"
[ ! -s "$tmp/diff" ] || { survived="not $survived" && sed 's/^/# at the end: /' "$tmp/diff"; }
# What killed recorders left of their directories goes with the next recording to the same one.
rm -rf "$tmp/run"
"$X" record lab -q -o "$tmp/run" -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2 2>"$tmp/next" || cat "$tmp/next" >>"$tmp/bad"
if [ -n "$exact" ] && [ "$times" -gt 20 ]; then
	ok "exact counts afterwards" "$X" exact -q -o "$tmp/counted" -V drop/no-touch@native
	rm -rf "$tmp/counted"
else
	skip "exact counts afterwards" "takes seconds, or no virtual machines here"
fi
# A killed recorder leaves its whole blocks, if it had any.
for part in "$tmp"/run.tmp-*; do
	[ ! -d "$part" ] || { "$X" report --full "$part" >/dev/null 2>>"$tmp/bad" && rm -rf "$part"; }
done
is "no part of a run stays that is no run itself" "$(ls -d "$tmp"/run*)" "$tmp/run"
is "all is as it was" "$survived of $times" "$times of $times"
is "each next run works" "$(cat "$tmp/bad" 2>/dev/null)" ""
is "what was recorded before is the same to the byte" "$(cd "$tmp/kept" && find . -type f -exec cksum {} + | sort)" "$kept"
echo "# $times faults injected, $survived survived"
