# lib.sh - for the scripts of tests/measure/: figures against their bars, on a machine that may be unsteady
# usage: . "$(dirname "$0")/lib.sh"; expect N; figure|within|alike ...
#
# Each figure is one line: "holds", "inconclusive" or "misses", the figure, its bar, and what it is. "inconclusive" means that
# this machine, as it is now, does not give the answer: the interval is wider than the bar, or a check of the run failed.
# The exit status is 0 when all figures hold, 3 when one misses, and 4 when none misses but some cannot be told. A script that
# ends with another number of figures than it announced has missed.
. "$(dirname "$0")/../rig/lib.sh"

expected=
holds=0 unsure=0 misses=0

expect() { expected=$1; }
verdict() { # holds | inconclusive | misses, the figure and its bar, what it is
	case $1 in
	holds) holds=$((holds + 1)) ;;
	misses) misses=$((misses + 1)) ;;
	*) unsure=$((unsure + 1)) ;;
	esac
	printf '%-14s %-44s %s\n' "$1" "$2" "$3"
}
# judge VALUE FROM TO LOW HIGH: the verdict on a value whose 95 % interval is FROM..TO, where LOW..HIGH is the bar. What is no
# number misses. An interval that lies outside the bar misses, however wide it is; one that is wider than the bar tells nothing
# else; a narrower one tells whether the value is inside.
judge() {
	awk -v v="$1" -v from="$2" -v to="$3" -v low="$4" -v high="$5" 'BEGIN {
		number = "^-?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
		if (v !~ number || from !~ number || to !~ number || low !~ number || high !~ number) print "misses"
		else if (to + 0 < low + 0 || from + 0 > high + 0) print "misses"
		else if (to - from > high - low) print "inconclusive"
		else if (v + 0 >= low + 0 && v + 0 <= high + 0) print "holds"
		else print "inconclusive"
	}'
}
rounded() { echo "$1" | awk '/^-?[0-9.]+([eE][-+]?[0-9]+)?$/ { printf "%.6g\n", $0; next } { print }'; }
# figure WHAT VALUE LOW HIGH: one that has no interval
figure() { verdict "$(judge "$2" "$2" "$2" "$3" "$4")" "$(rounded "${2:-nothing}") in $(rounded "$3")..$(rounded "$4")" "$1"; }
# within WHAT VALUE FROM TO LOW HIGH
within() {
	verdict "$(judge "${2-}" "${3-}" "${4-}" "$5" "$6")" "$(rounded "${2:-nothing}") [$(rounded "${3:--}"), $(rounded "${4:--}")] in $(rounded "$5")..$(rounded "$6")" "$1"
}
# alike WHAT GOT WANT HALF PERCENT: GOT, with HALF of its interval on each side, is WANT within so many percent
alike() {
	# shellcheck disable=SC2046 # words
	within "$1" "${2-}" $(awk -v got="${2-}" -v want="${3-}" -v half="${4-}" -v pct="$5" 'BEGIN {
		if (got == "" || want == "" || half == "" || got == "null" || want == "null" || half == "null") { print "null null 0 0"; exit }
		bound = want * pct / 100
		if (bound < 0) bound = -bound
		printf "%.9g %.9g %.9g %.9g\n", got - half, got + half, want - bound, want + bound
	}')
}
cannot_tell() { verdict "inconclusive" "-" "$1: $2"; } # WHAT, WHY
skip_all() {
	cannot_tell "all of it" "$1"
	expected=
	exit
}
# try WHAT COMMAND...: without this there are no figures, so the script ends when it fails
try() {
	what=$1
	shift
	"$@" >"$tmp/try.out" 2>&1 && return
	sed 's/^/# /' "$tmp/try.out"
	verdict misses "it failed" "$what"
	expected=
	exit
}
# failed_checks JSON: the checks that failed in what report or diff printed. Tests of single symbols need more blocks than the sums
# that are judged here.
failed_checks() { jq -r '[(.quality // empty, (.variants // [])[].quality)[] | select(.ok == false and .check != "symbol-blocks").check] | unique | join(", ")' "$1"; }

finish() {
	[ $? -eq 0 ] || misses=$((misses + 1)) # the script itself came to grief
	cleanup
	if [ -n "$expected" ] && [ $((holds + unsure + misses)) -ne "$expected" ]; then
		verdict misses "$((holds + unsure + misses)) of $expected figures" "the script's own number of figures"
	fi
	[ "$misses" -eq 0 ] || exit 3
	[ "$unsure" -eq 0 ] || exit 4
	exit 0
}
