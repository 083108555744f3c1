#!/bin/sh
# Names that obey another user: of devices, a tap, a namespace, a pinned program and a process, with quotes, marks of HTML, what
# a terminal obeys, and bytes that are no UTF-8. watch, its dump, why, report, map, record, stat, doctor and history show them, and
# obey none; what record changes on such a device is put back, also after it was killed.
. "$(dirname "$0")/lib.sh"
[ -z "${XZ_OWN_NET-}" ] && { rm -rf "$tmp" && XZ_OWN_NET=1 exec unshare -n "$0" "$@"; }
evil=$(printf '"<x9>\033[1m\\\377')
ip link set lo up
ip link add "$evil" type veth peer name xzsend || lacks "no veth here"
for dev in "$evil" xzsend; do
	ethtool -K "$dev" gro on tso off gso off >/dev/null 2>&1
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	ip link set "$dev" up
done
touch "/run/netns/$evil" && mount --bind /proc/self/ns/net "/run/netns/$evil"
cat >"$tmp/pass.c" <<-C
	__attribute__((section("xdp"), used)) int pass(void *ctx) { return 2; }
C
clang -O2 -target bpf -c -o "$tmp/pass.o" "$tmp/pass.c" && bpftool prog load "$tmp/pass.o" "/sys/fs/bpf/$evil" >"$tmp/load" 2>&1
ip link set dev "$evil" xdpgeneric pinned "/sys/fs/bpf/$evil"
python3 -c '
import fcntl, os, socket, struct, time
open("/proc/self/comm", "wb").write(b"\"<x9>\x1b\xff\n")
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", b"t\"\xff\x1b[1m<x9>", 0x1002)) # TUNSETIFF, IFF_TAP | IFF_NO_PI
send = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
send.bind(("xzsend", 0))
print("sent", flush=True)
while True:
    send.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 50)
    time.sleep(0.001)
' >"$tmp/sends" &
sends=$!
started $sends
await_of $sends grep -q sent "$tmp/sends"
mkdir "$tmp/out"
out=$tmp/out
launch watch "$out/lines.jsonl" "$tmp/watch.err" "$X" watch -i 0.5 --metrics 19977 -f jsonl
await_of $watch sh -c "[ \$(grep -c watch-queues '$out/lines.jsonl') -ge 4 ]"
python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen("http://127.0.0.1:19977/metrics").read())' >"$out/metrics.txt"
"$X" watch --dump --after 2 -o "$tmp/dump" >"$out/asked.txt" 2>&1
is "a dump" "$?" 0
halt TERM $watch
is "lines of JSON, and the metrics of Prometheus" "$?" 0
# no dump is made while samples begin, as they do late on a busy machine: then by a later trigger
{ echo pause 1s && printf 'any pps > 0 for %s\n' 2s 6s 15s 40s; } >"$tmp/triggers"
(cd "$tmp" && exec "$X" watch --triggers triggers --after 0.5 >out/watch.txt 2>watch.err) &
watch=$!
started $watch
await_of $watch grep -q ' holds .* blocks' "$tmp/watch.err" # the dump is whole
halt TERM $watch
is "a text, and a dump by a trigger" "$? $(cat "$tmp"/runs/*/run.json | jq -r .environment.watch.why | head -n 1 | grep -c x9)" "0 1"
shows() { # COMMAND FORMAT...
	what=$1 all=
	shift
	for f; do
		case $what in map) "$X" map -f "$f" ;; *) "$X" "$what" "$tmp/dump" -f "$f" ;; esac >"$out/$what.$f" 2>"$tmp/err"
		all="$all $?"
	done
	echo "$all"
}
is "a map" "$(shows map text json)" " 0 0"
is "why, whether it is sure or not" "$(shows why text json html | tr 4 0)" " 0 0 0"
is "a report" "$(shows report text json csv html)" " 0 0 0 0"
cp "$tmp/dump"/*.json "$out"
is "who holds the tap is known" "$(jq '[.state.readings[-1].tasks[] | select(.taps == ["t\"?\u001b[1m<x9>"]).pid]' -c "$out/event.json")" "[$sends]"
# Two devices, and two namespaces, whose names differ in bytes that are no UTF-8 alone. Their peers know which is which.
one=$(printf 'xz\377<x9>') two=$(printf 'xz\376<x9>')
for n in "$one" "$two"; do
	ip netns add "$n"
	ip link add "$n" numrxqueues 2 numtxqueues 2 type veth peer name "of-$n" numrxqueues 2 numtxqueues 2
done
ip link set "of-$one" name of-one up
ip link set "of-$two" name of-two up
ip link set "$one" up
ip link set "$two" up
"$X" map -f json >"$tmp/twins.json"
is "a name stands for one device or namespace, of those that look the same" "$(jq -c '
	.devices as $d | ([$d[].device] | (unique | length) == length), ([.namespaces[].namespace] | (unique | length) == length),
	(.edges[] | select(.kind == "peer" and (.from | endswith("/of-one"))) as $e | $d[] | select(.device == $e.to).ifindex)' "$tmp/twins.json" | paste -s)" \
	"true	true	$(python3 -c 'import socket; print(socket.if_nametoindex(b"xz\xff<x9>"))')"
queues() { ethtool -l "$one" | awk '/^Current/ { now = 1 } now && $1 == "RX:" { print $2 }'; }
ethtool -L "$one" rx 2 tx 2
ethtool -K "$one" gro on >/dev/null 2>&1
"$X" record "$one" -g local:of-one --tune queues=1 -V drop/no-touch@skb -b 2 --window 0.1 --schedule windows=2,warmup=0 -o "$tmp/run" >"$out/record.txt" 2>&1
is "record on one of them changes its queues, and puts them back" "$? $(queues)" "0 2"
launch killed "$tmp/killed.txt" - "$X" record "$one" -g local:of-one --tune queues=1 -V drop/no-touch@skb -b 2 --window 60 -o "$tmp/killed"
await_of $killed grep -q . /run/xdpzoom/changes.json
cp /run/xdpzoom/changes.json "$out"
halt KILL $killed
"$X" doctor --undo >"$out/undo.txt" 2>&1
is "and so does doctor --undo, after record was killed" "$? $(queues) $(ls /run/xdpzoom/changes.json 2>/dev/null)" "0 2 "
"$X" stat "$one" -V drop@skb -t 0.3 -i 0.1 >"$out/stat.txt" 2>&1
is "stat" "$?" 0
ethtool -K "$one" gro off
"$X" doctor "$one" >"$out/doctor.txt" 2>&1
is "doctor shows a command that bash can take" "$? $(grep -c "ethtool -K \$'xz.377.074x9.076' rx-gro on" "$out/doctor.txt")" "0 1"
"$X" history add --db "$tmp/db" "$tmp/run" >/dev/null && "$X" history list --db "$tmp/db" >"$out/history.txt" && "$X" report --full "$tmp/run" >"$out/record-report.txt"
is "a history and a report" "$? $(cat "$out/history.txt" "$out/record-report.txt" | grep -c 'xz?<x9>')" "0 2"
python3 - "$out" >"$tmp/why" <<'E2'
import json, os, sys, xml.dom.minidom
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as f:
        text = f.read().decode()  # UTF-8, or this fails
    shown = "x9" in text
    odd = {c for c in text if c < " " and c not in "\n\t\r" or "\x7f" <= c <= "\x9f"}
    if odd or not (shown or name in ("asked.txt", "why.html", "record.txt") or name.startswith(("report", "why", "run"))):
        print(name, odd, shown)
    if name.endswith((".json", ".jsonl")):
        for part in text.splitlines() if name.endswith("l") else [text]:
            json.loads(part)
    if name.endswith((".svg", ".html")) and "<x9" in text:
        print(name, "a mark of the name's")
    if name.endswith(".svg"):
        xml.dom.minidom.parseString(text)
E2
is "none of them is obeyed" "$? $(cat "$tmp/why")" "0 "
kill -TERM $sends
umount "/run/netns/$evil"
ip netns del "$one"
ip netns del "$two"
