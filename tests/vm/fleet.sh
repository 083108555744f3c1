#!/bin/sh
# The playbook that records, by Ansible over ssh, on four VMs: two DUTs, and their generators with pktgen. One DUT is switched off
# in the middle. The other one's run comes home whole; a second call records what is missing and nothing else. By hand, as it
# needs ansible-core, and four VMs on two CPUs: VM_KERNEL=6.12 sh tests/vm/fleet.sh virtio
# usage: fleet.sh NIC
. "$(dirname "$0")/../rig/lib.sh"
nic=$1
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
command -v ansible-playbook >/dev/null || skip_all "no ansible-playbook here"
S=$tmp/share
mkdir "$S" "$S/bin" "$tmp/results"
ssh-keygen -q -t ed25519 -N '' -f "$S/key" && ssh-keygen -q -t ed25519 -N '' -f "$S/host" && cp "$S/key" "$tmp/key" || exit 1
ssh_words() { # KEY
	cat <<-END
	Host *
	  User root
	  IdentityFile $1
	  IdentitiesOnly yes
	  StrictHostKeyChecking no
	  UserKnownHostsFile /dev/null
	  KexAlgorithms curve25519-sha256
	  LogLevel ERROR
	  ServerAliveInterval 10
	  ServerAliveCountMax 6
	END
}
ssh_words "$tmp/key" >"$tmp/ssh_config"
ssh_words /run/key >"$S/ssh_config"
printf '#!/bin/sh\nexec /usr/bin/ssh -F /share/ssh_config "$@"\n' >"$S/bin/ssh"
chmod +x "$S/bin/ssh"
cat >"$S/sshd_config" <<END
ListenAddress 0.0.0.0:22
HostKey /run/host
AuthorizedKeysFile /share/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
Subsystem sftp internal-sftp
SetEnv PATH=/share/bin:$PWD/build:/usr/sbin:/usr/bin:/sbin:/bin SHLVL=5
END
# What each of them runs, with the last byte of its address; the link to talk over gets an address of its own.
cat >"$S/machine" <<'END'
for d in /sys/class/net/*; do
	case $(cat "$d/address") in 52:54:00:00:00:1[12]) d0=${d##*/} ;; esac
done
ip link set "$d0" address "52:54:00:00:02:$1"
ip addr add "192.0.2.$1/24" dev "$d0"
ip link set "$d0" up
install -m 600 /share/host /share/key /run/
mkdir -p /run/sshd
/usr/sbin/sshd -D -e -f /share/sshd_config 2>/share/sshd.$1 &
until [ -e /share/done ]; do
	! pgrep -x xdpzoom >/dev/null || touch "/share/records.$1"
	sleep 0.5
done
END
namespaces=xzctl$$
ip netns add xzctl$$ || exit 1
words=
for n in 11 12 13 14; do
	mkdir "$tmp/$n"
	case $n in 11 | 12) own=rx peer=tx ;; *) own=tx peer=rx ;; esac
	words="$words $tmp/$n/$peer.talk:$tmp/$n/$own.talk"
done
for n in 11 12; do # The wire is the pair's own.
	ln -s ../$((n + 2))/tx "$tmp/$n/tx"
	ln -s ../$n/rx "$tmp/$((n + 2))/rx"
done
ip netns exec xzctl$$ python3 tests/vm/fleet_hub.py hub0 $words >"$tmp/hub" 2>&1 &
started $!
await grep -q joined "$tmp/hub"
ip -n xzctl$$ addr add 192.0.2.1/24 dev hub0 && ip -n xzctl$$ link set hub0 up || exit 1
boot() { # NUMBER: its VM; the pid is in $vm
	case $1 in 11 | 12) end=rx ;; *) end=tx ;; esac
	vm/run -k "$VM_KERNEL" -n "$nic" -m 512 -w "$tmp/$1:$end" -x "$S" -t 1800 -- sh /share/machine "$1" 2>"$tmp/vm.$1" &
	vm=$!
	started $vm
}
in_control() {
	ip netns exec xzctl$$ env ANSIBLE_HOST_KEY_CHECKING=0 ANSIBLE_SSH_ARGS="-F $tmp/ssh_config" ANSIBLE_PIPELINING=1 ANSIBLE_LOCAL_TEMP="$tmp/ansible" ANSIBLE_NOCOLOR=1 \
		PATH="$PWD/build:$PATH" "$@"
}
answers() { await in_control ssh -F "$tmp/ssh_config" -o ConnectTimeout=20 "192.0.2.$1" true; }
for n in 11 13 12 14; do
	boot $n
	[ $n != 12 ] || second=$vm
done
cat >"$tmp/inventory.yml" <<END
all:
  vars: {xdpzoom_results: $tmp/results, xdpzoom_nic: rx0, xdpzoom_generator_nic: tx0, ansible_python_interpreter: /usr/bin/python3,
    xdpzoom_args: [-V, drop/no-touch@native, -b, "3", --windows, "2", -w, "0.3", --rate, "300"]}
  children: {duts: {hosts: {dut1: {ansible_host: 192.0.2.11, xdpzoom_generator: 192.0.2.13}, dut2: {ansible_host: 192.0.2.12, xdpzoom_generator: 192.0.2.14}}}}
END
play() { in_control ansible-playbook -T 60 -i "$tmp/inventory.yml" integrations/ansible/record.yml >"$tmp/play" 2>&1; }
recap() { sed -n "s/^dut$1 .*\(changed=[0-9]*\).*/\1/p" "$tmp/play"; }
switch_off() { await test -e "$S/records.12" && kill "$second"; }
whole() { jq -r '[.ended, .load.kind, (.blocks | length), ([.blocks[].totals | .gen_sent > 0 and .gen_sent == .rx_seen] | all)] | join(" ")' "$tmp/results/dut$1/run/run.json"; }

for n in 11 12 13 14; do answers $n || break; done
is "all four answer" "$?" 0
switch_off &
started $!
play
is "a DUT is switched off in the middle: Ansible ends with a failure" "$(test $? -ne 0; echo $?)" 0
sed 's/^/# /' "$tmp/play" | tail -n 4
is "the other one's run is here, whole: pktgen's frames were seen" "$(whole 1) $(ls "$tmp/results" | grep -c dut2)" "complete pktgen 3 true 0"
when=$(jq -r .started "$tmp/results/dut1/run/run.json")
rm "$S/records.12"
boot 12
answers 12
play
is "again: fine" $? 0
sed 's/^/# /' "$tmp/play" | tail -n 4
is "both runs are here, and the first one is the same" "$(whole 2) $(jq -r .started "$tmp/results/dut1/run/run.json")" "complete pktgen 3 true $when"
is "... and its machine had nothing to do" "$(recap 1)" changed=0
is "both are in the history" "$("$X" history list --db "$tmp/results/history.db" -f json | jq -r '[.variants[].name] | sort | join(" ")')" "dut1-run dut2-run"
touch "$S/done"
wait "$vm"
is "the VM ends well" $? 0
