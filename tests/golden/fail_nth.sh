#!/bin/bash
# The Nth allocation, open or write fails: one sentence and a status, or a complete result; never a crash, never half a file.
# usage: fail_nth.sh [RUNS]    how many failures of each kind are tried at most, spread over all; "all": each of them
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
run=$PWD/build/runs/recorded
runs=${1-15}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
make -s build/rig/fail_nth.so || exit 1

n=0
injected=0
# fail KIND NTH COMMAND...: its status is in $status
fail() {
	local kind=$1 nth=$2
	shift 2
	timeout 600 env FAIL_CHILDREN=1 FAIL_KIND=$kind FAIL_NTH=$nth FAIL_COUNT="$tmp/count" LD_PRELOAD="$PWD/build/rig/fail_nth.so" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
# judge WHAT KIND COMMAND...: for each N; the command writes $tmp/result, or nothing there
judge() {
	local what=$1 kind=$2 total nth step bad=
	shift 2
	rm -rf "$tmp"/result*
	fail "$kind" 0 "$@"
	total=$(cat "$tmp/count")
	cp -r "$tmp/result" "$tmp/good"
	step=1
	[ "$runs" = all ] || [ "$total" -le "$runs" ] || step=$(((total + runs - 1) / runs))
	for ((nth = 1; nth <= total; nth += step)); do
		rm -rf "$tmp"/result*
		fail "$kind" "$nth" "$@"
		injected=$((injected + 1))
		if [ $status -eq 0 ]; then
			diff -r "$tmp/good" "$tmp/result" >/dev/null || bad="$bad $nth:other-result"
		elif [ $status -gt 3 ] && [ $status -ne 77 ]; then
			bad="$bad $nth:status-$status"
		elif [ "$(grep -c '^xdpzoom: ' "$tmp/err")" -ne 1 ]; then
			bad="$bad $nth:$(grep -c '^xdpzoom: ' "$tmp/err")-sentences"
		elif grep -q 'the run is in .*/result\.tmp-' "$tmp/err"; then # complete already, so it is kept
			diff -r "$tmp/good" "$tmp"/result.tmp-* >/dev/null || bad="$bad $nth:half-a-run"
		elif [ -n "$(ls -d "$tmp"/result* 2>/dev/null)" ]; then
			bad="$bad $nth:left-$(ls "$tmp" | grep -m 1 result)"
		fi
	done
	n=$((n + 1))
	rm -rf "$tmp/good"
	if [ -z "$bad" ] && [ "$total" -gt 0 ]; then echo "ok $n - $what: $kind"; else
		echo "not ok $n - $what: $kind ($total calls)"
		echo "#$bad" | cut -c1-400
	fi
}

for kind in memory files writes; do
	judge "report" $kind "$X" report --full "$run" -o "$tmp/result"
	judge "report --format json" $kind "$X" report "$run" -f json -o "$tmp/result"
	judge "import" $kind "$X" import tests/fixtures/perf/6.1/script.txt --pps 1M -V drop/no-touch@native -o "$tmp/result"
done
echo "# $injected failures injected"
echo "1..$n"
