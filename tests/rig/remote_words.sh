#!/bin/sh
# A generator's machine that says more, less, or other things than its scripts would: nothing of that does harm.
. "$(dirname "$0")/lib.sh"
ns=xzw-$$
ip netns add $ns && ip link add xzwa netns $ns type veth peer name xzwb netns $ns || lacks "no veth here"
namespaces=$ns
ip netns exec $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n $ns addr add 192.0.2.1/24 dev xzwa
ip -n $ns link set xzwa up
ip -n $ns link set xzwb up

mkdir "$tmp/bin"
# far FIRST LAST [OPTION]: an ssh whose other side says FIRST, waits for the end of its input, and says LAST
far() {
	cat >"$tmp/bin/ssh" <<-END
	#!/bin/sh
	$3
	printf '%s\n' '$1'
	cat >/dev/null
	printf '%s\n' '$2'
	END
	chmod +x "$tmp/bin/ssh"
}
stat() { PATH="$tmp/bin:$PATH" timeout 100 "$X" stat xzwa -N $ns --generator ssh:far/x -t 0.3; }
about='{"mac":"02:00:00:00:00:01","kernel":"6.1","ssh":"192.0.2.9 1 192.0.2.7 22"}'
done='{"sent":7,"errors":0,"received":0,"seconds":0.5}'

far "$about" "$done"
ok "a report as the scripts make it" stat
far "hello
{nothing
$about" "bye
$done"
ok "lines that are no JSON are skipped" stat
far "Welcome!
$(echo "$about" | sed 's/192.0.2.9/192.0.2.1/')" "$done"
fails "and hide nothing: ssh over the device" 1 "ssh to far goes over xzwa" stat
far "$about" "$done" "echo nothing; exit 0"
fails "no report at all" 1 "generator on far: it ended without output" stat
far "$(echo "$about" | sed 's/"6.1"/"\\u001b[31m"/; s/"mac"/"pause":"\\u001b[31mrx:on","mac"/')" "$done"
stat 2>"$tmp/err"
is "escapes are shown" "$(grep -c "$(printf '\033')" "$tmp/err")" 0
far "$about" '{"sent":1e300,"errors":-5,"seconds":-1}'
stat >"$tmp/out" 2>"$tmp/err"
is "counts that are none" "$? $(tail -n 1 "$tmp/err")" "1 xdpzoom: generator on far: it did not report what it sent"
# its error output is a flood: neither disk nor memory holds it
far "$about" "$done" "yes 'a line of errors' | head -n 10000000 >&2; echo the last word >&2; exit 255"
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -v 4000000; stat) >"$tmp/out" 2>"$tmp/err"
is "a flood of errors: its last line" "$(cat "$tmp/err")" "xdpzoom: generator on far: the last word"

deep=$(printf '%02000d' 0 | sed 's/0/[/g')$(printf '%02000d' 0 | sed 's/0/]/g')
far "{\"deep\":$deep,\"kernel\":[[1]],\"mac\":\"02:00:00:00:00:01\"}" "$done"
PATH="$tmp/bin:$PATH" timeout 100 "$X" record xzwa -N $ns -q -o "$tmp/run" --generator ssh:far/x -b 1 --schedule windows=2 --window 0.1 \
	-V drop/no-touch@skb >"$tmp/out" 2>&1
if [ -d "$tmp/run" ]; then
	is "of a report, known members are kept" "$(jq -c '.load.machine | keys' "$tmp/run/run.json")" '["mac"]'
else
	result 0 "no run, which is no harm either: $(tail -n 1 "$tmp/out")"
fi
is "nothing is left" "$(ip -n $ns -d -o link show xzwa | grep -c prog/xdp)" 0
