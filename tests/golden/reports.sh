#!/bin/sh
# What report and diff print of runs that tests/golden/render makes: exact text and JSON.
# After a change that is meant: UPDATE=1 tests/golden/reports.sh, and read the difference.
cd "$(dirname "$0")/../.." || exit 1
render=${O:-build}/tests/golden/render
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

[ -x "$render" ] || { echo "1..0 # SKIP $render is not built"; exit 0; }

n=0
# golden NAME COMMAND...: the output of COMMAND is tests/golden/NAME, to the byte
golden() {
	n=$((n + 1))
	want=tests/golden/$1
	name=$1
	shift
	"$render" "$@" > "$tmp/got" 2> "$tmp/err" || { cat "$tmp/err" >> "$tmp/got"; echo "failed" >> "$tmp/got"; }
	[ -n "$UPDATE" ] && cp "$tmp/got" "$want"
	if diff -u "$want" "$tmp/got" > "$tmp/diff" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$tmp/diff"
	fi
}

echo "1..14"
for kind in sound placed poor softirq far counted to-cpu to-device; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
native=drop/no-touch@native
skb=drop/no-touch@skb
golden report-placed.txt report "$tmp/placed" text
golden report-poor.txt report "$tmp/poor" text
golden report-softirq.txt report "$tmp/softirq" text
golden report-poor.json report "$tmp/poor" json
golden diff-sound.txt diff "$tmp/sound" $native $skb text
golden diff-sound.json diff "$tmp/sound" $native $skb json
golden diff-placed.txt diff "$tmp/placed" $native $skb text
golden diff-poor.txt diff "$tmp/poor" $skb tx/swap-macs@native text
golden report-counted.txt report "$tmp/counted" text
golden diff-counted.txt diff "$tmp/counted" $native $skb text
golden diff-two-runs.txt diff "$tmp/sound" $native $native text "$tmp/far"
golden report-to-cpu.txt report "$tmp/to-cpu" text
golden report-to-device.txt report "$tmp/to-device" text
golden diff-to-cpu.txt diff "$tmp/to-cpu" redirect-cpu:0/no-touch@native redirect-cpu:0/no-touch@skb text
