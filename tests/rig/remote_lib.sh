# remote_lib.sh - two network namespaces as two machines: a wire to measure, a link to talk over, and an sshd on the far side
# usage: . "$(dirname "$0")/remote_lib.sh" after lib.sh; far_up; in_near COMMAND...
#
# Names, keys and sshd's configuration are this test's own; SHLVL keeps bash from reading root's .bashrc. ssh is the system's, told where its configuration lies.

near=xzn$$ far=xzf$$
wire=xzw$$ # the device under test, in the near namespace; at the other end ${wire}f

in_near() { ip netns exec $near env PATH="$tmp/bin:$PATH" "$@"; }
in_far() { ip netns exec $far "$@"; }

# sshd_words FOLDERS: the configuration of this test's own sshd, whose sessions look for programs in FOLDERS first.
sshd_words() {
	cat <<-END
	ListenAddress 0.0.0.0:2222
	HostKey $tmp/host
	AuthorizedKeysFile $tmp/key.pub
	PidFile none
	StrictModes no
	UsePAM no
	PermitRootLogin yes
	SetEnv PATH=$1:$PATH SHLVL=5
	END
}

far_sshd_up() {
	: >"$tmp/sshd.log"
	launch sshd /dev/null "$tmp/sshd.log" ip netns exec $far /usr/sbin/sshd -D -e -f "$tmp/sshd_config"
	await_of $sshd grep -q listening "$tmp/sshd.log"
}

far_up() {
	[ -x /usr/sbin/sshd ] || skip_all "no sshd here"
	mkdir -p /run/sshd "$tmp/bin"
	for far_n in $near $far; do
		ip netns add $far_n || exit 1
		ip netns exec $far_n sysctl -qw net.ipv6.conf.default.disable_ipv6=1
		ip -n $far_n link set lo up
	done
	far_wire_up
	ip -n $near link add ${wire}c type veth peer name ${wire}d netns $far
	ip -n $near addr add 192.0.2.1/24 dev ${wire}c
	ip -n $far addr add 192.0.2.2/24 dev ${wire}d
	ip -n $near link set ${wire}c up
	ip -n $far link set ${wire}d up
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/key"
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/host"
	sshd_words "$PWD/build" >"$tmp/sshd_config"
	echo "[192.0.2.2]:2222 $(cut -d' ' -f1-2 "$tmp/host.pub")" >"$tmp/known"
	cat >"$tmp/ssh_config" <<-END
	Host far
	  HostName 192.0.2.2
	  Port 2222
	  User root
	  IdentityFile $tmp/key
	  IdentitiesOnly yes
	  UserKnownHostsFile $tmp/known
	Host overthewire
	  HostName 198.51.100.2
	  HostKeyAlias [192.0.2.2]:2222
	  Port 2222
	  User root
	  IdentityFile $tmp/key
	  IdentitiesOnly yes
	  UserKnownHostsFile $tmp/known
	Host stranger
	  HostName 192.0.2.2
	  Port 2222
	  UserKnownHostsFile /dev/null
	END
	printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$tmp/ssh_config" >"$tmp/bin/ssh"
	chmod +x "$tmp/bin/ssh"
	far_sshd_up
	far_settings >"$tmp/settings"
	in_near ssh far true || exit 1
}

far_wire_up() {
	ip -n $near link add $wire type veth peer name ${wire}f netns $far
	ip netns exec $near ethtool -K $wire gro on
	ip netns exec $far ethtool -K ${wire}f gro on
	ip -n $near link set $wire up
	ip -n $far link set ${wire}f up
}

# What may be left on either side: XDP programs, settings, and processes that send or serve. sshd is the test's own, and so
# are its sessions, which last as long as TCP has hope.
far_left() {
	! ip -n $near -o link | grep ' xdp'
	far_settings 2>&1 | diff "$tmp/settings" -
	for far_p in $(ip netns pids $far | grep -vx "$sshd") $(ip netns pids $near); do
		tr '\0' ' ' <"/proc/$far_p/cmdline" | cut -c1-80
		echo
	done 2>/dev/null | grep -v '^sshd: ' | grep .
}
far_settings() {
	for far_n in "$near $wire" "$far ${wire}f"; do
		ip netns exec ${far_n% *} ethtool -k "${far_n#* }"
		ip -n ${far_n% *} -o link show "${far_n#* }" | sed 's/.*mtu/mtu/; s/qlen.*//'
	done
}
# Within a while: a session takes its time to notice.
far_clean() {
	await prints_nothing far_left
	far_left
}

far_down() {
	for far_n in $near $far; do
		for far_p in $(ip netns pids $far_n 2>/dev/null); do kill -KILL "$far_p" 2>/dev/null; done
		ip netns del $far_n 2>/dev/null
	done
}
undo=far_down
