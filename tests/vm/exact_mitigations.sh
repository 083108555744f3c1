#!/bin/sh
# xdpzoom exact --append: a kernel with retpolines and with safe-RET is counted, and its counts close. Thunks are no calls, each
# takes a known number of instructions, and what a return costs belongs to the function that returns.
# usage: VM_KERNEL=6.12 exact_mitigations.sh    (two minutes)
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
ok "three ways to boot one kernel are a matrix" "$X" exact -q -k "$kernel" --append off --append retpoline --append 'srso threadirqs' \
	-V drop@native,drop@skb,layer:nft-raw -o "$tmp/m"
off=$tmp/m/$kernel/veth/all retpoline=$tmp/m/$kernel+retpoline/veth/all srso="$tmp/m/$kernel+srso threadirqs/veth/all"
for run in "$off" "$retpoline" "$srso"; do "$X" report "$run" -f json >"$run.json"; done
is "functions sum to what ran between entry and exit of the polls" "$(jq -c '[.variants[].closure]' "$off.json" "$retpoline.json" "$srso.json" | sort -u)" "[0,0,0]"
calls() { jq -c '[.variants[].calls]' "$1"; }
is "thunks are no calls" "$(calls "$retpoline.json") $(calls "$srso.json")" "$(calls "$off.json") $(calls "$off.json")"
# RUN VARIANT REGEX: instructions per packet of the functions with such names
of() { jq --arg v "$2" --arg s "$3" '[.variants[] | select(.id == $v).symbols[] | select(.name | test($s)).instructions] | add // 0 | . * 1000 | round / 1000' "$1"; }
native=drop/no-touch@native
is "the native path has no indirect call a packet, so retpolines cost it nothing" "$(of "$retpoline.json" $native thunk)" 0
is "of each return thunk one instruction, and two of what it calls: 6 returns a packet" \
	"$(of "$srso.json" $native return_thunk) $(of "$srso.json" $native safe_ret)" "6 12"
is "nothing else of that path changed" "$("$X" diff "$off:$native" "$srso:$native" -f json |
	jq -c '[.symbols[] | select((.exact or (.change | fabs) > 1) and (.change | fabs) > 0.001) | select(.name | test("thunk|safe_ret") | not) | .name]')" "[]"
is "nft's rules are called through retpolines: 3 instructions more for each thunk, and 50 of nft_do_chain" \
	"$("$X" diff "$off:layer:nft-raw" "$retpoline:layer:nft-raw" -f json | jq '[.symbols[] | select(.name == "nft_do_chain").change] | add')" 50
is "a return is a cost of the component of the function that returns" \
	"$("$X" diff "$off:$native" "$srso:$native" -f json | jq -c '[.components[] | select((.change | fabs) > 0.5) | [.name, (.change | round)]]')" \
	'[["driver RX",9],["page ring lock",6],["BPF program",3]]'
is "the run knows what it was booted with, and what its kernel says" \
	"$(jq -r '.append, (.mitigations | .spec_rstack_overflow, .spectre_v2[:22])' "$srso/run.json" | paste -sd'|')" \
	"srso threadirqs|Vulnerable: Safe RET, no microcode|Mitigation: Retpolines"
"$X" diff "$off:$native" "$srso:$native" >"$tmp/diff"
ok "diff names the mitigations that differ" grep -q 'the mitigations differ:' "$tmp/diff"
ok "the matrix gives the configuration as the cause, not the source" \
	sh -c 'jq -e "[.changes[].cause] | unique | . == [\"configuration\"]" "$1" >/dev/null' sh "$tmp/m/matrix.json"
fails "words of the harness itself are refused" 1 "keep=0: the harness has its own" "$X" exact -q -k "$kernel" --append keep=0 -o "$tmp/none"
