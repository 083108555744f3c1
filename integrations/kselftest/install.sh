#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Puts xdpzoom's programs where the kernel's selftests run, into an installed collection or tools/testing/selftests of a tree,
# and their names into its list.
# usage: install.sh DIR      then: DIR/run_kselftest.sh -t drivers/net/hw:xdpzoom_cost.sh
usage() { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
[ $# -eq 1 ] || usage
to=$1/drivers/net/hw
list=$1/kselftest-list.txt
[ -e "$1/run_kselftest.sh" ] || { echo "$1: no run_kselftest.sh is there, so these are no selftests of the kernel" >&2; exit 1; }
mkdir -p "$to" || exit 1
for f in "$(dirname "$0")"/xdpzoom_*.sh; do
	name=$(basename "$f")
	cp "$f" "$to/$name" || exit 1
	[ "$name" != xdpzoom_lib.sh ] || continue
	grep -qsx "drivers/net/hw:$name" "$list" || echo "drivers/net/hw:$name" >>"$list" || exit 1
done
# The runner ends a program after 45 s where the directory has no settings of its own.
[ -e "$to/settings" ] || echo "timeout=0" >"$to/settings"
