#!/bin/sh
# What the device counts agrees with what the programs counted: driver, link, and what a recording keeps of them.
. "$(dirname "$0")/lib.sh"
need_lab

# counted ACTION OPERATION MODE FRAMES: stat around so many frames; then $tmp/stat holds its lines
counted() {
	: >"$tmp/stat"
	launch pid "$tmp/stat" /dev/null "$X" stat xzrx -N xdpzoom-rx -V "$1/$2@$3" -i 0.2 -t 600 -v --format json
	stat_counts $pid
	"$X" gen lab -c "$4" -r 500k >/dev/null 2>&1
	stat_saw "$4"
	stat_looks 2 # the device's counters have been read since
	halt TERM $pid
}
sum() { jq -s "[.[].counters.$1] | add" "$tmp/stat"; }

counted drop no-touch native 100000
is "stat -e: the driver's count of packets is the program's" "$(sum ethtool.rx_queue_0_xdp_packets) $(jq -s '[.[].packets] | add' "$tmp/stat")" "100000 100000"
is "stat -e: so is its count of drops" "$(sum ethtool.rx_queue_0_xdp_drops)" 100000
is "stat -e: and the link's of frames received" "$(sum link.rx_packets)" 100000
is "stat -e: what stands still is not there" "$(sum ethtool.rx_queue_0_xdp_tx)" null
counted tx swap-macs native 20001
is "stat -e: frames sent back" "$(sum ethtool.rx_queue_0_xdp_tx) $(sum link.tx_packets)" "20001 20001"
counted tx swap-macs skb 20001
is "stat -e: frames sent back by the stack" "$(sum ethtool.rx_queue_0_xdp_tx) $(sum link.tx_packets)" "null 20001"
launch pid "$tmp/text" /dev/null "$X" stat xzrx -N xdpzoom-rx -v -i 0.5 -t 600
await_of $pid test -s "$tmp/text"
row() { # frames that come between two readings are in one interval, in another run in two: then once more
	"$X" gen lab -c 20000 >/dev/null 2>&1
	grep -Eq '^  ethtool +[0-9]+ +[0-9,]+ +1\.000  rx_queue_0_xdp_packets$' "$tmp/text"
}
ok "stat -e: a row per counter, per second and per packet" await_of $pid row
halt TERM $pid

run=$tmp/run
json() { jq "$@" "$run/run.json"; }
ok "record" "$X" record lab -o "$run" -q -V drop/no-touch@native,tx/swap-macs@native,tx/swap-macs@skb -b 1 --window 0.2
is "a block's driver count is exact" "$(json '[.blocks[] | .counters.ethtool.rx_queue_0_xdp_packets == .totals.rx_seen and .counters.packets == .totals.rx_seen] | all')" true
is "drops, by driver and program" "$(json '[.blocks[] | select(.variant == 0) | .counters.ethtool.rx_queue_0_xdp_drops == .totals.rx_seen] | all')" true
is "every frame to be sent back was sent, by the device's counters and at the sink" "$(json -c '[.blocks[] | select(.variant > 0) | .totals | (.tx_sent // .link_sent) == .tx_verdicts and .link_sent == .sink_frames] | unique')" "[true]"
is "windows: base ones have counters, no others" "$(json '[.blocks[].windows[] | (.kind == "base") == (.counters != null)] | all')" true
"$X" report --full "$run" >"$tmp/report.txt"
ok "report: in words" grep -Eq ' link +rx_packets *$' "$tmp/report.txt"

# Without an XDP program at the peer XDP_TX frames do not leave: the device's own counters say so, whoever else does.
in_tx ip link set xztx xdp off
"$X" record xzrx -N xdpzoom-rx -g local:xztx@xdpzoom-tx -o "$tmp/lost" -q -V tx/swap-macs@native -b 1 --window 0.2 >"$tmp/lost.out" 2>&1
is "frames that did not leave fail the check" "$("$X" report "$tmp/lost" --format json | jq '.variants[].quality[] | select(.check == "tx-returned") | .ok')" false
