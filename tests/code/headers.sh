#!/bin/sh
# Every header opens with its contract, and every source with its licence.
cd "$(dirname "$0")/../.." || exit 1

echo "1..2"
bad=$(find base user perfparse reports bpf vm -name "*.h" | while read -r h; do head -n 1 "$h" | grep -q '^/\*' || echo "$h"; done)
[ -z "$bad" ] && echo "ok 1 - headers open with a contract" || echo "not ok 1 - headers open with a contract
# $bad"
bad=$(grep -rL --include='*.c' 'SPDX-License-Identifier: GPL-2.0-or-later' base user perfparse reports bpf docs)
[ -z "$bad" ] && echo "ok 2 - sources name their licence" || echo "not ok 2 - sources name their licence
# $bad"
