#!/bin/sh
# xdpzoom exact when things go wrong in a real virtual machine: kernels that lack something, panic or hang, QEMU killed, Ctrl-C
# at many moments. One sentence, the right status, nothing left running, no half run directory.
# usage: VM_KERNEL=6.12 exact_trouble.sh    (ten minutes)
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
folder=$(vm/cache)/$kernel
version=$(cat "$folder/version")
modules=$folder/lib/modules/$version
mkdir "$tmp/runs"
# A name of the cache by which this test's virtual machines are known.
ln -s "$(vm/cache)" "$tmp/cache"
export XDPZOOM_CACHE="$tmp/cache"

exact() { "$X" exact -q -o "$tmp/runs/run" -V drop/no-touch@native "$@"; }
left() {
	find "$tmp/runs" -mindepth 1
	pgrep -f "[q]emu.*$tmp/cache"
}
trouble() { # what, status, words, arguments...
	what=$1 status=$2 words=$3
	shift 3
	fails "$what" "$status" "$words" exact "$@"
	gone "... and nothing is left" left
}

# patched OLD NEW: the kernel with other bytes in its place
patched() {
	python3 -c 'import sys
old, new, source, to = (eval("b\"%s\"" % word) for word in sys.argv[1:3]), 0, sys.argv[3], sys.argv[4]
old, new = old
data = open(source, "rb").read()
assert old in data and len(old) == len(new)
open(to, "wb").write(data.replace(old, new))' "$1" "$2" "$folder/vmlinux" "$tmp/vmlinux"
}
patched 'kallsyms\0' 'kallsymx\0'
trouble "a kernel without kallsyms" 77 "this kernel has no /proc/kallsyms" -k "$tmp/vmlinux:$modules"
patched '\x9f\xeb\x01\0\x18\0\0\0' '\0\0\x01\0\x18\0\0\0'
trouble "a kernel without BTF" 77 "this kernel has no BTF" -k "$tmp/vmlinux:$modules"
mkdir -p "$tmp/fewer/lib/modules"
cp -r "$modules" "$tmp/fewer/lib/modules/$version"
find "$tmp/fewer" -name 'vmxnet3.ko*' -exec rm {} +
/sbin/depmod -b "$tmp/fewer" "$version"
trouble "a kernel without the NIC's driver" 1 "no driver for the NIC vmxnet3" -k "$folder/vmlinux:$tmp/fewer" -n vmxnet3
rm -r "$tmp/fewer"
printf '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nSEC("xdp") int own(struct xdp_md *ctx) { return XDP_DROP; }\nchar _license[] SEC("license") = "GPL";\n' >"$tmp/own.bpf.c"
clang -O2 -g -target bpf -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$tmp/own.bpf.c" -o "$tmp/own.o" || exit 1
trouble "a panic while it counts" 1 "virtual machine failed: the guest's kernel complains: .*Kernel panic - not syncing: sysrq triggered crash$" \
	-k "$kernel" -V "prog:$tmp/own.o@native" --setup 'echo c >/proc/sysrq-trigger'
trouble "the guest halts" 1 "virtual machine failed: the guest ended without a word" -k "$kernel" -V "prog:$tmp/own.o@native" \
	--setup 'echo o >/proc/sysrq-trigger; sleep 50'

# begin: in the background, its error output in $tmp/err
begin() {
	"$X" exact -q -k "$kernel" -o "$tmp/runs/run" 2>"$tmp/err" &
	pid=$!
	started $pid
}
begin
machine() { pgrep -f "[q]emu-system.*$tmp/cache.*-incoming" >"$tmp/pid"; }
await machine
sleep 3
machine && kill -KILL "$(head -n 1 "$tmp/pid")"
wait $pid
is "QEMU is killed: status and sentence" "$? $(grep -c 'QEMU was killed by signal 9' "$tmp/err") $(wc -l <"$tmp/err")" "1 1 1"
gone "... and nothing is left" left
for moment in 0.1 0.5 1 2 4 7; do
	begin
	sleep $moment
	kill -INT $pid
	wait $pid
	is "stopped after $moment s" "$? $(cat "$tmp/err")" "1 xdpzoom: stopped by a signal"
	gone "... and nothing is left" left
done
begin
sleep 5
kill -KILL $pid
wait $pid
gone "killed: no virtual machine goes on" pgrep -f "[q]emu.*$tmp/cache"
rm -rf "$tmp"/runs/* "$tmp"/runs/.[!.]*

# A task that nothing may interrupt on the only CPU: nothing is heard of the machine for 180 s, and the 60 s of --setup.
trouble "a machine that hangs" 1 "hangs: nothing was heard of it for 240 s" -k "$kernel" -V "prog:$tmp/own.o@native" \
	--setup 'echo -1 >/proc/sys/kernel/sched_rt_runtime_us; exec chrt -f 99 sh -c "while :; do :; done"'
