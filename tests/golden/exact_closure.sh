#!/bin/sh
# An exact run of which a count does not close: one sentence names the count and the residual, the count is a number nowhere, and a
# script sees it. Each kind of count, through each command that reads exact runs, in each format.
. "$(dirname "$0")/lib.sh"
need "$X"
memory=build/runs/memory device=build/runs/device source=build/runs/fw3 measured=build/runs/run1
broken=$tmp/broken

exits() { # STATUS PATTERN COMMAND...: exactly one sentence on stderr, with PATTERN
	status=$1 pattern=$2
	shift 2
	"$@" >"$tmp/got" 2>"$tmp/err"
	got=$?
	[ $got -eq "$status" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$pattern" "$tmp/err" ||
		{ echo "exit status $got"; cat "$tmp/err"; false; }
}
break_cpu() { # RUN FIELD FILE: a number of the vCPU's line, 5 more
	rm -rf "$broken"
	cp -r "$1" "$broken"
	awk -v field="$2" '$1 == "cpu" && $4 && !done { $field += 5; done = 1 } { print }' "$1/blocks/$3.paths" >"$broken/blocks/$3.paths"
}
break_line() { # RUN WORD: the first number of the first line that begins so, with a digit more
	rm -rf "$broken"
	cp -r "$1" "$broken"
	sed -i "0,/^$2 /s/^$2 \([0-9]*\)/$2 1\1/" "$broken/blocks/0.paths"
}
numbers() { # KEY: of the broken variant
	jq "[.variants[0] | del(.closure_loads, .closure_stores, .closure_lines_touched, .closure_lines_transferred, .closure_lines_device) |
		.. | objects | select(has(\"$1\")) | .[\"$1\"]] | unique" -c "$tmp/got"
}
judged() { # NAME WORDS KEY: a kind that is left out
	ok "$1: report prints the kind and the residual, and ends with 0" exits 0 "$2 (residual 5)" "$X" report "$broken" -f json
	ok "$1: it is null everywhere" test "$(numbers "$3")" = "[null]"
	ok "$1: the residual is there" test "$(jq ".variants[0].closure_$3 + 0" "$tmp/got")" = 5
	ok "$1: with --strict report ends with 3" exits 3 "$2 (residual 5)" "$X" report --full "$broken" --strict
	ok "$1: the text has the sentence, too" sh -c "tr -s ' \n' ' ' <'$tmp/got' | grep -q 'left out: $2 (residual 5)'"
	ok "$1: no history keeps it" refused_by_history "$2 (residual 5)"
}
refused_by_history() { # PATTERN
	"$X" history add --db "$tmp/h.db" "$broken" >"$tmp/got" 2>"$tmp/err"
	[ $? -eq 1 ] && grep -q -- "so the run is not kept: $1" "$tmp/err" && [ ! -s "$tmp/got" ] && [ ! -e "$tmp/h.db" ]
}
first() { jq -r '.variants[0].id' "$1/run.json"; }
second() { jq -r '.variants[1].id' "$1/run.json"; }

field=7
for kind in loads:loads 'stores:stores' 'lines_touched:lines touched'; do
	break_cpu $memory $field 0
	judged "${kind%%:*}" "${kind#*:}" "${kind%%:*}"
	field=$((field + 1))
done
break_cpu $memory 10 "$(jq '.variants[0].shared_windows[0].file' $memory/run.json)"
judged "transfers, of the machine with two CPUs" "lines transferred" lines_transferred
ok "transfers: explain takes them for not counted" exits 0 "lines transferred (residual 5)" "$X" report $measured --exact "$broken" -f json
ok "... and prints no cost of one" test "$(jq -c '[.differences[].by_transfers_ns] | unique' "$tmp/got")" = "[null]"
break_cpu $device 11 0
judged "lines of a device" "lines of a device" lines_device
for format in text json csv markdown html; do
	ok "diff -f $format: the sentence, and 3 with --strict" exits 3 "lines of a device (residual 5)" \
		"$X" diff --full "$broken:$(first $device)" "$(second $device)" -f $format --strict
done
ok "diff, without: 0" exits 0 "lines of a device (residual 5)" "$X" diff --full "$broken:$(first $device)" "$(second $device)"
ok "a variant that closes is compared without a word" sh -c "! '$X' diff --full '$broken:$(second $device)' '$(second $device)' --strict 2>&1 >/dev/null | grep ."

break_line $memory at
ok "data structures: left out" exits 3 "data structures (residual" "$X" report --full "$broken:$(first $memory)" -f json --strict
ok "... all of them" test "$(jq '.variants[0] | [.places, .spots] | flatten | map(select(.)) | length' "$tmp/got")" = 0
break_line $source line
ok "source lines: left out" exits 3 "source lines (residual" "$X" report --full "$broken:$(first $source)" -f json --strict
ok "... all of them" test "$(jq '.variants[0].source_lines // [] | length' "$tmp/got")" = 0

# Instructions: call paths themselves are wrong, and nothing can be told.
break_cpu $memory 4 0
words="$(first $memory): the functions do not sum .* residual 5; no count of this run is good"
nothing() { exits 1 "$words" "$@" && [ ! -s "$tmp/got" ]; }
for format in text json csv markdown html folded; do
	ok "instructions: report -f $format ends with 1 and prints nothing else" nothing "$X" report --full "$broken:$(first $memory)" -f $format
done
ok "instructions: diff" nothing "$X" diff --full "$broken:$(first $memory)" "$(second $memory)"
ok "instructions: explain" nothing "$X" report $measured --exact "$broken" --full
ok "instructions: history add" nothing "$X" history add --db "$tmp/h.db" "$broken"
ok "the runs themselves close" sh -c "for run in $memory $device $source; do '$X' report --full \$run --strict >/dev/null || exit 1; done"
