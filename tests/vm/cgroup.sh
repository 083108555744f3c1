#!/bin/sh
# Control groups (version 2) that allow little memory, few processes, or few CPUs: it records, and nothing is left. Runs in a virtual
# machine.
. "$(dirname "$0")/../rig/lib.sh"
. tests/rig/state_lib.sh
need_root
groups=$tmp/groups
mkdir "$groups" && mount -t cgroup2 none "$groups" 2>/dev/null || skip_all "no control groups of version 2 here"
mounts=$groups
echo "+memory +pids +cpuset" >"$groups/cgroup.subtree_control" || skip_all "no limits for control groups here"
cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom
state >"$tmp/before"
record="record lab -q --force -V drop/no-touch@native,drop/no-touch@skb -b 1 --window 0.1 --schedule windows=2 -r 10k -o $tmp/run"

# inside GROUP FILE LIMIT COMMAND...: in a new group below GROUP, which has the limit
inside() {
	rmdir "$groups/outer/inner" "$groups/outer" 2>/dev/null
	mkdir -p "$groups/$1"
	echo "$3" >"$groups/outer/$2"
	inside_group=$groups/$1
	shift 3
	# shellcheck disable=SC2016 # expands there
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$inside_group" "$@"
}
ok "just enough processes: it records" inside outer pids.max 5 "$X" $record
ok "one CPU of two: it records" inside outer cpuset.cpus 1 "$X" $record
is "on that CPU" "$(jq -c .rx_cpus "$tmp/run/run.json") $(jq .load.cpu "$tmp/run/run.json")" "[1] 1"
fails "in turns the generator runs on the RX CPU, and may not" 2 "may not run on CPU 0" inside outer cpuset.cpus 1 "$X" record lab -q -o "$tmp/turns" -V drop/no-touch@native --cpus rx=0
ok "32 MB: it records" inside outer memory.max 32M "$X" $record
is "nothing is left" "$(changed "$tmp/before")" ""
