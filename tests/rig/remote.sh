#!/bin/sh
# A generator on another machine, through ssh: counts, what the run keeps of it, and every way to refuse or to fail.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/remote_lib.sh"
far_up

# far_stat OPTIONS...: "sent seen back" of a second
far_stat() {
	in_near "$X" stat $wire --generator ssh:far/${wire}f,tool=gen -t 1 "$@" >"$tmp/out" 2>"$tmp/err"
	awk '/^far sent/ { sent = $3; back = $(NF - 2) } / on average/ { print sent, $1, back; seen = 1 } END { if (!seen) print "none", "no", "not" }' "$tmp/err"
}
set -- $(far_stat)
ok "drop native: more than a batch is sent" test "$1" -gt 64
is "drop native: sent is seen, none comes back" "$2 $3" "$1 0"
set -- $(far_stat -V drop@skb)
is "drop skb: sent is seen" "$2" "$1"
set -- $(far_stat -V tx@skb --rate 5000)
is "tx skb: all comes back" "$2 $3" "$1 $1"
is "nothing is left" "$(far_clean)" ""

in_near "$X" record $wire -q -o "$tmp/run" --generator ssh:far/${wire}f,tool=gen \
	--rate 20000 -b 2 --window 0.2 -V drop/no-touch@native,tx/swap-macs@skb 2>"$tmp/err"
is "record: fine" "$? $(cat "$tmp/err")" "0 "
run() { jq -r "$1" "$tmp/run/run.json"; }
is "each block: sent is seen" "$(run '[.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0] | all')" true
is "each block: all of tx comes back" "$(run '[.blocks[].totals | .sink_frames == .tx_verdicts] | all')" true
is "each block: no errors of the generator, and no block is above the rate" "$(run '[.blocks[].totals | .gen_errors == 0 and .gen_pps > 0 and .gen_pps <= 20200] | all')" true
is "the generator's rate is that of the frames seen in the windows, whatever stood still" "$(run '[.blocks[].totals.gen_pps] as $pps |
	[.blocks[].windows[] | select(.kind == "base") | [.to_ns - .from_ns, ([.cpus[].verdicts[]] | add)]] | transpose | map(add) |
	($pps | add / length) * .[0] / 1e9 / .[1] | . > 0.05 and . < 20')" true
is "the run knows who sent" "$(run '.load | [.kind, .host, .device, .machine.mac] | join(" ")')" \
	"gen far ${wire}f $(in_far cat /sys/class/net/${wire}f/address)"
ok "and is a run as others" "$X" report --full "$tmp/run"
is "nothing is left" "$(far_clean)" ""

far_fails() { # what, status, pattern, options...
	what=$1 status=$2 pattern=$3
	shift 3
	fails "$what" "$status" "$pattern" in_near "$X" stat $wire -t 1 "$@"
}
G="--generator ssh:far/${wire}f"
far_fails "no such device there" 1 "on far: generator: nosuch0: no such device" --generator ssh:far/nosuch0,tool=gen
far_fails "a host nobody knows" 1 "on nowhere.invalid: ssh: Could not resolve" --generator ssh:nowhere.invalid/x
far_fails "a key nobody knows" 1 "on stranger: Host key verification failed" --generator ssh:stranger/x
far_fails "a host that is an option of ssh" 1 "on -oProxyCommand" --generator "ssh:-oProxyCommand=touch $tmp/pwned/x"
far_fails "a device that is a command" 1 "no such device" --generator ssh:far/"';id>p;'",tool=gen
is "neither was run" "$(ls "$tmp" | grep -c '^p$\|^pwned$')" 0
nightly

mkdir "$tmp/path"
for p in ip sleep jq; do ln -s "$(command -v $p)" "$tmp/path/$p"; done
fails "no ssh" 1 "cannot run ssh" ip netns exec $near env PATH="$tmp/path" "$X" stat $wire $G
if [ -d /proc/net/pktgen ] || modprobe -n pktgen 2>/dev/null; then
	skip "no pktgen there" "it is here"
else
	far_fails "no pktgen there" 77 "on far: generator: this kernel has no pktgen" $G
fi
ip -n $near addr add 198.51.100.1/24 dev $wire
ip -n $far addr add 198.51.100.2/24 dev ${wire}f
far_fails "ssh over the link to be measured" 1 "ssh to overthewire goes over $wire" --generator ssh:overthewire/${wire}f,tool=gen
ip -n $near addr del 198.51.100.1/24 dev $wire
is "nothing is left" "$(far_clean)" ""

# The generator's machine has other work than to wait: a stop that comes while ssh is still on its way.
for t in 0.05 0.2 0.4; do
	# Not by in_near: $! shall be the recorder itself.
	ip netns exec $near env PATH="$tmp/bin:$PATH" "$X" record $wire -q -o "$tmp/early" $G,tool=gen -b 100 \
		-V drop/no-touch@native 2>"$tmp/err" &
	pid=$!
	started $pid
	await_of $pid hears_int $pid
	sleep $t
	halt INT $pid
done
is "interrupted early: nothing is left" "$(far_clean)" ""
# In the middle of a recording.
kill_there() { # pattern: kills those whose command line is like it; fails if there was none
	there=1
	for p in $(ip netns pids $far) $(ip netns pids $near); do
		! tr '\0' ' ' <"/proc/$p/cmdline" | grep -q "$1" || { kill -KILL "$p" && there=0; }
	done
	return $there
}
# dies WHAT WORDS COMMAND...: in a block WHAT is killed by COMMAND; the recording ends with one sentence, in WORDS, and keeps its blocks
dies() {
	what=$1 words=$2
	shift 2
	: >"$tmp/err"
	launch pid /dev/null "$tmp/err" ip netns exec $near env PATH="$tmp/bin:$PATH" "$X" record $wire -o "$tmp/mid$what" $G,tool=gen -b 50 --window 0.5 \
		--for 600 -V drop/no-touch@native
	await_of $pid grep -q '^block 1 of' "$tmp/err"
	await_of $pid "$@" # between two blocks there is nothing to kill
	wait $pid
	is "$what dies: said, and what was measured is kept" "$? $(grep -c "^xdpzoom: $words" "$tmp/err") $(jq -r .ended "$tmp/mid$what/run.json")" \
		"1 1 ${ends-generator or perf died}"
	is "$what dies: nothing is left" "$(far_clean)" ""
}
dies gen "generator on far: .*killed" kill_there '^xdpzoom gen '
dies ssh "generator on far: .*killed" kill_there '^[^ ]*/ssh -F '
ends=failed
dies shell "generator on far: its shell was killed" kill_there '^sh '
halt TERM $sshd
far_fails "no sshd there" 1 "on far: ssh: connect to host 192.0.2.2 port 2222: Connection refused" $G
far_sshd_up
set -- $(far_stat)
is "and all is as before" "$2" "$1"
