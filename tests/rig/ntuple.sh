#!/bin/sh
# --tune steer with ntuple rules, on an imitation of a driver that has them (ntuple.c): the rule is what ethtool understands, it is
# for the load, and it goes when xdpzoom goes, also when that was killed. Rules of others stay.
. "$(dirname "$0")/lib.sh"
built ntuple.so
ntuple=$PWD/build/rig/ntuple.so
rx=xznrx$$ tx=xzntx$$
namespaces="$rx $tx"
pair $rx xzn0 $tx xzn1 3

mkdir "$tmp/rules"
export NTUPLE_DEV=xzn0 NTUPLE_DIR="$tmp/rules"
with() { LD_PRELOAD="$ntuple" "$@"; }
et() { LD_PRELOAD="$ntuple" ip netns exec $rx ethtool "$@"; }
rules() { ls "$tmp/rules" | tr '\n' ' '; }
load() { # flows
	launch gen /dev/null - "$X" gen xzn1 -N $tx -m "$(ip netns exec $rx cat /sys/class/net/xzn0/address)" --flows "$1" -r 20000 -C 1
	await_of $gen flows
}
flows() { # frames have come since the last look
	flows_now=$(ip netns exec $rx cat /sys/class/net/xzn0/statistics/rx_packets)
	[ "$flows_now" -gt "${flows_last:-$flows_now}" ] || { flows_last=$flows_now && false; }
}
begin() {
	: >"$tmp/err"
	launch pid "$tmp/out" "$tmp/err" env LD_PRELOAD="$ntuple" "$X" stat xzn0 -N $rx --tune steer -t 600
	await_of $pid grep -q '^steered: ' "$tmp/err"
}
end() {
	kill -"$1" $pid
	wait $pid 2>/dev/null
}

et -N xzn0 flow-type tcp4 dst-port 22 action 2 loc 0 >/dev/null
load 1
begin
is "a rule beside the one that is there" "$(rules)" "0 1 "
is "ethtool reads it: the load's flow" "$(et -n xzn0 rule 1 | sed -n 's/^\t*\(Rule Type\|Src IP addr\|Dest IP addr\|Src port\|Dest port\): //p' | cut -d' ' -f1-3 | tr '\n' ',')" \
	"UDP over IPv4,198.18.0.1 mask: 0.0.0.0,198.18.0.2 mask: 0.0.0.0,9 mask: 0x0,9 mask: 0x0,"
queue=$(sed -n 's/^RX path: queue \([0-9]\).*/\1/p' "$tmp/err")
is "to the queue where it came" "$(et -n xzn0 rule 1 | sed -n 's/.*Direct to queue //p')" "$queue"
cp "$tmp/rules/1" "$tmp/ours"
command=$(sed -n 's/^steered: by a rule (ethtool \(.*\))$/\1/p' "$tmp/err")
end INT
is "interrupted: it is gone, the other one stays" "$(rules)" "0 "
# shellcheck disable=SC2086 # words
et $command loc 5 >/dev/null
is "the command that was shown makes the same rule" "$(cmp "$tmp/ours" "$tmp/rules/5") $(rules)" " 0 5 "
begin
is "a rule of another user for the load: it is used" "$(rules)" "0 5 "
end TERM
is "and left" "$(rules)" "0 5 "
et -N xzn0 delete 5
begin
end KILL
is "killed: it stays" "$(rules)" "0 1 "
"$X" doctor --undo >"$tmp/out" 2>&1
is "without the driver's rules it cannot be put back: said, and kept in mind" "$? $(jq '.changes | length' /run/xdpzoom/changes.json)" "77 1"
with "$X" stat xzn0 -N $rx -t 0.2 >/dev/null 2>"$tmp/err"
is "the next run removes it" "$(rules)$(grep -c 'put back 1 settings' "$tmp/err")" "0 1"

halt TERM $gen
load 40
begin
is "many source ports: a rule for all of them" "$(et -n xzn0 rule 1 | sed -n 's/^\t*Src port: //p')" "0 mask: 0xffff"
end INT
is "gone again" "$(rules)" "0 "
for i in 1 2 3 4 5 6 7; do et -N xzn0 flow-type tcp4 dst-port $i action 0 loc $i >/dev/null; done
fails "no room for a rule" 1 "No space left" with "$X" stat xzn0 -N $rx --tune steer -t 1
