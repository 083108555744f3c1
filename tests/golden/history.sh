#!/bin/bash
# xdpzoom history: what goes in comes out, however many write at once and whenever they are killed.
. "$(dirname "$0")/lib.sh"
need "$render"
command -v sqlite3 >/dev/null || { echo "1..0 # SKIP no sqlite3 here"; exit 0; }
conf=tests/synthetic.conf
native=drop/no-touch@native
skb=drop/no-touch@skb
db=$tmp/h.db

# Whoever was killed a moment ago may still hold a lock.
sql() { sqlite3 -cmd ".timeout 20000" "$@"; }

history() { "$X" history "$@" >"$tmp/out" 2>"$tmp/why"; }
# says STATUS WORDS COMMAND...: history COMMAND ends with STATUS after one sentence with WORDS
says() {
	local status=$1 words=$2 got
	shift 2
	history "$@"
	got=$?
	[ $got -eq "$status" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why" && return 0
	echo "exit status $got" >>"$tmp/why"
	return 1
}
# copy NAME STARTED: the same run, begun at another time, as another run
make_run() { # KIND NAME STARTED
	"$render" make "$tmp/$2" "$1" || exit 1
	jq --arg t "$3" '.started = $t' "$tmp/$2/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/$2/run.json"
}
whole() { # DB FILES NUMBERS: sound as a file, and each run has all of its files and numbers
	[ "$(sql "$1" 'PRAGMA integrity_check')" = ok ] && [ "$(sql "$1" "SELECT count(*) FROM entry e WHERE files != $2
		   OR (SELECT count(*) FROM file f WHERE f.run = e.run) != $2
		   OR (SELECT count(*) FROM numbers n WHERE n.run = e.run) != $3")" = 0 ]
}

make_run sound a 2026-01-01T00:00:00Z
make_run slower b 2026-01-02T00:00:00Z
make_run far c 2026-01-03T00:00:00Z
"$render" make "$tmp/evil" evil

history "$db" add "$tmp/a" -F $conf && [ "$(cat "$tmp/out")" = 1 ] && history "$db" add "$tmp/b" -F $conf --name patched && [ "$(cat "$tmp/out")" = 2 ]
result $? "add prints the run's number"
files=$(sql "$db" 'SELECT count(*) FROM file WHERE run = 1')
numbers=$(sql "$db" 'SELECT count(*) FROM numbers WHERE run = 1')
[ "$files" = 38 ] && [ "$numbers" -gt 100 ]
result $? "run.json, 36 scripts, the facilities and the numbers are there ($files, $numbers)"
[ "$(sql "$db" "SELECT count(*), sum(abs(base - facilities) > 1e-6 * base), sum(abs(base - symbols) > 1e-6 * base) FROM (
	SELECT sum(value) FILTER (WHERE what = 'base_ns') AS base,
	sum(value) FILTER (WHERE what LIKE 'facility %' OR what = 'unattributed_ns') AS facilities,
	sum(value) FILTER (WHERE what LIKE 'symbol %' OR what = 'unattributed_ns') AS symbols FROM numbers GROUP BY run, variant)")" = "6|0|0" ]
result $? "facilities add up to the base of their variant in SQL, too, and so do symbols"
[ -e "$db" ] && [ "$(ls "$tmp"/h.db* | wc -l)" = 1 ] && [ "$(sql "$db" 'PRAGMA journal_mode')" = wal ]
result $? "one file, written ahead"

says 1 "already, as number 1" "$db" add "$tmp/a" -F $conf
result $? "the same run twice is refused"
make_run sound a2 2026-01-04T00:00:00Z
says 1 'is called "patched" already' "$db" add "$tmp/a2" --name patched -F $conf && says 2 "cannot be called" "$db" add "$tmp/a2" --name last -F $conf &&
	says 2 "cannot be called" "$db" add "$tmp/a2" --name 12 -F $conf && says 2 "cannot be called" "$db" add "$tmp/a2" --name a:b &&
	says 2 "1 to 63 bytes" "$db" add "$tmp/a2" --name "" && says 2 "name is UTF-8 text" "$db" add "$tmp/a2" --name "$(printf 'a\377')"
result $? "so are names that are taken or mean something else"

status=0
for format in text json csv markdown; do
	"$X" diff "$tmp/a:$native" $skb -F $conf -f $format >"$tmp/want"
	history "$db" diff 1:$native $skb -f $format && diff "$tmp/want" "$tmp/out" >>"$tmp/why" || status=1
	"$X" diff "$tmp/a:$native" "$tmp/b" -F $conf -f $format >"$tmp/want"
	history "$db" diff 1:$native patched -f $format && diff "$tmp/want" "$tmp/out" >>"$tmp/why" || status=1
done
result $status "diff of a history is diff of the directories, to the byte"
"$render" make "$tmp/counted" counted && "$X" history "$tmp/counted.db" add "$tmp/counted" -F $conf >/dev/null &&
	"$X" diff "$tmp/counted:$native" $skb -F $conf >"$tmp/want" && grep -q "perf stat" "$tmp/want" && grep -q "device's counter" "$tmp/want" &&
	history "$tmp/counted.db" diff 1:$native $skb && diff "$tmp/want" "$tmp/out" >>"$tmp/why"
result $? "so it is with what perf stat and the device counted"

"$X" report "$tmp/a" -F $conf -f json | jq -c '[.variants[] | [.id, .base_ns, .pps]]' >"$tmp/want"
history "$db" list -f json && jq -c '[.variants[] | select(.run == 1) | [.variant, .base_ns, .pps]]' "$tmp/out" | diff "$tmp/want" - >"$tmp/why"
result $? "list has every headline"
history "$db" list && grep -q '^run 2 (patched): 2026-01-02T00:00:00Z' "$tmp/out" && [ "$(awk 'length > 80' "$tmp/out" | wc -l)" = 0 ]
result $? "list for people"

# 5 % slower
history "$db" check patched --against 1 --run-sd 0.5
[ $? -eq 3 ] && [ "$(grep -c '^SLOWER' "$tmp/out")" = 3 ]
result $? "check: 5 % slower is slower, exit status 3"
"$X" history "$db" check patched --against 1 --run-sd 0.5 -f ktap >"$tmp/out"
[ $? -eq 3 ] && [ "$(grep -c '^not ok . .* not-slower$' "$tmp/out")" = 3 ] && grep -q '^# Totals: pass:0 fail:3 .* skip:0' "$tmp/out"
result $? "check: the same as KTAP"
history "$db" check --against 1 --threshold 10 --run-sd 0.5 && [ "$(grep -c '^same' "$tmp/out")" = 3 ]
result $? "check: --threshold 10 lets it pass"
history "$db" check 1 --against patched -f json --run-sd 0.5 && [ "$(jq -r '[.variants[].verdict] | unique[]' "$tmp/out")" = faster ]
result $? "check: faster is fine"
"$X" history "$db" add "$tmp/a2" -F $conf >/dev/null
history "$db" check --against 1 && [ "$(grep -c '^same' "$tmp/out")" = 3 ]
result $? "check: the same is fine"
"$X" history "$db" add "$tmp/c" --name far -F $conf >/dev/null
history "$db" check --against 1
[ $? -eq 3 ] && [ "$(grep -c '^UNKNOWN' "$tmp/out")" = 3 ]
result $? "check: CPUs placed otherwise are not held against each other, and do not pass"
"$X" history "$db" check --against 1 -f ktap | grep -c '^ok . .* not-slower # SKIP UNKNOWN: ' >"$tmp/out" && [ "$(cat "$tmp/out")" = 3 ]
result $? "check: ... and KTAP skips them"
"$X" history "$tmp/two.db" add tests/docs/runs/run2 >/dev/null && "$X" history "$tmp/two.db" add tests/docs/runs/run1 >/dev/null
"$X" history "$tmp/two.db" check 2 --against 1 >"$tmp/out" 2>"$tmp/why"
tr '\n' ' ' <"$tmp/out" | grep -q "[0-9] of 2 variants slower .*; [0-9] cannot be told, and 4 more are in the new run alone\. "
result $? "check: variants that are new are not counted as compared"
cp -r tests/docs/runs/run2 "$tmp/fewer" && jq '.variants |= .[:1] | .blocks |= (map(select(.variant == 0)) | to_entries | map(.value + {index: .key}))' tests/docs/runs/run2/run.json >"$tmp/fewer/run.json"
"$X" history "$tmp/one.db" add "$tmp/fewer" >/dev/null && "$X" history "$tmp/one.db" add tests/docs/runs/run2 >/dev/null
"$X" history "$tmp/one.db" check 2 --against 1 >"$tmp/out" 2>"$tmp/why"
tr '\n' ' ' <"$tmp/out" | grep -q "of 1 variant slower .*, and 1 more is in the new run alone\. "
result $? "check: one that is new is one"
says 2 "needs --against" "$db" check && says 1 'no run "9"' "$db" check --against 9 && says 1 "with itself" "$db" check 1 --against 1 &&
	says 2 "diff writes text, json, csv, markdown, changelog, folded, ktap, html, svg" "$db" diff 1:$native $skb -f pprof
result $? "what check and diff cannot do"

"$X" history "$tmp/evil.db" add "$tmp/evil" --name "'); DROP TABLE entry;--" >/dev/null 2>"$tmp/why" &&
	"$X" diff "$tmp/evil:$native" $skb -f csv >"$tmp/want" && history "$tmp/evil.db" diff "'); DROP TABLE entry;--:$native" $skb -f csv && diff -a "$tmp/want" "$tmp/out" >"$tmp/why"
result $? "names with quotes, markup and bytes that are no text come back as they were"
"$X" history "$tmp/evil.db" list | LC_ALL=C grep -q "$(printf '\033')"
[ $? -eq 1 ]
result $? "list: no escape sequence reaches a terminal"

# Eight at once into a file that is not there yet
for i in 1 2 3 4 5 6 7 8; do make_run sound "p$i" "2026-02-0${i}T00:00:00Z"; done
for i in 1 2 3 4 5 6 7 8; do "$X" history "$tmp/many.db" add "$tmp/p$i" -F $conf >"$tmp/number$i" 2>>"$tmp/many.err" & done
wait
cp "$tmp/many.err" "$tmp/why"
[ ! -s "$tmp/why" ] && [ "$(cat "$tmp"/number? | sort -n | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 " ] && whole "$tmp/many.db" "$files" "$numbers"
result $? "eight that add at once lose nothing"

# Killed all along the way, in steps that are finer than a write: each run is there whole or not at all, and can be added again.
before=0 after=0 bad=0
start=$(date +%s%N)
"$X" history "$tmp/time.db" add "$tmp/p1" -F $conf >/dev/null
took_us=$((($(date +%s%N) - start) / 1000))
cp "$tmp/many.db" "$tmp/killed.db"
sql "$tmp/killed.db" 'DELETE FROM numbers; DELETE FROM file; DELETE FROM entry'
kills=${KILLS:-20}
for i in $(seq 0 $((kills - 1))); do
	sql "$tmp/killed.db" "DELETE FROM numbers; DELETE FROM file; DELETE FROM entry" 2>>"$tmp/killed.err" || bad=1
	{ timeout -s KILL "$(awk -v t=$took_us -v i=$i -v n=$kills 'BEGIN { printf "%.6f", t * (0.05 + i * 0.9 / n) / 1e6 }')" \
		"$X" history "$tmp/killed.db" add "$tmp/p1" -F $conf; } >/dev/null 2>&1
	runs=$(sql "$tmp/killed.db" 'SELECT count(*) FROM entry')
	whole "$tmp/killed.db" "$files" "$numbers" || { bad=1; echo "round $i: not whole" >>"$tmp/killed.err"; }
	[ "$runs" = 0 ] && before=$((before + 1))
	[ "$runs" = 1 ] && after=$((after + 1))
done
cat "$tmp/killed.err" >"$tmp/why" 2>/dev/null
echo "$before killed before, $after after it was in" >>"$tmp/why"
[ $bad = 0 ] && [ $((before + after)) = $kills ]
result $? "killed $kills times along the way ($before before it was in, $after after): whole each time"

# SIGKILL in the middle of the transaction, for certain: the first write to the WAL is the last thing it does
if command -v strace >/dev/null; then
	cp "$tmp/many.db" "$tmp/cut.db"
	make_run sound q 2026-03-01T00:00:00Z
	{ strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:signal=SIGKILL:when=4 "$X" history "$tmp/cut.db" add "$tmp/q" -F $conf; } >/dev/null 2>&1
	[ "$(sql "$tmp/cut.db" 'SELECT count(*) FROM entry')" = 8 ] && whole "$tmp/cut.db" "$files" "$numbers" &&
		history "$tmp/cut.db" add "$tmp/q" -F $conf && [ "$(cat "$tmp/out")" = 9 ]
	result $? "killed in the middle of a transaction: the file is what it was, and the run can be added"
else
	n=$((n + 1))
	echo "ok $n - killed in the middle of a transaction # SKIP no strace here"
fi

# A disk that is full
cp "$tmp/many.db" "$tmp/full.db"
make_run sound r 2026-03-02T00:00:00Z
(trap '' XFSZ; ulimit -f $(($(stat -c %s "$tmp/full.db") / 1024 / 16)); exec "$X" history "$tmp/full.db" add "$tmp/r" -F $conf) >"$tmp/out" 2>"$tmp/why"
[ $? -eq 1 ] && [ "$(wc -l <"$tmp/why")" = 1 ] && [ "$(sql "$tmp/full.db" 'SELECT count(*) FROM entry')" = 8 ] && whole "$tmp/full.db" "$files" "$numbers"
result $? "no room to write: one sentence, and the file is what it was"

# Limits of a process, and a disk, at all sizes between nothing and enough. No history is left where there was none.
status=0
limited() { (ulimit -f "$1"; exec "$X" history "$tmp/limit/h.db" add "$tmp/r" -F $conf 2>&1 >/dev/null) | cat >"$tmp/why"; return "${PIPESTATUS[0]}"; } # KIB
for kib in 0 1 4 8 20 40 80; do
	rm -rf "$tmp/limit" && mkdir "$tmp/limit"
	limited $kib
	[ $? -eq 1 ] && [ -z "$(ls -A "$tmp/limit")" ] || status=1
done
limited 40
grep -q "40960 bytes (ulimit -f)" "$tmp/why" && [ "$(wc -l <"$tmp/why")" = 1 ] && [ $status = 0 ]
result $? "a file that may not grow: one sentence, and no file is left of a history that never was"
on_a_full_disk() ( # prints what went wrong; in a mount namespace of its own
	disk=$tmp/disk
	mkdir "$disk"
	fill() { # SIZE_KIB LEFT_KIB FILES...: a disk with these files, and so much space beside them
		umount "$disk" 2>/dev/null
		mount -t tmpfs -o size="$1k" history "$disk" || exit 77
		left=$2
		shift 2
		[ $# = 0 ] || cp "$@" "$disk" || exit 77
		dd if=/dev/zero of="$disk/fill" bs=4k 2>/dev/null
		truncate -s "-${left}K" "$disk/fill"
	}
	one_sentence() { # COMMAND...: ends with 1, and calls the disk full
		"$@" >/dev/null 2>"$tmp/why"
		[ $? -eq 1 ] && [ "$(cat "$tmp/why")" = "xdpzoom: $disk/h.db: no space left" ] || echo "$size KiB: $* printed $(cat "$tmp/why")"
	}
	for size in 0 4 8 16 24 40 100; do
		fill 400 "$size"
		one_sentence "$X" history "$disk/h.db" add "$tmp/r" -F $conf
		[ "$(ls -A "$disk")" = fill ] || echo "$size KiB: no history, but" "$disk"/*
		cp "$tmp/many.db" "$tmp/disk.db"
		fill 4000 "$size" "$tmp/disk.db"
		mv "$disk/disk.db" "$disk/h.db"
		one_sentence "$X" history "$disk/h.db" add "$tmp/r" -F $conf
		"$X" history "$disk/h.db" list 2>&1 | cmp - "$tmp/many.list" || echo "$size KiB: the list of what was there is another"
		rm "$disk/fill"
		sql "$disk/h.db" .dump | cmp - "$tmp/many.dump" || echo "$size KiB: the history has changed"
		"$X" history "$disk/h.db" add "$tmp/r" -F $conf >/dev/null || echo "$size KiB: no run can be added later"
		[ "$(ls "$disk")" = h.db ] || echo "$size KiB: later, there are" "$disk"/*
	done
)
"$X" history "$tmp/many.db" list >"$tmp/many.list"
sql "$tmp/many.db" .dump >"$tmp/many.dump"
if [ "$(id -u)" -eq 0 ] && unshare -m mount -t tmpfs history "$tmp" 2>/dev/null; then
	export -f on_a_full_disk sql
	export tmp X conf
	unshare -m bash -c on_a_full_disk >"$tmp/full" 2>&1
	[ $? -eq 0 ] && [ ! -s "$tmp/full" ]
	status=$?
	cp "$tmp/full" "$tmp/why"
	result $status "a disk with 0 to 100 KiB: a new history leaves nothing, an old one stays as it was and can be read"
else
	n=$((n + 1))
	echo "ok $n - a disk with 0 to 100 KiB # SKIP needs root and a mount namespace"
fi

# Files that are no histories
echo "no database, but long enough to look at twice, and then some more of it" >"$tmp/text.db"
sql "$tmp/other.db" 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)'
cp "$tmp/other.db" "$tmp/other.was"
: >"$tmp/empty.db"
says 1 "not a history" "$tmp/text.db" list && says 1 "another program; it is left alone" "$tmp/other.db" add "$tmp/a" && cmp "$tmp/other.db" "$tmp/other.was" &&
	says 1 "No such file" "$tmp/nothing.db" list && [ ! -e "$tmp/nothing.db" ] && says 1 "is empty" "$tmp/empty.db" list &&
	says 1 "nothing" "$tmp/new.db" add "$tmp/nothing" && [ ! -e "$tmp/new.db" ]
result $? "files that are no histories are left alone, and none is made for nothing"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir "$tmp/theirs" && cp "$tmp/many.db" "$tmp/theirs/h?#%41.db" && cp "$X" "$tmp/theirs/xdpzoom" && chmod 755 "$tmp" "$tmp/theirs"
	nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/theirs/xdpzoom" history "$@" >"$tmp/out" 2>"$tmp/why"; }
	nobody "$tmp/theirs/h?#%41.db" list && grep -q 'run 8: ' "$tmp/out" && [ "$(ls "$tmp/theirs")" = "$(printf 'h?#%%41.db\nxdpzoom')" ] &&
		! nobody "$tmp/theirs/h?#%41.db" add "$tmp/a" && grep -q "cannot be written" "$tmp/why" &&
		! nobody "$tmp/theirs/new.db" add "$tmp/a" && grep -q "Permission denied" "$tmp/why"
	result $? "whoever may only read can read, and is told what else they may not"
else
	n=$((n + 1))
	echo "ok $n - whoever may only read # SKIP needs root and setpriv"
fi
sql "$tmp/first.db" <tests/golden/history-first.sql >/dev/null && cp "$tmp/first.db" "$tmp/first.was"
history "$tmp/first.db" list && grep -q "79.9" "$tmp/out" && history "$tmp/first.db" diff 1:$native $skb && grep -q "memset" "$tmp/out" && cmp "$tmp/first.db" "$tmp/first.was" >"$tmp/why" &&
	history "$tmp/first.db" add "$tmp/a" -F $conf && history "$tmp/first.db" diff 1:$native 2
result $? "a file of the first version is read as it is, and gains what it lacks when a run is added"
sql "$tmp/last.db" <tests/golden/history-last.sql >/dev/null && cp "$tmp/last.db" "$tmp/last.was"
history "$tmp/last.db" list && diff tests/golden/history/list.txt "$tmp/out" >>"$tmp/why" && history "$tmp/last.db" diff 1:$native $skb && diff tests/golden/history/diff.txt "$tmp/out" >>"$tmp/why" &&
	history "$tmp/last.db" diff 1:$native $skb -f json && diff tests/golden/history/diff.json "$tmp/out" >>"$tmp/why" && cmp "$tmp/last.db" "$tmp/last.was" >>"$tmp/why" &&
	history "$tmp/last.db" add "$tmp/a" -F $conf && history "$tmp/last.db" diff 1:$native $skb -f json && diff tests/golden/history/diff.json "$tmp/out" >>"$tmp/why"
result $? "one of the last version without files prints what that version printed, also when a run was added"
says 2 "older xdpzoom added run 1 without them" "$tmp/last.db" diff 1:$native 2 -f html && ! "$X" report "$tmp/last.db/1" >"$tmp/out" 2>"$tmp/why" && grep -q "run 1 was added by an older xdpzoom, which kept its numbers alone" "$tmp/why"
result $? "... and has no call paths"
history "$tmp/last.db" check 2 --against 1 && [ "$(grep -c '^same' "$tmp/out")" = 2 ]
result $? "... and is compared with a run of today"
cp "$tmp/many.db" "$tmp/newer.db" && sql "$tmp/newer.db" 'PRAGMA user_version = 99' && says 1 "newer xdpzoom" "$tmp/newer.db" list
result $? "a newer file is refused"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "DELETE FROM file WHERE run = 2 AND name LIKE '%004.script'" && says 1 "damaged: run 2 has 37 files instead of 38" "$tmp/hurt.db" diff 2:$native $skb
result $? "a damaged run is said"
make_run sound held 2026-01-01T00:00:00Z && make_run sound unheld 2026-01-02T00:00:00Z
jq '.held_skbs = 4096' "$tmp/held/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/held/run.json"
for r in held unheld; do history "$tmp/slabs.db" add "$tmp/$r" -F $conf; done
gates() { jq -c '[.quality[] | select(.gate == "slabs-alike") | .ok]'; }
[ "$("$X" history "$tmp/slabs.db" diff 1:$skb 2 -f json | gates) $("$X" diff "$tmp/held:$skb" "$tmp/unheld" -F $conf -f json | gates)" = "[false] [false]" ]
result $? "it knows whose slabs of skbs were whose"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "UPDATE numbers SET value = 'x' WHERE run = 2 AND what = 'base_ns'" && says 1 "damaged: value" "$tmp/hurt.db" list && says 1 "damaged: value" "$tmp/hurt.db" check 3 --against 1
result $? "so is a cost that is no number"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "UPDATE numbers SET half = 9e999 WHERE run = 2 AND what = 'base_ns'" && says 1 "damaged: half" "$tmp/hurt.db" list
result $? "and one without an end"
says 2 "add, list, diff or check" "$db" frobnicate && says 2 "usage" "$db" add && says 2 "wants DB" && says 2 "name a variant" "$db" diff 1 2 && says 2 "text or json" "$db" list -f csv
result $? "usage"
says 1 "run 2: the run has no variant .tx/no-touch@skb" "$db" diff 1:$native 2:tx/no-touch@skb && says 1 "run 1: the run has no variant" "$db" diff 1:tx/no-touch@skb 2
result $? "diff: a run that lacks a variant is named"
status=0
for words in "list --threshold 1" "list --name x" "list --run-sd 1" "list --symbols 3" "list --facilities $conf" "list --placement auto" \
	"check --against 1 --name x" "check --against 1 --symbols 3" "diff 1:$native 2 --threshold 0" "diff 1:$native 2 --exact" \
	"diff 1:$native 2 --against 1" "add $tmp/a2 --against 1" "add $tmp/a2 -f text" "add $tmp/a2 -o $tmp/x" "add $tmp/a2 --renames $conf"; do
	# shellcheck disable=SC2086 # several words
	says 2 "history ${words%% *} has no use for --" "$db" $words || status=1
done
says 2 "is for measured runs" "$db" check --against 1 --exact --run-sd 1 || status=1
says 2 "renames is for exact runs" "$db" check --against 1 --renames $conf || status=1
says 2 "placement is for measured runs" "$db" add tests/golden/exact/run --placement near || status=1
result $status "an option that a verb has no use for is refused"
# Histories of several machines become one: all runs, with their names where these are free, and once.
for machine in m1 m2; do
	"$X" history "$tmp/$machine.db" add tests/docs/runs/run1 --name same >/dev/null
done
"$X" history "$tmp/m.3" add tests/docs/runs/run2 --name same >/dev/null && "$X" history "$tmp/m.3" add tests/docs/runs/exact1 --name counted >/dev/null
"$X" history "$tmp/m1.db" add "$tmp/m.3" >"$tmp/out" 2>"$tmp/why" && [ "$(paste -sd' ' "$tmp/out")" = "2 1" ] &&
	grep -q 'm.3/1 was called same there; here another run has that name' "$tmp/why"
result $? "a history is added: its runs, and a name that is taken is left out with a sentence"
"$X" history "$tmp/m1.db" add "$tmp/m.3" >"$tmp/out" 2>&1 && "$X" history "$tmp/m1.db" add "$tmp/m2.db" >>"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
result $? "... twice is once, and so is the same run of another history"
"$X" history "$tmp/m1.db" list -f json | jq -ce '[[.variants[], .exact[] | [.run, .name]] | unique] == [[[1, "counted"], [1, "same"], [2, null]]]' >"$tmp/out"
result $? "... with runs of both kinds"
says 2 "those of a history keep their names" "$tmp/m1.db" add "$tmp/m.3" --name x && says 1 "is not a history" "$tmp/m1.db" add "$0"
result $? "... and what it cannot do"

# Two machines in one history: no run of one is taken for a run of the other.
two=$tmp/machines.db
for r in 1:sound:aaaaaaaaaaaa 2:slower:bbbbbbbbbbbb 3:sound:aaaaaaaaaaaa; do
	kind=${r#*:}
	make_run "${kind%:*}" "on${r%%:*}" "2026-05-0${r%%:*}T00:00:00Z"
	jq --arg m "${r##*:}" '.environment.machine = $m' "$tmp/on${r%%:*}/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/on${r%%:*}/run.json"
	"$X" history "$two" add "$tmp/on${r%%:*}" -F $conf >/dev/null
done
history "$two" list && [ "$(sed -n 's/^run .*, machine //p' "$tmp/out" | paste -sd' ')" = "aaaaaaaaaaaa bbbbbbbbbbbb aaaaaaaaaaaa" ] &&
	! { history "$db" list && grep machine "$tmp/out"; }
result $? "two machines: list names them, and none where there is one"
history "$two" check --against prev && [ "$(grep -c '^same' "$tmp/out")" = 3 ] && says 4 "no run before run 2 on its machine and device" "$two" check 2 --against prev &&
	says 4 "no run before run 1 on its" "$two" check 1 --against prev -f ktap
result $? "... prev is the run before on the same one, and where there is none nothing can be told"
history "$two" check 2 --against 1
[ $? -eq 3 ] && [ "$(grep -c '^UNKNOWN' "$tmp/out")" = 3 ] && grep -q "the runs are of two machines" "$tmp/out"
result $? "... check holds none against the other"
gates() { "$X" history "$two" diff "1:$native" "$1" -f json | jq -c '[.quality[] | select(.gate == "machine-alike") | .verdict]'; }
[ "$(gates 2) $(gates 3)" = '["fails"] ["holds"]' ] && ! "$X" diff "$tmp/on1:$native" "$tmp/on2" -F $conf --strict >/dev/null 2>"$tmp/why" && grep -q machine-alike "$tmp/why"
result $? "... and a gate of diff tells"
history "$tmp/named.db" add "$tmp/on1" --machine dut1 && history "$tmp/named.db" add "$tmp/on3" --machine dut2 && history "$tmp/merged.db" add "$tmp/named.db" && history "$tmp/merged.db" add "$two" &&
	history "$tmp/merged.db" list -f json && [ "$(jq -c '[.variants[].machine] | unique' "$tmp/out")" = '["bbbbbbbbbbbb","dut1","dut2"]' ] && [ "$("$X" history "$tmp/named.db" diff 1:$native 2 -f json | jq -r '.quality[] | select(.gate == "machine-alike") | .note')" = "dut1 and dut2; the runs are of two machines, and what these differ by is in every number; record both on one" ]
result $? "--machine names it, also in a history of histories"
# The queries of the dashboard for Grafana, which Debian does not have, by SQLite: with each variable set to all of its values.
dash=packaging/grafana/xdpzoom-history.json
dashboard() { # every query of a variable and of a panel has rows
	jq -r '.templating.list[1:][] | "\(.name)\t\(.query.rawQueryText)"' $dash >"$tmp/variables"
	cp "$tmp/merged.db" "$tmp/dash.db" && "$X" history "$tmp/dash.db" add tests/docs/runs/exact1 >/dev/null || return 1
	set -- -e ''
	while IFS=$(printf '\t') read -r name query; do
		values=$(sql "$tmp/dash.db" "WITH q(v) AS ($query) SELECT group_concat(quote(v)) FROM q")
		[ "$name" != variant ] || values=${values%%,*}
		set -- "$@" -e "s|\${$name:sqlstring}|$values|g"
	done <"$tmp/variables"
	jq -r '.panels[].targets[].rawQueryText' $dash | sed "$@" >"$tmp/queries"
	while read -r query; do
		[ "$(sql "$tmp/dash.db" "$query" | wc -l)" -gt 0 ] || { echo "no rows: $query" >"$tmp/why"; return 1; }
	done <"$tmp/queries"
	[ "$(wc -l <"$tmp/queries")" = 4 ] && [ "$(wc -l <"$tmp/variables")" = 3 ]
}
dashboard
result $? "a dashboard's queries have rows"
says 2 "1 to 63 bytes" "$two" add "$tmp/a" --machine "" && says 2 "keep their machines" "$tmp/merged.db" add "$two" --machine x && says 2 "is for measured runs" "$two" add tests/golden/exact/run --machine x
result $? "... and what it cannot do"
echo "1..$n"
