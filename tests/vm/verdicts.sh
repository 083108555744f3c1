#!/bin/sh
# Two VMs as two machines: the verdicts of a program that counts none, on a NIC that gets its frames from the kernel's pktgen on
# the other machine. The driver's counters, what came back and the kernel's count of runs agree, and so does what the program
# itself knows of its verdicts: it gives them in turn.
# usage: verdicts.sh NIC MODE
. "$(dirname "$0")/../rig/lib.sh"
nic=$1 mode=$2
. "$(dirname "$0")/remote_lib.sh"
cat >"$S/turn.bpf.c" <<'END'
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} nowhere SEC(".maps"); /* has no device: redirects fail */
__u64 frames = 0;
SEC("xdp") int turn(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	unsigned char mac[ETH_ALEN];

	if ((void *)(eth + 1) > end || eth->h_proto != 8) /* IPv4; what else comes is none of the generator's */
		return XDP_PASS;
	switch (frames++ % 12) { /* 2 aborted, 2 dropped, 3 passed, 4 sent back, 1 redirected */
	case 0: return XDP_ABORTED;
	case 1: return 77;
	case 2: case 3: return XDP_DROP;
	case 4: case 5: case 6: return XDP_PASS;
	case 7: return bpf_redirect_map(&nowhere, 0, XDP_DROP) == XDP_REDIRECT ? XDP_REDIRECT : bpf_redirect(4000, 0);
	}
	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
	return XDP_TX;
}
char _license[] SEC("license") = "GPL";
END
clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(${CC:-gcc} -print-multiarch)" -c "$S/turn.bpf.c" -o "$S/turn.o" || exit 1
cat >"$S/near" <<END
. /share/talk
near_up
build/xdpzoom record rx0 -q -o /tmp/run -V prog:/share/turn.o@$mode -b 1 --window 0.5 --schedule windows=2 --generator ssh:far/tx0 \
	--rate 300 2>/share/record.err
echo \$? >/share/record.status
cp -r /tmp/run /share/run
far_clean >/share/record.left
touch /share/done
END
far_boot "$nic" 600
is "recorded, and pktgen is clean" "$(cat "$S/record.status" "$S/record.err" "$S/record.left")" "0
left:"
verdicts=$(jq -c '.variants[0].verdicts' "$S/run/run.json")
# Of frames that come in turn, each verdict has its twelfths, to two frames. skb: drops are hidden among those of the stack.
is "each verdict is told, and has its share of frames" "$(echo "$verdicts" | jq -c --arg mode "$mode" '. as $v |
	def near($of; $n): ($of == null and $n == 2 and $mode == "skb") or ($of != null and ($of - $v.frames * $n / 12 | fabs) <= 2);
	[$v.frames >= 12, near(.aborted; 2), near(.drop; 2), near(.pass; 3), near(.tx; 4), near(.redirect; 1)]')" \
	'[true,true,true,true,true,true]'
is "the kernel's runs are the device's frames, and what was sent back came back" \
	"$(echo "$verdicts" | jq -c '[.runs == .frames, .seen == .frames, .back == .tx]')" '[true,true,true]'
is "the check vouches where all can be told" \
	"$("$X" report "$S/run" --format json | jq -c '[.variants[].quality[] | select(.check == "verdicts") | .ok | values]')" \
	"$([ "$mode" = skb ] && echo '[]' || echo '[true]')"
