#!/bin/sh
# Comments say what does something, and commits say one thing.
cd "$(dirname "$0")/../.." || exit 1
AFTER=b82667b # older subjects are as they are

echo "1..2"
bad=$(grep -rnE '/\* (Of|Beside|Until) ' --include='*.[ch]' base bpf perfparse reports user vm)
if [ -z "$bad" ]; then
	echo "ok 1 - no comment begins with a word that leaves its subject out"
else
	echo "not ok 1 - no comment begins with a word that leaves its subject out
$(echo "$bad" | sed 's/^/# /')"
fi
if ! git rev-parse -q --verify "$AFTER^{commit}" >/dev/null 2>&1; then
	echo "ok 2 - subjects of commits # SKIP no history here"
	exit 0
fi
bad=$(git log --format=%s "$AFTER.." | awk 'length > 72 || /;/ || !/^[a-z][a-z0-9_, -]*: ./')
if [ -z "$bad" ]; then
	echo "ok 2 - subjects of commits: \"area: imperative\", 72 columns at most, one change"
else
	echo "not ok 2 - subjects of commits: \"area: imperative\", 72 columns at most, one change
$(echo "$bad" | sed 's/^/# /')"
fi
