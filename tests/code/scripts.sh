#!/bin/sh
# The scripts that users run, read by shellcheck; make lint reads those of the tests, too.
cd "$(dirname "$0")/../.." || exit 1
command -v shellcheck >/dev/null || { echo "1..0 # SKIP no shellcheck here"; exit 0; }

echo "1..1"
if out=$(tests/lint/scripts ! -path './tests/*' | xargs shellcheck 2>&1); then
	echo "ok 1 - shellcheck finds nothing"
else
	echo "not ok 1 - shellcheck finds nothing"
	echo "$out" | sed 's/^/# /'
fi
