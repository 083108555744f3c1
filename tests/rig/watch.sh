#!/bin/sh
# watch counts the packets of production interfaces, exactly, in threads and in softirqs, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"
need_lab

mac=$(in_rx cat /sys/class/net/xzrx/address)
threaded() { in_rx sh -c "echo $1 >/sys/class/net/xzrx/threaded"; }
# watches PID: it has printed its first interval; what came before it began to count is in none
watches() { await_of "$1" test -s "$tmp/watch"; }
# Lines of functions, every ten seconds, have packets that other lines have told.
of_device='map(select(.schema == "xdpzoom.watch/1" and .device == "xzrx"))'
# watch_holds PACKETS: as stat_holds does, of $tmp/watch
watch_holds() { [ "$(jq -s "$of_device | map(.packets) | add // 0" "$tmp/watch")" = "$1" ]; }

knows_itself() { jq -s -e "$of_device | any(.packets > 0 and .own_softirqs_ns)" "$tmp/watch"; }
softirqs=0

# counted MODE OPTIONS...: frames that were sent, packets that watch saw and that stat saw; cost and busy time make sense
counted() {
	mode=$1
	shift
	: >"$tmp/stat"
	launch stat "$tmp/stat" /dev/null "$X" stat xzrx -N xdpzoom-rx -V "drop@$mode" -i 0.1 -t 600 --format json
	stat_counts $stat
	: >"$tmp/watch"
	launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx -i 0.1 -f jsonl "$@"
	watches $watch
	warm=0 lines=0
	if [ "$softirqs" = 1 ]; then # nothing is timed there before its own cost is known
		launch gen "$tmp/warm" "$tmp/gen.err" "$X" gen xztx -N xdpzoom-tx -m "$mac" --format json -r 100k -t 600
		await_of $watch knows_itself >"$tmp/knows"
		halt TERM $gen
		warm=$(jq .sent "$tmp/warm")
		await_of $watch watch_holds "$warm"
		lines=$(wc -l <"$tmp/watch")
	fi
	n=$("$X" gen xztx -N xdpzoom-tx -m "$mac" --format json -c 100000 -r 500k 2>"$tmp/gen.err" | jq .sent)
	await_of $watch watch_holds $((warm + n))
	stat_saw $((warm + n))
	kill -TERM $watch $stat
	wait $watch || echo "watch failed: $(cat "$tmp/watch.err")"
	wait $stat
	tail -n +$((lines + 1)) "$tmp/watch" | jq -s -r "$of_device | \"$n \\(map(.packets) | add) \\(map(.timed_packets) | add)\""
}
# the sums of the lines hold: poll by poll in the histogram, busy time over packets is the cost
sound() {
	jq -s "$of_device"' | [.[] | .polls == (.poll_histogram | add) and .empty_polls == .poll_histogram[0] and
		(.ns_per_packet == null or (.ns_per_packet > 0 and (.busy_pct * 1e7 * .seconds / .packets / .ns_per_packet - 1 | . * . < 1e-6)))] | all' "$tmp/watch"
}

# A thread's first poll is not timed where its coming was not traced. There are kernels that do not trace each switch: perf shows
# as many broken chains (next is not the prev that follows) as BPF, on one VM 95 of 149,208, after tasks of its init.
set -- $(counted native --timing all)
is "native, in a thread: all packets" "$1 $2" "100000 100000"
between "of which nearly all are timed" "$3" 90000 100000
is "its lines agree with themselves" "$(sound)" true
is "it names the program that sits there" "$(jq -s -c 'map(.programs[]? | "\(.hook) \(.name)") | unique' "$tmp/watch")" '["xdp-native xdp_bench"]'
threaded 0
softirqs=1
set -- $(counted skb --timing all)
is "skb, in softirqs, all timed" "$*" "100000 100000 100000"
launch stat "$tmp/stat" /dev/null "$X" stat xzrx -N xdpzoom-rx -V drop@native -i 0.1 -t 600 --format json
stat_counts $stat
launch gen "$tmp/gen.out" "$tmp/gen.err" "$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600
: >"$tmp/watch"
launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx -i 0.2 -f jsonl
pauses() { jq -s -e "$of_device | [.[] | select(.counted_pct < 100 and .packets > 0)] | length >= 5" "$tmp/watch"; }
ok "to cost no more than 2 %, it counts for a part of the time" await_of $watch pauses
halt TERM $watch $gen $stat
is "and says so" "$(grep -c 'polls are counted for a part of the time' "$tmp/watch.err")" 1
is "its lines agree with themselves, too" "$(sound) $(jq -s "$of_device | all(.counted_pct >= 20 and .timed_packets <= .packets)" "$tmp/watch")" "true true"
softirqs=0
is "counted only: nothing is timed" "$(counted native --timing none)" "100000 100000 0"
threaded 1

# one that keeps what it saw, while frames come all the time; it is asked in a namespace where no other one listens
launch gen "$tmp/gen.out" - "$X" gen xztx -N xdpzoom-tx -m "$mac" -r 300k
launch watch "$tmp/watch" "$tmp/watch.err" ip netns exec xdpzoom-rx "$X" watch xzrx -i 0.2 -f jsonl --overhead 10 --last 60 -o "$tmp/end"
# enough that each part of the dump has samples
sampled() { jq -s -e '[.[] | select(.schema == "xdpzoom.watch-functions/1") | [.components[].samples] | add // 0] | add >= 20 and (map(select(. > 0)) | length >= 2)' "$tmp/watch"; }
ok "samples come, and again after those before were read" await_of $watch sampled
is "functions are shown, in components" "$(whole "$tmp/watch" | jq -s 'map(select(.schema == "xdpzoom.watch-functions/1")) | all(.device == "xzrx" and (.components | length > 0))')" true
in_rx "$X" watch --dump --after 2 -o "$tmp/asked" >"$tmp/dump" 2>&1
is "it is asked for a dump: before the moment and after it" "$(jq -c '[.variants[].id]' "$tmp/asked/run.json")" '["watch:xzrx/before@none","watch:xzrx/after@none"]'
ok "report reads the dump" "$X" report "$tmp/asked" -f json
ok "diff reads the dump" "$X" diff "$tmp/asked:watch:xzrx/before@none" watch:xzrx/after@none -f json
fails "one that is there is not replaced" 1 exists in_rx "$X" watch --dump -o "$tmp/asked"
halt TERM $watch
printf 'any pps > 1\n' >"$tmp/any"
"$X" watch --replay "$tmp/watch" --triggers "$tmp/any" >"$tmp/replayed"
is "its lines are replayed: a trigger that comes true" "$? $(grep ' xzrx any: pps .* -> ' "$tmp/replayed" | sed 's/.* any: pps .* -> .*/true/' | sort -u)" "3 true"
# each packet of the lines is in the blocks of the last minute, but for those before the first sample
is "at the end it keeps all that was polled since the samples began" "$(jq -n --slurpfile r "$tmp/end/run.json" --slurpfile l "$tmp/watch" '
	($r[0].blocks | map(.windows[0].cpus[].verdicts.unknown) | add) as $kept | ($l | '"$of_device"' | map(.packets) | add) as $all |
	$kept > 0 and $kept <= $all and ($r[0].blocks | all(.windows[0].busy_ns > 0))')" true
ok "report reads that, too" "$X" report --full "$tmp/end"
halt TERM $gen

# for Prometheus: a file, and an answer at this machine's own address alone
port=$((20000 + $$ % 10000))
launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx -i 0.1 --metrics $port -f jsonl
launch in_file "$tmp/in_file" "$tmp/in_file.err" "$X" watch xzrx -N xdpzoom-rx -i 0.1 --metrics "$tmp/w.prom" -f jsonl
watches $watch
await_of $in_file test -s "$tmp/in_file"
n=$("$X" gen xztx -N xdpzoom-tx -m "$mac" --format json -c 1000 2>"$tmp/gen.err" | jq .sent)
textfile_has() { grep -qx 'xdpzoom_watch_packets_total{device="xzrx"} '"$1" "$tmp/w.prom"; }
await_of $in_file textfile_has "$n"
ok "a file for Prometheus has all packets" textfile_has "$n"
ok "in the words of OpenMetrics" python3 tests/golden/openmetrics.py "$tmp/w.prom"
grep -o 'xdpzoom_watch_[a-z_]*' packaging/grafana/xdpzoom-watch.json | sed 's/_total$//' | sort -u >"$tmp/shown"
sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' "$tmp/w.prom" | sort -u >"$tmp/names"
is "the dashboard shows some of these, and nothing else" "$(wc -l <"$tmp/shown") $(comm -23 "$tmp/shown" "$tmp/names")" "11 "
get() { python3 -c 'import sys, urllib.request as r; print(r.urlopen("http://%s" % sys.argv[1]).read().decode(), end="")' "$1"; }
halt TERM $in_file
answer_has() { get 127.0.0.1:$port/metrics >"$tmp/got" 2>"$tmp/got.err" && grep -qx 'xdpzoom_watch_packets_total{device="xzrx"} '"$1" "$tmp/got"; }
await_of $watch answer_has "$n"
ok "an answer has the same" answer_has "$n"
get 127.0.0.1:$port/etc/passwd >"$tmp/got" 2>&1
is "there is nothing else" "$? $(grep -c 'HTTP Error 404' "$tmp/got")" "1 1"
halt TERM $watch

: >"$tmp/watch"
launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx
watches $watch
programs=$(sed -n 's/^prog_id:[[:blank:]]*//p' /proc/$watch/fdinfo/* | sort -u) # its own: another watch may run here
halt KILL $watch
programs_left() { for id in $programs; do bpftool prog show id "$id" 2>/dev/null; done; }
ok "it has programs" test -n "$programs"
gone "after kill -9 none of them is left" programs_left
nightly

set -- $(counted skb --timing all)
is "skb, in a thread" "$1 $2" "100000 100000"
between "of which nearly all are timed, too" "$3" 90000 100000
threaded 0
softirqs=1
set -- $(counted native --timing all)
is "native, in softirqs" "$*" "100000 100000 100000"
softirqs=0
threaded 1

# a queue that comes while its device is watched has a thread of its own, which nobody has told of
if [ "$(nproc)" -ge 2 ]; then
	ip -n xdpzoom-rx link add xzq0 numrxqueues 2 numtxqueues 2 type veth peer name xzq1 numrxqueues 2 numtxqueues 2 netns xdpzoom-tx
	ip -n xdpzoom-tx link set xzq1 up
	ip -n xdpzoom-rx link set xzq0 up
	launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzq0 -N xdpzoom-rx -i 0.1 --overhead 0
	frame_unpolled() { in_tx python3 -c 'import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(("xzq1", 0)); s.send(b"\xff" * 64)' && grep -q 'received: [0-9]* frames, without a NAPI' "$tmp/watch"; }
	ok "of a device without NAPI it tells that frames came" await_of $watch frame_unpolled
	halt TERM $watch
	in_rx ethtool -K xzq0 gro on
	in_rx ethtool -L xzq0 rx 1
	in_rx sh -c 'echo 1 >/sys/class/net/xzq0/threaded'
	: >"$tmp/watch"
	launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzq0 -N xdpzoom-rx -i 0.1 -f jsonl
	watches $watch
	in_rx ethtool -L xzq0 rx 2
	launch gen "$tmp/gen.out" - "$X" gen xzq1 -N xdpzoom-tx -m "$(in_rx cat /sys/class/net/xzq0/address)" --cpu 1 -r 100k -t 600
	timed_all() { jq -s -e 'any(.[]; .packets > 1000 and .timed_packets == .packets and .ns_per_packet > 0)' "$tmp/watch"; }
	await_of $watch timed_all >"$tmp/timed"
	is "a thread that comes later is timed" "$(tail -n 1 "$tmp/timed")" true
	# rings N: in the last line that looked at queues
	rings() { tail -n 2 "$tmp/watch" | jq -s -e "map(.queues | select(length > 0))[-1] | map(select(.kind == \"ring\" and .device == \"xzq0\")) | length == $1"; }
	ok "each queue has a ring" await_of $watch rings 2
	halt TERM $gen
	in_rx ethtool -K xzq0 gro off
	ok "without NAPI there is none, as its entries are freed" await_of $watch rings 0
	halt TERM $watch
	ip -n xdpzoom-rx link del xzq0
else
	for what in "of a device without NAPI it tells that frames came" "a thread that comes later is timed" "each queue has a ring" \
		"without NAPI there is none, as its entries are freed"; do skip "$what" "needs two CPUs"; done
fi

launch gen "$tmp/gen.out" - "$X" gen xztx -N xdpzoom-tx -m "$mac" -r 300k
(cd "$tmp" && exec "$X" watch xzrx -N xdpzoom-rx -i 0.2 --overhead 10 --triggers any --after 4 >"$tmp/out" 2>"$tmp/triggered") &
watch=$!
started $watch
await_of $watch grep -q ' holds ' "$tmp/triggered"
is "a trigger makes a dump, and the dump has its words" "$(jq -r .environment.watch.why "$tmp"/runs/*-watch/run.json | sed 's/ [^ ]* -> .*//')" "xzrx: any: pps"
halt TERM $watch
# where NAPI threads are not visible: they are timed from their first poll on, and stay so
unshare -mpf --mount-proc "$X" watch xzrx -N xdpzoom-rx -i 0.1 -c 25 -f jsonl --overhead 0 >"$tmp/inside" 2>"$tmp/watch.err"
is "in a PID namespace of its own it times threads" "$(jq -s "$of_device"' | [.[] | select(.packets > 1000) | .timed_packets > 0] | index(true) as $i | $i != null and (.[$i:] | all)' "$tmp/inside")" true
fails "without /proc nobody knows whose devices these are" 77 "there is no /proc here" in_rx unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$X" watch xzrx
halt TERM $gen
ok "what its programs cost is measured as an observer" "$X" record lab -q -o "$tmp/rec1" -b 1 --schedule windows=2 --window 0.1 -V drop/no-touch+observer:watch@native
launch watch "$tmp/watch" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx -i 0.1 --metrics $port -f jsonl
watches $watch
launch manager "$tmp/notified" "$tmp/launched.err" python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); s.settimeout(120); print(s.recv(99).decode(), s.recv(99).decode(), flush=True)' "$tmp/notify"
await test -S "$tmp/notify"
NOTIFY_SOCKET="$tmp/notify" "$X" watch xzrx -N xdpzoom-rx -c 15 -i 0.1 --overhead 0 >"$tmp/out" 2>&1
wait $manager
is "a service manager is told" "$(cat "$tmp/notified")" "READY=1 WATCHDOG=1"
fails "a port that is taken" 1 "cannot listen at 127.0.0.1:$port" "$X" watch xzrx -N xdpzoom-rx --metrics $port
halt TERM $watch
