#!/bin/sh
# Who may record, and one at a time: root, or anybody with just the capabilities that are named; a device in use names its user.
. "$(dirname "$0")/lib.sh"
command -v setpriv >/dev/null || skip_all "no setpriv here"

a=xzp$$a b=xzp$$b
links=$a
ip link add $a type veth peer name $b && ip link set $a up && ip link set $b up || lacks "no veth here"
dir=$tmp/nobody
mkdir "$dir" && chmod 755 "$tmp" && chown 65534:65534 "$dir"
cp "$X" "$dir/xdpzoom" # where the tree is may be closed to others
all=+net_admin,+bpf,+perfmon,+sys_nice,+net_raw
# as CAPABILITIES COMMAND...: as nobody with these
as() {
	caps=$1
	shift
	(cd "$dir" && exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps" \
		--bounding-set "-all,$caps" "$@")
}
record="record $a -g local:$b -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2"

as $all ./xdpzoom stat $a -V drop@skb -t 0.1 >"$tmp/out" 2>"$tmp/err"
is "stat with just five capabilities" "$?" 0
as $all ./xdpzoom $record -q -o run 2>"$tmp/err"
is "record with just five capabilities" "$? $(cat "$tmp/err")" "0 "
is "and the run is who recorded it" "$(stat -c %u "$dir/run" "$dir/run/run.json" "$dir/run/blocks/000.script" | sort -u)" 65534
is "no address is in it" "$(grep -hoE '^	[0-9a-f ]{16}' "$dir"/run/blocks/*.script | tr -d '\t ' | grep -cvxE '0+|1|f{16}')" 0

have=$((0x$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status)))
# of FILE: the rights in a copy of /proc/PID/status, and whether that process can get others
of() { sed -n 's/^\(CapPrm\|NoNewPrivs\):[^0-9a-f]*//p' "$1" | tr '\n' ' '; }
# rights NUMBER...: those, as far as this root has them
rights() {
	rights=0
	for number; do rights=$((rights | 1 << number)); done
	printf '%016x 1 ' $((rights & have))
}
five="12 13 23 38 39" # CAP_NET_ADMIN CAP_NET_RAW CAP_SYS_NICE CAP_PERFMON CAP_BPF
files="0 1 3"         # CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER
profile="14 19 34"    # CAP_IPC_LOCK CAP_SYS_PTRACE CAP_SYSLOG; and CAP_SYS_ADMIN for the names of BPF programs

# perf script reads the files of every program that ran on the CPU: it can write none, has no sockets and no other rights.
# Each perf record notes its rights and the recorder's; the last one comes when all is set up.
mkdir "$tmp/path"
cat >"$tmp/path/perf" <<EOF
#!/bin/sh
if [ "\$1" = record ]; then
	cat /proc/\$PPID/status >"$tmp/recorder"
	cat /proc/\$\$/status >"$tmp/perf"
fi
if [ "\$1" = script ]; then
	(: >"$tmp/escaped") 2>/dev/null
	python3 -c 'import socket; socket.socket()' 2>/dev/null && { echo "it makes sockets" >&2; exit 1; }
	rights=\$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status)
	[ \$((0x\$rights & ~0x400000004)) -eq 0 ] || { echo "it has rights: \$rights" >&2; exit 1; }
fi
exec $(command -v perf) "\$@"
EOF
chmod +x "$tmp/path/perf"
is "perf script has no rights but to read" "$(PATH=$tmp/path:$PATH "$X" $record -q -o "$tmp/confined" 2>&1)" ""
if [ "$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))')" -gt 0 ]; then
	is "and writes no file" "$(ls "$tmp/escaped" 2>/dev/null)" ""
else
	skip "and writes no file" "no Landlock here"
fi

# In a namespace, with the right to enter it; the run's directory is closed to others.
ip netns add $a && namespaces=$a && ip link add $a netns $a type veth peer name $b netns $a && ip -n $a link set $a up && ip -n $a link set $b up
as $all,+sys_admin ./xdpzoom $record -N $a -g local:$b@$a --schedule warmup=0 -q -o away 2>"$tmp/err"
is "record in a namespace, with CAP_SYS_ADMIN too" "$? $(cat "$tmp/err")" "0 "

# Who reads a stranger's files keeps the right to read files. Where it writes one, its parent gives that its name.
reader() { pgrep -P $parser || echo $parser; }
reads_in_jail() { grep -q '^Seccomp:[^0-9]*2' "/proc/$(reader)/status"; }
chmod 700 "$dir/run"
ok "root reads a run of another's that is closed" "$X" report --full "$dir/run"
ok "and writes beside it" "$X" report --full "$dir/run" -o "$dir/run/report.txt"
mkfifo "$tmp/fifo"
for to in '' "-o $tmp/text"; do
	build/perfparse --pps 1M $to <"$tmp/fifo" >/dev/null 2>&1 &
	parser=$!
	started $parser
	exec 9>"$tmp/fifo"
	await_of $parser reads_in_jail
	is "the rights of perfparse $to" "$(of /proc/$(reader)/status)" "$(rights 2)"
	exec 9>&-
	wait $parser
done

# What root gives up for good: everything that measuring does not take.
is "a recorder's rights" "$(of "$tmp/recorder")" "$(rights 2 $five $files $profile 21)"
is "those of its perf" "$(of "$tmp/perf")" "$(rights 38 $profile 21)"
launch generator /dev/null "$tmp/err" "$X" gen $b --dst-mac 02:00:00:00:00:01 -r 1k -t 600
await_of $generator grep -q '^NoNewPrivs:[^0-9]*1' /proc/$generator/status
is "those of the generator" "$(of /proc/$generator/status)" "$(rights 14 $five)"
halt INT $generator

fails "none of them: each is named" 77 "CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON, CAP_SYS_NICE, CAP_NET_RAW$" as +chown ./xdpzoom stat $a
fails "one that is missing is named" 77 "missing here: CAP_PERFMON$" as ${all%%,+perfmon*},+sys_nice,+net_raw ./xdpzoom stat $a
fails "root without them, as in a container" 77 "although it runs as root: CAP_NET_ADMIN, CAP_NET_RAW$" \
	setpriv --bounding-set -net_admin,-net_raw "$X" stat $a
fails "-h as the value of an option asks for no help" 77 "record needs root" as +chown ./xdpzoom record lab -o -h
fails "the lab needs root, and says so" 77 "the lab needs root" as $all ./xdpzoom record lab -q -o lab -b 1

launch first "$tmp/stat" "$tmp/err" "$X" stat $a -V drop@skb -t 600
await_of $first attached $a
is "the rights of stat" "$(of /proc/$first/status)" "$(rights 2 $five $files $profile)"
fails "a second command on the device names the first" 1 "$a is in use by process $first (.*stat $a -V drop@skb" "$X" $record -q -o "$tmp/second"
is "and leaves nothing" "$(ls -d "$tmp"/second* 2>/dev/null)" ""
halt KILL $first
ok "a killed one holds nothing" "$X" stat $a -V drop@skb -t 0.1
