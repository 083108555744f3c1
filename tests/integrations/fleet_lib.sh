# fleet_lib.sh - machines of a fleet: network namespaces, each with a sshd of its own, and one that controls them, xzctl$$
# usage: . "$(dirname "$0")/fleet_lib.sh" after lib.sh; fleet_up NAME...; in_control COMMAND...
#
# The first machine is 192.0.2.11, the next one 192.0.2.12, and so on. They share the file system, and the CPUs.
. "$(dirname "$0")/../rig/remote_lib.sh"
undo=
serve() { # NAMESPACE: its sshd; the pid is in $sshd
	sshd_words "$tmp/bin:${X%/*}" >"$tmp/sshd_config.$1"
	ip netns exec "$1" /usr/sbin/sshd -D -e -f "$tmp/sshd_config.$1" 2>"$tmp/sshd.$1" &
	sshd=$!
	started $sshd
	await_of $sshd grep -q listening "$tmp/sshd.$1"
}
lose() { # NAMESPACE: nobody serves there any more, and its processes go
	ip netns pids "$1" | xargs -r kill -9 2>/dev/null
}
in_control() {
	ip netns exec xzctl$$ env ANSIBLE_HOST_KEY_CHECKING=0 ANSIBLE_SSH_ARGS="-F $tmp/ssh_config" ANSIBLE_LOCAL_TEMP="$tmp/ansible" ANSIBLE_NOCOLOR=1 \
		PATH="$tmp/bin:${X%/*}:$PATH" "$@"
}
fleet_up() { # NAMESPACE...
	[ -x /usr/sbin/sshd ] || skip_all "no sshd here"
	mkdir -p /run/sshd "$tmp/bin" "$tmp/results"
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/key" && ssh-keygen -q -t ed25519 -N '' -f "$tmp/host" || exit 1
	cat >"$tmp/ssh_config" <<-END
	Host *
	  Port 2222
	  User root
	  IdentityFile $tmp/key
	  IdentitiesOnly yes
	  StrictHostKeyChecking no
	  UserKnownHostsFile /dev/null
	  LogLevel ERROR
	  ServerAliveInterval 2
	  ServerAliveCountMax 2
	END
	printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$tmp/ssh_config" >"$tmp/bin/ssh"
	chmod +x "$tmp/bin/ssh"
	namespaces="xzctl$$ $*"
	for n in $namespaces; do
		ip netns add "$n" && ip -n "$n" link set lo up && ip netns exec "$n" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || exit 1
	done
	ip -n xzctl$$ link add br0 type bridge && ip -n xzctl$$ addr add 192.0.2.1/24 dev br0 && ip -n xzctl$$ link set br0 up || exit 1
	address=10
	for n; do
		address=$((address + 1))
		ip -n xzctl$$ link add "c$address" type veth peer name ctl0 netns "$n" && ip -n xzctl$$ link set "c$address" master br0 up &&
			ip -n "$n" addr add "192.0.2.$address/24" dev ctl0 && ip -n "$n" link set ctl0 up || exit 1
		serve "$n"
	done
}
