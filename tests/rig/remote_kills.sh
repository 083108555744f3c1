#!/bin/sh
# The generator's process, its shell, ssh, sshd's session, the link to it, the wire, the recorder: killed at moments drawn from a seed,
# and nothing stays on either side. usage: remote_kills.sh [TIMES [SEED]]; TIMES is $KILLS, or a handful
. "$(dirname "$0")/lib.sh"
times=${1-${KILLS-5}} seed=${2-1}
. "$(dirname "$0")/remote_lib.sh"
far_up
echo "# seed $seed"

child() { ip netns pids "$1" | while read -r p; do tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | grep -q "$2" && echo "$p"; done; }
hurt() {
	case $1 in
	generator) kill -KILL $(child $far '^xdpzoom gen') ;;
	shell) kill -KILL $(child $far '^sh ') ;;
	ssh) kill -KILL $(child $near '^ssh\|/ssh ') ;;
	session) kill -KILL $(child $far '^sshd: ') ;;
	recorder) kill -KILL $rec ;;
	interrupt) kill -INT $rec ;;
	link) ip -n $near link set ${wire}c down ;;
	wire) ip -n $near link del $wire ;;
	esac 2>/dev/null
}
fix() {
	ip -n $near link set ${wire}c up
	ip -n $near -o link show $wire >/dev/null 2>&1 || far_wire_up
	kill -0 $sshd 2>/dev/null || far_sshd_up
}

n=0
while [ $n -lt "$times" ]; do
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	what=$(echo generator shell ssh session recorder interrupt link wire | cut -d' ' -f$((n % 8 + 1)))
	moment=$((seed / 65536 % 40)) # tenths of a second
	# Not by in_near: $! shall be the recorder itself.
	ip netns exec $near env PATH="$tmp/bin:$PATH" "$X" record $wire -q --force -o "$tmp/run" --generator ssh:far/${wire}f,tool=gen \
		-V drop/no-touch@native,drop/no-touch@skb -b 500 --window 0.1 --for 120 2>"$tmp/err" &
	rec=$!
	started $rec
	sleep $((moment / 10)).$((moment % 10))
	until hurt $what || ! kill -0 $rec 2>/dev/null; do sleep 0.05; done # there may be nothing to kill just then
	# What is cut off from the other side is let go after some time; the recorder is not made to wait for that here.
	[ $what != link ] || { sleep 1; kill -TERM $rec 2>/dev/null; }
	wait $rec
	status=$?
	rm -rf "$tmp"/run.tmp-* "$tmp"/run
	[ $what != wire ] || far_wire_up
	left=$(far_clean)
	case $what:$status:$(grep -c '^xdpzoom: ' "$tmp/err") in
	recorder:137:* | interrupt:1:[12] | [!ri]*:0:0 | [!ri]*:1:[12]) ;;
	*) left="$left, and it ended with $status: $(cat "$tmp/err")" ;;
	esac
	is "$what killed after $((moment / 10)).$((moment % 10)) s: the recording ends (status $status), nothing stays" "$left" ""
	fix
	n=$((n + 1))
done
