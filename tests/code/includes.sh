#!/bin/sh
# No arrow runs upward: which folder may include which (README.rst, "The straight line").
cd "$(dirname "$0")/../.." || exit 1

# folder: the folders whose headers it may include; the commands stand in user/ itself
rules='bpf: bpf
perfparse: perfparse
reports/run: reports/run perfparse
reports/analysis: reports/(analysis|run) perfparse
reports/compare: reports/(compare|analysis|run) perfparse
reports/history: reports/(history|compare|analysis|run) perfparse
reports/render: reports/(render|history|compare|analysis|run) perfparse
reports/page: reports/(page|render|compare|analysis|run) perfparse
user/machine: user/machine reports/run perfparse bpf
user/programs: user/(programs|machine) reports/(run|analysis) perfparse bpf
user/load: user/(load|programs|machine|xdpzoom.h) reports/run perfparse bpf
user/settings: user/(settings|programs|machine|xdpzoom.h) reports/run perfparse bpf
user/record: user/(record|settings|load|programs|machine|xdpzoom.h|opts.h) reports perfparse bpf
user/doctor: user/(doctor|record|settings|programs|machine) reports/run perfparse bpf
user: user reports perfparse bpf'

echo "1..$(echo "$rules" | wc -l)"
n=0
echo "$rules" | while IFS=: read -r folder may; do
	n=$((n + 1))
	bad=$(grep -rHn --include='*.[ch]' '^#include "' "$folder" |
		grep -Ev "#include \"($(echo "$may" | sed 's/^ *//; s/ /|/g'))[/\"]")
	if [ -z "$bad" ]; then
		echo "ok $n - $folder includes only from:$may"
	else
		echo "not ok $n - $folder includes only from:$may"
		echo "$bad" | sed 's/^/# /'
	fi
done
