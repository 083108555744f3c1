#!/bin/sh
# The Nth failing call of a recording, of each kind: it says so, ends with the right status, and leaves nothing: no lab, no program,
# no process, no setting, and no directory but a whole run. usage: record_fails.sh [RUNS [KIND...]]    RUNS: how many of each kind,
# spread over all of its calls; without RUNS, two that are fixed
alone=1
. "$(dirname "$0")/lib.sh"
. tests/rig/state_lib.sh
runs=${1-}
[ $# -eq 0 ] || shift
[ -z "$runs" ] && set -- processes kernel
[ $# -gt 0 ] || set -- memory files writes kernel processes
need_root
cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom
"$X" lab down
built fail_nth.so

# fail KIND NTH: its status is in $status
fail() {
	rm -rf "$tmp"/run*
	timeout 60 env FAIL_KIND=$1 FAIL_NTH=$2 FAIL_COUNT="$tmp/count" LD_PRELOAD="$PWD/build/rig/fail_nth.so" "$X" record lab -q -o "$tmp/run" \
		-V drop/no-touch@native -b 1 --window 0.05 --schedule windows=2,warmup=0,seed=1 2>"$tmp/err"
	status=$?
}
settled() { await same_state "$tmp/before"; } # the kernel takes its time to take things away
# verdict: what is wrong with what the last failure left; nothing, if all is as it should be
verdict() {
	case $status in
	0 | 1 | 77) ;;
	*) echo "status $status" ;;
	esac
	[ $status -eq 0 ] || grep -q '^xdpzoom: ' "$tmp/err" || echo "says nothing"
	# shellcheck disable=SC2009
	settled || state | diff "$tmp/before" -
	[ $status -ne 0 ] || [ -d "$tmp/run" ] || echo "no run"
	for dir in "$tmp"/run*; do
		[ ! -d "$dir" ] || "$X" report --full "$dir" >/dev/null 2>"$tmp/report" || echo "left ${dir#"$tmp"/}: $(cat "$tmp/report")"
	done
}
# moments KIND: which calls fail
moments() {
	case $runs$1 in
	processes) echo 4 ;;
	kernel) echo 200 ;;
	*)
		fail "$1" 0
		awk -v runs="$runs" '{ n = $1 < runs ? $1 : runs; for (i = 0; i < n; i++) print 1 + int((2 * i + 1) * $1 / (2 * n)) }' "$tmp/count"
		;;
	esac
}
state >"$tmp/before"
injected=0 survived=0
for kind; do
	bad=0
	for nth in $(moments "$kind"); do
		fail "$kind" "$nth"
		injected=$((injected + 1))
		wrong=$(verdict)
		if [ -z "$wrong" ]; then survived=$((survived + 1)); else
			bad=$((bad + 1))
			echo "# $kind $nth, status $status: $(cat "$tmp/err")"
			echo "$wrong" | sed 's/^/#   /'
			"$X" lab down >/dev/null 2>&1
		fi
	done
	is "$kind: nothing is left, and all is said" "$bad of $injected" "0 of $injected"
done
echo "# $injected failures injected, $survived survived"
