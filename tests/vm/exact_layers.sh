#!/bin/sh
# xdpzoom exact on the layers of a ladder: all frames arrive, counts close to the instruction and repeat, each function is called
# where its layer has it and nowhere else, and the polls of the device behind a forwarder are excluded.
# usage: VM_KERNEL=6.12 exact_layers.sh    (five minutes)
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
ok "the layers of the receiving ladder are counted" "$X" exact -q -k "$kernel" --ladder rx -o "$tmp/rx"
ok "those of the forwarding ladder, with memory" "$X" exact -q --memory -k "$kernel" --ladder forward -o "$tmp/forward"
ok "some of them again, in another order" "$X" exact -q -k "$kernel" -V layer:route,layer:conntrack,layer:tc -o "$tmp/again"
for run in rx forward again; do "$X" report "$tmp/$run" -f json >"$tmp/$run.json"; done
is "no layer is left out" "$(jq -r '.variants | length' "$tmp/rx.json" "$tmp/forward.json" | paste -sd' ')" "19 12"
for run in rx forward; do
	is "$run: the functions sum to what ran between entry and exit of the polls" "$(jq -c '[.variants[].closure] | unique' "$tmp/$run.json")" "[0]"
	is "$run: what was sent has arrived, in each window" "$(jq -c '[.variants[].windows[] | .sent == .arrived and .sent > 0] | all' "$tmp/$run.json")" true
done
is "each count of memory closes too, but for lines of other CPUs, which layers have not" \
	"$(jq -c '[.variants[] | select(.id | startswith("layer:")) | .closure_loads, .closure_stores, .closure_lines_touched, .closure_places, .lines_transferred] | unique' \
		"$tmp/forward.json")" "[null,0]"
calls() { # FUNCTION: the layers that call it, once for each packet
	jq -r --arg f "$1" '.variants[] | select(.id | startswith("layer:")) | select([.symbols[] | select(.name | test("^(\($f))([.]|$)")) | .calls] | add == 1) |
		.id[6:]' "$tmp/rx.json" "$tmp/forward.json" | paste -sd' '
}
is "a packet goes through the receiver once, and the poll of the device behind it is not the receiver's" \
	"$(jq -r '.variants[].symbols[] | select(.name == "veth_xdp_rcv_one") | "\(.exact) \(.calls)"' "$tmp/rx.json" "$tmp/forward.json" | sort | uniq -c | sed 's/^ *//')" "31 true 1"
is "what a forwarder sends on is received by polls that are excluded, but for a peer, which has it in the same poll" \
	"$(jq -c '[.variants[] | select(.id | startswith("layer:")) | [.excluded["consumer"] > 0, (.id | startswith("layer:peer-"))]] | unique' "$tmp/forward.json" "$tmp/rx.json" | paste -sd' ')" \
	"[[false,true],[true,false]] [[false,false]]"
is "the program at tc" "$(calls 'bpf_prog_[0-9a-f]+_tc_drop')" "packet-ring tc clsact peer-veth peer-netkit"
is "a classifier; the program at netfilter's hook; the filter of a socket" \
	"$(calls __tcf_classify), $(calls 'bpf_prog_[0-9a-f]+_nf_drop'), $(calls sk_filter_trim_cap)" \
	"clsact, nf-bpf, $(calls __udp4_lib_lookup | sed 's/udp-closed //; s/ udp-gro//')"
between "clsact takes 185 instructions more than tcx (tenths)" \
	"$("$X" diff "$tmp/rx:layer:tc" layer:clsact -f json | jq '.change * 10 | round')" 1840 1860
is "nft's rules" "$(calls nft_do_chain)" "nft-ingress nft-raw conntrack nft-input"
is "connection tracking" "$(calls nf_conntrack_in)" "conntrack"
is "UDP" "$(calls __udp4_lib_lookup)" "udp-closed socket-filter udp-full udp-recv udp-recvmmsg udp-uring"
is "the bridge; routing" "$(calls br_handle_frame), $(calls ip_forward)" "bridge, route"

for v in layer:route layer:conntrack layer:tc; do
	from=$tmp/rx
	[ $v != layer:route ] || from=$tmp/forward
	"$X" diff "$from:$v" "$tmp/again:$v" -f json
done | jq -c '[.symbols[] | select(.exact)] | [length > 20, all(.change == 0)]' >"$tmp/same"
is "counted again: each exact function has the same count, and there are many" "$(sort -u "$tmp/same")" "[true,true]"
"$X" diff "$tmp/rx:layer:nft-raw" layer:conntrack -f json >"$tmp/step"
between "a step is the sum of its functions' changes (thousandths)" "$(jq '(.change - ([.symbols[].change] | add)) * 1000 | fabs | floor' "$tmp/step")" 0 1
is "and of its components', of which netfilter has most" "$(jq -r '"\((.change - ([.components[].change] | add) | fabs) < 0.001) \(.components[0].name)"' "$tmp/step")" \
	"true netfilter"

built none.o
ok "a program at both ends of netkit, and at tcx" "$X" exact -q -k "$kernel" -V "prog:build/rig/none.o@netkit,prog:build/rig/none.o@netkit-peer,prog:build/rig/none.o@tcx,layer:netkit" -o "$tmp/own"
is "counts close; each frame goes through netkit once, and then through the program" "$("$X" report "$tmp/own" -f json |
	jq -c '[.variants[] | .closure, ([.symbols[] | select(.name | test("^netkit_xmit$|_classify$")) | .calls] | add)]')" "[0,2,0,2,0,1,0,1]"
