#!/bin/sh
# Two VMs with a wire between them: pktgen in the one, the program under test in the other.
# usage: pair.sh DRIVER-WORD MODE
. "$(dirname "$0")/../rig/lib.sh"
nic=$1 mode=$2
mkdir "$tmp/wire" "$tmp/share"

# What each of them runs; a file in /share says how far it is.
cat >"$tmp/share/receiver" <<END
build/xdpzoom stat rx0 -V tx@$mode -i 0.2 -t 3600 --format json >/share/stat &
until [ -s /share/stat ]; do sleep 0.1; done
touch /share/ready
until [ -e /share/sent ]; do sleep 0.1; done
kill -TERM \$!
wait
cat /sys/class/net/rx0/statistics/rx_packets >/share/rx_packets
END
cat >"$tmp/share/sender" <<'END'
until [ -e /share/ready ]; do sleep 0.1; done
pktgen/pktgen_single_flow_burst.sh -i tx0 -m 52:54:00:00:00:01 -n 200 -b 1 >/share/pktgen
sleep 2
cat /sys/class/net/tx0/statistics/rx_packets >/share/back
touch /share/sent
END
vm/run -k "$VM_KERNEL" -n "$nic" -w "$tmp/wire:rx" -x "$tmp/share" -t 600 -- sh /share/receiver 2>"$tmp/rx.err" &
receiver=$!
started $receiver
ok "the sender's VM ends well" vm/run -k "$VM_KERNEL" -n "$nic" -w "$tmp/wire:tx" -x "$tmp/share" -t 600 -- sh /share/sender
wait $receiver
is "the receiver's VM ends well" "$?" 0
is "tx $mode: sent, seen, and with that verdict" \
	"$(awk '{ print $3 }' "$tmp/share/pktgen") $(jq -rs '[([.[].packets] | add), ([.[].cpus[].tx] | add)] | join(" ")' "$tmp/share/stat")" "200 200 200"
is "tx $mode: back at the sender" "$(cat "$tmp/share/back")" 200
