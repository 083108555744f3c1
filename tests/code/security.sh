#!/bin/sh
# SECURITY.rst: each reader of foreign files has a fuzz target or a test, and each fuzz target is named there.
. "$(dirname "$0")/../rig/lib.sh"

ls tests/fuzz/fuzz_*.c | sed 's|.*/||; s|\.c$||' | sort >"$tmp/there"
grep -o 'fuzz_[a-z]*' SECURITY.rst | sort -u >"$tmp/named"
is "fuzz targets: those that are there" "$(diff "$tmp/named" "$tmp/there")" ""
grep -oE 'tests/[a-z]+/[a-z_]+\.sh' SECURITY.rst | while read -r path; do [ -e "$path" ] || echo "$path"; done >"$tmp/missing"
is "tests: those that are there" "$(cat "$tmp/missing")" ""
