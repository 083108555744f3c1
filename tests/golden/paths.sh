#!/bin/sh
# Which component each path of a packet belongs to, on all drivers and kernels that were counted (tests/fixtures/paths): no
# function of more than one percent of a packet is in rest, and the page pool is page recycling, or skb free where an skb
# is freed. After a change that is meant: UPDATE=1 tests/golden/paths.sh, and read the difference.
. "$(dirname "$0")/lib.sh"
need "$PWD/build/perfparse"
here=tests/golden/paths

# A tree of calls as a text of perf script, with a DSO of its own for each path, so that each path is a row.
script() { # FILE VARIANT
	awk -v variant="$2" '
	$1 == "=" { on = $2 == variant; next }
	!on { next }
	{ name[$1] = $3 }
	$2 { printf "x 1 [000] 1.000000001: %d instructions: \n", $2
		for (d = $1; d; d--) printf "\tffffffff81000000 %s ([m%d])\n", name[d], NR
		print "" }' "$1"
}
# "DRIVER-KERNEL VARIANT COMPONENT FUNCTION SHARE", tab-separated, a line for each path
shares() {
	for f in tests/fixtures/paths/*-*; do
		sed -n 's/^= //p' "$f" | while read -r variant; do
			script "$f" "$variant" >"$tmp/script"
			sum=$(awk -v variant="$variant" '$1 == "=" { on = $2 == variant; next } on { sum += $2 } END { print sum }' "$f")
			build/perfparse --ns "$sum" --as-time --format json "$tmp/script" | jq -r --arg run "$(basename "$f")" --arg variant "$variant" \
				'.symbols[] | select(.self_ns > 0) | [$run, $variant, .component, .name, .self_ns / 100] | @tsv'
		done
	done
}
components() {
	awk -F'\t' '{ k = $1 " " $2; if (!(k in seen)) { seen[k]; order[++n] = k }
			if (!((k, $3) in sum)) names[k] = names[k] $3 "\t"
			sum[k, $3] += $5 }
		END { for (i = 1; i <= n; i++) { print order[i]; m = split(names[order[i]], f, "\t")
			for (j = 1; j < m; j++) printf "%7.2f %%  %s\n", sum[order[i], f[j]], f[j] | "LC_ALL=C sort -k1,1rn -k3"
			close("LC_ALL=C sort -k1,1rn -k3") } }' "$tmp/shares"
}
# Functions of the paths of a component with their sum where it is more than LEAST percent
functions() { # COMPONENT LEAST
	awk -F'\t' -v component="$1" -v least="$2" '$3 == component { sum[$1 " " $2 " " $4] += $5 }
		END { for (f in sum) if (sum[f] > least) print f, sum[f] }' "$tmp/shares"
}
elsewhere() { # PATTERN COMPONENT...: paths that end in such a function, and belong to no such component
	pattern=$1
	shift
	awk -F'\t' -v pattern="$pattern" -v components="$(printf '%s,' "$@")" \
		'$4 ~ pattern && !index("," components, "," $3 ",") { print $1, $2, $4 ": " $3 }' "$tmp/shares"
}

# The functions of a list, "NAME COMPONENT" each, that perfparse bills to another component
misplaced() {
	awk '{ name[NR] = $1; $1 = ""; want[name[NR]] = substr($0, 2) }
		END { for (i = 1; i <= NR; i++) printf "%.5f%%  [k] %s\n", 99.9 / NR, name[i] }' "$1" >"$tmp/report"
	build/perfparse --ns 1000 --format json "$tmp/report" | jq -r '.symbols[] | "\(.name) \(.component)"' | LC_ALL=C sort -u >"$tmp/billed"
	LC_ALL=C sort -u "$1" | LC_ALL=C comm -23 - "$tmp/billed"
}
shares >"$tmp/shares"
golden tests/golden/paths.txt components
none() { "$@" >"$tmp/got" && [ ! -s "$tmp/got" ] || { cat "$tmp/got"; false; }; }
ok "no function of more than one percent of a packet is in rest" none functions rest 1
ok "the page pool is one component" none elsewhere '^_*page_pool_|netmem' "page recycling" "skb free"
ok "and has paths in all drivers that have one" test "$(awk -F'\t' '$3 == "page recycling" && $4 ~ /page_pool_/ { sub(/-.*/, "", $1); print $1 }' \
	"$tmp/shares" | sort -u | paste -sd' ')" = "veth virtio_net vmxnet3"
awk -F': ' '/^[^#]/ { n = split($3, f, " "); for (i = 1; i <= n; i++) print f[i], $2 }' tests/fixtures/paths/drivers >"$tmp/drivers"
ok "each driver with native XDP has rules for its functions" none misplaced "$tmp/drivers"
for f in __udp6_lib_lookup udp6_lib_lookup2 fib4_rule_action fib4_rule_match fib6_table_lookup ip6_pol_route inet6_lookup icmpv6_rcv; do
	echo $f protocols
done >"$tmp/protocols"
ok "lookups of IPv4's rules and of IPv6 are protocols" none misplaced "$tmp/protocols"
# An idle function is no row.
for f in snooze_loop r4k_wait_irqoff cpu_v7_do_idle tdx_safe_halt sbi_cpuidle_enter_state psw_idle dedicated_cede_loop arm_enter_idle_state \
	power9_idle_stop __arch_cpu_idle s390_enter_idle psci_cpu_suspend_enter cede_processor microwatt_idle cpuidle_sleep_enter; do
	printf '50.00%%  [k] %s\n50.00%%  [k] build_skb\n' $f | build/perfparse --ns 100 --format json | jq -r --arg f $f \
		'if .idle_pct == 50 and (.symbols | length) == 1 then empty else $f end'
done >"$tmp/idle"
ok "idle of POWER, MIPS, ARMv7, RISC-V, s390, LoongArch, and of TDX guests" none cat "$tmp/idle"
# What firmware and hypervisors are called by for more than idle is idle below an idle function.
for path in dedicated_cede_loop\;plpar_hcall_norets_notrace psci_enter_idle_state\;__arm_smccc_smc sbi_cpuidle_enter_state\;__sbi_ecall; do
	for above in 100 0; do
		[ $above = 100 ] && stack=$path || stack=${path#*;}
		printf 'swapper;%s 50\nksoftirqd/1;build_skb 50\n' "$stack" | build/perfparse --ns 100 --format json | jq -r --arg stack "$stack" \
			"if .idle_pct == $above / 2 then empty else \$stack end"
	done
done >"$tmp/firmware"
ok "calls of firmware and hypervisor are idle where an idle function made them" none cat "$tmp/firmware"
for f in gic_handle_irq el1_interrupt handle_percpu_devid_irq riscv_intc_irq plic_handle_irq __do_irq xive_get_irq do_io_irq tasklet_action_common; do
	echo $f NAPI/softirq
done >"$tmp/interrupts"
ok "interrupts of ARM, RISC-V, POWER and s390" none misplaced "$tmp/interrupts"
