#!/bin/sh
# Two VMs as two machines: xdpzoom on one starts and stops the kernel's pktgen on the other through ssh. Sent is seen is back,
# and whatever is killed, pktgen there has neither a thread that sends nor a device.
# usage: far.sh NIC MODE
. "$(dirname "$0")/../rig/lib.sh"
nic=$1 mode=$2
plan 10
mkdir "$tmp/wire" "$tmp/share" "$tmp/share/bin"
ssh-keygen -q -t ed25519 -N '' -f "$tmp/share/key"
ssh-keygen -q -t ed25519 -N '' -f "$tmp/share/host"
cat >"$tmp/share/sshd_config" <<-'END'
ListenAddress 0.0.0.0:22
HostKey /run/host
AuthorizedKeysFile /share/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
SetEnv SHLVL=5
END
echo "192.0.2.2 $(cut -d' ' -f1-2 "$tmp/share/host.pub")" >"$tmp/share/known"
cat >"$tmp/share/ssh_config" <<-'END'
Host far
  HostName 192.0.2.2
  IdentityFile /run/key
  IdentitiesOnly yes
  UserKnownHostsFile /share/known
END
printf '#!/bin/sh\nexec /usr/bin/ssh -F /share/ssh_config "$@"\n' >"$tmp/share/bin/ssh"
chmod +x "$tmp/share/bin/ssh"

# What each of them runs; a file in /share says how far it is.
cat >"$tmp/share/talk" <<'END'
talk() { # address of the NIC, of the machine
	for d in /sys/class/net/*; do
		[ "$(cat "$d/address")" != "$1" ] || d0=${d##*/}
	done
	ip addr add "$2/24" dev "$d0"
	ip link set "$d0" up
}
END
cat >"$tmp/share/far" <<'END'
. /share/talk
talk 52:54:00:00:00:12 192.0.2.2
install -m 600 /share/host /run/host
mkdir -p /run/sshd
/usr/sbin/sshd -D -e -f /share/sshd_config 2>/share/sshd.log &
until [ -e /share/done ]; do sleep 0.5; done
END
cat >"$tmp/share/near" <<END
. /share/talk
talk 52:54:00:00:00:11 192.0.2.1
install -m 600 /share/key /run/key
PATH=/share/bin:\$PATH
until ssh -o ConnectTimeout=20 far true 2>/share/ssh.err; do sleep 1; done
G="--generator ssh:far --generator-dev tx0"
far_clean() { # what pktgen there has, once it has had the time to end
	i=0
	until left=\$(ssh far 'sed -n "s/^\\(Running\\|Stopped\\): *//p" /proc/net/pktgen/kpktgend_*') && [ -z "\$(echo \$left)" ] || [ \$i -gt 15 ]; do
		i=\$((i + 1))
		sleep 2
	done
	echo left: \$left
}
build/xdpzoom stat rx0 -m $mode \$G --rate 500 -t 3 >/share/stat 2>/share/stat.err
echo \$? >/share/stat.status
far_clean >/share/stat.left
build/xdpzoom record rx0 -q -o /tmp/run -V drop/no-touch@$mode,tx/swap-macs@$mode -b 1 -w 0.5 --windows 2 \$G --rate 300 2>/share/record.err
echo \$? >/share/record.status
cp /tmp/run/run.json /share/
far_clean >/share/record.left
for what in recorder ssh link; do
	build/xdpzoom stat rx0 -m $mode \$G -t 60 --rate 500 >/share/\$what.out 2>/share/\$what.err &
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
build/xdpzoom stat rx0 -m $mode --generator ssh:far --generator-dev tx7 -t 3 2>/share/refused
echo \$? >/share/refused.status
touch /share/done
END
tests/vm/run -k "$VM_KERNEL" -n "$nic" -w "$tmp/wire:tx" -x "$tmp/share" -t 600 -- sh /share/far 2>"$tmp/far.err" &
far=$!
started $far
ok "the near VM ends well" tests/vm/run -k "$VM_KERNEL" -n "$nic" -w "$tmp/wire:rx" -x "$tmp/share" -t 600 -- sh /share/near
touch "$tmp/share/done"
wait $far
is "the far VM ends well" $? 0
S=$tmp/share
is "stat: sent is seen, and pktgen is clean" \
	"$(cat "$S/stat.status") $(awk '/^far sent/ { sent = $3 } / on average/ { print (sent > 0 && sent == $1) ? "exact" : sent " " $1 }' "$S/stat.err") $(cat "$S/stat.left")" "0 exact left:"
is "record: in each block sent is seen, and pktgen is clean" \
	"$(cat "$S/record.status" "$S/record.err") $(jq -r '[.blocks[].totals | .gen_sent > 0 and .gen_sent == .rx_seen and .gen_errors == 0] | all' "$S/run.json") $(cat "$S/record.left")" "0 true left:"
is "tx: all that came back, or the device says it lost" \
	"$(jq -r '.blocks[1].totals | .sink_frames == .tx_verdicts - ([.tx_errors, 0] | max)' "$S/run.json")" true
is "the run knows who sent" "$(jq -r '.load | [.kind, .host, .machine.mac, .machine.driver] | join(" ")' "$S/run.json")" "pktgen far 52:54:00:00:00:02 virtio_net"
for what in recorder ssh link; do
	is "$what gone: pktgen is clean" "$(cat "$S/$what.left") $(cat "$S/$what.status")" "left: $([ $what = recorder ] && echo 137 || echo 1)"
done
is "no such device there" "$(cat "$S/refused.status" "$S/refused")" "1
xdpzoom: generator on far: generator: tx7: no such device"
