#!/bin/sh
# What the exports write of runs that tests/golden/render makes, to the byte: a sound one, and one whose names and
# strings would be markup, formulas, separators or escape sequences elsewhere.
. "$(dirname "$0")/lib.sh"
need "$render"
for kind in sound poor evil counted to-cpu readers; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
native=drop/no-touch@native
skb=drop/no-touch@skb
golden_plan 31
for format in csv markdown folded speedscope benchstat openmetrics; do
	golden "tests/golden/exports/report-sound.$format" "$render" report "$tmp/sound" $format
	golden "tests/golden/exports/report-evil.$format" "$render" report "$tmp/evil" $format
done
jq ".blocks = []" "$tmp/sound/run.json" >"$tmp/run.json" && mkdir "$tmp/none" && mv "$tmp/run.json" "$tmp/none/"
golden "tests/golden/exports/diff-counted.markdown" "$render" diff "$tmp/counted" $native $skb markdown
golden "tests/golden/exports/report-none.markdown" "$render" report "$tmp/none" markdown
golden "tests/golden/exports/diff-none.markdown" "$render" diff "$tmp/none" $native $skb markdown
for format in csv markdown folded; do
	golden "tests/golden/exports/diff-sound.$format" "$render" diff "$tmp/sound" $native $skb $format
	golden "tests/golden/exports/diff-evil.$format" "$render" diff "$tmp/evil" $native $skb $format
done
jq ".blocks = [] | .variants = []" "$tmp/sound/run.json" >"$tmp/run.json" && mkdir "$tmp/bare" && mv "$tmp/run.json" "$tmp/bare/"
heads() { "$render" report "$1" csv | head -n 1; }
ok "the heads of CSV without a variant" test "$(heads "$tmp/bare")" = "$(heads "$tmp/sound")"
golden "tests/golden/exports/report-evil.text" "$render" report "$tmp/evil" text
golden "tests/golden/exports/diff-evil.text" "$render" diff "$tmp/evil" $native $skb text
golden "tests/golden/exports/report-poor.jsonl" "$render" report "$tmp/poor" jsonl
golden "tests/golden/exports/report-to-cpu.benchstat" "$render" report "$tmp/to-cpu" benchstat
for format in csv folded speedscope; do
	golden "tests/golden/exports/report-readers.$format" "$render" report "$tmp/readers" $format
done
for format in csv folded; do
	golden "tests/golden/exports/diff-readers.$format" "$render" diff "$tmp/readers" rung:udp-recv rung:udp-recvmmsg $format
done
