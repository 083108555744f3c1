#!/bin/sh
# The tree does not grow: tests/budget holds how many lines (as `wc -l` counts them) each part may have, and it is only ever
# lowered. What is added has to be paid for by what is taken away.
# usage: tests/code/budget.sh     UPDATE=1: lowers what tests/budget allows to what there is now, but where it says "goal"; it raises nothing
cd "$(dirname "$0")/../.." || exit 1

# every PART of tests/budget, and its files
files() {
	case $1 in
	tests/data) find tests/runs tests/fixtures tests/fuzz/corpus tests/golden tests/browser -type f ! -name '*.sh' ! -name '*.[ch]' ! -name '*.py' ! -name '*.js' ! -name '*.awk' ;;
	tests/unit) find tests/unit -name '*.[ch]' ;;
	tests/cases) find tests/cases -name '*.cases' ;;
	tests/rig) find tests/rig -type f ;;
	*) find "$1" -name '*.[ch]' ;;
	esac
}
now() { files "$1" | xargs -d '\n' cat | wc -l; }

parts=$(awk '!/^#/ { print $1 }' tests/budget)
if [ -n "${UPDATE-}" ]; then
	for part in $parts; do echo "$part $(now "$part")"; done >tests/budget.now
	awk 'NR == FNR { now[$1] = $2; next } !/^#/ && NF == 2 && now[$1] < $2 { $0 = $1 " " now[$1] } { print }' tests/budget.now tests/budget >tests/budget.new
	rm tests/budget.now && mv tests/budget.new tests/budget
fi
n=0 failed=0
for part in $parts; do
	n=$((n + 1)) allowed=$(awk -v part="$part" '$1 == part { print $2 }' tests/budget) have=$(now "$part")
	if [ "$have" -le "$allowed" ]; then
		echo "ok $n - $part: $have lines of $allowed"
	else
		echo "not ok $n - $part: $have lines of $allowed"
		echo "# $((have - allowed)) lines too many; the longest files:"
		files "$part" | xargs -d '\n' wc -l | grep -v ' total$' | sort -nr | head -n 5 | sed 's/^/# /'
		failed=1
	fi
done
missing=
for part in base bpf vm perfparse reports user tests/data tests/unit tests/cases tests/rig; do
	echo "$parts" | grep -qx "$part" || missing="$missing $part"
done
n=$((n + 1))
if [ -z "$missing" ]; then
	echo "ok $n - every part has its number"
else
	echo "not ok $n - every part has its number"
	echo "# not in tests/budget:$missing"
	failed=1
fi
echo "1..$n"
exit $failed
