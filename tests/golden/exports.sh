#!/bin/sh
# What the exports write of runs that tests/golden/render makes, to the byte: a sound one, and one whose names and
# strings would be markup, formulas, separators or escape sequences elsewhere.
# After a change that is meant: UPDATE=1 tests/golden/exports.sh, and read the difference.
cd "$(dirname "$0")/../.." || exit 1
render=${O:-build}/tests/golden/render
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

[ -x "$render" ] || { echo "1..0 # SKIP $render is not built"; exit 0; }

n=0
# golden NAME COMMAND...: the output of COMMAND is tests/golden/exports/NAME, to the byte
golden() {
	n=$((n + 1))
	want=tests/golden/exports/$1
	name=$1
	shift
	"$render" "$@" > "$tmp/got" 2> "$tmp/err" || { cat "$tmp/err" >> "$tmp/got"; echo "failed" >> "$tmp/got"; }
	[ -n "$UPDATE" ] && cp "$tmp/got" "$want"
	if diff -au "$want" "$tmp/got" > "$tmp/diff" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		head -40 "$tmp/diff" | sed 's/^/# /'
	fi
}

for kind in sound poor evil counted; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
native=drop/no-touch@native
skb=drop/no-touch@skb
echo 1..24
for format in csv markdown folded speedscope benchstat openmetrics; do
	golden "report-sound.$format" report "$tmp/sound" $format
	golden "report-evil.$format" report "$tmp/evil" $format
done
jq ".blocks = []" "$tmp/sound/run.json" >"$tmp/run.json" && mkdir "$tmp/none" && mv "$tmp/run.json" "$tmp/none/"
golden diff-counted.markdown diff "$tmp/counted" $native $skb markdown
golden report-none.markdown report "$tmp/none" markdown
golden diff-none.markdown diff "$tmp/none" $native $skb markdown
for format in csv markdown folded; do
	golden "diff-sound.$format" diff "$tmp/sound" $native $skb $format
	golden "diff-evil.$format" diff "$tmp/evil" $native $skb $format
done
golden report-evil.text report "$tmp/evil" text
golden diff-evil.text diff "$tmp/evil" $native $skb text
golden report-poor.jsonl report "$tmp/poor" jsonl
