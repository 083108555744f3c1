#!/bin/sh
# The harness itself: a VM that fails is a test that fails.
. "$(dirname "$0")/../rig/lib.sh"

# What these guests' kernels complain of is injected.
vm() { timeout 1200 vm/run -k "$VM_KERNEL" "$@" >"$tmp/out" 2>"$tmp/err"; }

before=$(date +%s)
vm -x "$tmp" -- sh -c 'printf "%s\n" "$0" "it'\''s"; echo words >&2; uname -r >/share/kernel
	date +%s >/share/date
	touch build/xdpzoom.touched; exit 3' 'a  b'
is "the command's exit status" $? 3
is "its arguments and its output" "$(cat "$tmp/out")" "a  b
it's"
is "its standard error" "$(cat "$tmp/err")" words
is "the kernel asked for" "$(cut -d. -f1-2 "$tmp/kernel")" "$VM_KERNEL"
ok "what the guest writes stays in the guest" test ! -e build/xdpzoom.touched
between "its clock is right, to a second" "$(cat "$tmp/date")" $((before - 1)) $(($(date +%s) + 1))
vm -- sh -c 'ls build/xdpzoom.touched'
is "and the next guest knows nothing of it" $? 2

vm -- sh -c 'echo "<4>WARNING: injected" >/dev/kmsg'
is "a warning of the guest's kernel fails the test" "$? $(grep -c 'complains: .*injected' "$tmp/err")" "125 1"
vm -- sh -c 'echo c >/proc/sysrq-trigger'
is "so does an oops" "$? $(grep -c 'complains: ' "$tmp/err")" "125 1"
# A writer to a frozen file system waits, and nothing can wake it but the thaw.
vm -- sh -c 'echo 2 >/proc/sys/kernel/hung_task_timeout_secs; modprobe loop
	truncate -s 8M /run/disk && mkfs.ext4 -q /run/disk && mount -o loop /run/disk /mnt && fsfreeze -f /mnt
	touch /mnt/file & i=0
	until dmesg | grep -q "blocked for more than" || [ $((i += 1)) -gt 120 ]; do sleep 1; done
	fsfreeze -u /mnt; wait'
is "so does a task that hangs" "$? $(grep -c 'complains: .*task touch.* blocked for more than' "$tmp/err")" "125 1"
vm -t 12 -- sleep 100000
is "so does a guest that does not end" "$? $(grep -c 'did not end by itself' "$tmp/err")" "125 1"
vm -n ne2000 -- true
is "a NIC nobody knows: the known ones" "$? $(grep -c 'known: none virtio .*e1000e' "$tmp/err")" "125 1"
