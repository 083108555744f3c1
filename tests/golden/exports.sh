#!/bin/sh
# What the exports write of runs that tests/golden/render makes, to the byte: a sound one, and one whose names and
# strings would be markup, formulas, separators or escape sequences elsewhere.
. "$(dirname "$0")/lib.sh"
need "$X"
for kind in sound poor evil counted readers; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
native=drop/no-touch@native
skb=drop/no-touch@skb
for format in csv markdown folded ktap; do
	golden "tests/golden/exports/report-sound.$format" "$render" report "$tmp/sound" $format
	golden "tests/golden/exports/report-evil.$format" "$render" report "$tmp/evil" $format
done
jq ".blocks = []" "$tmp/sound/run.json" >"$tmp/run.json" && mkdir "$tmp/none" && mv "$tmp/run.json" "$tmp/none/"
golden "tests/golden/exports/diff-sound.ktap" "$render" diff "$tmp/sound" $native $skb ktap
golden "tests/golden/exports/diff-counted.markdown" "$render" diff "$tmp/counted" $native $skb markdown
golden "tests/golden/exports/report-none.markdown" "$render" report "$tmp/none" markdown
golden "tests/golden/exports/diff-none.markdown" "$render" diff "$tmp/none" $native $skb markdown
golden "tests/golden/exports/diff-none.changelog" "$render" diff "$tmp/none" $native $skb changelog
for format in csv markdown folded changelog; do
	golden "tests/golden/exports/diff-sound.$format" "$render" diff "$tmp/sound" $native $skb $format
	golden "tests/golden/exports/diff-evil.$format" "$render" diff "$tmp/evil" $native $skb $format
done
jq ".blocks = [] | .variants = []" "$tmp/sound/run.json" >"$tmp/run.json" && mkdir "$tmp/bare" && mv "$tmp/run.json" "$tmp/bare/"
heads() { "$render" report "$1" csv | head -n 1; }
ok "the heads of CSV without a variant" test "$(heads "$tmp/bare")" = "$(heads "$tmp/sound")"
golden "tests/golden/exports/report-evil.text" "$render" report "$tmp/evil" text
golden "tests/golden/exports/diff-evil.text" "$render" diff "$tmp/evil" $native $skb text
for format in csv folded; do
	golden "tests/golden/exports/report-readers.$format" "$render" report "$tmp/readers" $format
done
for format in csv folded; do
	golden "tests/golden/exports/diff-readers.$format" "$render" diff "$tmp/readers" layer:udp-recv layer:udp-recvmmsg $format
done

# A table of functions has no call paths: each function is one of its own, and they add up to the base all the same.
"$X" import -o "$tmp/self" -V $native --ns 100 tests/fixtures/perf/document/self.txt || exit 1
"$X" import -o "$tmp/cut" -V $skb --ns 200 tests/fixtures/perf/6.12/report-limit.txt || exit 1
folded() { "$X" "$@" -f folded | awk '{ sum += $NF } END { print NR, sum }'; }
ok "folded of a table of functions" test "$(folded report "$tmp/self")" = "37 100000"
ok "... and what the table does not show is unattributed" test "$(folded report "$tmp/cut")" = "11 200000"
total() { "$X" report build/runs/run1:tx/swap-macs@skb -f folded | awk '{ sum += $NF } END { print sum }'; }
ok "folded adds up to the cost where samples say more than the clock" test "$(total)" = "$("$X" report build/runs/run1:tx/swap-macs@skb -f json | jq '.variants[0].base_ns * 1000 | round')"
both() { "$X" diff "$tmp/self:$native" "$tmp/cut:$skb" -f folded | awk '{ base += $2; new += $3 } END { print base, new }'; }
ok "... on both sides" test "$(both)" = "100000 200000"
ok "one block has no interval, and no level of one" test "$("$X" report --full "$tmp/cut" | grep "^  ns/packet")" = "  ns/packet        200.0"
