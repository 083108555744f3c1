#!/bin/sh
# Every header opens with its contract, and every source with its licence; .reuse/dep5 covers all else.
cd "$(dirname "$0")/../.." || exit 1

echo "1..3"
bad=$(find base user perfparse reports bpf vm -name "*.h" | while read -r h; do grep -v SPDX "$h" | head -n 1 | grep -q '^/\*' || echo "$h"; done)
[ -z "$bad" ] && echo "ok 1 - headers open with a contract" || echo "not ok 1 - headers open with a contract
# $bad"
line='SPDX-License-Identifier''[:] GPL-2.0-or-later' # which reuse does not take for this file's own
bad=$(find base user perfparse reports bpf vm tests docs -name '*.c' ! -path '*/fixtures/*' ! -path '*/runs/*' -exec grep -L "$line" {} +)
[ -z "$bad" ] && echo "ok 2 - sources name their licence" || echo "not ok 2 - sources name their licence
# $bad"
if ! command -v reuse >/dev/null; then
	echo "ok 3 # SKIP no reuse here"
elif bad=$(reuse lint 2>&1) && ! echo "$bad" | grep -q ERROR; then
	echo "ok 3 - each file has a licence and an owner"
else
	echo "not ok 3 - each file has a licence and an owner
$(echo "$bad" | sed 's/^/# /')"
fi
