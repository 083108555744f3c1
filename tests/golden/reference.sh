#!/bin/sh
# Two runs of one machine, 74 minutes apart, nothing changed (build/runs/reference-*: two of six variants, eight of 24
# rounds, the turns without samples). The machine was 1.1 times as fast in the second one. The costs agree all the same.
. "$(dirname "$0")/lib.sh"
first=build/runs/reference-first second=build/runs/reference-second native=drop/no-touch@native skb=drop/no-touch@skb

# apart RUN:VARIANT RUN:VARIANT CONDITION: of the comparison's JSON
apart() { "$X" diff "$1" "$2" --format json | jq -e "$3"; }
same='(.delta_ns / .base_ns | fabs) < 0.03 and .ci95_ns[0] < 0 and .ci95_ns[1] > 0 and .reference_ratio < 0.95'
for v in $native $skb; do
	ok "$v costs the same" apart $first:$v $second:$v "$same"
done
ok "between the two runs, generic costs as much more as within one" apart $first:$native $second:$skb \
	'.ci95_ns[0] < 335 and .ci95_ns[1] > 335 and .ci95_ns[1] - .ci95_ns[0] < 40'
says() { "$X" diff --full $first:$native $second:$native | tr '\n' ' ' | tr -s ' ' | grep "the generator took 0\.9[0-9]* times as long in the new run"; }
ok "the comparison says at which speed" says

cp -r $second "$tmp/other"
sed 's/"batch":64/"batch":128/' $second/run.json >"$tmp/other/run.json"
unlike() { apart $first:$native "$tmp/other:$native" '.reference_ratio == null and (.quality[] | select(.check == "load-alike") | .ok == false)'; }
ok "a generator with another batch is no reference" unlike
strict() {
	"$X" diff --full $first:$native "$tmp/other:$native" --strict >/dev/null 2>"$tmp/said"
	[ $? -eq 3 ] && grep load-alike "$tmp/said"
}
ok "... and that is a check" strict

cp -r $second "$tmp/kernel"
sed 's/"kernel":"[^"]*"/"kernel":"6.99.0"/' $second/run.json >"$tmp/kernel/run.json"
open() { apart $first:$native "$tmp/kernel:$native" '.reference_ratio == null and .run_sd_pct == 2 and (.quality[] | select(.check == "load-alike") | .verdict == "inconclusive")'; }
ok "of another kernel's generator nobody can tell whether it is one" open

history() {
	db=$tmp/h.db
	"$X" history add --db "$db" $first && "$X" history add --db "$db" $second && "$X" history check --db "$db" 2 --against 1 &&
		"$X" diff "$db/1:$skb" "$db/2:$skb" --format json | jq -e "$same"
}
ok "the history finds nothing slower" history
