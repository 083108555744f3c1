#!/bin/sh
# The one screen that `demo` ends with: exact text of some runs, and 80 columns x 23 lines (a prompt takes one) of all.
# After a change that is meant: UPDATE=1 tests/golden/summary.sh, and read the difference.
. "$(dirname "$0")/lib.sh"
screen=$PWD/${O:-build}/tests/golden/screen
need "$screen"

# fits FILE: no line of more than 80 characters, no more than 23 lines, and something in it
fits() {
	echo "$(wc -l <"$1") lines of $(LC_ALL=C.UTF-8 wc -L <"$1") columns" >"$tmp/why"
	[ -s "$1" ] && [ "$(wc -l <"$1")" -le 23 ] && [ "$(LC_ALL=C.UTF-8 wc -L <"$1")" -le 80 ]
}

# screen NAME DIR [VARIANT]: of that run directory; compared with summary-NAME.txt where there is one, and it fits
screen() {
	name=$1
	shift
	"$screen" "$1" ${2+"$2"} >"$tmp/got" 2>"$tmp/err" || cat "$tmp/err" >>"$tmp/got"
	fits "$tmp/got"
	result $? "$name: one screen"
	want=tests/golden/summary-$name.txt
	[ -e "$want" ] || return
	[ -n "$UPDATE" ] && cp "$tmp/got" "$want"
	diff -u "$want" "$tmp/got" >"$tmp/why" 2>&1
	result $? "$name: as it was"
}

# derive NAME FROM FILTER: the run directory FROM, with run.json changed by jq
derive() {
	cp -r "$tmp/$2" "$tmp/$1" && jq "$3" "$tmp/$2/run.json" >"$tmp/$1/run.json" || exit 1
}

for kind in sound poor pairs to-device ${CHECK_ALL:+placed softirq far counted evil to-cpu}; do
	"$render" make "$tmp/$kind" $kind || exit 1
	screen $kind "$tmp/$kind"
done
screen one-variant "$tmp/pairs" tx/swap-macs@skb
screen recorded build/runs/recorded

# Stopped half way, with variants that have no block yet; not one block; blocks in which nothing arrived.
derive stopped pairs '.ended = "interrupted" | .blocks |= .[:8]'
derive stopped-early pairs '.ended = "interrupted" | .blocks |= .[:1]'
derive none pairs '.ended = "failed" | .blocks = []'
derive silent pairs '(.blocks[] | select(.variant == 3 or .variant == 4)).windows[].cpus = []'
# One CPU for generator and receiver, at several distances, of another mode, with losses: whatever can fail does.
derive one-cpu pairs '.load.cpu = .rx_cpus[0] | .environment.cpus = 1'
derive everything pairs '.ended = "device vanished" | .load.cpu = .rx_cpus[0] | .rx_cpus += [2, 3]
	| .device.name = "enp216s0f0np0np" | .device.driver = "a driver with a long name" | .environment.cpu_model = ("long " * 40)
	| .blocks[].mode_found = "hw" | .blocks[].totals.perf_lost = 90 | .blocks[].totals.stray = 1e5
	| (.blocks[] | select(.index % 2 == 0)).placement_ns = [50, 900]
	| .blocks[].windows[].steal_ns = 9e6 | (.blocks[] | select(.variant % 2 == 0)).totals.sink_frames = 5
	| (.blocks[] | select(.variant == 1)).windows[].poll_packets |= (if . then . / 4 else . end)'
# More pairs than there is room for, with names as long as they may be.
derive many pairs '.variants += [.variants[] | .id |= sub("(?<a>[a-z]+)/"; "redirect-cpu:107/") | .action = "redirect-cpu"
		| .consumer = {"target": "107", "is": null, "cpu": 107}]
	| .blocks += [.blocks[] | .variant += 6 | .index += 36 | .script = null]'
for name in stopped silent everything ${CHECK_ALL:+stopped-early none one-cpu many}; do
	screen $name "$tmp/$name"
done

build/xdpzoom report "$tmp/silent" -f json 2>"$tmp/why" |
	jq -c '[.variants[] | select(.blocks_used == 0).quality[] | select(.check == "placement").value]' >"$tmp/got"
[ "$(cat "$tmp/got")" = "[null,null]" ]
result $? "no block: it is not known where it was measured, and not 0 %"

# A list that is too long goes on in the next line, with all of its words.
"$X" report build/runs/fw2 >"$tmp/got" 2>"$tmp/why"
fits "$tmp/got" && grep -q 'largest parts: 36.2 ± 4.6 driver RX, 31.7 ± 3.7 BPF program, 17.1 ± 2.7 page$' "$tmp/got" && grep -q '^    recycling$' "$tmp/got"
result $? "a list of parts is not cut"

# The commands are what they would be in one line.
"$screen" build/runs/recorded >"$tmp/got" 2>"$tmp/why"
sed -n '/^The run directory/,$p' "$tmp/got" | sed 1d | sed 's/^  xdpzoom/echo xdpzoom/' | sh >"$tmp/commands" 2>>"$tmp/why"
cat "$tmp/commands" >>"$tmp/why"
grep -qx 'xdpzoom diff runs/demo:drop/no-touch@native drop/no-touch@skb' "$tmp/commands"
result $? "the commands can be copied"
grep -c . "$tmp/commands" | grep -qx 2
result $? "two commands"
