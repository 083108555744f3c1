#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# history.sh - time and memory of commands on a history of many runs
# usage: history.sh [RUNS]     default: 100,000
#
# The file is made by SQL, of a recorded run: each run has its numbers but for those of functions and components, with another
# level for each hundredth of 1 %, and the last ten have its files too, as check reads those of both runs. 100,000 runs take
# 300 MB of disk. Prints figures, judges nothing.
cd "$(dirname "$0")/../.." || exit 1
X=build/xdpzoom runs=${1-100000} source=build/runs/run2
for tool in sqlite3 /usr/bin/time; do command -v $tool >/dev/null || { echo "needs $tool" >&2; exit 77; }; done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM
"$X" history add --db "$tmp/many.db" $source >/dev/null || exit 1
sqlite3 "$tmp/many.db" "BEGIN;
CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c WHERE i < $runs) SELECT i FROM c;
INSERT INTO entry (kind, run, identity, started, kernel, device, version, like_ns, files) SELECT kind, i, identity || i,
	strftime('%Y-%m-%dT%H:%M:%SZ', started, i || ' minutes'), kernel, device, version, like_ns, files FROM n, entry WHERE run = 1;
INSERT INTO numbers (kind, run, variant, what, value, half) SELECT kind, i, variant, what, value * (1 + (i * 7919 % 100 - 50) / 5000.0), half
	FROM n, numbers WHERE run = 1 AND what NOT LIKE '% %';
INSERT INTO file SELECT kind, i, name, bytes, data FROM n, file WHERE run = 1 AND i > $runs - 10;
COMMIT" || exit 1
measure() { # WHAT COMMAND...
	what=$1
	shift
	/usr/bin/time -f '%e %U %S %M' -o "$tmp/time" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$tmp/err" >&2; exit 1; }
	tail -n 1 "$tmp/time" | awk -v what="$what" '{ printf "%-24s %7.2f s, %7.2f s of CPU, %6.1f MB\n", what, $1, $2 + $3, $4 / 1024 }'
}
echo "$runs runs, $(($(stat -c %s "$tmp/many.db") / 1000000)) MB"
[ -z "${KEEP-}" ] || cp "$tmp/many.db" "$KEEP"
measure add "$X" history add --db "$tmp/many.db" build/runs/run1
measure check "$X" history check --db "$tmp/many.db" "$runs" --against $((runs - 1))
measure diff "$X" diff "$tmp/many.db/$((runs - 1)):drop/no-touch@native" "$tmp/many.db/$runs"
measure "report, a page" "$X" report "$tmp/many.db/$runs" -f html
measure "list" "$X" history list --db "$tmp/many.db"
measure "list, JSON" "$X" history list --db "$tmp/many.db" -f json
measure "SQL: one variant's base" sqlite3 "$tmp/many.db" "SELECT run, value FROM numbers WHERE what = 'base_ns' AND variant = 'drop/no-touch@native'"
