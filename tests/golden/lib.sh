# lib.sh - for the golden tests: what a command prints is a file that is kept, to the byte
# usage: . "$(dirname "$0")/lib.sh"; golden FILE COMMAND...
#
# After a change that is meant: UPDATE=1 sh tests/golden/NAME.sh, and read the difference.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2034 # for those who use this
X=$PWD/build/xdpzoom
# shellcheck disable=SC2034 # for those who use this
render=$PWD/tests/golden/render
tmp=$(mktemp -d) || exit 1
# How many tests there were is printed at the end; a script that ends in the middle has no plan, and prove says so.
finish() {
	status=$?
	${undo-}
	rm -rf "$tmp"
	[ "$status" -ne 0 ] || [ -n "$skipped" ] || echo "1..$n"
	exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP INT TERM

n=0 skipped=
# nightly: what follows is for make check-all
nightly() { [ -n "${CHECK_ALL-}" ] || exit 0; }
skip_all() {
	echo "1..0 # SKIP $1"
	skipped=1
	exit 0
}
# need FILE: a program that the test runs; without it the test is skipped
need() { [ -x "$1" ] || skip_all "$1 is not built"; }
# result STATUS WHAT [FILE]: an "ok" line; where STATUS is not 0, FILE or $tmp/why holds what goes below it as comments
result() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		head -n 60 "${3-$tmp/why}" 2>&1 | sed 's/^/# /'
	fi
}
ok() { # WHAT COMMAND...
	what=$1
	shift
	"$@" >"$tmp/out" 2>&1
	result $? "$what" "$tmp/out"
}
# equal WHAT WANTED GOT: two files are the same, and not empty
equal() {
	[ -s "$2" ] && diff "$2" "$3" >"$tmp/why" 2>&1
	result $? "$1"
}
skip() { # WHAT WHY
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
# golden FILE COMMAND...: the command succeeds, prints nothing on standard error, and prints FILE. JSON is kept as rows, which
# are fewer lines with the same numbers.
golden() {
	file=$1
	shift
	"$@" >"$tmp/got" 2>"$tmp/err" || echo "exit status $?" >>"$tmp/err"
	case $file in *.json) awk -v levels=3 -f tests/golden/rows.awk "$tmp/got" >"$tmp/rows" && mv "$tmp/rows" "$tmp/got" ;; esac
	[ -z "${UPDATE-}" ] || cp "$tmp/got" "$file"
	diff -au "$file" "$tmp/got" >"$tmp/diff" 2>&1 && [ ! -s "$tmp/err" ]
	status=$?
	cat "$tmp/err" >>"$tmp/diff"
	result $status "$(basename "$file")" "$tmp/diff"
}
