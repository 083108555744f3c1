#!/bin/sh
# Two VMs as two machines: xdpzoom on one starts and stops the kernel's pktgen on the other through ssh. Sent is seen is back,
# and whatever is killed, pktgen there has neither a thread that sends nor a device.
# usage: remote.sh NIC MODE [pause]     pause: the NIC has Ethernet pause frames on, and that is warned of, until they are off
. "$(dirname "$0")/../rig/lib.sh"
nic=$1 mode=$2 pause=${3-}
. "$(dirname "$0")/remote_lib.sh"
cat >"$S/near" <<END
. /share/talk
near_up
G="--generator ssh:far/tx0"
build/xdpzoom stat rx0 -V drop@$mode \$G --rate 500 -t 3 >/share/stat 2>/share/stat.err
echo \$? >/share/stat.status
far_clean >/share/stat.left
build/xdpzoom record rx0 -q --view blocks -o /tmp/run -V drop/no-touch@$mode,tx/swap-macs@$mode -b 1 --window 0.5 --schedule windows=2 \$G --rate 300 2>/share/record.err
echo \$? >/share/record.status
cp /tmp/run/run.json /share/
far_clean >/share/record.left
grep 'Ethernet pause frames' /share/record.err >/share/pause
sed -i '/Ethernet pause frames/d' /share/record.err
sed -n 's/.*; switch them off there with: //p' /share/pause | sh
for what in recorder ssh link; do
	build/xdpzoom stat rx0 -V drop@$mode \$G -t 60 --rate 500 >/share/\$what.out 2>/share/\$what.err &
	until [ "\$(cat /share/\$what.out 2>/dev/null | wc -l)" -gt 2 ]; do sleep 0.2; done
	case \$what in
	recorder) kill -KILL \$! ;;
	ssh) kill -KILL \$(pgrep -x ssh) ;;
	link) ip link set "\$d0" down; sleep 25; ip link set "\$d0" up; ip addr replace 192.0.2.1/24 dev "\$d0" ;;
	esac
	wait \$!
	echo \$? >/share/\$what.status
	far_clean >/share/\$what.left
done
build/xdpzoom stat rx0 -V drop@$mode --generator ssh:far/tx7 -t 3 2>/share/refused
echo \$? >/share/refused.status
touch /share/done
END
far_boot "$nic" 600
is "stat: sent is seen, and pktgen is clean" \
	"$(cat "$S/stat.status") $(awk '/^far sent/ { sent = $3 } / on average/ { print (sent > 0 && sent == $1) ? "exact" : sent " " $1 }' "$S/stat.err") $(cat "$S/stat.left")" "0 exact left:"
is "record: in each block sent is seen, and pktgen is clean" \
	"$(cat "$S/record.status" "$S/record.err") $(jq -r '[.blocks[].totals | .gen_sent > 0 and .gen_sent == .rx_seen and .gen_errors == 0] | all' "$S/run.json") $(cat "$S/record.left")" "0 true left:"
is "tx: all that came back, or the device says it lost" \
	"$(jq -r '.blocks[1].totals | .sink_frames == .tx_verdicts - ([.tx_errors, 0] | max)' "$S/run.json")" true
is "the run knows who sent" "$(jq -r '.load | [.kind, .host, .machine.mac, .machine.driver] | join(" ")' "$S/run.json")" "pktgen far 52:54:00:00:00:02 virtio_net"
is "pause frames are warned of where they are on, until what the warning says is done" \
	"$(cut -d' ' -f2-4 "$S/pause") $(cat "$S/ssh.err" "$S/link.err" | grep -c 'pause frames')" "${pause:+rx0 uses Ethernet} 0"
for what in recorder ssh link; do
	is "$what gone: pktgen is clean" "$(cat "$S/$what.left") $(cat "$S/$what.status")" "left: $([ $what = recorder ] && echo 137 || echo 1)"
done
is "no such device there" "$(cat "$S/refused.status" "$S/refused")" "1
xdpzoom: generator on far: generator: tx7: no such device"
