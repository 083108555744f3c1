#!/bin/sh
# The verdicts of tests/measure/ on figures that are given, and the exit status that sums them up; no machine is measured.
# And each script begins: where it finds neither root nor a kernel, that cannot be told.
. "$(dirname "$0")/../rig/lib.sh"

mkdir -p "$tmp/tests/measure" "$tmp/tests/rig"
cp tests/measure/lib.sh tests/measure/all "$tmp/tests/measure/"
cp tests/rig/lib.sh "$tmp/tests/rig/"
# said COMMANDS: the first words of a script's lines, and its status
said() {
	printf '. "$(dirname "$0")/lib.sh"\n%s\n' "$1" >"$tmp/tests/measure/one.sh"
	said=$(sh "$tmp/tests/measure/one.sh" 2>"$tmp/err")
	status=$?
	echo "$(echo "$said" | sed 's/   .*//' | tr '\n' ',')$status"
}

is "a figure inside its bar" "$(said 'figure what 5 1 10')" "holds,0"
is "the bar's ends are inside" "$(said 'figure what 1 1 10; figure what 10 1 10')" "holds,holds,0"
is "a figure below its bar" "$(said 'figure what 0.9 1 10')" "misses,3"
is "above it" "$(said 'figure what 1e1 1 9.5')" "misses,3"
is "no figure" "$(said 'figure what "" 1 10')" "misses,3"
is "what is not known" "$(said 'figure what null 1 10')" "misses,3"
is "what is no number" "$(said 'figure what 5x 1 10')" "misses,3"

is "a narrow interval inside" "$(said 'within what 5 4 6 1 10')" "holds,0"
is "a value inside, an interval that reaches out" "$(said 'within what 5 0 6 1 10')" "holds,0"
is "an interval wider than the bar, a value inside" "$(said 'within what 5 0 10 1 10')" "inconclusive,4"
is "... and a value outside" "$(said 'within what 12 6 18 1 10')" "inconclusive,4"
is "a value outside, an interval that reaches in" "$(said 'within what 11 9 13 1 10')" "inconclusive,4"
is "an interval outside" "$(said 'within what 12 10.5 13.5 1 10')" "misses,3"
is "an interval outside, and wide" "$(said 'within what 40 20 60 1 10')" "misses,3"
is "an interval that is not known" "$(said 'within what 5 null null 1 10')" "misses,3"

is "alike, within the percentage" "$(said 'alike what 110 100 5 20')" "holds,0"
is "not alike, by more than the interval" "$(said 'alike what 150 100 5 20')" "misses,3"
is "not alike, but it might be" "$(said 'alike what 122 100 5 20')" "inconclusive,4"
is "alike, and an interval that would let anything be so" "$(said 'alike what 100 100 21 20')" "inconclusive,4"
is "one of them is not known" "$(said 'alike what null 100 5 20')" "misses,3"

said 'within what 5.25 4 6.5 1 1e1' >/dev/null
is "the line has the figure, its interval and its bar" "$(echo "$said" | tr -s ' ')" "holds 5.25 [4, 6.5] in 1..10 what"
is "and nothing is complained of" "$(cat "$tmp/err")" ""
is "the worst of them is the script's status" "$(said 'expect 3; figure a 5 1 10; within b 5 0 10 1 10; figure c 0 1 10')" "holds,inconclusive,misses,3"
is "fewer figures than announced" "$(said 'expect 2; figure a 5 1 10')" "holds,misses,3"
is "a command that fails ends it" "$(said 'expect 2; try it false; figure a 5 1 10')" "misses,3"
said 'figure a 5 1 10; within b 5 0 10 1 10' >/dev/null
cp "$tmp/tests/measure/one.sh" "$tmp/tests/measure/two.sh"
echo 'figure c 0 1 10' >>"$tmp/tests/measure/two.sh"
is "all of them: each is run, and summed up" "$(sh "$tmp/tests/measure/all" | tail -n 1) $(sh "$tmp/tests/measure/all" >/dev/null; echo $?)$(sh "$tmp/tests/measure/all" one >/dev/null; echo $?)" \
	"== 5 figures: 2 hold, 2 cannot be told, 1 miss 34"

# begun: the first word, and the status, of each script for one who is not root, and who has no kernels
printf '#!/bin/sh\necho 1000\n' >"$tmp/id"
chmod +x "$tmp/id"
begun() {
	for script in tests/measure/*.sh; do
		[ "$script" != tests/measure/lib.sh ] || continue
		PATH=$tmp:$PATH XDPZOOM_CACHE=$tmp/none sh "$script" >"$tmp/begun" 2>&1
		echo "$? $(sed 's/   .*//' "$tmp/begun")"
		sh -n "$script" || echo "$script: cannot be read"
	done
}
is "each script can be read, and begins" "$(begun | sort -u)" "4 inconclusive"
