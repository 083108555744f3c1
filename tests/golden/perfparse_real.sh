#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What real perfs print, over the options that change it: every table agrees with the counts of perf script of the same
# recording, to the rounding of two decimals. tests/fixtures/perf/make.sh makes a folder of texts with the perf at hand.
# usage: perfparse_real.sh [DIR...]    made by make.sh, seen from the root of the tree
. "$(dirname "$0")/lib.sh"
perfparse=build/perfparse

# "self inclusive name" of every symbol of a perf script with stacks, counted by awk alone; the first line is the total
count() {
	awk '
	function close_sample(	i) {
		if (!depth) return
		total++
		self[frame[1]]++
		for (i = 1; i <= depth; i++) { if (!(frame[i] in here)) { here[frame[i]]; all[frame[i]]++ } }
		delete here
		depth = 0
	}
	/^$/ { close_sample(); next }
	/^\t/ { line = $0; sub(/^\t *[0-9a-f]+ /, "", line); sub(/ \([^()]*( \(deleted\))?\)$/, "", line)
		sub(/\+0x[0-9a-f]+$/, "", line); frame[++depth] = line }
	END { close_sample(); print total; for (s in all) print self[s] + 0, all[s], s }' "$1"
}

# "self% children% name" of perfparse; several DSOs of one name are one here
ours() {
	jq -r '.symbols | group_by(.name)[] |
		"\(map(.self_pct // 0) | add) \(if any(.children_pct == null) then -1 else map(.children_pct) | add end) \(length) \(.[0].name)"'
}

# agree COUNTS TABLE whole|part children|self [LINES]: a symbol is up to LINES lines of the text; resolved symbols only, tables name the others by their addresses
agree() {
	awk -v whole="$3" -v children="$4" -v lines="${5-1}" '
	FNR == 1 && NR == 1 { total = $1; next }
	NR == FNR { s = $1; c = $2; sub(/^[^ ]* [^ ]* /, ""); self[$0] = s; all[$0] = c; next }
	{ s = $1; c = $2; rows = $3; sub(/^[^ ]* [^ ]* [^ ]* /, ""); if ($0 ~ /^0x|^\[unknown\]|^0000/) next
		seen[$0]; compared++
		if ((d = s - 100 * self[$0] / total) * d > (0.0051 * rows * lines) ^ 2) { print $0 ": self " s " is not " 100 * self[$0] / total; bad++ }
		if (children == "children" && (d = c - 100 * all[$0] / total) * d > (0.0051 * rows * lines) ^ 2) {
			print $0 ": children " c " is not " 100 * all[$0] / total; bad++ } }
	END { for (s in self) if (whole == "whole" && self[s] && s !~ /^\[unknown\]/ && !(s in seen)) { print s " is missing"; bad++ }
		if (!compared) { print "nothing to compare"; bad++ }
		exit bad > 0 }' "$1" "$2"
}

check_report() { # DIR NAME whole|part children|self [LINES]
	$perfparse --ns 100 --format json "$1/report-$2.txt" 2>"$tmp/why" | ours >"$tmp/table"
	[ -s "$tmp/why" ] || agree "$tmp/counts" "$tmp/table" "$3" "$4" "${5-1}" >"$tmp/why"
	result $? "$1: report-$2 ($(wc -l <"$tmp/table") symbols)" "$tmp/why"
}

# A function of the kernel is in no row of user space, whatever perf's mark is: 7.3 marks callers "[.]".
check_spaces() { # DIR NAME
	$perfparse --ns 100 --children --format json "$1/report-$2.txt" 2>"$tmp/why" |
		jq -r '[.symbols[] | select(.dso == "[kernel.kallsyms]")] | if length == 0 then "no kernel" else .[] end |
			select(.space? != "kernel") | .name? // .' >>"$tmp/why"
	[ ! -s "$tmp/why" ]
	result $? "$1: report-$2: the kernel's functions are the kernel's" "$tmp/why"
}

check_script() { # DIR NAME children|self
	$perfparse --ns 100 --format json "$1/$2.txt" 2>"$tmp/why" | ours >"$tmp/table"
	[ -s "$tmp/why" ] || agree "$tmp/counts" "$tmp/table" whole "$3" >"$tmp/why"
	result $? "$1: $2 ($(wc -l <"$tmp/table") symbols)" "$tmp/why"
}

refused() { # FILE WORD [OPTION]...
	file=$1 word=$2
	shift 2
	if $perfparse --ns 100 "$@" "$file" >"$tmp/out" 2>"$tmp/why"; then status=1; else
		[ ! -s "$tmp/out" ] && grep -q -- "$word" "$tmp/why"
		status=$?
	fi
	result $status "$file: refused, says $word" "$tmp/why"
}

accepted() { # FILE COUNTS [OPTION]...
	file=$1 want=$2
	shift 2
	have=$($perfparse --packets 1000 --format csv "$@" "$file" 2>"$tmp/why" | tail -n +2 | wc -l)
	[ "$have" -eq "$want" ] || echo "$have counts, not $want" >>"$tmp/why"
	[ ! -s "$tmp/why" ]
	result $? "$file: $want counts" "$tmp/why"
}

[ $# -gt 0 ] || set -- tests/fixtures/perf/[0-9]*/
for dir; do
	dir=${dir%/}
	count "$dir/script.txt" >"$tmp/counts"
	for name in self symbol comma headless graph flat folded folded-count verbose header util counts; do
		check_report "$dir" $name whole self
	done
	for name in children dso-children fields pipe-children headless-children fractal; do
		check_report "$dir" $name whole children
	done
	for name in dso-children fields pipe-children headless-children; do
		check_spaces "$dir" $name
	done
	check_report "$dir" limit part self
	check_report "$dir" srcline whole self 9
	check_report "$dir" all whole self 5 # a line for each CPU and task
	check_script "$dir" script children
	check_script "$dir" script-default children
	check_script "$dir" script-bare children
	check_script "$dir" script-flat self
	refused "$dir/report-hierarchy.txt" --hierarchy
	$perfparse --ns 100 --ns2 200 --format json "$dir/diff.txt" 2>"$tmp/why" |
		jq -e '([.symbols[].base_ns] | add) > 99 and ([.symbols[].new_ns] | add) > 198' >/dev/null
	result $? "$dir: both sides of perf diff" "$tmp/why"
	refused "$dir/report-events.txt" cpu-clock
	refused "$dir/report-group.txt" task-clock
	$perfparse --ns 100 --event task-clock "$dir/report-group.txt" | grep -q "event 'task-clock'"
	result $? "$dir: one event of a group"
	$perfparse --ns 100 --cpu 1 "$dir/report-all.txt" | grep -q 'leaf$' && ! $perfparse --ns 100 --cpu 0 "$dir/report-all.txt" | grep -q 'leaf$'
	result $? "$dir: one CPU of a table"
	accepted "$dir/stat-text.txt" 4
	accepted "$dir/stat-runs.txt" 4
	accepted "$dir/stat-cpus.txt" 8
	accepted "$dir/stat-core.txt" 8
	accepted "$dir/stat-interval.txt" 4
	accepted "$dir/stat-fields.txt" 4
	accepted "$dir/stat-fields-runs.txt" 4
	accepted "$dir/stat-fields-cpus.txt" 8
	accepted "$dir/stat-fields-cpus.txt" 4 --cpu 1
	accepted "$dir/stat-fields-socket.txt" 4
	accepted "$dir/stat-json.txt" 4
	accepted "$dir/stat-json-cpus.txt" 8
	$perfparse --ns 12.5 "$dir/annotate.txt" | awk '/by source/ { exit } /=>/ && !/^#/ { sum += $3 } END { exit !(sum > 12 && sum < 13) }'
	result $? "$dir: annotate"
done
