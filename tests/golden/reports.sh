#!/bin/sh
# What report and diff print of runs that tests/golden/render makes: exact text and JSON.
. "$(dirname "$0")/lib.sh"

for kind in sound placed poor softirq far counted to-cpu to-device readers; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
native=drop/no-touch@native
skb=drop/no-touch@skb
golden tests/golden/report-placed.txt "$render" report "$tmp/placed" text
golden tests/golden/report-poor.txt "$render" report "$tmp/poor" text
golden tests/golden/report-softirq.txt "$render" report "$tmp/softirq" text
golden tests/golden/report-poor.json "$render" report "$tmp/poor" json
golden tests/golden/diff-sound.txt "$render" diff "$tmp/sound" $native $skb text
golden tests/golden/diff-placed.txt "$render" diff "$tmp/placed" $native $skb text
golden tests/golden/diff-poor.txt "$render" diff "$tmp/poor" $skb tx/swap-macs@native text
golden tests/golden/report-counted.txt "$render" report "$tmp/counted" text
golden tests/golden/diff-counted.txt "$render" diff "$tmp/counted" $native $skb text
golden tests/golden/diff-two-runs.txt "$render" diff "$tmp/sound" $native $native text "$tmp/far"
golden tests/golden/report-to-cpu.txt "$render" report "$tmp/to-cpu" text
golden tests/golden/report-to-device.txt "$render" report "$tmp/to-device" text
golden tests/golden/diff-to-cpu.txt "$render" diff "$tmp/to-cpu" redirect-cpu:0/no-touch@native redirect-cpu:0/no-touch@skb text
golden tests/golden/diff-readers.txt "$render" diff "$tmp/readers" layer:udp-recv layer:udp-recvmmsg text
golden tests/golden/ladder-readers.txt "$render" report "$tmp/readers" ladder
