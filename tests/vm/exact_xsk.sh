#!/bin/sh
# xdpzoom exact on AF_XDP sockets of a NIC: all frames arrive, counts close, zero-copy executes no function of copy mode, and the
# reader's system calls are counted where it makes any.
# usage: VM_KERNEL=6.12 exact_xsk.sh NIC [zero]    zero: the driver has zero-copy
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12} nic=$1 zero=${2-} copy=xsk:copy
copies="$copy $copy:256 $copy:4096x2048x512huge" mode=xsk:zero-copy
[ -n "$zero" ] || mode=$copy
others="$mode:4096busy $mode:4096poll${zero:+ $mode $mode:256 $mode:4096nowakeup}"
ok "$nic: counted" "$X" exact -q -k "$kernel" -n "$nic" -V "drop@native,$(echo "$copies $others" | tr ' ' ,)" -o "$tmp/run"
"$X" report "$tmp/run" -f json >"$tmp/report"
is "functions sum to what ran between entry and exit of the polls" "$(jq -c '[.variants[].closure] | unique' "$tmp/report")" "[0]"
is "what was sent has arrived, in each window" "$(jq -c '[.variants[].windows[] | .sent == .arrived and .sent > 0] | all' "$tmp/report")" true
# REGEX [AND]: the variants with such functions, which are called as AND says
callers() {
	jq -r --arg f "$1" "[.variants[] | select(any(.symbols[]; (.name | test(\$f)) and ${2:-true})) | .id | split(\"/\")[0]] | join(\" \")" "$tmp/report"
}
is "each frame of a socket is received by it once" "$(callers '^__xsk_map_redirect$' '(.calls | round) == 1')" "$copies $others"
[ -n "$zero" ] || copies="$copies $others"
is "and copied in copy mode alone" "$(callers '^__xsk_rcv$|^xsk_copy_xdp')" "$copies"
change() { "$X" diff "$tmp/run:$1/no-touch@native" "$2/no-touch@native" -f json | jq '.change * 100 | fabs | round'; }
between "the memory's size changes no instruction (hundredths)" "$(change $copy $copy:256)" 0 200
between "nor do huge pages" "$(change $copy $copy:4096x2048x512huge)" 0 200
is "recvfrom() is called by a reader that polls, by one whom the driver asks (needs-wakeup), and by no other" \
	"$(callers '^__sys_recvfrom$')" "$mode:4096busy${zero:+ $mode:256}"
is "poll() by one that sleeps" "$(callers '^do_sys_poll')" "$mode:4096poll"
busy() { jq --arg v "$mode:4096busy/no-touch@native" ".variants[] | select(.id == \$v) | $1 | round" "$tmp/report"; }
between "a call that polls has a price" "$(busy '.instructions_per_poll + .instructions_per_wakeup * .wakeups / .polls')" 500 5000
between "a packet costs what it costs in softirqs (hundredths)" "$(change $mode $mode:4096busy)" 0 1000
if [ -n "$zero" ]; then
	cost() { jq -r --arg v "$1/no-touch@native" '.variants[] | select(.id == $v).instructions | round' "$tmp/report"; }
	ok "zero-copy is cheaper than copy mode" test "$(cost $mode)" -lt "$(cost $copy)"
else
	fails "no zero-copy: one sentence" 77 "rx0: driver $nic has " "$X" exact -q -k "$kernel" -n "$nic" -V xsk:zero-copy -o "$tmp/none"
fi
