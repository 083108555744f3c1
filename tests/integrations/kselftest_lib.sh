# kselftest_lib.sh - results of the kernel's selftests: whether a list of them holds together, and what the kernel's runner made of it
# usage: . "$(dirname "$0")/kselftest_lib.sh"

# Is standard input one list of results: a plan that was kept, and totals that are right? $1: the exit status, which has to fit.
is_a_list() {
	awk -v status="$1" '
	NR == 1 { bad = $0 != "TAP version 13" }
	NR == 2 { plan = substr($1, 4) }
	/^(not )?ok / { n++; number = /^not/ ? $3 : $2; bad = bad || number != n; fail += /^not/; skip += / # SKIP ./ }
	/^# Totals:/ { totals = $0 }
	END {
		want = "# Totals: pass:" n - fail - skip " fail:" fail + 0 " xfail:0 xpass:0 skip:" skip + 0 " error:0"
		exit bad || plan != n + 0 || (n && totals != want) || status != (fail ? 1 : n > skip ? 0 : 4)
	}'
}
# by_runner OUTPUT LIST: the program's own list out of the runner's output; prints the exit status that the runner saw, and on
# stderr what the kernel's parser in KSELFTEST counts.
by_runner() {
	sed -n 's/^# //p' "$1" | sed -n '/^TAP version/,$p' >"$2"
	sed -n 's/^ok 1 selftests: drivers\/net\/hw: xdpzoom_cost.sh$/0/p; s/^not ok 1 .* # exit=//p; s/^ok 1 .* # SKIP$/4/p' "$1" | grep . || echo nothing
	python3 "$KSELFTEST/../kunit/kunit.py" parse <"$2" | tail -n 1 | sed 's/^/# /' >&2
}
