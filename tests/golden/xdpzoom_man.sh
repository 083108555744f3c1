#!/bin/sh
# The man page tells the truth: its examples are what the program prints; commands, options and formats are those of the
# tables, as they come out of them, and none is missing.
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
page=build/man/xdpzoom.1.rst
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
PATH=$top/build:$PATH

# Each example: its command in N.cmd, what the page says it prints in N.want; run1 is the run of tests/golden/recorded.
ln -s "$top/tests/golden/recorded/run" "$tmp/run1"
awk -v dir="$tmp" '
	/^    \$ / { n++; sub(/^    \$ /, ""); print > (dir "/" n ".cmd"); on = 1; next }
	on && /^    / { sub(/^    /, ""); print > (dir "/" n ".want"); next }
	on && /^$/ { print > (dir "/" n ".want"); next }
	{ on = 0 }' "$page"

total=$(ls "$tmp"/*.cmd | wc -l)
echo "1..$((total + 3))"
n=0
while [ $n -lt "$total" ]; do
	n=$((n + 1))
	(cd "$tmp" && sh "$tmp/$n.cmd") >"$tmp/$n.out" 2>&1
	# blank lines behind an example belong to the page
	sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$tmp/$n.want" >"$tmp/want"
	if [ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/$n.out"; then echo "ok $n - $(cat "$tmp/$n.cmd")"; else
		echo "not ok $n - $(cat "$tmp/$n.cmd")"
		diff "$tmp/want" "$tmp/$n.out" | sed 's/^/# /'
	fi
done

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/# /' "$tmp/why"
	fi
}

# "COMMAND OPTION" of each option
for command in $(xdpzoom --help | awk '/^  [a-z]/ { print $1 }'); do
	xdpzoom "$command" --help | sed -n "s/^  \(-.,\|   \) --\([a-z][a-z0-9-]*\).*/$command --\2/p"
done | grep -v -e ' --help$' | sort >"$tmp/help"
awk '/^FORMATS$/ { on = 0 } /^xdpzoom [a-z]+$/ { command = $2; on = 1 } on && /^--?[a-zA-Z]/ { match($0, /--[a-z][a-z0-9-]*/)
	print command, substr($0, RSTART, RLENGTH) }' "$page" | sort >"$tmp/man"
[ "$(wc -l <"$tmp/help")" -gt 60 ] && diff "$tmp/help" "$tmp/man" >"$tmp/why"
result $? "commands and options of --help and of the page are the same"

{ xdpzoom report --format list; xdpzoom diff --format list; } | awk '{ print $1 }' | sort -u >"$tmp/formats"
sed -n '/^FORMATS/,/^EXAMPLES/p' "$page" | awk '/^[a-z]/ { print $1 }' | sort -u | diff "$tmp/formats" - >"$tmp/why"
result $? "formats of --format list and of the page are the same"

if ! command -v rst2man >/dev/null; then echo "ok $((n + 1)) - rst2man # SKIP no rst2man here"; else
	rst2man --strict "$page" >/dev/null 2>"$tmp/why"
	result $? "rst2man has nothing to say"
fi
