#!/bin/sh
# What a person sees of `xdpzoom demo`: one screen, few lines of progress where nobody watches, and the same when it is
# stopped half way. What the figures are worth is not asked here.
. "$(dirname "$0")/lib.sh"
need_lab

cd "$tmp" || exit 1
lines_of() { wc -l <"$1"; }
screen() { # FILE: 80 columns, 23 lines at most, and commands to go on with
	[ "$(lines_of "$1")" -le 23 ] && [ "$(lines_of "$1")" -ge 15 ] &&
		! LC_ALL=C.UTF-8 grep -qE '^.{81,}' "$1" && grep -q '^checks: ' "$1" && grep -q " report runs/[0-9-]*-demo" "$1"
}

"$X" demo --for 30 >out 2>err
is "demo: exit status" $? 0
screen out
result $? "demo: one screen"
[ "$(nproc)" -lt 2 ] || tr '\n' ' ' <out | grep -q 'across cores [0-9]'
result $? "demo: both views"
is "demo: one run directory" "$(ls runs | wc -l)" 1
pair="$(echo runs/*-demo):drop/no-touch@native drop/no-touch@skb"
for format in text html; do
	"$X" report runs/*-demo -f $format
	"$X" diff $pair -f $format
done >reports 2>&1
! grep -nwi -e nan -e inf reports >&2
result $? "no report has a number that is none"
lines=$(grep -c '^block [0-9]* of ' err)
[ "$lines" -ge 2 ] && [ "$lines" -le 24 ]
result $? "demo: some lines of progress ($lines), not one for each of 36 blocks in two views"
! grep -q "$(printf '\033')" out err
result $? "no colour and no redrawing without a terminal"

rm -r runs
"$X" demo >out 2>err &
pid=$!
started $pid
await_of $pid grep -q '^block 2 of' err
halt TERM $pid
is "stopped: exit status" $? 1
screen out
result $? "stopped: the screen of what was measured"
grep -q 'stopped: interrupted' out
result $? "stopped: and it says so"

rm -r runs
mkdir bin
fails "no perf: lacks" 77 "no working perf" env PATH="$tmp/bin" "$X" demo
[ ! -e runs ]
result $? "no perf: no folder is left"
