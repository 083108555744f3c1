#!/bin/sh
# Comments say what does something, literals break where a line is full, outputs and docs use the terms of the field, and
# commits say one thing.
cd "$(dirname "$0")/../.." || exit 1
AFTER=acb1f3cc # older subjects are as they are

echo "1..5"
sources=$(find base bpf perfparse reports user vm -name '*.[ch]')
bad=$(awk 'match($0, /^[\t ]*\/?\*+ (Of|Beside|Until|Likewise) /) && (/\/\*/ || begun) || /[^\t ].*\/\* (Of|Beside|Until|Likewise) / {
		print FILENAME ":" FNR ":" $0 }
	{ begun = /\/\*$/ }' $sources)
if [ -z "$bad" ]; then
	echo "ok 1 - no comment begins with a word that leaves its subject out"
else
	echo "not ok 1 - no comment begins with a word that leaves its subject out
$(echo "$bad" | sed 's/^/# /')"
fi
# A new statement, clause of SQL, element or line of the output may begin on a line of its own.
bad=$(awk 'function columns(s, n) { n = s; gsub(/\t/, "        ", n); return length(n) }
	{ next_line = $0; sub(/^[\t ]*/, "", next_line) }
	FNR > 1 && open && next_line ~ /^"/ && next_line !~ /^" ?[(]?([A-Z]+ |<)/ && was + length(next_line) - 2 <= 120 {
		print FILENAME ":" FNR ":" $0 }
	{ open = /[^\\;>]"$/ && !/\\n"$/; was = columns($0) }' $sources)
if [ -z "$bad" ]; then
	echo "ok 2 - no literal is broken where a line has room for it"
else
	echo "not ok 2 - no literal is broken where a line has room for it
$(echo "$bad" | sed 's/^/# /')"
fi
# What the tool prints and what its pages say: none of the private words that the field has a term for.
banned='facilit(y|ies)|gates?|rungs?|second stages?|test bed|planted|rulers?|slowness|dear|dearer|dearest|less native|set aside|taken out|keeps? step'
banned="$banned|more waits?|ledger|deaf|untold|strangers?|devices that work|machine that works|somebody else|cannot tell|mends?|mended|bunch(es)?|under way"
bad=$(awk -v banned="(^|[^A-Za-z0-9_/.])($banned)([^A-Za-z0-9_/]|$)" '/^#include/ { next }
	FILENAME ~ /\.rst$/ { text = $0 }
	FILENAME !~ /\.rst$/ { text = ""; rest = $0; while (match(rest, /"([^"\\]|\\.)*"/)) { text = text " " substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH) } }
	tolower(text) ~ banned { print FILENAME ":" FNR ":" $0 }' $sources reports/analysis/quality_rules.def README.rst docs/*.rst user/man/*.rst perfparse/*.rst)
if [ -z "$bad" ]; then
	echo "ok 3 - outputs and docs use the terms of the field"
else
	echo "not ok 3 - outputs and docs use the terms of the field
$(echo "$bad" | sed 's/^/# /')"
fi
terms=$(awk '/^Terms$/ { on = 1 } on && /^====.* ==/ { bars++ } bars == 1 && /^[a-z]/ { n++ } bars == 2 { exit } END { print n + 0 }' docs/measuring.rst)
if [ "$terms" -gt 4 ] && [ "$terms" -le 12 ]; then
	echo "ok 4 - the glossary has at most 12 terms"
else
	echo "not ok 4 - the glossary has at most 12 terms
# docs/measuring.rst: $terms"
fi
if ! git rev-parse -q --verify "$AFTER^{commit}" >/dev/null 2>&1; then
	echo "ok 5 - subjects of commits # SKIP no history here"
	exit 0
fi
bad=$(git log --format=%s "$AFTER.." | awk 'length > 72 || /;/ || !/^[a-z][a-z0-9_, -]*: ./')
if [ -z "$bad" ]; then
	echo "ok 5 - subjects of commits: \"area: imperative\", 72 columns at most, one change"
else
	echo "not ok 5 - subjects of commits: \"area: imperative\", 72 columns at most, one change
$(echo "$bad" | sed 's/^/# /')"
fi
