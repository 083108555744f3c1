#!/bin/sh
# DIR:VARIANT where both may hold colons: a directory that is there is a directory, and a variant is what reads as one.
cd "$(dirname "$0")/../.." || exit 1
X=$PWD/build/xdpzoom
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ln -s "$PWD/tests/golden/recorded/run" "$tmp/run"
ln -s "$PWD/tests/golden/recorded/run" "$tmp/a:b"
ln -s "$PWD/tests/docs/runs/run1" "$tmp/run1"
ln -s "$PWD/tests/docs/runs/run2" "$tmp/run2"
ln -s "$PWD/tests/docs/runs/run2" "$tmp/run1,run2"
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

echo 1..19
check "a directory" 'tx/swap-macs@native$' report run
check "a directory with a colon" 'tx/swap-macs@native$' report a:b
check "its variant" 'drop/no-touch@native$' report a:b:drop/no-touch@native
check "a variant with a colon" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' report run:redirect-cpu:1/no-touch@native
check "one alone, of the same run" 'xdpzoom: the run has no variant "redirect-cpu:1/no-touch@native"' diff run:drop/no-touch@native redirect-cpu:1/no-touch@native
check "what is no variant" 'xdpzoom: the run has no variant "nonsense"' report run:nonsense
check "another directory" 'drop/no-touch@native in the new run' diff run:drop/no-touch@native a:b
native=drop/no-touch@native
check "a path with a comma is one run" "$native in the new run" diff "run1:$native" run1,run2
rm run1,run2
check "several runs, two variants of each" '  all runs  *2 runs with both: ' diff "run1,run2:$native" drop/no-touch@skb
check "several runs of one side" '  all runs  *1 and 2 runs: ' diff "run:$native" run1,run2
check "their interval in the first sentence" '.*over runs)' diff "run:$native" run1,run2
check "a run that counts twice" 'xdpzoom: diff: run1 is named twice' diff "run:$native" run1,run2,run1
check "a run of both sides" 'xdpzoom: diff: run1 is named twice' diff "run1:$native" run2,run1
cp -r run2/ copy
ln -s run2 link
for other in run2/ ./run2 "$tmp/run2" link copy; do
	check "a run twice, as ${other#"$tmp"}" "xdpzoom: run2 and $other are the same run" diff "run1:$native" "run2,$other"
done
check "no name between two commas" "xdpzoom: the run directory's name is empty" diff "run:$native" run1,,run2
