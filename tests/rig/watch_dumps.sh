#!/bin/sh
# What a watch keeps: of two that see one event, after a restart, beside others' files; whom it obeys; and what it has room for.
. "$(dirname "$0")/lib.sh"
[ -z "${XZ_OWN_NET-}" ] && { rm -rf "$tmp" && XZ_OWN_NET=1 exec unshare -n "$0" "$@"; }
sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip link set lo up
# pair DEV PEER: with NAPI, which takes frames of a peer without TSO
pair() {
	ip link add $1 type veth peer name $2 || return
	for dev in $1 $2; do
		ethtool -K $dev gro on tso off gso off >/dev/null 2>&1
		ip link set $dev up
	done
}
pair xzd0 xzd1 || lacks "no veth here"
sender='
import socket, sys, time
while True:
    try:
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        s.bind((sys.argv[1], 0))
        while True:
            s.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 50)
            time.sleep(0.002)
    except OSError:
        time.sleep(0.1)
'
python3 -c "$sender" xzd1 &
sends=$!
started $sends

# two that see one event, and choose a name in the same second
printf 'pause 2s\nkeep 2\nany pps > 1\n' >"$tmp/triggers"
watch_it() { # NAME OPTION...: a watch in the folder $tmp, whose sentences are in NAME
	into=$1
	shift
	(cd "$tmp" && exec "$X" watch xzd0 -i 0.5 --overhead 0 --triggers triggers --after 1 "$@" >out.$into 2>"$into") &
	watch=$!
	started $watch
}
ends() { kill -TERM "$1" && wait "$1" || :; } # by that signal
holds() { grep -q ' holds .* blocks' "$tmp/$1"; }
watch_it one && one=$watch
watch_it two -f jsonl && two=$watch
await_of $one holds one
await_of $two holds two
ends $one
ends $two
is "each has its own dump of one event" "$(cat "$tmp"/runs/*/run.json | jq -s -c 'map(.command | index("jsonl") != null) | sort')" "[false,true]"
is "and nothing else is left" "$(find "$tmp/runs" -mindepth 1 -maxdepth 1 -empty -o -name '*.tmp-*')" ""

nightly

# keep 2, over restarts; what others laid into a dump stays. One that the other command made does not count
touch "$(grep -L jsonl "$tmp"/runs/*/run.json | sed 's/run.json/notes/')"
for life in 3 4 5; do
	watch_it life$life
	await_of $watch holds life$life
	ends $watch
done
is "a restart goes on counting, and notes stay" "$(grep -L jsonl "$tmp"/runs/*/run.json | wc -l) $(ls "$tmp"/runs/*/notes | wc -l) $(grep -l jsonl "$tmp"/runs/*/run.json | wc -l)" "3 1 1"

# a process without rights is root in name alone: it has mounts of its own, and its paths are others
port=$((20000 + $$ % 10000))
launch watch "$tmp/lines" "$tmp/err" "$X" watch -i 0.5 --overhead 0 --metrics $port -f jsonl
await_of $watch sh -c "[ \$(wc -l <'$tmp/lines') -ge 4 ]"
unshare -m setpriv --bounding-set=-all --inh-caps=-all "$X" watch --dump -o "$tmp/taken" >"$tmp/out" 2>&1
is "it makes no dump for such a process" "$? $(ls -d "$tmp"/taken* 2>/dev/null)" "1 "
ok "and one for root" "$X" watch --dump -o "$tmp/given"
is "all its threads have given up the same" "$(grep -h NoNewPrivs /proc/$watch/task/*/status | sort -u | wc -l) $(grep -h CapBnd /proc/$watch/task/*/status | sort -u | wc -l)" "1 1"
ask() { python3 -c 'import sys, http.client as h; c = h.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30); c.request("GET", "/metrics", headers={"Host": sys.argv[2]}); print(c.getresponse().status)' $port "$1"; }
is "a page of another site is refused" "$(ask evil.example) $(ask localhost:$port)" "403 200"

# a user takes the name that a watch of root is found by
ends $watch
squat='import os, socket, time; os.setgroups([]); os.setgid(65534); os.setuid(65534); s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind("\0xdpzoom-watch"); s.listen(4); print(1, flush=True); time.sleep(600)'
launch squats "$tmp/squats" "$tmp/launched.err" python3 -c "$squat"
await_of $squats test -s "$tmp/squats"
launch watch "$tmp/lines" "$tmp/err" "$X" watch -i 0.5 --overhead 0 --metrics $port -f jsonl
await_of $watch sh -c "[ \$(wc -l <'$tmp/lines') -ge 4 ]"
is "whose process has taken the name is said" "$(grep -c "^xdpzoom: process $squats of user 65534 has taken the name .* hears root at another place$" "$tmp/err")" 1
ok "root is heard all the same" "$X" watch --dump -o "$tmp/beside"
is "by a file that is root's alone" "$(stat -c '%a %U' /run/xdpzoom/watch-*)" "600 root"
ends $squats

# devices that came and went leave room for others
for round in 1 2; do
	for i in $(seq 16); do ip link add xze$i type veth peer name xzf$i; done
	seen() { [ "$(python3 -c 'import sys, urllib.request as u; print(u.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1]).read().decode())' $port | sed -n 's/^xdpzoom_watch_unwatched_devices //p')" "$1" "$2" ]; }
	await_of $watch seen -gt 0
	for i in $(seq 16); do ip link del xze$i; done
	await_of $watch seen -eq 0
done
is "that there is no room is said again when it is so again" "$(grep -c 'devices are not watched' "$tmp/err")" 2
pair xzg0 xzg1
python3 -c "$sender" xzg1 &
more=$!
started $more
new_one() { whole "$tmp/lines" | jq -s -e 'any(.[]; .device == "xzg0" and .packets > 0)'; }
ok "a new device is watched" await_of $watch new_one
