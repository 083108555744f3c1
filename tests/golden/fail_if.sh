#!/bin/sh
# diff --fail-if and --strict: status 3 and one sentence. The first when the whole interval is beyond the limit, for measured
# and for exact runs; the second when a check fails, whatever the format.
. "$(dirname "$0")/lib.sh"
run=build/runs/run1 exact=build/runs/counted native=drop/no-touch@native skb=drop/no-touch@skb

# diff STATUS WORDS LIMIT BASE NEW: the comparison is printed all the same
diff_fails() {
	"$X" diff --full "$4" "$5" --fail-if "$3" >"$tmp/printed" 2>"$tmp/said"
	got=$?
	cat "$tmp/said"
	[ $got -eq "$1" ] && grep -q -- "$2" "$tmp/said" && [ "$(wc -l <"$tmp/said")" -eq 1 ] && [ -s "$tmp/printed" ]
}
diff_passes() {
	"$X" diff --full "$2" "$3" --fail-if "$1" >"$tmp/printed" 2>"$tmp/said" && [ -s "$tmp/printed" ] && [ ! -s "$tmp/said" ]
}
ok "slower than the limit" diff_fails 3 'slower by .* ns per packet .* beyond 2 %' slower=2% $run:$native $skb
ok "different, the other way round" diff_fails 3 'faster by \(7[0-9.]*\|8[0-9.]*\) to 1[0-9.]* ns per packet ([0-9.]* to [0-9.]* %), which is beyond 5 ns' different=5ns $run:$skb $native
ok "faster is not slower" diff_passes slower=2% $run:$skb $native
ok "within the limit" diff_passes slower=5000ns $run:$native $skb
ok "a variant and itself" diff_passes different=1% $run:$native $native
ok "exact: more instructions" diff_fails 3 'instructions per packet .* beyond 10 instr' slower=10instructions $exact:$native $skb
ok "exact: one instruction" diff_fails 3 'beyond 1 instruction$' slower=1instructions $exact:$native $skb
ok "exact: in percent, either way" diff_fails 3 'beyond 1 %' different=1% $exact:$skb $native
ok "exact: fewer are not slower" diff_passes slower=0% $exact:$skb $native
ok "exact: the same" diff_passes different=0instructions $exact:$native $native
ok "a unit of time for exact counts" sh -c "$X diff --full $exact:$native $skb --fail-if slower=2ns; [ \$? -eq 2 ]"
ok "instructions for a measured run" sh -c "$X diff --full $run:$native $skb --fail-if slower=2instructions; [ \$? -eq 2 ]"
ok "words that are not understood" sh -c "$X diff --full $run:$native $skb --fail-if quicker=2%; [ \$? -eq 2 ]"

strict() { # STATUS SENTENCE COMMAND...: standard error is the sentence, or nothing for ""
	status=$1 want=$2
	shift 2
	"$X" "$@" --strict >"$tmp/printed" 2>"$tmp/said"
	got=$?
	cat "$tmp/said"
	[ $got -eq "$status" ] && [ "$(cat "$tmp/said")" = "$want" ] && [ -s "$tmp/printed" ]
}
checks="saturation of $native, irqs-off of $native"
ok "report --strict names the checks in a format that has none" strict 3 \
	"xdpzoom: checks failed: $checks; report --full shows them" report $run:$native -f csv
ok "... and says nothing when they hold" strict 0 "" report $run:$native -f csv --limit saturation=0 --limit irqs-off=100
ok "diff --strict names those of the comparison and of both sides" strict 3 \
	"xdpzoom: checks failed: busy-alike, $checks, saturation of $skb; report --full shows them" diff $run:$native $skb -f csv
