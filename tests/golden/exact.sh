#!/bin/sh
# A run of exact counts -> exact text, JSON, CSV, Markdown, and folded stacks; the sums close to the instruction.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/exact
run=build/runs/counted

golden $here/report.txt "$X" report --full $run
golden $here/report.csv "$X" report $run -f csv
golden $here/report.ktap "$X" report $run -f ktap
golden $here/report.json "$X" report $run:drop/no-touch@native -f json
golden $here/diff.txt "$X" diff --full $run:drop/no-touch@native drop/no-touch@skb
golden $here/diff.csv "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f csv
golden $here/report.md "$X" report $run:drop/no-touch@native -f markdown
golden $here/diff.md "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f markdown
# Two kernels of trees: what git calls them, and the commands that counted them.
for side in before after; do
	mkdir "$tmp/$side"
	cp -r $run/blocks "$tmp/$side"
	jq --arg side $side '.source = "v6.12-" + $side | .compiler = "gcc 12.2.0" | .command = ["xdpzoom", "exact", "--tree", "my tree", "-o", $side, "--setup", "ip link show; ip addr show; ip route show"]' \
		$run/run.json >"$tmp/$side/run.json"
done
golden $here/diff.changelog env -C "$tmp" "$X" diff before:drop/no-touch@native after:drop/no-touch@skb -f changelog
ok "no line of it has more than 72 columns" sh -c "! grep -E '^.{73}' '$here/diff.changelog' | grep -v 'ip route'"
golden $here/diff-self.txt "$X" diff --full $run:drop/no-touch@skb $run

# A run with memory. The counts of each kind sum to what the polls did; one line too many in a file is seen.
memory=build/runs/memory
golden $here/memory.txt "$X" report --full $memory
golden $here/memory.json "$X" report $memory:drop/no-touch@skb -f json
golden $here/memory-diff.txt "$X" diff --full $memory:drop/no-touch@native drop/no-touch@skb
# A run on a NIC: lines that a device wrote.
device=build/runs/device
golden $here/device.txt "$X" report --full $device
golden $here/device-diff.txt "$X" diff --full $device:drop/no-touch@native drop/read-data@native
closures() { "$X" report "$1" -f json | jq -c '[.variants[] | .closure_loads, .closure_stores, .closure_lines_touched, .closure_lines_transferred, .closure_lines_device]'; }
ok "loads, stores and lines of functions sum to those of the polls" test "$(closures $memory)" = "[0,0,0,0,null,0,0,0,0,null]"
ok "so do lines of a device" test "$(closures $device)" = "[0,0,0,null,0,0,0,0,null,0]"
cp -r $memory "$tmp/off"
sed -i '0,/^path 1 /s/^\(path 1 .*\) \([0-9]*\) -$/\1 1\2 -/' "$tmp/off/blocks/0.paths"
ok "and a count that is off by a hundred or more is seen" test "$(closures "$tmp/off" | jq '.[2] >= 100')" = true
places() { "$X" report "$1" -f json | jq -c '[.variants[].closure_places]'; }
ok "and so do those of data structures" test "$(places $memory)" = "[0,0]"
sed -i '0,/^at /s/^at \([0-9]*\)/at 1\1/' "$tmp/off/blocks/0.paths"
ok "of which a count that is off is seen too" test "$(places "$tmp/off" | jq '.[0] >= 10')" = true
ok "without memory all of it is null" test "$("$X" report $run -f json | jq '[.variants[].symbols[] | .loads, .stores, .lines_touched, .lines_transferred, .lines_device] | unique')" = "$(printf '[\n  null\n]')"

# A program with source lines. Lines sum to their functions; what is moved from one function to another is seen.
source=build/runs/fw3
lines() { "$X" report "$1" -f json | jq -c '[.variants[].closure_source]'; }
ok "source lines sum to their functions" test "$(lines $source)" = "[0,0]"
cp -r $source "$tmp/lines"
sed -i '0,/^line [0-9]* [^ ]*_parse /s/^line [0-9]* \([^ ]*\)_parse /line 1 \1_look_up /' "$tmp/lines/blocks/0.paths"
ok "and a line of another function is seen" test "$(lines "$tmp/lines" | jq '.[0] >= 10000')" = true
changed() { "$X" diff $source:prog:fw.o@native prog:new.o@native -f json | jq -c "$1"; }
ok "of two programs, the changes of lines sum to those of their functions" test "$(changed '[.source_lines[].change] | add')" = \
	"$(changed '[.symbols[] | select(.name | startswith("bpf_prog_")) | .change] | add')"
sum=$(printf %+.3f "$(changed '[.source_lines[].change] | add')")
"$X" diff --full $source:prog:fw.o@native prog:new.o@native | tr -s ' \n' ' ' >"$tmp/text"
ok "and text names both sums" grep -q "source lines sum to $sum, their functions differ by $sum " "$tmp/text"
ok "a line that both have is one, under its new number" test \
	"$(changed '[.source_lines[] | select(.base_line == 64) | .new_line, .new_file, .change]')" = '[75,"./new.bpf.c",0]'

# The same counts under the names of another kernel: the built-in renames join what kept its job.
cp -r $run "$tmp/old"
sed -i 's/"kernel": "[^"]*"/"kernel": "6.1.0"/' "$tmp/old/run.json"
sed -i 's/ page_pool_put_unrefed_netmem / page_pool_put_page /' "$tmp"/old/blocks/*.paths
changes() { "$X" diff "$tmp/old:drop/no-touch@native" $run -f json "$@" | jq -c '[.symbols[] | select(.change != 0) | .name] | sort'; }
ok "two kernels, two names of one function: no change" test "$(changes)" = "[]"
: >"$tmp/nothing.conf"
ok "without renames: one function is gone, one is new" test "$(changes --renames "$tmp/nothing.conf")" = '["page_pool_put_page","page_pool_put_unrefed_netmem"]'

# What the counts were made with is told where two runs differ in it, and an older run that lacks it is like any other.
made() { # NAME COMPILER INSTRUCTIONS BYTES
	cp -r $run "$tmp/$1"
	jq --arg compiler "$2" --argjson n "$3" --argjson bytes "$4" '.compiler = $compiler | .time = "2026-01-01T00:00:\($n)Z" |
		.variants[] += {program_instructions: $n, program_bytes: $bytes}' $run/run.json >"$tmp/$1/run.json"
}
made gcc12 "gcc (Debian 12.2.0) 12.2.0" 51 230
made gcc14 "gcc (Debian 14.2.0) 14.2.0" 21 92
told() { "$X" diff --full "$tmp/gcc12:drop/no-touch@native" "$1" | tr -s '\n ' ' ' | grep -o 'made with.*machine code' || echo nothing; }
ok "the compiler and the program of both sides" test "$(told "$tmp/gcc14")" = "made with not the same: kernel by gcc (Debian 12.2.0) 12.2.0 and\
 gcc (Debian 14.2.0) 14.2.0; program 8c434fd23c482af9 of 51 BPF instructions and 230 bytes of machine code,\
 and 8c434fd23c482af9 of 21 BPF instructions and 92 bytes of machine code"
ok "nothing of a side that is not known" test "$(told $run)" = nothing
checked() {
	"$X" history add --db "$tmp/made.db" "$tmp/gcc12" --name was && "$X" history add --db "$tmp/made.db" "$tmp/gcc14" --name is &&
		"$X" history add --db "$tmp/made.db" $run --name old
	for against in was old; do
		"$X" history check --db "$tmp/made.db" is --against $against -f json | jq -c '[.variants[].made_with] | unique | map(.[:10])'
	done
}
ok "history check tells it, too" test "$(checked 2>/dev/null | grep '^\[' | paste -sd' ')" = '["kernel by "] [null]'
refuses() { jq '.variants[0].program_bytes = -1' $run/run.json >"$tmp/gcc14/run.json"; ! "$X" report --full "$tmp/gcc14" >/dev/null 2>"$tmp/why" && grep -q program_bytes "$tmp/why"; }
ok "a program of less than nothing is refused" refuses

# A window that makes no sense is named, although its file can be read.
cp -r $run "$tmp/batch" && jq '.variants[0].windows[1].batch = 0' $run/run.json >"$tmp/batch/run.json"
batch() { ! "$X" report --full "$tmp/batch" 2>"$tmp/why" && grep -q 'windows\[1\]\.batch' "$tmp/why"; }
ok "a window with batches of nothing" batch

folded() { "$X" report $run:drop/no-touch@native -f folded | awk '{ sum += $NF } END { print sum }'; }
ok "folded stacks add up to the total, in thousandths" test "$(folded)" = "$("$X" report $run -f json | jq '.variants[0].instructions * 1000 | round')"
# Thousandths of an instruction per packet; a fitted count below 0 has no width.
columns() { "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f folded | awk '{ base += $(NF - 1); new += $NF } END { print base, new }'; }
totals() { "$X" diff $run:drop/no-touch@native drop/no-touch@skb -f json | jq -r '[.base.instructions, .new.instructions | . * 1000 | round] | join(" ")'; }
close_to() { awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(x[1] - y[1] >= 0 && x[1] - y[1] < 500 && x[2] - y[2] >= 0 && x[2] - y[2] < 500) }' || { echo "$1 and $2"; false; }; }
ok "folded stacks of both sides add up to their totals" close_to "$(columns)" "$(totals)"

refused() { # PATTERN COMMAND...: status 1, one sentence with PATTERN
	pattern=$1
	shift
	"$@" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err"
}
ok "no such variant: those there are" refused "it has drop/no-touch@native, drop/no-touch@skb" "$X" report --full $run:pass/no-touch@skb
ok "ns and instructions do not compare" refused "cannot be compared with" "$X" diff --full $run:drop/no-touch@native build/runs/recorded
misused() { # PATTERN COMMAND...: the same with status 2
	pattern=$1
	shift
	"$@" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err"
}
ok "a format without exact counts" misused "cannot hold exact counts" "$X" report $run -f pprof
