#!/bin/sh
# What pages and flame graphs hold, of runs that tests/golden/render makes: exact markup, without style sheets and
# scripts. After a change that is meant: UPDATE=1 tests/golden/pages.sh, and read the difference.
cd "$(dirname "$0")/../.." || exit 1
render=${O:-build}/tests/golden/render
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

[ -x "$render" ] || { echo "1..0 # SKIP $render is not built"; exit 0; }

n=0
# golden NAME COMMAND...: the output of COMMAND, without what is the same in every page, is tests/golden/pages/NAME
golden() {
	n=$((n + 1))
	want=tests/golden/pages/$1
	name=$1
	shift
	"$render" "$@" 2> "$tmp/err" | sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e '/id="data">/d' \
		-e '/Content-Security-Policy/d' -e '/xdpzoom [0-9.]*[0-9]/s/xdpzoom [0-9.]*[0-9]/xdpzoom VERSION/' > "$tmp/got"
	[ -n "$UPDATE" ] && cp "$tmp/got" "$want"
	if [ ! -s "$tmp/err" ] && diff -u "$want" "$tmp/got" > "$tmp/diff" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$tmp/err" "$tmp/diff"
	fi
}

echo "1..4"
for kind in sound poor; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
golden diff-sound.html diff "$tmp/sound" drop/no-touch@native drop/no-touch@skb html
golden diff-sound.svg diff "$tmp/sound" drop/no-touch@native drop/no-touch@skb svg
golden report-poor.html report "$tmp/poor" html
golden report-poor.svg report "$tmp/poor" svg
