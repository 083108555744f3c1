#!/bin/sh
# Many flows that RSS spreads over a NIC's queues: steer brings them to one by the table, for as long as it runs and not
# longer, however it ends. The frames come from this machine, over a tap.
# usage: rss.sh MODE
. "$(dirname "$0")/../rig/lib.sh"
mode=$1
need_root
[ -c /dev/net/tun ] || skip_all "no /dev/net/tun"

namespaces=xzvm-$$
ip netns add $namespaces || exit 1
ip netns exec $namespaces sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
mkdir "$tmp/share"

# What runs in the VM; a file in /share says how far it is.
cat >"$tmp/share/receiver" <<END
table() { ethtool -x rx0 | sed -n '/^ *[0-9]*:/p'; }
begin() { # returns when it says how it steered, and has counted for some time
	: >/share/err
	build/xdpzoom stat rx0 -V drop@$mode --tune steer -i 0.5 -t 60 --format json >/share/stat.\$1 2>/share/err &
	pid=\$!
	until grep -q '^steered: ' /share/err || ! kill -0 \$pid; do sleep 0.2; done
	until [ "\$(wc -l </share/stat.\$1)" -ge 4 ] || ! kill -0 \$pid; do sleep 0.2; done
	cp /share/err /share/err.\$1
	table >/share/table.\$1
}
ethtool -L rx0 combined 4
table >/share/table
touch /share/ready
begin int
kill -INT \$pid
wait \$pid
table >/share/table.int.after
begin kill
kill -KILL \$pid
wait \$pid
build/xdpzoom doctor --undo >/share/undo
table >/share/table.kill.after
ethtool -X rx0 weight 3 1 2 1
table >/share/table.own
begin own
kill -INT \$pid
wait \$pid
table >/share/table.own.after
touch /share/done
END
ip netns exec $namespaces vm/run -k "$VM_KERNEL" -n virtio-rss -c 4 -w xzvm0 -x "$tmp/share" -t 600 -- sh /share/receiver 2>"$tmp/err" &
vm=$!
started $vm
until [ -e "$tmp/share/ready" ] || ! kill -0 $vm 2>/dev/null; do sleep 0.2; done

ip -n $namespaces addr add 198.18.0.1/24 dev xzvm0
ip -n $namespaces link set xzvm0 up
ip -n $namespaces neigh add 198.18.0.2 lladdr 52:54:00:00:00:01 dev xzvm0
# Until the VM is done: 64 flows, slowly.
ip netns exec $namespaces perl -MSocket -e '
	my ($flows, $done) = @ARGV;
	my $to = sockaddr_in(9, inet_aton("198.18.0.2"));
	my @s = map { socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!; $s } 1 .. $flows;
	for (my $n = 0; ! -e $done; $n++) { send($s[$n % $flows], "x" x 18, 0, $to); select(undef, undef, undef, 0.02) if $n % 32 == 31 }
' 64 "$tmp/share/done" &
started $!
wait $vm
is "the VM ends well" $? 0
S=$tmp/share
sed 's/^/# /' "$S/err.int"
is "several queues before" "$(sed -n 's/.*; \([0-9]*\) % came on one queue/\1/p' "$S/err.int" | awk '{ print $1 < 90 }')" 1
queue=$(sed -n 's/^steered: by the RSS table (ethtool -X rx0 start \([0-9]\) equal 1): driver virtio_net has no ntuple rules$/\1/p' "$S/err.int")
leads_to() { tr -s ' ' '\n' <"$1" | grep -v : | grep . | sort -u; }
is "the table leads to the queue where most came" "$(leads_to "$S/table.int")" "$queue"
# The last whole interval: which CPUs saw anything.
is "then all of it comes to one CPU" "$(tail -n 1 "$S/stat.int" | jq '[.cpus[] | select(.drop > 0)] | length')" 1
is "interrupted: the table is what it was" "$(diff "$S/table" "$S/table.int.after")" ""
# 6.1's driver takes its own table again when the program goes, which is seen, and said.
is "killed: it stays, and doctor --undo puts it back" "$(leads_to "$S/table.kill" | wc -l) $(grep -cE 'rss of rx0( is default again| was changed again later)' "$S/undo") $(diff "$S/table" "$S/table.kill.after")" "1 1 "
is "a table that somebody made is left alone, and that is said" "$(grep -c '^steered: no: .* by a table that somebody set' "$S/err.own")" 1
is "... indeed" "$(diff "$S/table.own" "$S/table.own.after")" ""
