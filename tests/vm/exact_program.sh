#!/bin/sh
# xdpzoom exact on programs of one's own: hand-written ones of known length count to the instruction, in both modes, and by
# source line.
# usage: VM_KERNEL=6.12 exact_program.sh
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}

# program NAME START STEPS: NAME.o, a program "known": in line 5 a start value, in line 6 so many steps that add 1 (none: no such
# line), in line 7 "exit". A naked function has no valid BTF, so it would have no lines.
program() {
	{
		printf '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\n'
		printf 'SEC("xdp") int known(struct xdp_md *ctx) { register long v asm("r0");\n\n\tasm volatile("r0 = %s" : "=r"(v));\n' "$2"
		[ "$3" -eq 0 ] || printf '\tasm volatile("%s" : "+r"(v));' "$(seq "$3" | sed 's/.*/r0 += 1;/' | tr -d '\n')"
		printf '\n\treturn v;\n}\nchar _license[] SEC("license") = "GPL";\n'
	} >"$tmp/$1.bpf.c"
	clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$tmp/$1.bpf.c" -o "$tmp/$1.o" || exit 1
}
program one 1 0
program forty_more -39 40
short=prog:$tmp/one.o long=prog:$tmp/forty_more.o

ok "two programs are counted in both modes" "$X" exact -q -k "$kernel" -o "$tmp/run" \
	-V "$short@native,$long@native,$short@skb,$long@skb"
"$X" report "$tmp/run" -f json >"$tmp/report"
each() { jq -r "[.variants[] | $1] | map(tostring) | join(\" \")" "$tmp/report"; }
# Before the program the JIT puts two NOPs, push and mov, and two endbr64 where the kernel has CONFIG_X86_KERNEL_IBT; "exit"
# becomes leave and ret, and each other instruction here one.
before=4
! grep -q '^CONFIG_X86_KERNEL_IBT=y' "$(vm/cache)/$kernel"/boot/config-* || before=6
program='.symbols[] | select(.name | startswith("bpf_prog_")) | select(.name | endswith("_known"))'
short_one=$((before + 3)) long_one=$((before + 43))
is "the short one takes $before + 1 + 2 instructions, the long one 40 more" "$(each "[$program | .instructions]")" \
	"[$short_one] [$long_one] [$short_one] [$long_one]"
is "exactly, and once a packet" "$(each "[$program | .exact, .calls]" | tr ' ' '\n' | sort -u)" "[true,1]"
is "the functions sum to what ran between entry and exit of the polls" "$(each .closure)" "0 0 0 0"
is "what was sent has arrived" "$(each '[.windows[] | .sent == .arrived] | all')" "true true true true"
changed() { "$X" diff "$tmp/run:$short@$1" "$long@$1" -f json | jq -c '[.symbols[] | select(.exact and .change != 0) | .change]'; }
# Line 5 has the beginning of the function too, and line 7 both instructions of "exit".
is "the same by source line" "$(each '[.source_lines | sort_by(.line) | .[] | .line, .instructions]')" \
	"[5,$((before + 1)),7,2] [5,$((before + 1)),6,40,7,2] [5,$((before + 1)),7,2] [5,$((before + 1)),6,40,7,2]"
is "exactly, with their text" "$(jq -c '[.variants[1].source_lines | sort_by(.line) | .[] | .exact, .text[0:20]]' "$tmp/report")" \
	'[true,"asm volatile(\"r0 = -",true,"asm volatile(\"r0 += ",true,"return v;"]'
is "and the lines sum to the program" "$(each .closure_source)" "0 0 0 0"
is "no other exact function differs" "$(changed native) $(changed skb)" "[40] [40]"
fails "a file that is no program" 1 "in the virtual machine: .*/report" "$X" exact -q -k "$kernel" -o "$tmp/none" -V "prog:$tmp/report@native"
