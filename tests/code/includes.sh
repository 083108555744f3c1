#!/bin/sh
# No arrow runs upward: which folder may include which (docs/hacking.rst, "The straight line").
cd "$(dirname "$0")/../.." || exit 1

# folder: the folders whose headers it may include
rules='base: base
vm: vm base
bpf: bpf
perfparse: perfparse base
reports/run: reports/run perfparse base
reports/import: reports/(import|run) perfparse base
reports/exact: reports/(exact|run) perfparse base
reports/analysis: reports/(analysis|run) perfparse base
reports/compare: reports/(compare|analysis|run) perfparse base
reports/history: reports/(history|compare|analysis|exact|run) perfparse base
reports/sweep: reports/(sweep|analysis|run) perfparse base
reports/explain: reports/(explain|exact|compare|analysis|run) perfparse base
reports/why: reports/(why|compare|analysis|run) perfparse base
reports/document: reports/(document|why|sweep|explain|history|compare|analysis|exact|run) perfparse base
reports/format: reports/(format|document|why|sweep|history|explain|compare|analysis|exact|run) perfparse base
reports/page: reports/(page|format|document|why|sweep|explain|compare|analysis|exact|run) perfparse base
user/machine: user/machine reports/run perfparse base bpf
user/programs: user/(programs|machine) reports/run perfparse base bpf
user/bed: user/(bed|gen|programs|machine) reports/run base bpf
user/gen: user/(gen|bed|programs|machine) reports/run base bpf
user/stage: user/(stage|gen|bed|programs|machine) reports/run base bpf
user/ladder: user/(ladder|stage|gen|bed|programs|machine) reports/run base bpf
user/turns: user/(turns|ladder|stage|gen|bed|programs|machine) reports/run base bpf
user/observe: user/(observe|watch|map|ladder|gen|bed|programs|machine) reports/run base bpf
user/settings: user/(settings|programs|machine) reports/run perfparse base bpf
user/session: user/(session|observe|turns|ladder|stage|gen|bed|settings|programs|machine) reports/run perfparse base bpf
user/map: user/(map|machine) base
user/record: user/(record|session|settings|observe|turns|ladder|stage|gen|bed|programs|machine) reports perfparse base bpf
user/watch: user/(watch|map|bed|programs|machine) reports perfparse base bpf
user/exact: user/(exact|ladder|stage|gen|bed|programs|machine) reports/(exact|run) perfparse base bpf vm
user/doctor: user/(doctor|settings|gen|bed|programs|machine) reports/run perfparse base bpf
user/cli: user/(cli|record|session|settings|observe|turns|ladder|stage|gen|bed|programs|machine) reports perfparse base bpf
user/selftest: user/(selftest|cli|record|session|settings|gen|bed|programs|machine) reports perfparse base bpf
user: user reports perfparse base bpf vm'

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
