#!/bin/sh
# What pages and flame graphs hold, of runs that tests/golden/render makes and of exact counts: exact markup, without style sheets, scripts and what
# is the same in every page.
. "$(dirname "$0")/lib.sh"
need "$X"

plain() { # a command
	"$@" >"$tmp/page" && sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e '/id="data">/d' \
		-e '/Content-Security-Policy/d' -e '/xdpzoom [0-9.]*[0-9]/s/xdpzoom [0-9.]*[0-9]/xdpzoom VERSION/' "$tmp/page"
}
page() { plain "$render" "$@"; }

for kind in sound poor readers; do
	"$render" make "$tmp/$kind" $kind || exit 1
done
golden tests/golden/pages/diff-sound.html page diff "$tmp/sound" drop/no-touch@native drop/no-touch@skb html
golden tests/golden/pages/diff-sound.svg page diff "$tmp/sound" drop/no-touch@native drop/no-touch@skb svg
golden tests/golden/pages/ladder-readers.html page report "$tmp/readers" ladder-html

exact=build/runs/counted
golden tests/golden/pages/exact.html plain "$X" report $exact -f html
golden tests/golden/pages/exact-diff.svg plain "$X" diff $exact:drop/no-touch@native drop/no-touch@skb -f svg
golden tests/golden/pages/explain.html plain "$X" report build/runs/run1 --exact $exact -f html

mkdir "$tmp/sweep"
for flows in 1 16; do
	ln -s ../sound "$tmp/sweep/rate=100000,flows=$flows,size=64"
	ln -s ../poor "$tmp/sweep/rate=100000,flows=$flows,size=256"
	ln -s ../sound "$tmp/sweep/rate=100000,flows=$flows,size=1500"
done
swept() { (cd "$tmp" && plain "$X" report sweep -f html); }
golden tests/golden/pages/sweep.html swept

# A variant whose packets nobody saw, or that was never busy, beside one that is sound.
numbers() { # FILTER: of run.json
	rm -rf "$tmp/some" && cp -r build/runs/recorded "$tmp/some" && jq "$1" build/runs/recorded/run.json >"$tmp/some/run.json" || return 1
	for of in "report $tmp/some" "diff $tmp/some:drop/no-touch@native drop/no-touch@skb"; do
		# shellcheck disable=SC2086 # words
		plain "$X" $of -f html >"$tmp/shown" && grep -q "at a rate that is not known" "$tmp/shown" || return 1
		grep -n -e "-\{0,1\}nan\b" "$tmp/shown" && return 1
	done
	return 0
}
ok "a rate that is not known, without packets" numbers '(.blocks[] | select(.variant == 0) | .windows[].cpus[].verdicts[]) = 0'
ok "... and without busy time" numbers '(.blocks[] | select(.variant == 0) | .windows[]) |= (.busy_ns = 0 | .cpus[].busy_ns = 0)'
"$X" import -o "$tmp/table" -V drop/no-touch@skb --ns 200 tests/fixtures/perf/6.12/report-limit.txt || exit 1
drawn() { "$X" report "$tmp/table" -f svg --plot flame | grep -c '<title>do_syscall_64'; }
ok "a flame graph of a table of functions" test "$(drawn)" = 1
