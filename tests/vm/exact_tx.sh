#!/bin/sh
# xdpzoom exact of XDP_TX and of a redirect on the lab: the polls of the device that gets the frames on the same CPU are told from
# the receiver's and excluded; all frames arrive there. So it is of what sockets send; metadata of AF_XDP costs whole instructions.
# usage: VM_KERNEL=6.12 exact_tx.sh
. "$(dirname "$0")/../rig/lib.sh"
. tests/vm/exact_lib.sh
kernel=${VM_KERNEL:-6.12}
tx=tx/swap-macs@native again=tx/swap-macs+again@native skb=tx/swap-macs@skb redirect=redirect/no-touch@native
ok "the variants are counted" "$X" exact -q --memory -k "$kernel" -o "$tmp/run" -V $tx,$again,$skb,$redirect
"$X" report "$tmp/run" -f json >"$tmp/report"
is "no function of more than one percent of a packet is in rest, and no page pool with the driver" "$(placeless "$tmp/report")" ""
each() { jq -c "[.variants[] | $1]" "$tmp/report"; }
of() { # VARIANT EXPRESSION
	jq -c --arg v "$1" ".variants[] | select(.id == \$v) | $2" "$tmp/report"
}
is "each count of the functions, and of the data structures, sums to what the receiver's polls did" \
	"$(each '.closure, .closure_loads, .closure_stores, .closure_lines_touched, .closure_lines_transferred, .closure_places' | jq -c unique)" "[0]"
is "what was sent has arrived" "$(each '[.windows[] | .sent == .arrived] | all')" "[true,true,true,true]"
is "the program runs once for each packet, and in each mode takes as many instructions" \
	"$(each '.symbols[] | select(.name | test("_xdp_bench(_tx|_dev)?$")) | [.exact, .calls, .instructions]' | jq -c '(.[:3] | unique | length), (map(.[:2]) | unique)' | paste -sd' ')" "1 [[true,1]]"
calls() { of "$1" "[.symbols[] | select(.name == \"$2\") | .calls] | add // 0"; }
is "native: a packet goes through the receiver once, and is sent once" "$(calls $tx veth_xdp_rcv_one) $(calls $tx veth_xdp_tx)" "1 1"
is "skb: it goes through the receiver once, and not through the sink, which takes skbs" \
	"$(calls $skb generic_xdp_tx) $(calls $skb veth_xdp_rcv_skb)" "1 0"
beside() { of "$1" '.excluded["consumer"] / .packets'; }
between "the sink's polls are excluded: native" "$(beside $tx)" 100 2000
between "skb" "$(beside $skb)" 100 4000
is "redirect: a packet goes through the receiver once, and through the map once" \
	"$(calls $redirect veth_xdp_rcv_one) $(calls $redirect xdp_do_redirect)" "1 1"
"$X" diff "$tmp/run:$tx" $again -f json >"$tmp/aa"
is "the same program counted again: each exact function has the same count, and there are some" \
	"$(jq -r '[.symbols[] | select(.exact)] | [length > 5, all(.change == 0)] | join(" ")' "$tmp/aa")" "true true"
xsk=layer:tx-xsk
"$X" exact -q --memory -k "$kernel" -o "$tmp/xsk" --ladder tx
"$X" report "$tmp/xsk" -f json >"$tmp/report"
is "what sockets send: all counts close, all frames arrive, and each was sent once" \
	"$? $(each '.closure, .closure_loads, .closure_stores, .closure_lines_touched, .closure_places, ([.windows[] | .sent == .arrived] | all), ([.symbols[] | select(.name == "veth_xmit").calls] | add | round)' | jq -c unique)" \
	"0 [true,0,1]"
is "without metadata, left to the device, by the CPU, stamped: a packet is sent once, and the CPU calculates one checksum" \
	"$(for v in $xsk $xsk-csum $xsk-sw-csum $xsk-stamp; do calls $v __dev_direct_xmit; calls $v skb_checksum_help; done | paste -sd' ')" \
	"1 0 1 0 1 1 1 0"
more() { "$X" diff "$tmp/xsk:$xsk" $xsk-$1 -f json | jq "[.symbols[] | select(.name == \"$2\") | .change] | add | round"; }
is "reading a request for a checksum, for one by the CPU, and for a stamp" \
	"$(more csum __xsk_generic_xmit) $(more sw-csum __xsk_generic_xmit) $(more stamp __xsk_generic_xmit)" "35 40 20"
fails "no metadata" 77 "this kernel has no TX metadata for AF_XDP (Linux 6.11)" "$X" exact -q -k 6.1 -o "$tmp/old" -V $xsk-csum
fails "on a NIC no frame comes back" 2 "frames go nowhere here" "$X" exact -q -k "$kernel" -n virtio_net -o "$tmp/none" -V $tx
