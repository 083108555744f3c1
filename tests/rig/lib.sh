# lib.sh - for the rig's tests: TAP, clean-up, and what this machine lacks
# usage: . "$(dirname "$0")/lib.sh"; ok "what" COMMAND...; is "what" GOT WANT      how many there were is printed at the end
#
# A test of tests/rig/ has network devices, a /run and a /sys of its own, so it may run beside others, also those of another
# checkout. What the kernel has once (BPF programs, their statistics, interrupts, tracing) it shares: a test that compares
# such things says `alone=1` before it reads this file, and runs while no other one does.
#
# Everything a test starts or makes is removed when it ends, however it ends. Processes are killed by pid, only those
# noted with started. A test waits for events, with await, and never for a time that is thought to be enough.

case $0 in
tests/rig/* | */tests/rig/* | tests/integrations/*) [ -n "${XZ_OWN-}" ] || [ "$(id -u)" -ne 0 ] || . "$(dirname "$0")/../rig/own_lib.sh" ;;
esac
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d)
pids=
tests_run=0
tests_failed=0
skipped=
lab=
undo= # a command of the test's own, which the clean-up begins with

cleanup() {
	$undo
	for p in $pids; do kill -TERM "$p" 2>/dev/null && wait "$p" 2>/dev/null; done
	[ -z "${links-}" ] || for l in $links; do ip link del "$l" 2>/dev/null; done
	[ -z "${namespaces-}" ] || for n in $namespaces; do ip netns del "$n" 2>/dev/null; done
	[ -z "$lab" ] || "$X" lab down 2>/dev/null
	[ -z "${mounts-}" ] || umount $mounts 2>/dev/null
	rm -rf "$tmp"
}
finish() {
	status=$?
	cleanup
	[ "$status" -ne 0 ] || [ -n "$skipped" ] || echo "1..$tests_run"
	[ "$tests_failed" -eq 0 ] || status=1
	exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP INT TERM

# started PID: notes a command in the background for the clean-up, and returns when it runs. Before that its files hold
# what they held, and a signal may be lost: a shell's child has its parent's traps for a moment. A function in the
# background never becomes another command; it is not waited for longer than a second.
started() {
	pids="$pids $1" started_turns=0
	while cmp -s "/proc/$1/cmdline" /proc/$$/cmdline && [ $((started_turns += 1)) -lt 100 ]; do sleep 0.01; done
}
# launch VARIABLE OUT ERR COMMAND...: in the background, its process in VARIABLE; ERR "-" is OUT, too
launch() {
	launch_to=$1 launch_out=$2 launch_err=$3
	shift 3
	if [ "$launch_err" = - ]; then "$@" >"$launch_out" 2>&1 & else "$@" >"$launch_out" 2>"$launch_err" & fi
	eval "$launch_to=\$!"
	started $!
}
# halt SIGNAL PID...: with the exit status of the last one
halt() {
	halt_signal=$1
	shift
	kill "-$halt_signal" "$@"
	for halt_pid; do wait "$halt_pid" 2>/dev/null; done
}
# hears_int PID: it catches SIGINT, which a shell's commands in the background ignore at first: until then the signal is lost
hears_int() { [ $((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status") & 2)) -ne 0 ]; }

# nightly: what follows is for make check-all
nightly() { [ -n "${CHECK_ALL-}" ] || exit 0; }
# built NAME...: programs of tests/rig/own and preloaded libraries, in build/rig/
built() { for built_name; do [ -e "build/rig/$built_name" ] || make -s "build/rig/$built_name" || exit 1; done; }
# bpf SOURCE OBJECT: another program
bpf() { clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(${CC:-gcc} -print-multiarch)" -c "$1" -o "$2" || exit 1; }

skip_all() {
	echo "1..0 # SKIP $1"
	skipped=1
	exit 0
}
result() { # status, what
	tests_run=$((tests_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests_run - $2"
	else
		tests_failed=$((tests_failed + 1))
		echo "not ok $tests_run - $2"
		said
	fi
}
# what commands said on standard error since the last failure, as their tests keep it
said() {
	for said_file in "$tmp"/*err; do
		[ ! -s "$said_file" ] || [ "$said_file" -ot "$tmp/said" ] || tail -n 5 "$said_file" | sed "s|^|# ${said_file##*/}: |"
	done
	: >"$tmp/said"
}
skip() { # what, why
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $1 # SKIP $2"
}
ok() { # what, command...
	what=$1
	shift
	if "$@" >"$tmp/ok.out" 2>&1; then
		result 0 "$what"
	else
		result 1 "$what"
		sed 's/^/# /' "$tmp/ok.out"
	fi
}
is() { # what, got, want
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		result 1 "$1"
		printf '#   got: %s\n#  want: %s\n' "$2" "$3"
	fi
}
# between WHAT VALUE LOW HIGH, numbers may have a fraction
between() {
	if awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { exit !(v ~ /^-?[0-9.]/ && v + 0 >= lo && v + 0 <= hi) }'; then
		result 0 "$1 ($2 in $3..$4)"
	else
		result 1 "$1"
		echo "#   $2 is not in $3..$4"
	fi
}
# await COMMAND...: runs COMMAND again and again until it succeeds, for two minutes or more: a busy machine is slow, and a
# machine that works is never that slow. Fails when the time is over. Turns are counted, as this machine may stand still. What
# takes longer than a second is asked for less often: each question costs a busy machine more.
await() {
	await_turns=0
	until "$@" 2>/dev/null; do
		[ $((await_turns += 1)) -lt 250 ] || return 1
		sleep $([ $await_turns -lt 10 ] && echo 0.1 || echo 0.5)
	done
}
# await_of PID COMMAND...: the same, and gives up when the process has ended
await_of() {
	await_pid=$1 await_holds=1
	shift
	await holds_or_ended "$@"
	return $await_holds
}
holds_or_ended() { "$@" && await_holds=0 || ! kill -0 "$await_pid"; }
# gone WHAT COMMAND...: COMMAND prints nothing, at once or after a while: the kernel takes its time to take things away
gone() {
	what=$1
	shift
	await prints_nothing "$@"
	is "$what" "$("$@")" ""
}
prints_nothing() { [ -z "$("$@")" ]; }
# fails WHAT STATUS PATTERN COMMAND...: exits with STATUS, one sentence on stderr that holds PATTERN
fails() {
	what=$1 want=$2 pattern=$3
	shift 3
	"$@" >"$tmp/fails.out" 2>"$tmp/fails.err"
	got=$?
	if [ "$got" -eq "$want" ] && grep -q -- "$pattern" "$tmp/fails.err" && [ "$(wc -l <"$tmp/fails.err")" -eq 1 ]; then
		result 0 "$what"
	else
		result 1 "$what"
		printf '#   exit %s, want %s, and one line with: %s\n' "$got" "$want" "$pattern"
		sed 's/^/#   /' "$tmp/fails.err"
	fi
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
}
# needs WHAT COMMAND...: the command succeeds. A command of ours that ends with 77 says that this machine lacks what is needed:
# all is skipped. Any other end is a failure.
needs() {
	needs_what=$1
	shift
	"$@" >"$tmp/needs" 2>&1 && return
	[ $? -ne 77 ] || skip_all "$needs_what: $(tail -n 1 "$tmp/needs")"
	failed_to_begin "$needs_what"
}
failed_to_begin() {
	result 1 "$1"
	tail -n 20 "$tmp/needs" | sed 's/^/# /'
	exit 1
}
# pair NAMESPACE DEV NAMESPACE DEV [QUEUES]: a veth pair, up, with NAPI at both ends and no IPv6; the namespaces are made where they
# are not there, and $namespaces are removed at the end
pair() {
	need_root
	pair_queues=${5:+numrxqueues $5 numtxqueues $5}
	for pair_ns in "$1" "$3"; do
		[ -e "/run/netns/$pair_ns" ] || ip netns add "$pair_ns" || lacks "no network namespaces here"
		ip netns exec "$pair_ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	done
	# shellcheck disable=SC2086 # words
	ip link add "$2" netns "$1" $pair_queues type veth peer name "$4" netns "$3" $pair_queues || lacks "no veth here"
	for pair_end in "$1 $2" "$3 $4"; do
		ip netns exec "${pair_end% *}" ethtool -K "${pair_end#* }" gro on
		ip -n "${pair_end% *}" link set "${pair_end#* }" up
	done
}
need_lab() {
	need_root
	lab=1
	needs "a lab" "$X" lab up
}
# lacks WHAT: a device of the test's own could not be made. Where there can be no lab either, this machine has none.
lacks() {
	need_lab
	echo "what failed is on standard error" >"$tmp/needs"
	failed_to_begin "$1"
}
# stat_counts PID: it has printed its first interval to $tmp/stat; what came before it began to count is in none
stat_counts() {
	stat_pid=$1
	await_of "$stat_pid" test -s "$tmp/stat"
}
# stat_saw PACKETS: its lines in $tmp/stat hold so many; or it ended, or two minutes are over, and the comparison that follows fails
stat_saw() { await_of "$stat_pid" stat_holds "$1"; }
stat_holds() { [ "$(jq -s '[.[].packets] | add // 0' "$tmp/stat")" = "$1" ]; }
# stat_looks N: it has printed N more intervals than now: all that it reads, it has read since
stat_looks() { await_of "$stat_pid" more_lines $(($(wc -l <"$tmp/stat") + $1)); }
more_lines() { [ "$(wc -l <"$tmp/stat")" -ge "$1" ]; }
# whole FILE: its whole lines; a command that still runs may be writing one
whole() { head -n "$(wc -l <"$1")" "$1"; }
# probed_around_windows RUN: did each block of turns have a probe before its first window, and one after its last?
probed_around_windows() {
	jq '[.blocks[] | (.speed | length) == 2 and .speed[0].at_ns < .windows[0].from_ns and .windows[-1].to_ns < .speed[1].at_ns and (.speed | all(.ns > 0 and (.loaded | not)))] | all' "$1/run.json"
}
# attached DEV [NAMESPACE]: the device carries an XDP program
attached() { ip ${2:+-n "$2"} -d -o link show "$1" | grep -q prog/xdp; }
in_rx() { ip netns exec xdpzoom-rx "$@"; }
in_tx() { ip netns exec xdpzoom-tx "$@"; }
# irq_cpus N: where that interrupt goes. One that moves under load is told to be where it was, for some milliseconds.
irq_cpus() {
	last='' now=$(cat /proc/irq/$1/smp_affinity_list)
	until [ "$now" = "$last" ]; do
		sleep 0.05
		last=$now now=$(cat /proc/irq/$1/smp_affinity_list)
	done
	echo "$now"
}
