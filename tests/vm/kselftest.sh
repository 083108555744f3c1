#!/bin/sh
# xdpzoom's programs for the kernel's selftests on two VMs, with ssh between them (REMOTE_TYPE=ssh): pktgen on the one sends what
# the other receives, and the list of results holds together. It passes, but for checks that emulation and a busy machine fail.
# KSELFTEST=DIR: by the runner of these selftests of the kernel, and by their parser.
# usage: kselftest.sh NIC
. "$(dirname "$0")/../rig/lib.sh"
. "$(dirname "$0")/../integrations/kselftest_lib.sh"
nic=$1
. "$(dirname "$0")/remote_lib.sh"
mkdir "$S/selftests"
if [ -n "${KSELFTEST-}" ]; then
	cp -r "$KSELFTEST/run_kselftest.sh" "$KSELFTEST/kselftest" "$S/selftests/"
	command="/share/selftests/run_kselftest.sh -t drivers/net/hw:xdpzoom_cost.sh"
else
	: >"$S/selftests/run_kselftest.sh"
	command=/share/selftests/drivers/net/hw/xdpzoom_cost.sh
fi
integrations/kselftest/install.sh "$S/selftests"
cat >"$S/selftests/drivers/net/hw/net.config" <<END
NETIF=rx0
LOCAL_V4=198.51.100.1
REMOTE_V4=198.51.100.2
REMOTE_TYPE=ssh
REMOTE_ARGS=root@far
XDPZOOM=$X
XDPZOOM_OUT=/share/out
XDPZOOM_HISTORY=/run/history.db
XDPZOOM_SECONDS=300
XDPZOOM_MAY_FAIL="saturation irqs-off blocks cpus steal overhead pace rate closure drift outliers ended"
XDPZOOM_ARGS="-b 2 --schedule windows=2 --window 0.2 --rate 300"
END
cat >"$S/near" <<END
. /share/talk
near_up
ip addr add 198.51.100.1/24 dev rx0
ip link set rx0 up
ssh far 'ip addr add 198.51.100.2/24 dev tx0 && ip link set tx0 up'
# The kernel's runner opens /dev/stdout anew: these machines lack it, and a file would be written over.
ln -s /proc/self/fd/1 /dev/stdout
program() { { $command 2>&1; echo \$? >/share/status.\$1; } | cat >/share/list.\$1; }
for n in 1 2; do
	program \$n
	far_clean >/share/left.\$n
done
sed -i s/198.51.100.2/198.51.100.9/ /share/selftests/drivers/net/hw/net.config
program 3
touch /share/done
END
far_boot "$nic" 900
for n in 1 2 3; do
	[ -z "${KSELFTEST-}" ] || by_runner "$S/list.$n" "$S/own.$n" >"$S/status.$n"
	[ -n "${KSELFTEST-}" ] || mv "$S/list.$n" "$S/own.$n"
done
ok "a list of results" is_a_list "$(cat "$S/status.1")" <"$S/own.1"
is "it passes" "$(cat "$S/status.1")" 0
is "a check of each variant holds: all that was sent was seen" "$(grep -c '^ok .* drop/no-touch@\(native\|skb\) conservation$' "$S/own.1")" 2
is "pktgen on the other machine sent it, to this one's address" \
	"$(jq -r '[.load.kind, .load.host, .load.machine.driver, .load.dst_ip] | join(" ")' "$S/out/xdpzoom_cost/run.json")" "pktgen root@far virtio_net 198.51.100.1"
ok "... again" is_a_list "$(cat "$S/status.2")" <"$S/own.2"
is "the second run is held against the first" "$(grep -c '^\(not \)\?ok .* not-slower' "$S/own.2")" 2
is "nothing is left on the other machine" "$(cat "$S/left.1" "$S/left.2")" "left:
left:"
is "nobody has the address at the other end: skipped" "$(cat "$S/status.3") $(grep -c '# SKIP no device has 198.51.100.9 at the other end, root@far' "$S/own.3")" "4 1"
