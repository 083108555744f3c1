#!/bin/sh
# Two VMs as two machines, the kernel's pktgen on the far one: recorder, ssh, sshd's session, the generator's shell, and the link
# killed at moments drawn from a seed, as often as $KILLS says. pktgen there has neither a thread that sends nor a device, nothing runs
# here, and rx0 carries no program.
# usage: remote_kills.sh NIC MODE [SEED]
. "$(dirname "$0")/../rig/lib.sh"
nic=$1 mode=$2 times=${KILLS-2} seed=${3-1}
. "$(dirname "$0")/remote_lib.sh"
cat >"$S/near" <<END
. /share/talk
near_up
seed=$seed n=0
G="--generator ssh:far/tx0 --rate 300"
hurt() { # fails where there is nothing to kill just then
	case \$what in
	recorder) kill -KILL \$rec ;;
	interrupt) kill -INT \$rec ;;
	ssh) kill -KILL \$(pgrep -x ssh) ;;
	session) ssh far 'kill -KILL \$(pgrep -o -f "^sshd: root@notty")' ;;
	shell) ssh far 'kill -KILL \$(pgrep -o -x -f sh)' ;;
	link) ip link set "\$d0" down ;;
	esac 2>/dev/null
}
fix() {
	ip link set "\$d0" up
	ip addr replace 192.0.2.1/24 dev "\$d0"
}
while [ \$n -lt $times ]; do
	seed=\$(((seed * 1103515245 + 12345) % 2147483648))
	what=\$(echo recorder ssh session interrupt shell link | cut -d' ' -f\$((n % 6 + 1)))
	moment=\$((seed / 65536 % 100)) # tenths of a second
	build/xdpzoom record rx0 -q --force -o /tmp/run -V drop/no-touch@$mode -b 50 --window 0.1 --schedule windows=2 --for 14 \$G 2>/tmp/err &
	rec=\$!
	sleep \$((moment / 10)).\$((moment % 10))
	hit=missed
	until hurt && hit=hit || ! kill -0 \$rec 2>/dev/null; do sleep 0.1; done
	[ \$what != link ] || { sleep 25; fix; }
	wait \$rec
	status=\$?
	left=\$(far_clean; pgrep -a ssh; pgrep -a xdpzoom; ip -o link show rx0 | grep -w xdp)
	echo "\$what|\$hit|\$moment|\$status|\$(grep -c '^xdpzoom: ' /tmp/err)|\$(echo \$left)" >>/share/kills
	[ \$status -lt 2 ] || [ \$what = recorder ] || sed 's/^/# /' /tmp/err >>/share/kills
	n=\$((n + 1))
done
build/xdpzoom stat rx0 -V drop@$mode \$G -t 3 >/share/stat 2>/share/stat.err
touch /share/done
END
echo "# seed $seed"
far_boot "$nic" $((300 + 60 * times))
grep '^#' "$S/kills"
n=0
while [ $n -lt "$times" ]; do
	n=$((n + 1))
	IFS='|' read -r what hit moment status sentences left <<-LINE
	$(grep -v '^#' "$S/kills" | sed -n ${n}p)
	LINE
	case $what:$hit:$status:$sentences in
	recorder:hit:137:* | [!r]*:hit:1:[12] | s*:hit:0:0 | *:missed:0:0) ;; # s*: the session of a block just over
	*) left="$left, and an odd end" ;;
	esac
	is "$what ($hit) after $((${moment:-0} / 10)).$((${moment:-0} % 10)) s: the recording ends (status $status), nothing stays" "$left" "left:"
done
is "and all is as before: sent is seen" "$(awk '/^far sent/ { sent = $3 } / on average/ { print (sent > 0 && sent == $1) ? "exact" : sent " " $1 }' "$S/stat.err")" exact
