#!/bin/sh
# xdpzoom exact on a NIC: what was sent has arrived, the functions sum to what ran in the polls, and the program takes as many
# instructions in each mode. usage: VM_KERNEL=6.12 exact_nic.sh NIC skb [native]    without native: the driver has none
. "$(dirname "$0")/../rig/lib.sh"
. tests/vm/exact_lib.sh
kernel=${VM_KERNEL:-6.12} nic=$1
shift
variants='' modes=$#
for mode; do variants=$variants,drop/no-touch@$mode; done
expect() { # the same for each mode
	for _ in $(seq $modes); do echo "$1"; done | paste -sd' '
}
device='0,null,true' # lines that the device wrote: their closure; lines of another CPU; are there some?
[ "$nic" != tun ] || device=null,null,false # a tap's frames are written by the CPU

ok "$nic: counted" "$X" exact -q --memory -k "$kernel" -n "$nic" -o "$tmp/run" -V "${variants#,}"
"$X" report "$tmp/run" -f json >"$tmp/report"
each() { jq -r "[.variants[] | $1] | map(tostring) | join(\" \")" "$tmp/report"; }
is "the functions sum to what ran between entry and exit of the polls" "$(each .closure)" "$(expect 0)"
is "so do loads, stores and lines, of which those that a NIC wrote are known, and no others" \
	"$(each '[.closure_loads, .closure_stores, .closure_lines_touched, .closure_lines_device, .lines_transferred, .lines_device > 0] | @json')" \
	"$(expect "[0,0,0,$device]")"
is "what was sent has arrived, in each window" "$(each '[.windows[] | .sent == .arrived] | all')" "$(expect true)"
program='.symbols[] | select(.name | endswith("_xdp_bench")) | [.exact, .calls, .instructions]'
is "the program takes as many instructions in each mode, once a packet" \
	"$(each "$program" | tr ' ' '\n' | sort -u | grep -c '^\[true,1,[1-9]')" 1
is "no function of more than one percent of a packet is in rest, and no page pool with the driver" "$(placeless "$tmp/report")" ""
is "the kernel and the NIC are in the run" "$(jq -r '[.nic, (.kernel | split(".")[:2] | join("."))] | join(" ")' "$tmp/report")" "$nic $kernel"
between "most of what a packet costs is exact or steady" \
	"$(jq '[.variants[] | .residual / .instructions] | max * 1000 | floor' "$tmp/report")" 0 100
case $* in
*native*) skip "native XDP" "the driver has it" ;;
*) fails "native XDP: none, in one sentence" 77 "rx0: driver $nic has no native XDP" "$X" exact -q -k "$kernel" -n "$nic" -o "$tmp/none" ;;
esac
