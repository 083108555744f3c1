#!/bin/sh
# What calls of a function take, as a percentage of the poll around them, is about what samples give. In a VM, whose kernel lets
# fentry programs in; times mean nothing under emulation, but what is a part of what does.
kernel=6.12
if [ "${1-}" != in-the-vm ]; then
	. "$(dirname "$0")/lib.sh"
	expect 2
	[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
	vm/run -k $kernel -n virtio -t 1200 -- sh tests/measure/fentry.sh in-the-vm >"$tmp/vm.out" 2>"$tmp/vm.err"
	sed 's/^/# /' "$tmp/vm.err"
	for f in napi_gro_receive do_xdp_generic; do
		set -- $(awk -v f=$f '$1 == f { print $2, $3 }' "$tmp/vm.out")
		# The poll holds all of the probe inside it, of which the function itself holds a part: the percentage comes out low.
		figure "$f: percent of a poll, call by call; ${2:-?} by samples" "${1-}" "$(echo "${2:-0}" | awk '{ print $1 / 4 }')" "$(echo "${2:-0}" | awk '{ print $1 * 1.5 + 10 }')"
	done
	exit
fi
set --
. "$(dirname "$0")/../rig/lib.sh"
poll=virtnet_poll functions=napi_gro_receive,do_xdp_generic,virtnet_poll

# The receiver's poll in a thread of its own on one CPU, the sender on the other: how busy it is, is exact.
echo 1 >/sys/class/net/rx0/threaded
for pid in $(pgrep '^napi/rx0'); do taskset -pc 1 "$pid" >/dev/null; done
taskset -c 0 pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0
"$X" record rx0 -q -o "$tmp/run" -V drop/no-touch@skb -b 2 --schedule windows=2 --window 2 --overhead 20 --fentry $functions || exit
"$X" report "$tmp/run" --format json >"$tmp/report"
of() { jq --arg f "$1" ".variants[0].calls[] | select(.name == \$f).$2" "$tmp/report"; }
# With the poll around it, under the same load; the median of intervals, as this machine may stand still in one of them.
by_calls() {
	"$X" stat rx0 -V drop@skb -i 0.5 -t 5 --fentry "$1,$poll" --format json >"$tmp/stat" 2>"$tmp/err"
	jq -s '[.[] | select(.packets > 100) | .functions[0].ns / .functions[1].ns * 100] | sort | .[length / 2 | floor]' "$tmp/stat"
}
for f in napi_gro_receive do_xdp_generic; do
	echo "$f $(by_calls $f) $(jq -n "$(of $f sampled_ns) / $(of "$poll" sampled_ns) * 100")"
done
