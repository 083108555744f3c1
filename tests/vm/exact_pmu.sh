#!/bin/sh
# xdpzoom exact --against a recorded run: what its PMU counted is in the run beside the counts, and another kernel is refused.
# No machine of the tests has a PMU, so the recorded run is made.
# usage: VM_KERNEL=6.12 exact_pmu.sh
. "$(dirname "$0")/../rig/lib.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "no qemu-system-x86_64 here"
kernel=${VM_KERNEL:-6.12}
[ -f "$(vm/cache)/$kernel/initrd" ] || skip_all "no kernel $kernel in $(vm/cache); make deps-vm fetches it"
counts='.environment.cpu_model = "AMD EPYC 7763" | (.blocks[].windows[].events[]? | select(.event == "instructions")).event = "instructions:k"'

tests/cases/made counted "$tmp/pmu" rounds=4 ".environment.kernel = \"$(cat "$(vm/cache)/$kernel/version")\" | $counts"
ok "counted beside it" "$X" exact -q -k "$kernel" --against "$tmp/pmu" -o "$tmp/beside"
"$X" report "$tmp/beside" -f json >"$tmp/json"
is "the CPU is named, and each variant has both" \
	"$(jq -c '[.pmu_cpu, (.variants[] | .pmu_instructions > .pmu_counted)]' "$tmp/json")" '["AMD EPYC 7763",true,true]'
is "what is counted has the measured packets per poll" \
	"$(jq -c '[.variants[] | (.pmu_counted - .instructions - .instructions_per_poll / 64) * 1000 | round + 0] | unique' "$tmp/json")" "[0]"
is "difference and ratio are of both" \
	"$(jq -c '[.variants[] | (.pmu_instructions - .pmu_counted - .pmu_difference | round + 0), (.pmu_ratio * .pmu_counted - .pmu_instructions | round + 0)] | unique' "$tmp/json")" "[0]"
tests/cases/made counted "$tmp/other" rounds=4 ".environment.kernel = \"5.10.0-1-amd64\" | $counts"
fails "another kernel: one sentence, and the run stays" 1 "was recorded on Linux 5.10.0-1-amd64, and these counts are of Linux" \
	"$X" exact -q -k "$kernel" --against "$tmp/other" -o "$tmp/run" -V drop@native
is "in whose report the PMU's count is marked" \
	"$("$X" report "$tmp/run" --full | grep -c 'not comparable: the PMU counted on Linux 5.10.0-1-amd64')" 1
