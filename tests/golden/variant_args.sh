#!/bin/sh
# DIR:VARIANT where both may hold colons: a directory that is there is a directory, and a variant is what reads as one.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ln -s "$PWD/tests/golden/recorded/run" "$tmp/run"
ln -s "$PWD/tests/golden/recorded/run" "$tmp/a:b"
cd "$tmp" || exit 1

n=0
check() { # NAME WORDS COMMAND...: what it prints begins a line with WORDS
	n=$((n + 1))
	name=$1 words=$2
	shift 2
	if "$X" "$@" 2>&1 | grep -q -e "^$words"; then echo "ok $n - $name"; else
		echo "not ok $n - $name"
		"$X" "$@" 2>&1 | head -3 | sed 's/^/# /'
	fi
}

echo 1..7
check "a directory" 'tx/swap-macs@native$' report run
check "a directory with a colon" 'tx/swap-macs@native$' report a:b
check "its variant" 'drop/no-touch@native$' report a:b:drop/no-touch@native
check "a variant with a colon" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' report run:redirect-cpu:1/no-touch@native
check "one alone, of the same run" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' diff run:drop/no-touch@native redirect-cpu:1/no-touch@native
check "what is no variant" 'xdpzoom: the run has no variant "nonsense"' report run:nonsense
check "another directory" 'drop/no-touch@native in the new run' diff run:drop/no-touch@native a:b
