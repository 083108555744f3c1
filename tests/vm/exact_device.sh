#!/bin/sh
# xdpzoom exact on a NIC: the lines that the device wrote are those that the code is known to read, and no others.
# usage: VM_KERNEL=6.12 exact_device.sh NIC    virtio_net, vmxnet3 or e1000
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12} nic=$1
touch=drop/no-touch@native read=drop/read-data@native skb=drop/no-touch@skb
case $nic in
e1000) variants=$skb ;;
*) variants=$touch,$read,$skb ;;
esac

ok "$nic: counted" "$X" exact -q --memory -k "$kernel" -n "$nic" -o "$tmp/run" -V "$variants"
"$X" report "$tmp/run" -f json >"$tmp/report"
each() { jq -c "[.variants[] | $1] | unique" "$tmp/report"; }
is "lines of the functions, and of the data structures, sum to what the polls did" "$(each '.closure_lines_device, .closure_places')" "[0]"
is "lines of another CPU are not known" "$(each .lines_transferred)" "[null]"
# What has no address that a device was given: of the kernel itself, its modules, the CPUs, stacks, records of pages.
of_no_buffer='[.places[] | select(.lines_device != 0 and (.place | test("^(page|page pool|changed hands|slab kmalloc.*|slab skbuff_small_head)$") | not)) | .place]'
is "only pages and buffers of skbs have lines of a device" "$(each "$of_no_buffer")" "[[]]"

# lines VARIANT FUNCTION: thousandths of a line per packet; "others": of the functions that were not asked for
lines() {
	echo "$2" >>"$tmp/asked.$(echo "$1" | tr -c 'a-z\n' _)"
	jq --arg v "$1" --arg f "$2" '.variants[] | select(.id == $v) | [.symbols[] | select(.name | endswith($f)) | .lines_device] | (add // 0) * 1000 | round' "$tmp/report"
}
others() {
	jq --arg v "$1" --rawfile f "$tmp/asked.$(echo "$1" | tr -c 'a-z\n' _)" '($f | split("\n") - [""]) as $asked | .variants[] | select(.id == $v)
		| [.symbols[] | select(.name as $s | any($asked[]; . as $a | $s | endswith($a)) | not) | .lines_device] | add * 1000 | round' "$tmp/report"
}
case $nic in
vmxnet3) # A completion has 16 bytes: four are a line. The driver itself reads no byte of the packet.
	between "native, no touch: the completion ring, a quarter of a line a packet" "$(lines $touch vmxnet3_rq_rx_complete)" 240 275
	is "and nothing else: the packet is never fetched" "$(others $touch)" 0
	is "read-data: the program fetches one line of each packet" "$(lines $read _xdp_bench)" 1000
	is "skb: eth_type_trans fetches it" "$(lines $skb eth_type_trans)" 1000
	between "besides the ring, as without skbs" "$(lines $skb vmxnet3_rq_rx_complete)" 240 275
	is "and nothing else" "$(others $skb)" 0
	;;
virtio_net) # Used entries have 8 bytes; with the index, the ring of 256 has 33 lines. The header of 12 bytes shares the packet's first line.
	between "native: the used ring, an eighth of a line a packet" "$(lines $touch virtqueue_get_buf_ctx_split)" 115 145
	is "receive_buf() fetches the packet's first line for the header, so the program fetches none" \
		"$(lines $touch receive_buf) $(lines $read receive_buf) $(lines $read _xdp_bench)" "1000 1000 0"
	between "the second line is fetched when the page is cleared for the next packet" "$(lines $touch clear_page_rep)" 950 1050
	between "nothing else fetches to speak of" "$(others $touch)" 0 10
	is "skb: the header, and the second line when the packet is copied into the skb" "$(lines $skb receive_buf) $(lines $skb memcpy_orig)" "1000 1000"
	;;
e1000) # A descriptor has 16 bytes; small packets are copied into the skb.
	between "the ring of descriptors, a quarter of a line a packet" "$(lines $skb e1000_clean_rx_irq)" 240 275
	is "the copy fetches each packet, and nothing else fetches" "$(lines $skb memcpy_orig) $(others $skb | sed 's/^[01]$/none/')" "1000 none"
	;;
esac
