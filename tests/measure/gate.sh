#!/bin/sh
# The check itself beside other work: two busy loops and a compiler, and every test passes, each time. A test that another run
# would have passed has looked at what the machine decides; it is named here, to be fixed or to move into this folder.
# usage: check.sh [RUNS]      GATE='tests/rig/turns.sh tests/rig/frames.sh': these tests alone, and not all of make check
runs=${1:-3}
. "$(dirname "$0")/lib.sh"
need_root
expect "$runs"

busy() { while :; do :; done; }
compiler() { while :; do for c in perfparse/*.c; do "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -I. -Ibuild -O2 -c -o "$tmp/o" "$c" 2>/dev/null; done; done; }
for neighbour in busy busy compiler; do
	$neighbour &
	started $!
done

# Of what prove has printed: each file that failed, and which of its tests did.
failed() { sed -n '/^Test Summary Report/,/^Files=/p' "$tmp/check" | grep -E '\(Wstat:|Failed test|Parse error|Non-zero'; }
i=0
while [ $((i += 1)) -le "$runs" ]; do
	begin=$(date +%s)
	env -u MAKEFLAGS -u MAKELEVEL make -s check ${GATE:+"CHECK=$GATE"} >"$tmp/check" 2>&1
	status=$?
	files=$(failed | grep -c '(Wstat:')
	failed | sed "s/^/# run $i: /"
	grep -E '^(not ok|Files=)' "$tmp/check" | sed "s/^/# run $i: /"
	echo "# run $i: $(($(date +%s) - begin)) s, load average $(cut -d ' ' -f 1-3 /proc/loadavg)"
	# it failed before a test did, or prove says nothing of its tests
	if [ $status -ne 0 ] && [ "$files" -eq 0 ] || ! grep -q '^Files=' "$tmp/check"; then
		files=
		tail -n 20 "$tmp/check" | sed "s/^/# run $i: /"
	fi
	figure "run $i of the check beside other work: test files that failed" "$files" 0 0
done
