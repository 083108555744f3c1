#!/bin/sh
# xdpzoom exact on programs that ask the driver about a frame: they are loaded for the device, and the driver's function is counted.
# usage: VM_KERNEL=6.12 exact_metadata.sh
. "$(dirname "$0")/../rig/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
command -v clang >/dev/null || skip_all "no clang here"
kernel=${VM_KERNEL:-6.12}
[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
cat >"$tmp/asks.bpf.c" <<'C'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

enum xdp_rss_hash_type;
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *, __u64 *) __ksym;
extern int bpf_xdp_metadata_rx_hash(const struct xdp_md *, __u32 *, enum xdp_rss_hash_type *) __ksym;

SEC("xdp") int nothing(struct xdp_md *ctx) { return XDP_DROP; }

SEC("xdp") int timestamp(struct xdp_md *ctx)
{
	__u64 at = 0;

	return bpf_xdp_metadata_rx_timestamp(ctx, &at) ? XDP_DROP : XDP_TX;
}

SEC("xdp") int hash(struct xdp_md *ctx)
{
	__u32 n = 0, type = 0;

	return bpf_xdp_metadata_rx_hash(ctx, &n, (void *)&type) ? XDP_DROP : XDP_TX;
}

char _license[] SEC("license") = "GPL";
C
clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$tmp/asks.bpf.c" -o "$tmp/asks.o" || exit 1
cd "$tmp" || exit 1

ok "veth: counted" "$X" exact -q -k "$kernel" -V prog:asks.o:nothing@native,prog:asks.o:timestamp@native,prog:asks.o:hash@native -o veth
calls() { "$X" report "$1" -f json | jq -c --arg f "$2" '[.variants[] | [.symbols[] | select(.name == $f).calls] | add // 0]'; } # RUN FUNCTION
is "functions sum to what ran between entry and exit of the polls" "$("$X" report veth -f json | jq -c '[.variants[].closure] | unique')" "[0]"
is "the driver is asked for the time, once a packet" "$(calls veth veth_xdp_rx_timestamp)" "[0,1,0]"
is "and for the hash" "$(calls veth veth_xdp_rx_hash)" "[0,0,1]"
fails "skb mode: the kernel's reason" 1 "Can't attach device-bound programs in generic mode" \
	"$X" exact -q -k "$kernel" -V prog:asks.o:hash@skb -o none
