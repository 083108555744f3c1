#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Texts from public places: each comes out with the value that LIST gives it.
. "$(dirname "$0")/lib.sh"
P=$PWD/build/perfparse
need "$P"
cd tests/fixtures/perf/wild/public || exit 1
read_as() { # FILE HOW OPTION...: its value, in one line
	local file=$1 how=$2
	shift 2
	case $how in
	report) "$P" --ns 1000 -f json "$@" "$file" 2>"$tmp/why" | jq -r '.symbols[] | "\(.name) \(.self_ns * 100 | round / 100)"' ;;
	diff) "$P" --ns 1000 --ns2 1000 --input diff -f json "$@" "$file" 2>"$tmp/why" | jq -r '.symbols[] | "\(.name) \(.delta_ns * 100 | round / 100)"' ;;
	stat) "$P" --pps 1000000 -f json "$@" "$file" 2>"$tmp/why" | jq -r '.counts[] | "\(.event) \(.per_packet) \(.running_pct)"' | awk '{ printf "%s %.3f %s\n", $1, $2, $3 }' ;;
	annotate) "$P" --ns 1000 --input annotate -f json "$@" "$file" 2>"$tmp/why" | jq -r '.symbols[] | .name, (.instructions[] | "\(.instruction | split(" ")[0]) \(.ns)")' ;;
	rates) "$X" import --list "$file" 2>"$tmp/why" | sed 's/^ *[0-9]* *\([0-9]*\) rate.*first: \([0-9]*\) .*/\1 \2/' ;;
	import) "$X" import -o "$tmp/run" -V "$1" "$file" 2>"$tmp/why" ;;
	esac | paste -sd' '
}
right() { # WANT FILE HOW OPTION...
	local want=$1 got
	shift
	got=$(read_as "$@")
	case $want in
	refused:*) [ -z "$got" ] && grep -q -e "${want#refused: }" "$tmp/why" && return 0 ;;
	*) [ "$got" = "$want" ] && return 0 ;;
	esac
	echo "$got"
	cat "$tmp/why"
	return 1
}
while IFS='|' read -r file how want _; do
	# shellcheck disable=SC2086 # words of a command line
	ok "$file:$how" right "$(echo $want)" ${file% } $how
done < <(grep '^[^#]' LIST)
