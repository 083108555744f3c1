#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Broken, endless and foreign texts: one sentence on stderr, exit status 1, nothing on stdout.
. "$(dirname "$0")/lib.sh"
perfparse=$PWD/build/perfparse
fixtures=tests/fixtures/perf

# refused NAME WORDS [OPTION]... <TEXT
refused() {
	local name=$1 words=$2 status
	shift 2
	$perfparse --ns 100 "$@" >"$tmp/out" 2>"$tmp/why"
	status=$?
	[ $status -eq 1 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why"
	result $? "$name"
}

usage() { # NAME WORDS OPTION...
	local name=$1 words=$2 status
	shift 2
	$perfparse "$@" <"${from:-/dev/null}" >"$tmp/out" 2>"$tmp/why"
	status=$?
	[ $status -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why"
	result $? "$name"
}

head='# Samples: 10K of event '\''cycles'\''\n# Overhead  Symbol\n# ........  ......\n'

refused "empty input" "empty" </dev/null
refused "a share below 0, below a header" "below 0 %" < <(printf "$head    50.00%%  [k] a\n    -5.00%%  [k] b\n")
refused "a share below 0, without a header" "below 0 %" < <(printf "    50.00%%  [k] a\n    -5.00%%  [k] b\n")
refused "a share below 0, with a separator" "below 0 %" --separator , < <(printf "# Overhead,Symbol\n50.00%%,[k] a\n-5.00%%,[k] b\n")
refused "a share below 0 below Self" "below 0 %" \
	< <(printf "# Samples: 10K of event 'cycles'\n# Children      Self  Symbol\n# ........  ........  ......\n    50.00%%    -0.10%%  [k] a\n")
refused "not perf's text" "not the text of perf" < <(echo hello)
refused "a directory" "directory" tests
refused "no such file" "No such file" "$tmp/nothing"
refused "a line of 10 MB" "line 1 is longer" --input report < <(head -c 10000000 /dev/zero | tr '\0' x)
refused "a NUL byte" "NUL" < <(printf %b "$head"; printf '    10.00%%  [k] a\0b\n')
refused "perf.data itself" "NUL" < <(printf 'PERFILE2\150\0\0\0')
refused "shares above 100.5 % in sum" "102.00" < <(printf %b "$head"; for i in 1 2 3; do echo "    34.00%  [k] f$i"; done)
refused "one share above 100.5 %" "150.00" < <(printf %b "$head"; echo "   150.00%  [k] f")
refused "a report without symbols" "--sort sym" < <(printf '# Samples: 1 of event '\''a'\''\n# Overhead  Command\n# ........  .......\n    10.00%%  a\n')
refused "only idle" "idle" < <(printf %b "$head"; echo "    90.00%  [k] default_idle")
refused "no such event" "there is: cpu-clock" --event cycles <$fixtures/6.1/report-self.txt
refused "no such CPU" "no rows" --cpu 77 <$fixtures/6.1/report-all.txt
refused "a CPU of a table without CPUs" "CPU column" --cpu 0 <$fixtures/6.1/report-self.txt
refused "a script cut in a header" "line 3" < <(printf 'a 1 [0] 1.5: 1 cycles: \n\na 1 [\n\tffffffff81000000 f (x)\n\n')
refused "two outputs of perf stat" "second output" < <(cat $fixtures/6.1/stat-text.txt $fixtures/6.1/stat-text.txt)
refused "a share of time above all of it" "no more than 100 % can be" < <(sed "s/cpu-clock .*/&  (150.00%)/" $fixtures/6.1/stat-text.txt)
refused "perf stat with a decimal comma" "LC_ALL=C" < <(sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' $fixtures/6.1/stat-text.txt)
refused "perf stat -x with a decimal comma" "LC_ALL=C" < <(sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' $fixtures/6.1/stat-fields-runs.txt)
refused "perf stat without time" "how long" < <(grep -v elapsed $fixtures/6.1/stat-text.txt)
refused "decimal commas between commas" "LC_ALL=C" --input report < <(sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' $fixtures/6.1/report-comma.txt)
refused "annotate without the symbol" "no symbol 'x'" --symbol x <$fixtures/document/annotate.txt
refused "rules that are none" ":1: a rule before" --components <(echo 'x under') <$fixtures/6.1/report-self.txt
refused "stacks of two rates" "no folded form" --pps2 2 --format folded
refused "no such second file" "No such file" --diff "$tmp/nothing" --ns2 1 <$fixtures/6.1/report-self.txt

usage "no base" "give --pps"
usage "a number with a tail" "not a number" --pps 64abc
usage "a negative rate" "outside" --pps=-5
usage "infinity" "not a number" --pps inf
usage "two bases" "only one" --pps 5 --ns 5
usage "an unknown option" "unknown option" --pps 5 --nonsense
usage "an unknown format" "wants text, json, csv or folded" --pps 5 --format xml
usage "--diff without a base" "needs --pps2" --ns 5 --diff $fixtures/6.1/report-self.txt
usage "two ways to tell a share" "only one" --ns 5 --share 5 --profile $fixtures/6.1/report-self.txt
for from in $fixtures/6.1/report-self.txt $fixtures/6.1/script.txt; do
	usage "a second base without a second profile: ${from##*/}" "with --diff" --ns 5 --ns2 5 $from
	usage "packets without their time: ${from##*/}" "needs --window" --packets 5
	for option in "--symbol veth_poll" "--share 5" "--profile $from"; do
		# shellcheck disable=SC2086 # an option and its value
		usage "${option%% *} of ${from##*/}" "for perf annotate" --ns 5 $option
	done
done
from=$fixtures/document/annotate.txt
usage "packets without their time: annotate.txt" "needs --window" --packets 5
usage "--cpu of perf annotate" "is for perf report" --ns 5 --share 5 --cpu 0
usage "--diff of perf annotate" "is for perf report" --ns 5 --diff $fixtures/6.1/report-self.txt --ns2 5
for from in $fixtures/6.1/report-self.txt $fixtures/6.1/stat-text.txt $fixtures/document/annotate.txt; do
	usage "--tid of ${from##*/}" "for perf script" --ns 5 --tid 0
done
from=$fixtures/6.1/stat-text.txt
usage "--share of perf stat" "for perf annotate" --ns 5 --share 5
from=

# Much is fine: ten million rows of a few symbols
{ echo '    10.00%  [k] a'; yes '     0.00%  [k] veth_poll' | head -10000000; } | $perfparse --ns 100 --format csv --input report >"$tmp/out" 2>"$tmp/why"
[ "$(wc -l <"$tmp/out")" -eq 4 ]
result $? "ten million rows"

# A full disk is said
if [ -e /dev/full ]; then
	$perfparse --ns 100 $fixtures/6.1/report-self.txt >/dev/full 2>"$tmp/why"
	[ $? -eq 1 ] && grep -q "No space" "$tmp/why"
	result $? "a full disk"
fi
