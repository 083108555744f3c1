#!/bin/sh
# Odd machines, as far as namespaces can make them: no types of the kernel, few files, a lab in use. Each gives one sentence, or
# there is a way around; nothing is left. Those that are refused at once: tests/cases/user/odd.cases
alone=1
. "$(dirname "$0")/lib.sh"
. tests/rig/state_lib.sh
need_root
cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom # its processes are told from those of others by this name
mkdir "$tmp/empty"
"$X" lab down
state >"$tmp/before"
record="record lab -q -V drop/no-touch@native -b 1 --window 0.05 --schedule windows=2,warmup=0 -o $tmp/run"

without() { # DIRECTORY COMMAND...: nothing is in the directory, and nothing can be written there
	where=$1
	shift
	unshare -m sh -c 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"' sh "$tmp/empty" "$where" "$@"
}
mkdir "$tmp/injected"
for version in 5.10.0 99.1.gabcdef "of nobody"; do
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo "perf version %s"; exit; }\nexec %s "$@"\n' "$version" "$(command -v perf)" >"$tmp/injected/perf"
	chmod +x "$tmp/injected/perf"
	ok "a perf of version $version is taken" env PATH="$tmp/injected:$PATH" "$X" $record
	rm -rf "$tmp/run"
done
launch other /dev/null - "$X" stat lab -V drop@skb -t 600
await_of $other attached xzrx xdpzoom-rx
fails "a lab that another command uses" 1 "the lab is in use by process $other (.*stat lab" "$X" $record
halt TERM $other
ok "a root that cannot be written" unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"' sh "$tmp" "$X" $record
rm -rf "$tmp/run"
ok "a machine without tracefs" without /sys/kernel/tracing "$X" $record
rm -rf "$tmp/run"
if [ -e /sys/kernel/btf/vmlinux ]; then
	is "a kernel without types: packets are counted" "$(without /sys/kernel/btf "$X" stat lab -t 0.1 2>&1 >/dev/null | grep -c '^0 packets')" 1
else
	skip "a kernel without types: packets are counted" "it has none"
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
is "all is as it was" "$(changed "$tmp/before"; ls -d "$tmp"/run* 2>/dev/null)" ""
