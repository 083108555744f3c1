#!/bin/sh
# What the NIC's driver counts agrees with what the programs counted, by names of its own; and a recording keeps it.
# usage: counters.sh SEEN TX    regular expressions: the driver's counters of frames for XDP, and of frames for XDP_TX
. "$(dirname "$0")/../rig/lib.sh"
seen=$1 tx=$2

# counted ACTION OPERATION FRAMES: stat -e around so many frames of pktgen; its lines in $tmp/stat
counted() {
	: >"$tmp/stat"
	"$X" stat rx0 -V "$1/$2" -v -i 0.3 -t 3600 --format json >"$tmp/stat" 2>"$tmp/stat.err" &
	pid=$!
	started $pid
	stat_counts $pid
	pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -n "$3" >/dev/null
	stat_saw "$3"
	stat_looks 3 # the device's counters have been read since
	kill -TERM $pid
	wait $pid
}
packets() { jq -s '[.[].packets] | add' "$tmp/stat"; }
# sum SOURCE REGEX
sum() { jq -s --arg s "$1" --arg r "^($2)$" '[.[].counters[$s] | to_entries[] | select(.key | test($r)) | .value] | add' "$tmp/stat"; }

counted drop no-touch 200
is "drop: the driver's count of frames for XDP is the program's" "$(sum ethtool "$seen") $(packets)" "200 200"
counted tx swap-macs 200
is "tx: so is its count of frames sent back" "$(sum ethtool "$tx") $(packets)" "200 200"
is "tx: and the link's, but for what its ring still holds" "$(jq -s '[.[].counters.link.tx_packets // 0] | add <= 200' "$tmp/stat")" true

pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -b 1 -w 1000000 >/dev/null 2>&1 &
started $!
await_of $! grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0
ok "record" "$X" record rx0 -q -o "$tmp/run" -V tx/swap-macs@native,tx/swap-macs@skb -b 1 --schedule windows=2 --window 0.5 --stat-events context-switches,cpu-clock
is "the run has the driver's and the link's counters" "$(jq '[.blocks[].counters | (.ethtool | length > 0) and .link.rx_packets > 0] | all' "$tmp/run/run.json")" true
is "frames sent back, by the driver and by the link" "$(jq -c '[.blocks[].totals | (.tx_sent != null) == (.link_sent >= 0 and .tx_sent != null)] | all' "$tmp/run/run.json")" true
"$X" report "$tmp/run" --format json >"$tmp/report"
is "no sink, and yet it is known that they left" "$(jq -c '[.variants[].quality[] | select(.check == "tx-returned") | .value != null and .ok] | all' "$tmp/report")" true
is "a frame for XDP is a packet" "$(jq --arg r "^($seen)$" '[.variants[].counters[] | select(.name | test($r)) | .per_packet] | add / 2 | . > 0.4 and . < 1.1' "$tmp/report")" true
is "perf stat counts in a guest" "$(jq -c '[.variants[].events[] | select(.event == "cpu-clock") | .per_packet > 0] | all' "$tmp/report")" true
