#!/bin/sh
# A run directory recorded on the rig -> exact text and JSON. UPDATE=1 writes what is there now, to be looked at.
cd "$(dirname "$0")/../.." || exit 1
X=build/xdpzoom
here=tests/golden/recorded

n=0
check() { # NAME COMMAND...
	name=$1
	shift
	n=$((n + 1))
	[ -z "${UPDATE-}" ] || "$@" >"$here/$name"
	if "$@" 2>&1 | diff -u "$here/$name" - >"/tmp/recorded.$$"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "/tmp/recorded.$$"
	fi
	rm -f "/tmp/recorded.$$"
}

echo 1..6
check report.txt $X report $here/run
check report.json $X report $here/run --format json
check report-one.txt $X report "$here/run:tx/swap-macs@native"
check diff.txt $X diff "$here/run:drop/no-touch@native" drop/no-touch@skb
check diff.json $X diff "$here/run:drop/no-touch@native" drop/no-touch@skb --format json
check diff-self.txt $X diff "$here/run:drop/no-touch@native" "$here/run"
