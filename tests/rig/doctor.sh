#!/bin/sh
# Doctor on a veth pair of its own: verdicts that are true, fixes that fix, and everything put back, also after a kill. In a PID
# namespace, as it looks for processes by name.
[ -n "${XZ_PIDS-}" ] || [ "$(id -u)" -ne 0 ] || XZ_PIDS=1 exec unshare -p --fork --kill-child --mount-proc sh "$0" "$@"
. "$(dirname "$0")/lib.sh"
state=/run/xdpzoom/changes.json
ns=xzdoc$$
ip netns add $ns && ip link add xzd0 netns $ns numrxqueues 6 numtxqueues 6 type veth peer name xzd1 netns $ns numrxqueues 6 numtxqueues 6 ||
	lacks "no veth here"
namespaces=$ns
in_ns() { ip netns exec $ns "$@"; }
in_ns ip link set xzd1 up

spoil() { # what doctor has a fix for
	in_ns ip link set xzd0 down
	in_ns ethtool -K xzd0 gro off
	for q in 0 1 2 3 4 5; do echo $((q % 3 + 1)) | in_ns tee /sys/class/net/xzd0/queues/rx-$q/rps_cpus >/dev/null; done
}
settings() { # all of them that one can see
	in_ns ip -o link show xzd0 | sed 's/.*<\(.*\)>.*/\1/' | tr , '\n' | grep -x UP
	in_ns ethtool -k xzd0 | grep -v 'tx-\|fixed'
	in_ns sh -c 'cat /sys/class/net/xzd0/queues/rx-*/rps_cpus /sys/class/net/xzd0/threaded'
}
row() { "$X" doctor xzd0 -N $ns --format json | jq -r --arg c "$1" '.rows[] | select(.check == $c) | .'"$2"; }
written() { jq '.changes | length' $state 2>/dev/null || echo 0; }

# Verdicts
spoil
is "down is fatal, with the command" "$(row link level) $(row link fix)" "fatal ip link set xzd0 up"
is "gro off on a veth" "$(row gro fix)" "ethtool -K xzd0 rx-gro on"
is "six fixes for six queues" "$(row rps fix | tr ';' '\n' | grep -c 'echo 0 > /sys/class/net/xzd0/queues/rx-[0-5]/rps_cpus')" 6
"$X" doctor xzd0 -N $ns >"$tmp/out"
is "fatal: status 77" $? 77
is "a line for each verdict and a sum" "$(grep -c '^fatal' "$tmp/out") $(tail -n 1 "$tmp/out" | cut -d, -f1)" "1 1 fatal"
is "looking changes nothing" "$(spoil; settings >"$tmp/a"; "$X" doctor xzd0 -N $ns >/dev/null; settings | cmp - "$tmp/a" && written)" 0

in_ns ip link set xzd0 up
is "nothing fatal: status 0" "$("$X" doctor xzd0 -N $ns >/dev/null; echo $?)" 0
is "warnings: status 3 with --strict" "$("$X" doctor xzd0 -N $ns --strict >/dev/null; echo $?)" 3
case $(uname -r) in
[1-5].* | 6.[0-2].*) features="unknown this kernel does not report them (Linux 6.3 does); attaching will show" ;;
*) features="ok veth: native" ;;
esac
is "a veth that is up has native XDP" "$(row xdp-features level) $(row xdp-features finding | cut -d, -f1)" "$features"
ip netns exec $ns "$X" stat xzd0 -t 600 >/dev/null 2>&1 & # no function: its pid is what is killed
started $!
await_of $! attached xzd0 $ns
is "somebody's XDP program is fatal, and named" "$(row other-xdp finding | grep -o '(xdp_bench) in native mode')" "(xdp_bench) in native mode"
kill $! && wait $! 2>/dev/null
mtu() { for end in xzd1 xzd0; do in_ns ip link set $end mtu "$1"; done; }
mtu 9000
is "a large MTU" "$(row mtu level)" warning
ok "our programs are for frames of several buffers then" in_ns "$X" stat xzd0 -t 0.1
mtu 1500

cp "$(command -v sleep)" "$tmp/irqbalance"
launch balance "$tmp/out" - "$tmp/irqbalance" 900
# A process that goes on waits for the CPU first, and sleeps then.
balance_state() { sed 's/.*) //; s/ .*//; s/R/S/' /proc/$balance/stat; }
is "irqbalance is found by its name" "$("$X" doctor --format json | jq -r '.rows[] | select(.check == "irqbalance").fix')" "kill -STOP $balance"
taskset -c 0 sh -c 'while :; do :; done' &
started $!
is "what else runs on the RX CPU" "$("$X" doctor --rx-cpu 0 --format json | jq -r '.rows[] | select(.check == "other-work").level')" warning
kill $!

# Without root: what can be seen is, nothing fails
if command -v setpriv >/dev/null; then
	chmod 755 "$tmp"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$X" doctor lo --format json >"$tmp/user.json" 2>"$tmp/err"
	is "as any user: rows, and those that are not checked" "$(jq -r '[.rows[] | select(.check == "tp_btf" or .check == "rights").level] | join(" ")' "$tmp/user.json")" "warning unknown"
	fails "as any user: no fix" 77 "needs root" setpriv --reuid=65534 --regid=65534 --clear-groups "$X" doctor --fix
else
	skip "as any user" "no setpriv"
	skip "as any user" "no setpriv"
fi

# A veth that refuses native XDP: the doctor and what is refused tell the same reason and remedy, and the remedy helps
refusal() { # CHECK DEV: "LEVEL REASON|REMEDY"
	"$X" doctor "$2" -N $ns --format json | jq -r --arg c "$1" '.rows[] | select(.check == $c) | "\(.level) \(.finding)|\(.fix)"'
}
refused_as() { # WHAT CHECK DEV REASON REMEDY
	is "$1: the doctor" "$(refusal "$2" "$3" | sed "s/driver veth refuses native XDP: //; s/ for programs of one buffer: .*|/|/")" "$4|$5"
	"$X" stat "$3" -N $ns -V drop@native -t 1 >"$tmp/out" 2>"$tmp/err"
	is "$1: the program that is refused" "$? $(grep -cF "its settings now: ${4#* }" "$tmp/err") $(grep -cF "the remedy: $5" "$tmp/err")" "1 1 1"
	eval "$5"
	"$X" stat "$3" -N $ns -V drop@native -t 1 >"$tmp/out" 2>&1
	is "$1: the remedy helps" $? 0
}
in_ns ip link add xzq0 numrxqueues 1 numtxqueues 1 type veth peer name xzq1 numrxqueues 1 numtxqueues 4
in_ns ip link set xzq0 up
in_ns ip link set xzq1 up
refused_as "queues of the peer" queues xzq0 "fatal its peer xzq1 has more TX queues (4) than this device RX queues (1)" "ip netns exec $ns ethtool -L xzq1 tx 1"
in_ns ip link set xzq1 mtu 9000
is "MTU of the peer: the doctor" "$(refusal mtu xzq0)" "warning the MTU of its peer xzq1 is 9000, and at most 3506 is taken for programs of one buffer: a veth checks its peer|ip netns exec $ns ip link set xzq1 mtu 1500"
"$X" stat xzq0 -N $ns -V drop@native -t 1 >"$tmp/out" 2>&1
is "MTU of the peer: our programs take frames of several buffers" $? 0
in_ns ip link del xzq0

# Fix and undo
spoil
settings >"$tmp/before"
printf 'n\nn\nn\nn\nn\nn\nn\nn\n' | "$X" doctor xzd0 -N $ns --fix >"$tmp/out" 2>"$tmp/err"
is "asked, and everything refused: nothing changed" "$(settings | cmp - "$tmp/before" && written)" 0
"$X" doctor xzd0 -N $ns --fix </dev/null >"$tmp/out" 2>"$tmp/err"
is "nobody there to answer: nothing changed" "$(settings | cmp - "$tmp/before" && written)" 0
"$X" doctor xzd0 -N $ns --fix -y >"$tmp/out" 2>"$tmp/err"
is "-y: everything" "$? $(grep -c 'is .* now' "$tmp/out")" "0 9"
is "irqbalance stands still" "$(balance_state)" T
is "nothing left to fix" "$(row link level) $(row gro level) $(row rps level) $(row irqbalance level)" "ok ok ok ok"
cp $state "$tmp/state"
"$X" doctor --undo >"$tmp/out"
is "undo: each is told" "$? $(grep -c 'again$' "$tmp/out")" "0 9"
is "undo: everything as it was" "$(settings | diff - "$tmp/before")" ""
is "undo: irqbalance runs" "$(balance_state)" S
is "undo: nothing is written down any more" "$(ls /run/xdpzoom | grep -v ^device)" lock
is "undo again: nothing to do" "$("$X" doctor --undo)" "nothing to put back"
cp "$tmp/state" $state
"$X" doctor --undo >/dev/null
is "killed between writing down and changing: undo all the same" "$? $(settings | diff - "$tmp/before") $(written)" "0  0"

# Killed while it waits for an answer, and at any moment
mkfifo "$tmp/answers"
"$X" doctor xzd0 -N $ns --fix <"$tmp/answers" >/dev/null 2>"$tmp/err" &
pid=$!
started $pid
exec 3>"$tmp/answers"
printf 'y\ny\n' >&3
asked_twice() { [ "$(grep -c '^do it' "$tmp/err")" -ge 2 ] && [ "$(written)" -ge 2 ]; }
await_of $pid asked_twice
halt KILL $pid
exec 3>&-
is "killed after two answers: two are written down" "$(written)" 2
"$X" doctor --undo >/dev/null
is "and are put back" "$(settings | diff - "$tmp/before") $(written)" " 0"
nightly

bad=0
for ms in 500 502 504 506 508 510 512 514 516 518 520 525 530 540 550 560 580 600; do
	timeout -s KILL 0.$ms "$X" doctor xzd0 -N $ns --fix -y >/dev/null 2>&1
	"$X" doctor --undo >/dev/null && settings | cmp -s - "$tmp/before" || bad=$((bad + 1))
done
is "killed at 18 moments: all is put back each time" $bad 0

"$X" doctor xzd0 -N $ns --fix -y >/dev/null
ip netns del $ns
"$X" doctor --undo >"$tmp/out"
is "a device that is gone with its namespace: fine" "$? $(grep -c 'is gone$' "$tmp/out") $(written)" "0 8 0"
is "and what is the machine's is put back all the same" "$(balance_state)" S
