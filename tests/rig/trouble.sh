#!/bin/sh
# Trouble at any moment: one sentence, the right status, what was recorded is kept, nothing is left behind.
# usage: trouble.sh [emulated]    a slow machine: fewer frames
alone=1
. "$(dirname "$0")/lib.sh"
need_root
how=
[ $# -eq 0 ] || how="--schedule windows=2 -r 10k"

"$X" lab down
left() { # what a run might leave: namespaces, links, programs, processes, half-made directories
	ip netns list | grep -c '^xdpzoom-'
	ip -o link | grep -c 'xz[rtas][xre]'
	pgrep -f 'perf record.*--control fd' | wc -l
	ls -d "$tmp"/*.tmp* 2>/dev/null | wc -l
}
nothing="0
0
0
0"

# hurt NAME COMMAND: run COMMAND, which may name $rec, in the middle of a recording whose pid that is; how the
# recording ended is in $status and $tmp/err
hurts=0
hurt() {
	name=$1
	: >"$tmp/err" # what the last one said must not be taken for this one's
	launch rec /dev/null "$tmp/err" "$X" record lab -o "$tmp/$name" -V drop/no-touch@native,drop/no-touch@skb -b 30 --window 0.1 --for 600 $how
	await_of $rec grep -q '^block 2 of' "$tmp/err"
	hurts=$((hurts + 3)) # another moment each time, the same ones in each run
	sleep "0.$((hurts % 10))"
	eval "$2"
	wait $rec
	status=$?
}
blocks() { jq '.blocks | length' "$tmp/$1/run.json"; }
last_words() { grep '^xdpzoom:' "$tmp/err" | head -n 1; }

# at other moments, and by other signals: faults.sh
hurt stopped 'kill -HUP $rec'
is "a signal: failed, and says so" "$status $(last_words)" "1 xdpzoom: stopped by a signal"
between "what was measured is kept" "$(blocks stopped)" 1 59
is "nothing left" "$(left)" "$nothing"
is "a run that was cut says so" "$(jq -r .ended "$tmp/stopped/run.json")" interrupted

mkdir "$tmp/slow"
printf '#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.1; done\nexec %s "$@"\n' "$tmp/slow/go" "$(command -v perf)" >"$tmp/slow/perf"
chmod +x "$tmp/slow/perf"
launch rec /dev/null "$tmp/err" env PATH=$tmp/slow:$PATH "$X" record lab -q -o "$tmp/asked" -V drop/no-touch@native -b 2
perf_asked() { pgrep -P $rec -f 'perf --version' >/dev/null; }
await_of $rec perf_asked
kill -INT $rec
touch "$tmp/slow/go"
wait $rec
is "interrupted while it looks for perf: that is detail" "$? $(cat "$tmp/err")" "1 xdpzoom: stopped by a signal"
rm "$tmp/slow/go"
launch rec /dev/null "$tmp/err" env PATH=$tmp/slow:$PATH "$X" record lab -q -o "$tmp/asked" -V drop/no-touch@native -b 2
await_of $rec pkill -KILL -P $rec -f 'perf --version'
touch "$tmp/slow/go"
wait $rec
is "perf killed while it is looked for: not that there is none" "$? $(cat "$tmp/err")" "1 xdpzoom: perf --version died of signal 9"

hurt kill9 'kill -KILL $rec'
killed_left() {
	in_rx ip -d -o link show | grep -o 'prog/xdp.*'
	pgrep -f 'perf record.*--control fd'
	pgrep -f "record lab -o $tmp/kill9"
}
gone "SIGKILL: no program, no perf, no generator stay" killed_left
is "SIGKILL: doctor names the lab that stays" \
	"$("$X" doctor --format json | jq -r '.rows[] | select(.check == "leftovers") | .level, .fix')" "warning
xdpzoom lab down"
part=$(echo "$tmp"/kill9.tmp-*)
between "SIGKILL: the whole blocks are a run" "$("$X" report --full "$part" >/dev/null && jq '.blocks | length' "$part/run.json")" 1 59
is "SIGKILL: which says so" "$(jq -r .ended "$part/run.json")" killed
"$X" stat lab -t 0.1 >/dev/null 2>"$tmp/err"
is "SIGKILL: the next run removes its lab, and makes and removes its own" "$(grep -c 'removed the lab that a killed command' "$tmp/err") $(left | head -n 2 | tr '\n' ' ')" "1 0 0 "
is "SIGKILL: lab down finds the rest" "$("$X" lab down; left | head -n 2 | tr '\n' ' ')" "0 0 "
"$X" record lab -q -o "$tmp/kill9" -V drop/no-touch@native -b 1 --window 0.1 --schedule windows=2 2>"$tmp/err"
is "SIGKILL: the next recording names the blocks, and they stay" "$? $(cat "$tmp/err") $(ls -d "$tmp"/kill9*/run.json | wc -l)" \
	"0 xdpzoom: $part holds the blocks of a recording that was killed; it is left there 2"
rm -rf "$part"

hurt perfdies 'await_of $rec pkill -KILL -P $rec -x perf'
is "perf dies: said" "$status $(last_words | cut -c1-13)" "1 xdpzoom: perf"
is "perf dies: nothing left" "$(left)" "$nothing"

hurt gendies 'await_of $rec pkill -KILL -P $rec -x xdpzoom'
is "the generator dies: said" "$status $(last_words)" "1 xdpzoom: the generator died"
is "the generator dies: nothing left" "$(left)" "$nothing"

hurt vanish 'ip -n xdpzoom-tx link del xzsend1'
is "the interface vanishes: said" "$status $(last_words | grep -c 'xzarm1.* \(has vanished\|no such device\)')" "1 1" # by when it is looked for
between "the interface vanishes: blocks kept" "$(blocks vanish)" 1 59
is "the interface vanishes: nothing left" "$(left)" "$nothing"

mkdir "$tmp/small"
mount -t tmpfs -o size=64k tmpfs "$tmp/small" || exit 1
"$X" record lab -q -o "$tmp/small/run" -V drop/no-touch@skb -b 8 --window 0.2 $how 2>"$tmp/err"
is "disk full: failed" $? 1
is "disk full: said in one sentence" "$(grep -c '^xdpzoom:.*No space left' "$tmp/err")" 1
is "disk full: nothing left" "$(left) $(ls "$tmp/small" | grep -c tmp)" "$nothing 0"
umount "$tmp/small"
fails "a directory that cannot be written" 1 "$tmp/none" "$X" record lab -q -o "$tmp/none/run" -b 1
