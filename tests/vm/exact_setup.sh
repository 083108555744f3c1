#!/bin/sh
# xdpzoom exact on programs of one's own that are set up: --set, --setup, --teardown, --frames and --frames work in the virtual
# machine. The firewall of docs/examples with its maps filled takes another way than with empty ones, and its counts show it.
# usage: VM_KERNEL=6.12 exact_setup.sh
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
command -v bpftool >/dev/null || skip_all "no bpftool here"

example=$PWD/docs/examples/firewall
build() { clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$1" -o "$2" || exit 1; }
build "$example/firewall.bpf.c" "$tmp/fw.o"
cp "$tmp/fw.o" "$tmp/again.o"
cp "$example/rules.sh" "$tmp/rules.sh"
cat >"$tmp/rounds.bpf.c" <<'C'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
const volatile __u32 rounds = 1;
SEC("xdp") int known(struct xdp_md *ctx)
{
	for (__u32 i = 0; i < rounds && i < 1000; i++)
		asm volatile("r0 = 1\n" ::: "r0");
	return XDP_DROP;
}
char _license[] SEC("license") = "GPL";
C
build "$tmp/rounds.bpf.c" "$tmp/rounds.o"
cd "$tmp" || exit 1
exact() { # run, arguments...
	run=$1
	shift
	"$X" exact -k "$kernel" -o "$run" "$@"
}
changed() { "$X" diff "$1" "$2" -f json | jq -c '[.symbols[] | select(.exact and .change != 0) | .name]'; }
# SYMBOL of RUN's first variant: calls, instructions, exact
of() { "$X" report "$1" -f json | jq -r --arg s "$2" '.variants[0].symbols[] | select(.name | endswith($s)) | [.calls, .instructions, .exact] | map(tostring) | join(" ")'; }
total() { "$X" report "$1" -f json | jq '.variants[0].instructions | round'; }

passes='udp 203.0.113.5 > 192.0.2.1:53' blocked='udp 198.51.100.7 > 192.0.2.1:53'
ok "with its maps filled by --setup, one object under two names" exact filled -q -V prog:fw.o@native,prog:again.o@native \
	--setup ./rules.sh --frames "$passes"
ok "with empty maps" exact empty -q -V prog:fw.o@native --frames "$passes"
is "A/A: each exact function has the same count" "$(changed filled:prog:fw.o@native filled:prog:again.o@native)" "[]"
is "filled, the frame passes: it enters the stack once a packet; empty, it never does" \
	"$(of filled __netif_receive_skb_core.constprop.0 | cut -d' ' -f1) $(of empty __netif_receive_skb_core.constprop.0)" "1 "
ok "so it takes more instructions, by more than the network stack's entry" test "$(total filled)" -gt "$(($(total empty) + 1000))"
is "the functions sum to what ran between entry and exit of the polls" \
	"$("$X" report filled -f json | jq -c '[.variants[].closure]')" "[0,0]"
is "the run knows the words that it was made with" "$(jq -r '.command | index("./rules.sh") != null' filled/run.json)" true

# What the program counted by itself, printed by --teardown when all windows are over: every frame was blocked.
ok "a blocked frame; --teardown prints the program's own counts" sh -c '"$1" exact -v -k "$2" -o blocked -V prog:fw.o@native \
	--setup ./rules.sh --frames "$3" --teardown "bpftool -j map dump pinned \$XDPZOOM_PINS/reasons; echo" 2>err' sh "$X" "$kernel" "$blocked"
# An element of the map: the key, and 8 bytes for each CPU. Windows, the frames before the first one (128) and those after
# the last one (64) count.
is "all frames of all windows were blocked, none had another end" \
	"$(grep '^\[{' err | jq -c '[.[] | [.formatted.values[]?.value] | add]')" \
	"[0,0,0,$(($(jq '[.variants[0].windows[].sent] | add' blocked/run.json) + 192)),0]"

# Frames of a capture, in their order: of two, one is looked up in the map of ports, so half a look-up a packet.
python3 - "$tmp" <<'PY'
import struct, sys
def frame(source):
    ip = bytes([0x45, 0]) + struct.pack(">HHHBBH", 46, 0, 0, 64, 17, 0) + bytes(source) + bytes([192, 0, 2, 1])
    return bytes(12) + b"\x08\x00" + ip + struct.pack(">HHHH", 9, 80, 26, 0) + bytes(18)
with open(sys.argv[1] + "/two.pcap", "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for source in ([198, 51, 100, 7], [203, 0, 113, 5]):
        data = frame(source)
        out.write(struct.pack("<IIII", 0, 0, len(data), len(data)) + data)
PY
ok "--frames: a capture of two frames" exact two -q -V prog:fw.o@native --setup ./rules.sh --frames two.pcap
is "one look-up of the sender a packet, and half a one of the port" \
	"$(of two trie_lookup_elem | cut -d' ' -f1) $(of two __htab_map_lookup_elem | cut -d' ' -f1)" "1 0.5"
ok "the same frames over the wire of a NIC" exact wire -q -n virtio_net -V prog:fw.o@native --setup ./rules.sh --frames two.pcap
# Where a poll begins within a batch differs on a NIC, so a poll can hold one frame more of one kind.
is "have the same counts in the program" "$(of wire _parse) $(of wire _look_up | awk '{ printf "%.1f", $2 }')" \
	"$(of two _parse) $(of two _look_up | awk '{ printf "%.1f", $2 }')"

rounds() { exact "rounds$1" -q -V prog:rounds.o@native --set "rounds=$1" && of "rounds$1" _known; }
first=$(rounds 10) second=$(rounds 110)
step=$(echo "$first $second" | awk '$3 == "true" && $6 == "true" { print ($5 - $2) / 100 }')
ok "--set: 100 rounds more are 100 times a whole number of instructions more" test "$step" -ge 2

ok "--setup and --teardown run where the device is" exact device -q -V prog:rounds.o@native \
	--setup 'test -n "$XDPZOOM_DEV" && ip link show "$XDPZOOM_DEV"' --teardown 'ip link show "$XDPZOOM_DEV"'
fails "a setup that fails: its status, in one sentence" 1 '--setup: "echo no; exit 3" ended with status 3' \
	exact none -q -V prog:fw.o@native --setup 'echo no; exit 3'
fails "a setup that hangs is ended" 1 "did not end within 60 s" exact none -q -V prog:fw.o@native --setup 'sleep 600'
is "no half run is left" "$(ls -d none* 2>/dev/null)" ""
