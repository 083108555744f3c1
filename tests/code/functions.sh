#!/bin/sh
# No function of the product is longer than 150 lines or takes more than 6 parameters, and the mean has LEAST_MEAN lines or more,
# from its first to its last. A function is one subject, 20 to 50 lines that one reads from top to bottom; a straight line may be longer.
#
# Reads the layout that tests/code/format.sh holds: a function begins in column 0 and its body stands between "{" and "}" there.
cd "$(dirname "$0")/../.." || exit 1

MOST_LINES=150
MOST_PARAMETERS=6
LEAST_MEAN=18 # is only ever raised
# still to be cut; a function that is not in its way any more has to leave this list
# http_answer: a library calls it
known='http_answer checks_add take_word'

sources() { find base perfparse reports user vm -name '*.c' | sort; }

# prints FILE:LINE: NAME LINES PARAMETERS LINES-OF-ALL of each function; LINES are those of its body
# shellcheck disable=SC2046 # names of sources have no blanks
functions() {
	awk '
	FNR == 1 { head = ""; inside = 0 }
	inside {
		if ($0 == "}") {
			print file ":" line ": " name " " FNR - begin + 1 " " parameters(head) " " FNR - line + 1
			inside = 0
			head = ""
		}
		next
	}
	/^[#}]/ || /^\/[\/*]/ || /^ \*/ || /^[ \t]*$/ { head = ""; next }
	$0 == "{" && head ~ /^[a-zA-Z_].*\)$/ && head !~ /=/ {
		inside = 1
		begin = FNR
		file = FILENAME
		name = head
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		next
	}
	{
		if (head == "")
			line = FNR
		head = head (head == "" ? "" : " ") $0
		if (/[;}]$/)
			head = ""
	}
	# commas of the outermost brackets; a pointer to a function is one parameter, "..." belongs to the one before it
	function parameters(text, i, c, depth, n) {
		n = text ~ /\((void)?\)$/ ? 0 : 1
		for (i = index(text, "("); i <= length(text); i++) {
			c = substr(text, i, 1)
			depth += (c == "(") - (c == ")")
			n += c == "," && depth == 1
		}
		return n - (text ~ /, \.\.\.\)$/)
	}' $(sources)
}

echo "1..5"
all=$(functions)
# Against a reader of sources that finds nothing: as many functions as there are lines that close one.
found=$(echo "$all" | wc -l)
closed=$(sources | xargs cat | awk '/^{$/ { opened++ } END { print opened + 0 }')
if [ "$found" -eq "$closed" ]; then
	echo "ok 1 - every function is found ($found)"
else
	echo "not ok 1 - every function is found"
	echo "# $found of $closed"
fi
over=
hold() { # number, what, the offenders
	over="$over $(echo "$3" | awk '{ print $2 }')"
	set -- "$1" "$2" "$(echo "$3" | awk -v known=" $known " 'NF && !index(known, " " $2 " ")')"
	if [ -z "$3" ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		echo "$3" | sed 's/^/# /'
	fi
}
echo "# the longest: $(echo "$all" | sort -k3,3nr | awk 'NR <= 3 { printf "%s%s %d", sep, $2, $3; sep = ", " }')"
hold 2 "no function is longer than $MOST_LINES lines" "$(echo "$all" | awk -v most=$MOST_LINES '$3 > most')"
hold 3 "no function takes more than $MOST_PARAMETERS parameters" "$(echo "$all" | awk -v most=$MOST_PARAMETERS '$4 > most')"
stale=
for name in $known; do
	echo "$over" | grep -qw "$name" || stale="$stale$name "
done
if [ -z "$stale" ]; then
	echo "ok 4 - no function is listed as known without need"
else
	echo "not ok 4 - no function is listed as known without need"
	echo "# $stale"
fi
mean=$(echo "$all" | awk '{ sum += $5 } END { printf "%.2f", sum / NR }')
if awk -v mean="$mean" -v least=$LEAST_MEAN 'BEGIN { exit !(mean >= least) }'; then
	echo "ok 5 - the mean function has $mean lines, $LEAST_MEAN or more"
else
	echo "not ok 5 - the mean function has $mean lines, fewer than $LEAST_MEAN"
fi
