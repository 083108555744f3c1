#!/bin/sh
# Odd machines, as far as namespaces can make them: no root of the machine, no /run to write, no types of the kernel, few files.
# Each gives one sentence and the status for what this machine lacks, or there is a way around; nothing is left.
. "$(dirname "$0")/lib.sh"
. tests/rig/state_lib.sh
need_root
plan 10
cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom # its processes are told from those of others by this name
mkdir "$tmp/empty"
"$X" lab down
state >"$tmp/before"
record="record lab -q -V drop/no-touch@native -b 1 -w 0.05 --windows 2 --warmup 0 -o $tmp/run"

if unshare -Ur true 2>/dev/null; then
	for command in "$record" "stat lo" "lab up" "gen lab"; do
		fails "${command%% *} in the container of an ordinary user" 77 "needs root of this machine" unshare -Urn "$X" $command
	done
else
	for command in record stat lab gen; do skip "$command in the container of an ordinary user" "no user namespaces here"; done
fi
without() { # DIRECTORY COMMAND...: nothing is in the directory, and nothing can be written there
	where=$1
	shift
	unshare -m sh -c 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"' sh "$tmp/empty" "$where" "$@"
}
fails "a /run that cannot be written" 77 "the lab needs a /run that can be written" without /run "$X" $record
fails "a machine without perf" 77 "no working perf in PATH" env PATH="$tmp/empty" "$X" $record
if [ -e /sys/kernel/btf/vmlinux ]; then
	is "a kernel without types: all but its functions is counted" \
		"$(without /sys/kernel/btf "$X" stat lab -t 0.1 --fentry napi_gro_receive 2>&1 >/dev/null | grep -c -e 'does not tell its types' -e '^0 packets')" 2
else
	skip "a kernel without types: all but its functions is counted" "it has none"
fi

# files COMMAND N...: the command with at most so many open files; prints what is wrong with how it ends
files() {
	command=$1
	shift
	for most; do
		# shellcheck disable=SC3045 # dash has it
		(ulimit -n "$most" && exec "$X" $command) >/dev/null 2>"$tmp/err"
		echo "$? $(grep -c '^xdpzoom: ' "$tmp/err")"
	done | sort -u
}
numbers="6 12"
[ $# -eq 0 ] || numbers=$(seq 5 33) # by hand, with any argument
is "few open files: record fails, in one sentence" "$(files "$record" $numbers)" "1 1"
is "few open files: stat does" "$(files "stat lab -t 0.1" 13)" "1 1"
await same_state
is "all is as it was" "$(state | diff "$tmp/before" -; ls -d "$tmp"/run* 2>/dev/null)" ""
