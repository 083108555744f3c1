#!/bin/sh
# C sources look as .clang-format says, no line of them is longer than 120 columns and no file longer than 500 lines, no
# file holds what a merge left, and somebody uses each file.
cd "$(dirname "$0")/../.." || exit 1

sources() { find base bpf perfparse reports user vm tests docs -name '*.[ch]' ! -path '*/fixtures/*' | sort; }

echo "1..6"
long=$(sources | while read -r f; do expand "$f" | LC_ALL=C.UTF-8 grep -nE '^.{121,}' | sed "s|^|$f:|"; done)
if [ -z "$long" ]; then
	echo "ok 1 - no line is longer than 120 columns"
else
	echo "not ok 1 - no line is longer than 120 columns"
	echo "$long" | sed 's/^/# /'
fi
# Other versions break lines at other places.
if ! command -v clang-format-19 >/dev/null; then
	echo "ok 2 - clang-format changes nothing # SKIP no clang-format-19 here"
elif out=$(sources | xargs clang-format-19 --dry-run -Werror 2>&1); then
	echo "ok 2 - clang-format changes nothing"
else
	echo "not ok 2 - clang-format changes nothing"
	echo "$out" | grep error: | sed 's/^/# /'
fi

report() { # NUMBER WHAT FINDINGS
	if [ -z "$3" ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		echo "$3" | sed 's/^/# /'
	fi
}
all() { find . -type f ! -path './.git/*' ! -path './build/*' ! -path './runs/*' "$@"; }
report 3 "no marks of a merge" "$(all ! -size +1024k -exec grep -lIE '^(<{7}|>{7}|\|{7}) ' {} +)"
# A header that nobody includes, a script or a file of data that nobody names.
dead=$(for f in $(find base bpf perfparse reports user vm -name '*.h' | sort); do
	grep -rqF --include='*.[ch]' --include='*.mk' "$f\"" base bpf perfparse reports user vm tests || echo "$f"
done)
report 4 "each header is included" "$dead"
report 5 "no C file is longer than 500 lines" "$(sources | xargs wc -l | awk '$2 != "total" && $1 > 500')"
# What is neither C nor in a folder that is taken whole (by a wildcard, or because all in it is for people) has to be
# named by another file; a module of Python is named without its ending.
whole='^\./(tests/(unit|golden|rig|vm|fuzz|browser|code|measure|bench|fixtures|docs/runs)|user/man|pktgen|packaging/debian|reports/examples|docs/examples)/'
unnamed=$(all ! -name '*.[ch]' ! -name '*.pyc' ! -name build.mk | grep -vE "$whole|^\./([^/]*)$|^\./(runs|\.ci)/" | sort | while read -r f; do
	b=$(basename "$f" .py)
	grep -rlwF --exclude-dir=.git --exclude-dir=build -e "$b" . | grep -qvxF "$f" || echo "$f"
done)
report 6 "each other file is named by one that uses it" "$unnamed"
