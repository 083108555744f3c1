#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The figures of "Eval Generic netstack XDP patch" come out as its author printed them.
. "$(dirname "$0")/lib.sh"
perfparse=build/perfparse
document=tests/fixtures/perf/document
pps=8165032

# "share% => ns ns name" of the rows: theirs, and ours
theirs() { sed -n 's/^ *\([0-9.]*%\) => *\([0-9.]*\) ns .*func:  *\[k\] /\1 \2 /p' "$1"; }
ours() { sed -n '/by component/q; s/^ *\([0-9.]*%\) => *\([0-9.]*\) ns .*\[k\] /\1 \2 /p'; }

theirs $document/awk-self.txt >"$tmp/self"
theirs $document/awk-children.txt >"$tmp/children"
head -24 "$tmp/children" >"$tmp/children24"

[ "$(wc -l <"$tmp/self")" = 34 ] && [ "$(wc -l <"$tmp/children")" = 34 ] || echo "Bail out! fixtures are damaged"

$perfparse --pps $pps $document/self.txt | ours | head -34 >"$tmp/out"
equal "34 self costs of its report" "$tmp/self" "$tmp/out"

$perfparse --pps $pps --children $document/children.txt | ours >"$tmp/out"
equal "24 children costs of its TUI listing" "$tmp/children24" "$tmp/out"

$perfparse --pps $pps $document/awk-self.txt | ours >"$tmp/out"
equal "34 self costs of its own awk output" "$tmp/self" "$tmp/out"

$perfparse --pps $pps --children $document/awk-children.txt | ours >"$tmp/out"
equal "34 children costs of its own awk output" "$tmp/children" "$tmp/out"

$perfparse --pps $pps $document/self.txt | grep '^# listed' >"$tmp/out"
echo "# listed: 99.78 %, unattributed: 0.22 % = 0.27 ns" >"$tmp/want"
equal "what it does not print: the unattributed rest" "$tmp/want" "$tmp/out"

$perfparse --pps $pps --format json $document/self.txt |
	jq -r '[.schema, .samples, .event, (.symbols | length),
		(([.symbols[].self_ns] | add) + .unattributed_ns - .base_ns | fabs < 1e-9)] | map(tostring) | join(" ")' >"$tmp/out"
echo "xdpzoom.profile/1 119000 cycles 36 true" >"$tmp/want"
equal "JSON: closure, event, samples" "$tmp/want" "$tmp/out"

$perfparse --pps $pps --format folded $document/self.txt | awk '{ sum += $NF } END { print sum }' >"$tmp/out"
echo 122473 >"$tmp/want"
equal "folded: picoseconds add up to the base" "$tmp/want" "$tmp/out"

$perfparse --pps $pps --format csv $document/self.txt | head -2 | tail -1 | cut -d, -f1-6 >"$tmp/out"
echo "mlx5e_handle_rx_cqe,kernel,,driver RX,0,34.33" >"$tmp/want"
equal "CSV" "$tmp/want" "$tmp/out"

# The same as a pipe, in colour, with carriage returns, a mark at the beginning, no end of line, and noise between
{ printf '\357\273\277'; echo 'WARNING: Kernel address maps were restricted'; sed 's/\[k\]/\x1b[31m[k]\x1b[m/; s/$/\r/' $document/self.txt |
	sed '20i Failed to open /tmp/perf-12.map, continuing without symbols'; } | head -c -2 |
	$perfparse --pps $pps | ours | head -34 >"$tmp/out"
equal "the same with colour, CRLF, BOM, noise and no last newline" "$tmp/self" "$tmp/out"
