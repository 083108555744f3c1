#!/bin/sh
# xdpzoom exact with memory, on the lab: loads, stores and lines close to the last one and repeat in functions without state;
# lines come from the sender's CPU where the code says so, and at the data structures where it says so.
# usage: VM_KERNEL=6.12 exact_memory.sh
. "$(dirname "$0")/../rig/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
kernel=${VM_KERNEL:-6.12}
[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
native=drop/no-touch@native skb=drop/no-touch@skb again=drop/no-touch+again@native

ok "the variants are counted" "$X" exact -q --memory -k "$kernel" -o "$tmp/run" -V "$native,$skb,$again"
"$X" report "$tmp/run" -f json >"$tmp/report"
each() { jq -r "[.variants[] | $1] | map(tostring) | join(\" \")" "$tmp/report"; }
is "each count of the functions, and of the data structures, sums to what the polls did" \
	"$(each '[.closure, .closure_loads, .closure_stores, .closure_lines_touched, .closure_lines_transferred, .closure_places] | unique | @json' | tr ' ' '\n' | sort -u)" "[0]"
is "there is something to sum" "$(each '[.loads, .stores, .lines_touched, .lines_transferred] | all(. > 1)' | tr ' ' '\n' | sort -u)" true

# Both machines, window by window.
off() { awk 'function out() { if (n && (n != i || l != loads || s != stores || t != lines)) print FILENAME }
	$1 == "cpu" { out(); n = $4; l = $7; s = $8; t = $9; i = loads = stores = lines = 0 }
	$1 == "path" { i += $4; loads += $7; stores += $8; lines += $9 }
	END { out() }' "$1"; }
is "so it is in each window, with one CPU and with two" "$(for f in "$tmp"/run/blocks/*.paths; do off "$f"; done)" ""

# A function without state: its numbers of loads and stores are whole, and the same program counted again has the same.
one='.symbols[] | select(.name == "veth_xdp_rcv_one") | [.loads, .stores, .loads_residual == 0, .stores_residual == 0] | map(tostring) | join(",")'
ok "veth_xdp_rcv_one, native: whole numbers of loads and stores, exact" \
	sh -c 'echo "$1" | grep -Eq "^[1-9][0-9]*,[1-9][0-9]*,true,true$"' sh "$(each "$one" | cut -d' ' -f1)"
"$X" diff "$tmp/run:$native" $again -f json >"$tmp/aa"
exactly='[.symbols[] | select(.base.loads_residual == 0 and .base.stores_residual == 0 and .new.loads_residual == 0 and .new.stores_residual == 0)]'
is "the same program counted again: where both runs are exact, loads and stores are equal, in 8 functions or more" \
	"$(jq -r "$exactly"' | [length >= 8, all(.base.loads == .new.loads and .base.stores == .new.stores)] | join(" ")' "$tmp/aa")" "true true"

# What the sender writes for each frame comes from its CPU: the ring's slots, and the packet. What
# only the receiver uses does not.
lines() { jq --arg s "$1" --arg f "$2" '[.variants[] | select(.id == $s) | .symbols[] | select(.name | startswith($f)) | .lines_transferred] | add * 1000 | floor' "$tmp/report"; }
between "veth_xdp_rcv fetches the ring from the sender's CPU: an eighth of a line a packet and more" "$(lines $native veth_xdp_rcv.)" 125 3000
between "eth_type_trans, in skb mode, is the first to touch the packet that the sender wrote: a line a packet" "$(lines $skb eth_type_trans)" 990 1050
is "the program, which touches neither, fetches nothing to speak of" "$(lines $native bpf_prog_)" 0

spot() { # VARIANT FUNCTION DATA-STRUCTURE COUNT
	jq --arg s "$1" --arg f "$2" --arg p "$3" --arg c "$4" \
		'.variants[] | select(.id == $s) | [.spots[] | select((.name | startswith($f)) and .place == $p) | .[$c]] | add // 0' "$tmp/report"
}
between "the line that eth_type_trans fetches is of a page: the packet" "$(spot $skb eth_type_trans page lines_transferred)" 0.5 1.05
is "the program loads from its map of counters, which is an array" "$(spot $native bpf_prog_ 'vmalloc array_map_alloc' loads)" 2
between "it has local variables on the stack" "$(spot $native bpf_prog_ stack stores)" 1 20
between "clearing an skb stores to the slab of skbs" "$(spot $skb memset_orig 'slab skbuff_head_cache' stores)" 20 40
