#!/bin/sh
# Where something is missing, one sentence of watch tells what, and all else works: files that a container hides, capabilities,
# system calls that a filter refuses. usage: watch_missing.sh [settings]; settings: the kernel's are changed, too (in a VM)
. "$(dirname "$0")/lib.sh"
command -v setpriv >/dev/null || skip_all "no setpriv here"
[ "${1-}" != settings ] || echo 2 >/proc/sys/kernel/perf_event_paranoid

rx=xzm-rx$$ tx=xzm-tx$$ dev=xzm0
namespaces="$rx $tx"
pair $rx $dev $tx xzm1
built refuses.so
chmod 755 "$tmp"
cp "$X" "$tmp/xdpzoom" # where the tree is may be closed to others
"$X" gen xzm1 -N $tx -m "$(ip -n $rx -j link show $dev | jq -r '.[0].address')" -r 100k -t 600 >"$tmp/gen" 2>&1 &
started $!

three=+net_admin,+bpf,+perfmon
W="$tmp/xdpzoom watch $dev -i 0.1 --for 120 -f jsonl --overhead 10"
seen() {
	jq -s -r '[if any(.[]; .packets > 0) then "packets" else empty end, if any(.[]; .ns_per_packet) then "cost" else empty end,
		if any(.[]; .queues and (.queues | length > 0)) then "queues" else empty end,
		if any(.[]; .components and any(.components[]; .samples > 0)) then "functions" else empty end] | join(" ")' "$tmp/watch"
}
shows() { case $(seen) in "$1"*) ;; *) return 1 ;; esac; }
of_modules="queues of drivers and protocols that are modules are not sampled"
# works NAME WHAT SENTENCE [PREFIX...]: watch shows that, prints the sentence ("": nothing), and ends with status 0 when it is told to
works() {
	name=$1 what=$2 sentence=$3 told='1 1'
	[ -n "$sentence" ] || told='0 0'
	shift 3
	: >"$tmp/watch"
	launch watch "$tmp/watch" "$tmp/watch.err" ip netns exec $rx "$@" $W
	await_of $watch shows "$what"
	halt TERM $watch
	status=$?
	grep -v "$of_modules" "$tmp/watch.err" >"$tmp/told"
	is "$name: status, sentences, that one, and what works" "$status $(grep -c . "$tmp/told") $(grep -c -- "${sentence:-.}" "$tmp/told") $(seen)" \
		"0 $told $what"
}
# lacks NAME SENTENCE [PREFIX...]: watch exits with 77 and a sentence
lacks() {
	name=$1 sentence=$2
	shift 2
	fails "$name" 77 "$sentence" ip netns exec $rx "$@" $W
}
# as CAPABILITIES: a prefix: nobody, with these
as() { echo "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all,$1 --ambient-caps -all,$1 --bounding-set -all,$1"; }
less="packets cost queues" all="$less functions"
kptr=$(cat /proc/sys/kernel/kptr_restrict) paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)

works "a bare /sys, without tracefs" "$all" ""
works "what podman hides" "$all" "" unshare -m sh -c 'mount -o remount,ro,bind /sys && mount -t tmpfs none /sys/firmware &&
	mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "$@"' -
works "a masked /proc/kallsyms" "$less" "hides addresses here" unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' -
if [ "$kptr" -eq 0 ] && [ "$paranoid" -le 1 ]; then
	works "nobody, with three capabilities" "$all" "" $(as $three)
else
	works "nobody, with three capabilities" "$less" "hides addresses here\|takes no samples" $(as $three)
fi
modules=$(ls /sys/kernel/btf | grep -vcx vmlinux)
is "without CAP_SYS_ADMIN it tells that queues of modules are not sampled" "$(grep -c "$of_modules" "$tmp/watch.err")" $((modules > 0))
if [ "$paranoid" -gt 2 ]; then # of Debian's patch: samples take CAP_SYS_ADMIN
	skip "and CAP_SYSLOG" "kernel.perf_event_paranoid is $paranoid"
elif [ "$kptr" -le 1 ]; then
	works "and CAP_SYSLOG" "$all" "" $(as $three,+syslog)
else
	works "and CAP_SYSLOG" "$less" "hides addresses here" $(as $three,+syslog)
fi
works "a filter refuses perf_event_open()" "$less" "takes no samples (perf_event_open: Operation not permitted)" env LD_PRELOAD="$PWD/build/rig/refuses.so" REFUSES=perf_event_open
lacks "a filter refuses bpf()" "a container's filter of system calls" env LD_PRELOAD="$PWD/build/rig/refuses.so" REFUSES=bpf
lacks "no BTF" "there is no BTF of the kernel here" unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' -
lacks "BTF behind an empty file" "there is no BTF of the kernel here" unshare -m sh -c 'mount --bind /dev/null /sys/kernel/btf/vmlinux && exec "$@"' -
lacks "no /sys" "there is no BTF of the kernel here" unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' -
lacks "root of a container, with podman's capabilities" "although it runs as root: CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON$" \
	setpriv --inh-caps -all --bounding-set -all,+chown,+dac_override,+fowner,+fsetid,+kill,+net_bind_service,+setfcap,+setgid,+setpcap,+setuid,+sys_chroot
lacks "root of a user namespace" "root is that of a user namespace" unshare -U -r
lacks "nobody, without CAP_NET_ADMIN" "missing here: CAP_NET_ADMIN$" $(as +bpf,+perfmon)
lacks "nobody, without CAP_BPF" "missing here: CAP_BPF$" $(as +net_admin,+perfmon)
lacks "nobody, without CAP_PERFMON" "missing here: CAP_PERFMON$" $(as +net_admin,+bpf)
[ "${1-}" = settings ] || exit 0

echo 3 >/proc/sys/kernel/perf_event_paranoid
works "kernel.perf_event_paranoid 3, nobody" "$less" "hides addresses here\|takes no samples" $(as $three)
echo 2 >/proc/sys/kernel/kptr_restrict
works "kernel.kptr_restrict 2" "$less" "hides addresses here"
echo 0 >/proc/sys/kernel/kptr_restrict
mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security
echo confidentiality >/sys/kernel/security/lockdown
works "lockdown confidentiality" "packets cost functions" "lets nobody look at queues"
