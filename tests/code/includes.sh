#!/bin/sh
# No arrow runs upward: which folder may include which (README.rst, "The straight line").
cd "$(dirname "$0")/../.." || exit 1

# folder: the folders whose headers it may include
rules='bpf: bpf
perfparse: perfparse
reports: reports perfparse
user: user reports perfparse bpf'

echo "1..$(echo "$rules" | wc -l)"
n=0
echo "$rules" | while IFS=: read -r folder may; do
	n=$((n + 1))
	bad=$(grep -Hn '^#include "' "$folder"/*.c "$folder"/*.h 2>/dev/null |
		grep -Ev "#include \"($(echo "$may" | sed 's/^ *//; s/ /|/g'))/")
	if [ -z "$bad" ]; then
		echo "ok $n - $folder includes only from:$may"
	else
		echo "not ok $n - $folder includes only from:$may"
		echo "$bad" | sed 's/^/# /'
	fi
done
