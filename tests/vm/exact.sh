#!/bin/sh
# xdpzoom exact on a kernel of the matrix: counts close to the instruction, repeat to the instruction, and nothing is left of
# one that was stopped. usage: VM_KERNEL=6.12 exact.sh
. "$(dirname "$0")/../rig/lib.sh"
. tests/vm/exact_lib.sh
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
kernel=${VM_KERNEL:-6.12}
[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
run=$tmp/run native=drop/no-touch@native again=drop/no-touch+again@native skb=drop/no-touch@skb
chain() { echo "drop/no-touch+chain$1@native"; }

# An injected chain of 64 multiplications more adds their instructions to the program, and none to another function.
cat >"$tmp/own.bpf.c" <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
/* On x86-64 each takes ten bytes, so of 900 at least one is on two pages: that is one instruction, too. */
SEC("xdp") int own(struct xdp_md *ctx)
{
#if LONG
	asm volatile(".rept 900\nr1 = 0x1122334455667788 ll\n.endr" ::: "r1");
#endif
	return XDP_DROP;
}
char _license[] SEC("license") = "GPL";
END
own() { clang -O2 -g -target bpf -DLONG="$2" -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$tmp/own.bpf.c" -o "$tmp/$1.o" || exit 1; }
own own 0
own long 1
own=prog:$tmp/own.o@native
ok "all are counted: three variants, injected chains, programs of one's own, a layer, and what a program passes" \
	"$X" exact -q -k "$kernel" -o "$run" -V "$native,$again,$skb,$(chain 100),$(chain 164),$(chain 292),$own,${own%own.o*}long.o@native,layer:nft-raw,pass"
"$X" report "$run" -f json >"$tmp/report"
is "no function of more than one percent of a packet is in rest, and no page pool with the driver" "$(placeless "$tmp/report")" ""
"$X" diff "$run:$native" $again -f json >"$tmp/aa"

each() { jq -r "[.variants[:3][] | $1] | map(tostring) | join(\" \")" "$tmp/report"; }
is "the functions sum to what ran between entry and exit of the polls" "$(each .closure)" "0 0 0"
is "without memory it is not known" \
	"$(jq -c '[.variants[] | .loads, .stores, .lines_touched, .lines_transferred, .lines_device, .closure_places] | unique' "$tmp/report")" "[null]"
is "what was sent has arrived" "$(each '[.windows[] | .sent == .arrived] | all')" "true true true"
is "each program runs once for each packet" \
	"$(each '[.symbols[] | select(.name | startswith("bpf_prog_")) | select(.name | endswith("_xdp_bench")) | .calls] | join(",")')" "1 1 1"
program='.symbols[] | select(.name | endswith("_xdp_bench")) | [.exact, .instructions]'
is "and takes as many instructions in each mode, exactly" "$(each "$program" | tr ' ' '\n' | sort -u | grep -c '^\[true,[1-9]')" 1
one='.symbols[] | select(.name == "veth_xdp_rcv_one") | [.exact, .calls, (.instructions | . == floor)] | join(",")'
is "veth_xdp_rcv_one is exact: a whole number, once a packet" "$(each "$one")" "true,1,true true,1,true true,1,true"
is "the same program counted again: each exact function has the same count" \
	"$(jq '[.symbols[] | select(.exact and .change != 0)] | length' "$tmp/aa")" 0
between "which are most of them" "$(jq '[.symbols[] | select(.exact)] | length' "$tmp/aa")" 8 1000

is "one's own runs once for each packet" "$(jq -c --arg v "$own" '.variants[] | select(.id == $v) | .symbols[] |
	select(.name | test("^bpf_prog_[0-9a-f]+_own$")) | [.exact, .calls]' "$tmp/report")" "[true,1]"
is "900 instructions more are 900 more, also where one lies on two pages" \
	"$("$X" diff "$run:$own" "${own%own.o*}long.o@native" -f json | jq -c '[.symbols[] | select(.name | endswith("_own")) | .exact, .change]')" "[true,900]"
ends() { jq -r --arg v "$2" '.variants[] | select(.id == $v) | [.drop_reasons[] | "\(.reason) \(.frames)"] | join(", ")' "$1"; }
is "the kernel names why it drops each frame that a program passes" \
	"$(ends "$tmp/report" pass/no-touch@native | grep -cx '[A-Z][A-Z_0-9]* 64')" 1
is "of those that a program drops there is no skb to drop" "$(ends "$tmp/report" $native)" "none 64"
is "the layer: each frame arrives, is received once, and meets the rule once, and the functions sum to what ran" \
	"$(jq -c '.variants[] | select(.id == "layer:nft-raw") | .closure, ([.windows[] | .sent == .arrived and .sent > 0] | all),
		(.symbols[] | select(.name == "veth_xdp_rcv_one" or .name == "nft_do_chain") | .calls)' "$tmp/report" | paste -sd' ')" "0 true 1 1"
added() { # STEPS beside 100: how many exact functions changed, and by how much the row of steps and the program that repeats it did
	"$X" diff --full "$run:$(chain 100)" "$(chain "$1")" -f json >"$tmp/chain"
	jq -c '[.symbols[] | select(.exact and .change != 0)] | [length, (.[] | select(.name | test("_(xdp_bench|chain_row)$")) | .change)]' "$tmp/chain"; }
row=$(added 164 | jq '.[1]') loop=$(added 164 | jq '.[2]')
between "a row of steps is a whole number of instructions" "$(echo "$row" | grep -x "[0-9]*")" 128 192
is "64 and 192 steps more add just theirs, to the program alone" "$(added 164) $(added 292)" "[2,$row,$loop] [2,$((3 * row)),$((3 * loop))]"

generic() { jq --arg v "$1" '.variants[] | select(.id == $v) | .symbols | any(.name == "bpf_prog_run_generic_xdp")' "$tmp/report"; }
is "generic XDP runs in skb mode alone" "$(generic $native) $(generic $skb)" "false true"
fails "a run directory that exists is left alone" 1 "exists; choose another name or use --force" "$X" exact -q -k "$kernel" -o "$run"
mkdir "$tmp/empty"
refused() { # WORDS, arguments...
	words=$1
	shift
	fails "refused: $*" 2 "$words" "$X" exact -q -o "$tmp/none" "$@"
}
refused "not counted of what sends" -V layer:tx-gso
refused "the generator's own" -V layer:test-run
refused "leave --nic out" -V layer:tc -n virtio_net
refused "leave --variants out" -V layer:tc --ladder rx
fails "no QEMU" 77 "no qemu-system-x86_64 in PATH" env PATH="$tmp/empty" "$X" exact -q -o "$tmp/none"

nightly

# A name of the cache by which this virtual machine is known.
ln -s "$(vm/cache)" "$tmp/cache"
XDPZOOM_CACHE="$tmp/cache" "$X" exact -k "$kernel" -o "$tmp/stopped" 2>"$tmp/err" &
started $!
until grep -q '^window 1 ' "$tmp/err" || ! kill -0 $!; do sleep 0.1; done
kill -INT $!
wait $!
is "stopped: it says so" "$? $(tail -n 1 "$tmp/err")" "1 xdpzoom: stopped by a signal"
left() {
	pgrep -f "[q]emu.*$tmp/cache"
	find "$tmp" -name 'stopped*'
}
gone "and neither the virtual machine nor half a run is left" left
