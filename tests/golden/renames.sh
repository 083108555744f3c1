#!/bin/bash
# Two kernels: what one calls page_pool_put_page the other calls page_pool_put_unrefed_netmem. Both ways to compare them, of run
# directories and of a history, know that by renames.conf, or by the file that --renames names.
. "$(dirname "$0")/lib.sh"
conf=tests/synthetic.conf
skb=drop/no-touch@skb

"$render" make "$tmp/new" sound && cp -r "$tmp/new" "$tmp/old" || exit 1
sed -i 's/page_pool_put_unrefed_netmem/page_pool_put_page/; s/bpf_prog_19a6feab3d5cb0e1_/bpf_prog_19a6feab3d5cb0e2_/' "$tmp/old"/blocks/*.script
jq '.environment.kernel = "6.1.0" | .started = "2026-01-01T00:00:00Z"' "$tmp/new/run.json" >"$tmp/old/run.json"

# compare COMMAND...: each symbol's name and class, to $tmp/out
compare() { "$X" "$@" -f json 2>"$tmp/why" | jq -r '.symbols[] | "\(.name) \(.class)"' >"$tmp/out"; }
joined() { grep -q '^\(page_pool_put_unrefed_netmem\|page_pool_put_page\) same$' "$tmp/out" && ! grep -q ' \(gone\|new\)$' "$tmp/out"; }
apart() { grep -q '^page_pool_put_page gone$' "$tmp/out" && grep -q '^page_pool_put_unrefed_netmem new$' "$tmp/out"; }

: >"$tmp/nothing.conf"
echo "free page_pool_put_page page_pool_put_unrefed_netmem # as one would add it" >"$tmp/mine.conf"
"$X" history add --db "$tmp/h.db" "$tmp/old" -F $conf >/dev/null && "$X" history add --db "$tmp/h.db" "$tmp/new" -F $conf >/dev/null || exit 1
for how in "diff $tmp/old:$skb $tmp/new -F $conf" "diff $tmp/h.db/prev:$skb $tmp/h.db/last"; do
	of=${how%% *}
	compare $how && joined
	result $? "$of: one function under the names of two kernels is one row" "$tmp/out"
	compare $how --renames "$tmp/nothing.conf" && apart
	result $? "$of: with an empty rename file it is gone and new" "$tmp/out"
	compare $how --renames "$tmp/mine.conf" && joined
	result $? "$of: with a rename file of one's own it is one row" "$tmp/out"
	echo "a b b" >"$tmp/wrong.conf"
	"$X" $how --renames "$tmp/wrong.conf" >"$tmp/out" 2>"$tmp/why"
	[ $? -eq 1 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/why")" = 1 ] && grep -q "b has two keys" "$tmp/why"
	result $? "$of: a rename file that is wrong is refused in one sentence"
done
"$X" diff --full "$tmp/old:$skb" "$tmp/new" -F $conf >"$tmp/want" 2>"$tmp/why" && "$X" diff --full "$tmp/h.db/prev:$skb" "$tmp/h.db/last" >"$tmp/got" 2>>"$tmp/why" &&
	diff "$tmp/want" "$tmp/got" >"$tmp/out"
result $? "both print the same"
"$X" diff "$tmp/old:$skb" "$tmp/new" -F $conf -f folded >"$tmp/out" 2>"$tmp/why"
[ "$(awk '/page_pool_put/ { print ($(NF - 1) > 0 && $NF > 0) }' "$tmp/out" | sort -u)" = 1 ]
result $? "call paths join as well"
for run in old new; do
	config='{"DEBUG_NET": "n", "KASAN": "n", "HZ": "250"}'
	[ $run = old ] || config='{"DEBUG_NET": "y", "HZ": "250", "PAGE_POOL_STATS": "n"}'
	boot='["mitigations=off", "nosmt", "init_on_alloc=1"]'
	[ $run = old ] || boot='["slub_debug=FZ", "nosmt", "mitigations=auto"]'
	jq --argjson c "$config" --argjson b "$boot" --arg m $run '.environment += {config: $c, preempt_mode: $m, boot: $b}' "$tmp/$run/run.json" >"$tmp/run.json" &&
		mv "$tmp/run.json" "$tmp/$run/run.json"
done
"$X" diff --full "$tmp/old:$skb" "$tmp/new" -F $conf 2>"$tmp/why" | tr -s ' \n' ' ' >"$tmp/out"
grep -q 'configured in another way (base and new): DEBUG_NET n and y, preemption old and new, boot parameter mitigations=off and mitigations=auto, boot parameter init_on_alloc=1 and not given, boot parameter not given and slub_debug=FZ packets' "$tmp/out"
result $? "kernels that are configured in another way: named, and no more"
jq '.environment.config = null | .environment.preempt_mode = null | .environment.boot = null' "$tmp/new/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/new/run.json"
"$X" diff --full "$tmp/old:$skb" "$tmp/new" -F $conf >"$tmp/out" 2>"$tmp/why" && ! grep -q "configured" "$tmp/out"
result $? "... and nothing is said where one configuration is not known"
! "$X" report --full "$tmp/new" --renames "$tmp/mine.conf" >"$tmp/out" 2>"$tmp/why"
result $? "report, which compares nothing, has no such option"
