# own_lib.sh - begins a test of tests/rig/ anew, in namespaces of its own; lib.sh reads it
# usage: . "$(dirname "$0")/own_lib.sh" with the test's arguments
#
# Tests share a lock of this machine, whatever TMPDIR each checkout has; one that said `alone=1` has it alone. Its children do
# not have it.
unshare -mn true 2>/dev/null || { echo "1..0 # SKIP no namespaces here"; exit 0; }
XZ_OWN=1
export XZ_OWN
if [ "${alone-}" ]; then set -- -x -o /tmp/xdpzoom-rig.lock "$0" "$@"; else set -- -s -o /tmp/xdpzoom-rig.lock "$0" "$@"; fi
# shellcheck disable=SC2016 # for the shell inside
exec unshare -mn sh -e -c '
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/netns /run/lock /run/sys
mount --rbind /sys /run/sys
mount -t sysfs sysfs /sys
for place in fs/cgroup kernel/tracing kernel/debug; do
	if mountpoint -q /run/sys/$place; then mount --rbind /run/sys/$place /sys/$place; fi
done
umount -l /run/sys
rmdir /run/sys
mount -t bpf bpf /sys/fs/bpf 2>/dev/null || :
ip link set lo up
exec flock "$@"' sh "$@"
