#!/bin/sh
# Recordings with --tune steer,threaded, on an imitation of a driver with rules (ntuple.c), and doctor --fix: killed at moments
# drawn from a seed, as often as $KILLS says. No rule, no thread, no setting, no process, no program is left.
# usage: steer_kills.sh [SEED]
. "$(dirname "$0")/lib.sh"
times=${KILLS-6} seed=${1-1}
built ntuple.so
ntuple=$PWD/build/rig/ntuple.so
rx=xzkrx$$ tx=xzktx$$
ip netns add $rx && ip netns add $tx &&
	ip link add xzk0 netns $rx numrxqueues 3 numtxqueues 3 type veth peer name xzk1 netns $tx numrxqueues 3 numtxqueues 3 ||
	lacks "no veth here"
namespaces="$rx $tx"
for n in $rx $tx; do ip netns exec $n sysctl -qw net.ipv6.conf.all.disable_ipv6=1; done
ip netns exec $rx ethtool -K xzk0 gro on
ip -n $rx link set xzk0 up
ip -n $tx link set xzk1 up

. "$(dirname "$0")/kills_lib.sh"
mkdir "$tmp/rules"
export NTUPLE_DEV=xzk0 NTUPLE_DIR="$tmp/rules"
receiver() { # in the receiver's namespace, with rules
	[ "$1" != exec ] || { shift && LD_PRELOAD="$ntuple" exec ip netns exec $rx "$@"; }
	LD_PRELOAD="$ntuple" ip netns exec $rx "$@"
}
spoil() {
	ip -n $rx link set xzk0 down
	ip netns exec $rx ethtool -K xzk0 gro off
	for q in 0 1 2; do ip netns exec $rx sh -c "echo 1 >/sys/class/net/xzk0/queues/rx-$q/rps_cpus"; done
}
unspoil() {
	for q in 0 1 2; do ip netns exec $rx sh -c "echo 0 >/sys/class/net/xzk0/queues/rx-$q/rps_cpus"; done
	ip netns exec $rx ethtool -K xzk0 gro on
	ip -n $rx link set xzk0 up
}
settings() {
	ls "$tmp/rules"
	ip netns exec $rx ethtool -k xzk0
	ip -n $rx -o link show xzk0 | sed 's/.*<\(.*\)>.*/\1/' | tr , '\n' | grep -x UP
	ip netns exec $rx sh -c 'cat /sys/class/net/xzk0/threaded /sys/class/net/xzk0/queues/rx-*/rps_cpus'
	ip netns pids $tx # the generator's
}
kills "$times" "$seed" xzk0 -g local:xzk1@$tx --rate 50000 -V drop/no-touch@native,drop/no-touch@skb --tune steer,threaded
