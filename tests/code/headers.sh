#!/bin/sh
# Every header opens with its contract, and every source with its licence.
cd "$(dirname "$0")/../.." || exit 1

echo "1..2"
bad=$(for h in user/*.h perfparse/*.h reports/*.h bpf/*.h; do head -n 1 "$h" | grep -q '^/\*' || echo "$h"; done)
[ -z "$bad" ] && echo "ok 1 - headers open with a contract" || echo "not ok 1 - headers open with a contract
# $bad"
bad=$(grep -L 'SPDX-License-Identifier: GPL-2.0-or-later' user/*.c perfparse/*.c reports/*.c bpf/*.c)
[ -z "$bad" ] && echo "ok 2 - sources name their licence" || echo "not ok 2 - sources name their licence
# $bad"
