#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every number that perfparse makes of each text of perf 6.1, and of the same texts with options that choose rows.
# After a change that is meant: UPDATE=1 tests/golden/perfparse_fixtures.sh, and read the difference.
. "$(dirname "$0")/lib.sh"
need "$PWD/build/perfparse"
here=tests/golden/perfparse
perf=tests/fixtures/perf/6.1

# show FILE OPTION...: what perfparse prints for a text, below a line that names both
show() {
	text=$1
	shift
	echo "== $text $*"
	build/perfparse "$@" "$perf/$text" 2>&1 || echo "exit status $?"
}
tables() {
	for f in report-all report-children report-comma report-counts report-dso-children report-events report-fields report-flat \
		report-folded report-folded-count report-fractal report-graph report-group report-header report-headless \
		report-headless-children report-hierarchy report-limit report-pipe-children report-self report-srcline \
		report-symbol report-util report-verbose diff; do
		show $f.txt --ns 100 --format csv
	done
}
chosen() {
	show report-events.txt --ns 100 --event task-clock
	show report-group.txt --ns 100 --event task-clock
	show report-group.txt --ns 100 --event cpu-clock --children
	show report-fields.txt --ns 100 --cpu 1
	show report-children.txt --ns 100 --children
	show report-graph.txt --ns 100 --no-symbols
	show script-events.txt --ns 100 --event task-clock
	show script.txt --ns 100 --cpu 0
	show script.txt --ns 100 --tid 0
	show script.txt --ns 100 --format folded
	show script-default.txt --ns 100 --children
	show script-bare.txt --ns 100 --children --format csv
	show script-flat.txt --ns 100 --format json
	# rows of the document's awk lines, without perf's mark
	for f in awk-self awk-children; do
		sed 's/\[[k.]\] *//' tests/fixtures/perf/document/$f.txt | build/perfparse --ns 100 --children --format csv 2>&1
	done
}
counts() {
	for f in "$perf"/stat-*.txt; do
		show "$(basename "$f")" --packets 1e6 --format csv
		show "$(basename "$f")" --packets 1e6 --format text
	done
	show stat-cpus.txt --packets 1e6 --cpu 0
	show stat-cpus.txt --packets 1e6 --event cpu-clock --format json
	show stat-interval.txt --pps 1e6
	show annotate.txt --ns 100 --share 10 --format csv
	show annotate.txt --ns 100 --profile $perf/report-self.txt
}
golden $here/fixtures-tables.txt tables
golden $here/fixtures-chosen.txt chosen
golden $here/fixtures-counts.txt counts
