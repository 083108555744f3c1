#!/bin/sh
# record --sweep: a run directory for each point, each with all its frames; the same command again records what is missing;
# a point that fails is named, and the others go on.
. "$(dirname "$0")/lib.sh"
need_lab

dir=$tmp/sweep
# record LIST OPTION...: short runs
record() {
	list=$1
	shift
	"$X" record lab -o "$dir" -V drop/no-touch@native -b 1 --schedule windows=2 --window 0.1 --schedule warmup=0 --sweep "$list" "$@"
}
names() { ls "$dir" | paste -sd ' '; }

ok "nothing is left" [ ! -e "$dir" ]
: >"$dir"
fails "a file in its place" 1 "Not a directory" record size=64,128 -q
rm "$dir"

ok "two points" record size=64,1500 -q
is "are two run directories" "$(names)" "size=1500 size=64"
is "with frames of that size, each of which was seen" \
	"$(jq -c '[.load.bytes, .ended, ([.blocks[].totals | .gen_sent == .rx_seen and .gen_sent > 0 and .stray == 0] | all)]' \
		"$dir/size=64/run.json" "$dir/size=1500/run.json" | paste -sd ' ')" \
	'[64,"complete",true] [1500,"complete",true]'
is "a row each" "$("$X" report "$dir" -f csv | cut -d, -f 1-3)" "size,variant,ended
64,drop/no-touch@native,complete
1500,drop/no-touch@native,complete"

before=$(stat -c '%i %Z' "$dir/size=1500")
rm -r "$dir/size=64"
record size=64,1500 2>"$tmp/err"
is "the same command again records what is missing" "$? $(tail -n 1 "$tmp/err")" \
	"0 1 points recorded, 1 were there, 0 failed, 0 not tried: xdpzoom report $dir"
is "and nothing else" "$(names) $(stat -c '%i %Z' "$dir/size=1500")" "size=1500 size=64 $before"
fails "another command" 1 "is no run of this command" record size=64,1500 --unwritten
nightly

# Wherever the third one stands in the order, one that fails stands before another point.
dir=$tmp/failing
mkdir "$dir"
ln -s nowhere "$dir/size=64"
ln -s nowhere "$dir/size=1500"
record size=64,256,1500 2>"$tmp/err"
is "two points fail, and the third one is recorded" "$? $(tail -n 1 "$tmp/err")" \
	"1 1 points recorded, 0 were there, 2 failed, 0 not tried: xdpzoom report $dir"
is "those that failed are named" "$(sed -n 's/^xdpzoom: the point \(.*\) failed$/\1/p' "$tmp/err" | sort)" "size=1500
size=64"

ln -s nowhere "$dir/size=128"
ln -s nowhere "$dir/size=512"
order() { record size=64,128,512,1500 --schedule seed=$1 2>&1 | sed -n 's/^point . of 4: size=//p' | paste -sd ' '; }
is "the seed shuffles the order" "$(order 1)|$(order 2)" "64 1500 512 128|128 1500 64 512"

dir=$tmp/three
record size=128 --sweep flows=16 --sweep rate=0.2M -q
is "three parameters" "$? $(names) $(jq -c '.load | [.bytes, .flows, .rate_pps]' "$dir"/*/run.json)" \
	"0 size=128,flows=16,rate=200000 [128,16,200000]"

dir=$tmp/batches
record batch=16,128 --sweep inject=100 -q
is "batches and an injected cost" "$? $(jq -c '[.load.batch, .variants[].id]' "$dir"/*/run.json | paste -sd ' ')" \
	'0 [128,"drop/no-touch+chain100@native"] [16,"drop/no-touch+chain100@native"]'

# A veth pair of our own has two queues, which the sweep sets, and no third one.
dir=$tmp/queues
namespaces=xzs-$$
ip netns add $namespaces
ip link add xzsa numtxqueues 1 numrxqueues 2 type veth peer name xzsb netns $namespaces numtxqueues 2 numrxqueues 2
links=xzsa
ip link set xzsa up
ip -n $namespaces link set xzsb up
queues() { ip netns exec $namespaces ethtool -l xzsb | awk '/^RX:/ { n = $2 } END { print n }'; }
ip netns exec $namespaces ethtool -L xzsb rx 2
on_queues() { # LIST OPTION...
	list=$1
	shift
	"$X" record xzsb -N $namespaces -g local:xzsa -q -o "$dir" -V drop/no-touch@native -b 1 --schedule windows=2 --window 0.1 --schedule warmup=0 \
		--sweep "$list" "$@"
}
fails "a device without rings" 77 "--tune ring: xzsb (driver veth) has no such setting" on_queues ring=64
on_queues queues=1,3 2>"$tmp/err"
is "one queue is recorded, three fail alone, and two are put back" "$? $(names) $(grep -c 'queues=3 failed' "$tmp/err") $(queues)" "1 queues=1 1 2"
is "with one queue" "$(jq -c '.device.channels.rx' "$dir"/*/run.json)" 1

dir=$tmp/stopped
launch pid /dev/null "$tmp/err" "$X" record lab -q -o "$dir" -V drop/no-touch@native --window 60 --sweep size=64,1500
begun() { ls -d "$dir"/size=*.tmp-* >/dev/null; }
await_of $pid begun
halt TERM $pid
is "a signal ends the sweep and its recorder" "$? $(grep -c 'stopped by a signal' "$tmp/err")" "1 1"
ok "nothing is left of it" [ ! -e "$dir" ]
