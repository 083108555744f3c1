#!/bin/sh
# xdpzoom exact on AF_XDP sockets of a NIC: all frames arrive, counts close, and zero-copy executes no function of copy mode.
# usage: VM_KERNEL=6.12 exact_xsk.sh NIC [zero]    zero: the driver has zero-copy
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12} nic=$1 zero=${2-}
variants=drop@native,xsk:copy,xsk:copy:256,xsk:copy:4096busy${zero:+,xsk:zero-copy}
ok "$nic: counted" "$X" exact -q -k "$kernel" -n "$nic" -V "$variants" -o "$tmp/run"
"$X" report "$tmp/run" -f json >"$tmp/report"
is "functions sum to what ran between entry and exit of the polls" "$(jq -c '[.variants[].closure] | unique' "$tmp/report")" "[0]"
is "what was sent has arrived, in each window" "$(jq -c '[.variants[].windows[] | .sent == .arrived and .sent > 0] | all' "$tmp/report")" true
# FUNCTION: its calls per packet in each variant
calls() { jq -c --arg f "$1" '[.variants[] | [.symbols[] | select(.name == $f).calls] | add // 0 | round]' "$tmp/report"; }
is "each frame of a socket is received by it once" "$(calls __xsk_map_redirect)" "[0,1,1,1${zero:+,1}]"
is "and copied in copy mode alone" "$(jq -c '[.variants[] | [.symbols[] | select(.name | test("^__xsk_rcv$|^xsk_copy_xdp")).calls] | add // 0 | . > 0]' "$tmp/report")" "[false,true,true,true${zero:+,false}]"
between "the memory's size changes no instruction (hundredths)" \
	"$("$X" diff "$tmp/run:xsk:copy/no-touch@native" xsk:copy:256/no-touch@native -f json | jq '.change * 100 | fabs | round')" 0 200
is "a busy reader's system call is the poll, and no other's" "$(jq -c '[.variants[] | [.symbols[] | select(.name == "__sys_recvfrom")] | length > 0]' "$tmp/report")" "[false,false,false,true${zero:+,false}]"
between "of which each has a price" "$(jq '.variants[3] | .instructions_per_poll + .instructions_per_wakeup * .wakeups / .polls | round' "$tmp/report")" 500 5000
between "a packet costs what it costs in softirqs (hundredths)" \
	"$("$X" diff "$tmp/run:xsk:copy/no-touch@native" xsk:copy:4096busy/no-touch@native -f json | jq '.change * 100 | fabs | round')" 0 1000
if [ -n "$zero" ]; then
	cost() { jq -r --arg v "$1/no-touch@native" '.variants[] | select(.id == $v).instructions | round' "$tmp/report"; }
	ok "zero-copy is cheaper than copy mode" test "$(cost xsk:zero-copy)" -lt "$(cost xsk:copy)"
else
	fails "no zero-copy: one sentence" 77 "rx0: driver $nic has " "$X" exact -q -k "$kernel" -n "$nic" -V xsk:zero-copy -o "$tmp/none"
fi
