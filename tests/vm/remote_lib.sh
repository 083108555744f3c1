# remote_lib.sh - two VMs as two machines: a wire to measure, a link to talk over, sshd on the far one
# usage: . "$(dirname "$0")/remote_lib.sh" after ../rig/lib.sh; what the near one runs into $S/near; far_boot NIC SECONDS
#
# $S is /share in both of them. What the near one runs begins with ". /share/talk; near_up", and ends with "touch /share/done".
S=$tmp/share
mkdir "$tmp/wire" "$S" "$S/bin"
ssh-keygen -q -t ed25519 -N '' -f "$S/key"
ssh-keygen -q -t ed25519 -N '' -f "$S/host"
cat >"$S/sshd_config" <<-'END'
ListenAddress 0.0.0.0:22
HostKey /run/host
AuthorizedKeysFile /share/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
SetEnv SHLVL=5
END
echo "192.0.2.2 $(cut -d' ' -f1-2 "$S/host.pub")" >"$S/known"
cat >"$S/ssh_config" <<-'END'
Host far
  HostName 192.0.2.2
  IdentityFile /run/key
  IdentitiesOnly yes
  KexAlgorithms curve25519-sha256
  UserKnownHostsFile /share/known
END
printf '#!/bin/sh\nexec /usr/bin/ssh -F /share/ssh_config "$@"\n' >"$S/bin/ssh"
chmod +x "$S/bin/ssh"

# What each of them runs; a file in /share says how far it is.
cat >"$S/talk" <<'END'
talk() { # address of the NIC, of the machine
	for d in /sys/class/net/*; do
		[ "$(cat "$d/address")" != "$1" ] || d0=${d##*/}
	done
	ip addr add "$2/24" dev "$d0"
	ip link set "$d0" up
}
near_up() {
	talk 52:54:00:00:00:11 192.0.2.1
	install -m 600 /share/key /run/key
	PATH=/share/bin:$PATH
	until ssh -o ConnectTimeout=20 far true 2>/share/ssh.err; do sleep 1; done
}
far_clean() { # what pktgen there has, once it has had the time to end
	i=0
	until left=$(ssh far 'sed -n "s/^\(Running\|Stopped\): *//p" /proc/net/pktgen/kpktgend_*') && [ -z "$(echo $left)" ] || [ $i -gt 15 ]; do
		i=$((i + 1))
		sleep 2
	done
	echo left: $left
}
END
cat >"$S/far" <<'END'
. /share/talk
talk 52:54:00:00:00:12 192.0.2.2
install -m 600 /share/host /run/host
mkdir -p /run/sshd
/usr/sbin/sshd -D -e -f /share/sshd_config 2>/share/sshd.log &
until [ -e /share/done ]; do sleep 0.5; done
END

far_boot() { # NIC, SECONDS: the far VM, and the near one until it ends
	vm/run -k "$VM_KERNEL" -n "$1" -w "$tmp/wire:tx" -x "$S" -t "$2" -- sh /share/far 2>"$tmp/far.err" &
	far=$!
	started $far
	ok "the near VM ends well" vm/run -k "$VM_KERNEL" -n "$1" -w "$tmp/wire:rx" -x "$S" -t "$2" -- sh /share/near
	touch "$S/done"
	wait $far
	is "the far VM ends well" $? 0
}
