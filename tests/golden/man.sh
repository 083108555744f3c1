#!/bin/bash
# The man pages tell the truth: each command has one, with all its options and no others; no example has an option that its
# command does not know; rst2man has nothing to complain about. tests/golden/docs.sh runs the examples that show an output.
. "$(dirname "$0")/lib.sh"
top=$PWD
PATH=$top/build:$PATH

# known PAGE LINE: each option of the command line stands in the table of its command
known() {
	local words word command
	read -ra words <<<"${2%%|*}"
	[ "${words[0]}" != sudo ] || words=("${words[@]:1}")
	command=perfparse
	if [ "${words[0]}" = xdpzoom ]; then command=${words[1]}; fi
	grep -q "^$command	" "$tmp/table" || { echo "no command $command: $2" >>"$tmp/why"; return; }
	for word in "${words[@]:1}"; do
		case $word in
		--*) awk -F '\t' -v c="$command" -v o="${word%%=*}" '$1 == c && $2 == o { f = 1 } END { exit !f }' "$tmp/table" ;;
		-*) awk -F '\t' -v c="$command" -v o="${word:1:1}" '$1 == c && $3 == o { f = 1 } END { exit !f }' "$tmp/table" ;;
		esac || echo "$command has no option $word: $2" >>"$tmp/why"
	done
}

{ xdpzoom --help=table; perfparse --help=table; } >"$tmp/table"

commands=$(awk -F '\t' '$4 == "command" && $1 != "perfparse" { print $1 }' "$tmp/table")
[ "$(wc -w <<<"$commands")" -gt 10 ] &&
	diff <(printf 'xdpzoom-%s\n' $commands | sort) <(cd build/man && ls xdpzoom-*.1 | sed 's/\.1$//' | sort) >"$tmp/why"
result $? "each command has a page, and each page a command"
diff <(xdpzoom --help | awk '/^  [a-z]/ { print $1 }') <(sed -n 's/^\*\*xdpzoom-\([a-z]*\)\*\*\\(1)$/\1/p' build/man/xdpzoom.1.rst) >"$tmp/why"
result $? "xdpzoom(1) lists the commands"

for name in perfparse $commands; do
	page=build/man/xdpzoom-$name.1.rst
	[ "$name" != perfparse ] || page=build/man/perfparse.1.rst
	awk -F '\t' -v c="$name" '$1 == c && $2 ~ /^--/ { print $2 }' "$tmp/table" | sort >"$tmp/has"
	sed -n 's/^\(-[a-zA-Z][^,]*, \)\{0,1\}\(--[a-z][a-z0-9-]*\).*/\2/p' "$page" | sort >"$tmp/shown"
	[ -s "$tmp/has" ] && diff "$tmp/has" "$tmp/shown" >"$tmp/why"
	result $? "$name: the page has its options and no others"
done

: >"$tmp/why"
lines=0
for page in build/man/*.1.rst; do
	while read -r line; do
		known "$page" "$line"
		lines=$((lines + 1))
	done < <(sed -n 's/^    \(\$ \)\{0,1\}\(\(sudo \)\{0,1\}\(xdpzoom\|perfparse\) .*\)/\2/p; s/^    .*| \(perfparse .*\)/\1/p' "$page")
done
[ "$lines" -gt 40 ] && [ ! -s "$tmp/why" ]
result $? "the options of all $lines examples are known"

known "" "xdpzoom record lab --no-such" && known "" "xdpzoom gen -Z" && [ "$(wc -l <"$tmp/why")" -eq 2 ]
result $? "and an option that is not known would be found"

if ! command -v rst2man >/dev/null; then echo "ok $((++n)) - rst2man # SKIP no rst2man here"; else
	: >"$tmp/why"
	for page in build/man/*.1.rst; do rst2man --strict "$page" >/dev/null 2>>"$tmp/why" || break; done
	[ ! -s "$tmp/why" ]
	result $? "rst2man has nothing to say"
fi
diff <(xdpzoom report --help) <(xdpzoom help report) >"$tmp/why" 2>&1 && ! xdpzoom help nonsense >"$tmp/out" 2>"$tmp/why" && grep -q "no command nonsense" "$tmp/why"
result $? "help COMMAND is the help of that command"
