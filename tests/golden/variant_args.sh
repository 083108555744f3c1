#!/bin/sh
# DIR:VARIANT where both may hold colons: a directory that is there is a directory, and a variant is what reads as one.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ln -s "$PWD/build/runs/recorded" "$tmp/run"
ln -s "$PWD/build/runs/recorded" "$tmp/a:b"
ln -s "$PWD/build/runs/counted" "$tmp/exact"
ln -s "$PWD/build/runs/run1" "$tmp/run1"
ln -s "$PWD/build/runs/run2" "$tmp/run2"
ln -s "$PWD/build/runs/run2" "$tmp/run1,run2"
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

check "a directory" '.* tx/swap-macs$' report run
check "a directory with a colon" '.* tx/swap-macs$' report a:b
check "its variant" 'drop/no-touch@native: ' report a:b:drop/no-touch@native
check "a variant with a colon" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' report run:redirect-cpu:1/no-touch@native
check "one alone, of the same run" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' diff run:drop/no-touch@native redirect-cpu:1/no-touch@native
check "what is no variant" 'xdpzoom: the run has no variant "nonsense"' report run:nonsense
check "another directory" 'drop/no-touch@native in the new run' diff run:drop/no-touch@native a:b
native=drop/no-touch@native
check "a path with a comma is one run" "$native in the new run" diff "run1:$native" run1,run2
rm run1,run2
check "several runs, two variants of each" '  all runs  *2 runs with both: ' diff "run1,run2:$native" drop/no-touch@skb --full
check "several runs of one side" '  all runs  *1 and 2 runs: ' diff "run:$native" run1,run2 --full
check "their interval in the first sentence" '.*over runs)' diff "run:$native" run1,run2
check "a run that counts twice" 'xdpzoom: diff: run1 is named twice' diff "run:$native" run1,run2,run1
check "a run of both sides" 'xdpzoom: diff: run1 is named twice' diff "run1:$native" run2,run1
cp -r run2/ copy
ln -s run2 link
for other in run2/ ./run2 "$tmp/run2" link copy; do
	check "a run twice, as ${other#"$tmp"}" "xdpzoom: run2 and $other are the same run" diff "run1:$native" "run2,$other"
done
check "no name between two commas" "xdpzoom: diff: the run directory's name is empty" diff "run:$native" run1,,run2

misuse() { # WORDS COMMAND...: status 2, one sentence with WORDS, and nothing else
	n=$((n + 1))
	words=$1
	shift
	"$X" "$@" >out 2>said
	got=$?
	if [ $got -eq 2 ] && [ ! -s out ] && [ "$(wc -l <said)" -eq 1 ] && grep -q -e "$words" said; then echo "ok $n - $*"; else
		echo "not ok $n - $*"
		echo "# exit status $got"
		sed 's/^/# /' said
	fi
}
skb=drop/no-touch@skb
misuse "name is empty" diff ",run1:$native" $native
misuse "name is empty" diff "run1,:$native" $skb
misuse "are the same run" diff "run1:$native" run2,copy
misuse "several runs show it" diff "run1,run2:$native" $skb --run-sd 1
misuse "several runs show it" diff "run:$native" run1,run2 --run-sd 1
misuse "this is one" diff "run1:$native" $skb --run-sd 1
misuse "unknown option --run-sd" report run1 --exact exact --run-sd 1
for option in "--limit cpus=2" "--limit placement=far"; do
	# shellcheck disable=SC2086 # an option and its value
	misuse "${option%% *} is for measured runs" report exact $option
done
misuse "run-sd is for measured runs" diff "exact:$native" $skb --run-sd 1
# What people type
check "a mode by its other name" 'drop/no-touch@native: ' report run1 drop/no-touch@drv
check "an action alone, with a mode" 'drop/no-touch@skb: ' report run1 drop@generic
check "a variant after a blank" 'drop/no-touch@skb: ' report run1 $skb
check "an action in two modes" 'xdpzoom: run1: drop is drop/no-touch@native or .*; name one' report run1:drop
check "a variant with a slip" 'xdpzoom: run1 has no variant drop/no-tuch@skb; did you mean drop/no-touch@skb?' report run1 drop/no-tuch@skb
check "a check with a slip" 'xdpzoom: no check is called overhed; did you mean overhead?' report run1 --limit overhed=3
check "two variants of a run" 'tx/swap-macs@skb costs ' diff run1 drop@skb tx@skb
check "a run alone: its pairs" 'drop/no-touch: not comparable: generic was idle' diff run1
check "... all of them" 'tx/swap-macs: generic costs ' diff run1
check "two runs: what they have in common" 'drop/no-touch@native in the new run' diff run1 run2
check "an exact run alone" 'drop/no-touch@skb costs [0-9.]* instructions' diff exact
misuse "holds one comparison, and these are 3" diff run1 -f json
misuse "two variants are named" report run1:$native $skb
check "a file" 'xdpzoom: out is a file, and no run' report out
check "a run that is not there" 'xdpzoom: there is no run nothing' report nothing
mkdir empty
check "a folder of nothing" 'xdpzoom: empty is no run, and has no points of a sweep and no cells of a matrix' report empty
check "exact counts have no checks" "drop/no-touch" report exact --strict
echo "1..$n"
