#!/bin/sh
# C sources look as .clang-format says, no line of them is longer than 120 columns and no .c file longer than 900 lines, no
# file holds what a merge left, and somebody uses each file. A file that exists because of the cap on lines is joined again.
cd "$(dirname "$0")/../.." || exit 1

sources() { find base bpf perfparse reports user vm tests docs -name '*.[ch]' ! -path '*/fixtures/*' | sort; }

failed=0
report() { # NUMBER WHAT FINDINGS
	if [ -z "$3" ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		echo "$3" | sed 's/^/# /'
		failed=1
	fi
}
echo "1..7"
report 1 "no line is longer than 120 columns" "$(sources | python3 -c '
import sys
for name in sys.stdin.read().split():
    for number, line in enumerate(open(name, encoding="utf-8"), 1):
        if len(line.rstrip("\n").expandtabs(8)) > 120:
            print(f"{name}:{number}:{line}", end="")')"
# Other versions break lines at other places.
if command -v clang-format-19 >/dev/null; then
	report 2 "clang-format changes nothing" "$(sources | xargs clang-format-19 --dry-run -Werror 2>&1 | grep error:)"
else
	echo "ok 2 - clang-format changes nothing # SKIP no clang-format-19 here"
fi
all() { find . -type f ! -path './.git/*' ! -path './build/*' ! -path './runs/*' "$@"; }
report 3 "no marks of a merge" "$(all ! -size +1024k -exec grep -lIE '^(<{7}|>{7}|\|{7}) ' {} +)"
# A header that nobody includes, a script or a file of data that nobody names.
included=$(grep -rohE --include='*.[ch]' --include='*.mk' '[a-z_0-9/.-]+\.h"' base bpf perfparse reports user vm tests | tr -d '"' | sort -u)
dead=$(find base bpf perfparse reports user vm -name '*.h' | grep -vxF "$included")
report 4 "each header is included" "$dead"
lines=$(sources | xargs wc -l | awk '$2 != "total"' | sort -nr)
echo "# the longest files: $(echo "$lines" | awk 'NR <= 3 { printf "%s%s %d", sep, $2, $1; sep = ", " }')"
report 5 "no .c file is longer than 900 lines" "$(echo "$lines" | awk '$1 > 900 && /[.]c$/')"
# What is neither C nor in a folder that is taken whole (by a wildcard, or because all in it is for people) has to be
# named by another file; a module of Python is named without its ending.
whole='^\./(tests/(unit|golden|cases|rig|vm|fuzz|browser|code|measure|bench|fixtures|runs)|user/man|pktgen|packaging/debian|reports/examples|docs/examples)/'
unnamed=$(all ! -name '*.[ch]' ! -name '*.pyc' ! -name build.mk | grep -vE "$whole|^\./([^/]*)$|^\./(runs|\.ci)/" | sort | python3 -c '
import os, re, sys
texts = {}
for folder, folders, names in os.walk("."):
    folders[:] = [f for f in folders if f not in (".git", "build")]
    for path in (os.path.join(folder, n) for n in names):
        if os.path.isfile(path):
            texts[path] = open(path, "rb").read()
for path in sys.stdin.read().splitlines():
    name = os.path.basename(path).removesuffix(".py").encode()
    word = re.compile(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)")
    if not any(name in t and word.search(t) for p, t in texts.items() if p != path):
        print(path)')
report 6 "each other file is named by one that uses it" "$unnamed"
report 7 "a number of base/base.h is typed nowhere else" "$(grep -rn --include='*.[ch]' '1\.9599' base perfparse reports user | grep -v '^base/base.h:')"
exit $failed
