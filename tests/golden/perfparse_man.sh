#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The man page tells the truth: its examples are what the program prints, its options are those of --help.
cd "$(dirname "$0")/../.." || exit 1
page=$PWD/perfparse/perfparse.1.rst
PATH=$PWD/build:$PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Each example: its command in N.cmd, what the page says it prints in N.want
awk -v dir="$tmp" '
	/^    \$ / { n++; sub(/^    \$ /, ""); print > (dir "/" n ".cmd"); on = 1; next }
	on && /^    / { sub(/^    /, ""); print > (dir "/" n ".want"); next }
	{ on = 0 }' "$page"

total=$(ls "$tmp"/*.cmd | wc -l)
echo "1..$((total + 2))"
n=0
while [ $n -lt "$total" ]; do
	n=$((n + 1))
	(cd tests/fixtures/perf/document && sh "$tmp/$n.cmd") >"$tmp/$n.out" 2>&1
	if cmp -s "$tmp/$n.want" "$tmp/$n.out"; then echo "ok $n - $(cat "$tmp/$n.cmd")"; else
		echo "not ok $n - $(cat "$tmp/$n.cmd")"
		diff "$tmp/$n.want" "$tmp/$n.out" | sed 's/^/# /'
	fi
done

perfparse --help | grep -o -e '--[a-z0-9-]* ' | tr -d ' ' | grep -v -e '^--stdio$' | sort -u >"$tmp/help"
sed -n '/^OPTIONS/,/^EXAMPLES/p' "$page" | grep -o -e '^\(-[a-zA-Z] *[A-Z]*, \)\{0,1\}--[a-z][a-z0-9-]*' | grep -o -e '--[a-z0-9-]*' | sort -u >"$tmp/man"
n=$((n + 1))
if [ -s "$tmp/help" ] && cmp -s "$tmp/help" "$tmp/man"; then echo "ok $n - options of --help and of the page are the same"; else
	echo "not ok $n - options of --help and of the page are the same"
	diff "$tmp/help" "$tmp/man" | sed 's/^/# /'
fi
n=$((n + 1))
if ! command -v rst2man >/dev/null; then echo "ok $n - rst2man # SKIP no rst2man here"
elif rst2man --strict "$page" >/dev/null 2>"$tmp/why"; then echo "ok $n - rst2man has nothing to say"; else
	echo "not ok $n - rst2man has nothing to say"
	sed 's/^/# /' "$tmp/why"
fi
