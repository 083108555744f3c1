#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every format of perfparse to the byte, of texts so small that each number can be worked out by hand.
# After a change that is meant: UPDATE=1 tests/golden/perfparse_formats.sh, and read the difference.
. "$(dirname "$0")/lib.sh"
here=tests/golden/perfparse

# golden NAME OPTION...: what perfparse prints is NAME, to the byte
golden() {
	name=$1
	shift
	build/perfparse "$@" >"$tmp/got" 2>&1 || echo "failed" >>"$tmp/got"
	[ -z "${UPDATE-}" ] || cp "$tmp/got" "$here/$name"
	diff -u "$here/$name" "$tmp/got" >"$tmp/why" 2>&1
	result $? "$name"
}

# one.txt has 14 samples on CPU 1: 8 busy ones of 10 ns each, 4 idle, 2 of the sender. Its ninth busy one is on CPU 2.
golden profile.text --pps 12.5e6 --cpu 1 $here/one.txt
golden profile-children.text --ns 80 --cpu 1 --children $here/one.txt
golden profile-components.text --ns 80 --cpu 1 --no-symbols $here/one.txt
golden profile.json --ns 80 --cpu 1 --format json $here/one.txt
golden profile.csv --ns 80 --cpu 1 --format csv $here/one.txt
golden profile.folded --ns 90 --format folded $here/one.txt
# table.txt: 40 % busy, of which 3 % points are not listed.
golden table.text --ns 100 $here/table.txt
golden table.json --ns 100 --format json $here/table.txt
golden table.folded --ns 100 --format folded $here/table.txt
# busy.txt: half a percent idle, a quarter not listed. One packet in two seconds is a rate, too.
golden busy.text --ns 100 $here/busy.txt
golden busy.folded --ns 100 --format folded $here/busy.txt
golden diff-slow.csv --pps 0.5 --diff $here/busy.txt --pps2 0.5 --format csv $here/busy.txt
# two.txt has 10 busy samples of 10 ns each.
golden diff.text --ns 80 --cpu 1 --diff $here/two.txt --ns2 100 $here/one.txt
golden diff-components.text --ns 80 --cpu 1 --no-symbols --diff $here/two.txt --ns2 100 $here/one.txt
golden diff.json --ns 80 --cpu 1 --diff $here/two.txt --ns2 100 --format json $here/one.txt
golden diff.csv --ns 80 --cpu 1 --diff $here/two.txt --ns2 100 --format csv $here/one.txt
golden bases.csv --pps 1e6 --pps2 2e6 --format csv
# stat.txt: 10 million packets, so 500 ms are 50 ns a packet, and 3e9 cycles are 300.
golden stat.text --packets 1e7 $here/stat.txt
golden stat.json --pps 2e7 --format json $here/stat.txt
golden stat.csv --packets 1e7 --cpu 1 --format csv $here/stat.txt
golden help.text --help
# 12.4 ns in all
golden annotate.text --ns 124 --share 10 tests/fixtures/perf/document/annotate.txt
golden annotate.json --ns 124 --share 10 --format json tests/fixtures/perf/document/annotate.txt
