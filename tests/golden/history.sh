#!/bin/bash
# xdpzoom history: what goes in comes out, however many write at once and whenever they are killed.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 here"
conf=tests/synthetic.conf
native=drop/no-touch@native
skb=drop/no-touch@skb
db=$tmp/h.db

# Whoever was killed a moment ago may still hold a lock.
sql() { sqlite3 -cmd ".timeout 20000" "$@"; }

history() { "$X" history "$@" >"$tmp/out" 2>"$tmp/why"; }
diff_runs() { "$X" diff --full "$@" >"$tmp/out" 2>"$tmp/why"; }
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

history add --db "$db" "$tmp/a" -F $conf && [ "$(cat "$tmp/out")" = 1 ] && history add --db "$db" "$tmp/b" -F $conf --name patched && [ "$(cat "$tmp/out")" = 2 ]
result $? "add prints the run's number"
files=$(sql "$db" 'SELECT count(*) FROM file WHERE run = 1')
numbers=$(sql "$db" 'SELECT count(*) FROM numbers WHERE run = 1')
[ "$files" = 38 ] && [ "$numbers" -gt 100 ]
result $? "run.json, 36 scripts, the components and the numbers are there ($files, $numbers)"
[ "$(sql "$db" "SELECT count(*), sum(abs(base - components) > 1e-6 * base), sum(abs(base - symbols) > 1e-6 * base) FROM (
	SELECT sum(value) FILTER (WHERE what = 'base_ns') AS base,
	sum(value) FILTER (WHERE what LIKE 'component %' OR what = 'unattributed_ns') AS components,
	sum(value) FILTER (WHERE what LIKE 'symbol %' OR what = 'unattributed_ns') AS symbols FROM numbers GROUP BY run, variant)")" = "6|0|0" ]
result $? "components add up to the base of their variant in SQL, too, and so do symbols"
[ "$(cd "$tmp" && ls h.db*)" = h.db ]
result $? "one file"

says 1 "already, as number 1" add --db "$db" "$tmp/a" -F $conf
result $? "the same run twice is refused"
make_run sound a2 2026-01-04T00:00:00Z
says 1 'is called "patched" already' add --db "$db" "$tmp/a2" --name patched -F $conf && says 2 "cannot be called" add --db "$db" "$tmp/a2" --name last -F $conf &&
	says 2 "cannot be called" add --db "$db" "$tmp/a2" --name 12 -F $conf && says 2 "cannot be called" add --db "$db" "$tmp/a2" --name a:b &&
	says 2 "1 to 63 bytes" add --db "$db" "$tmp/a2" --name "" && says 2 "name is UTF-8 text" add --db "$db" "$tmp/a2" --name "$(printf 'a\377')"
result $? "so are names that are taken or mean something else"

status=0
for format in text json csv markdown; do
	"$X" diff --full "$tmp/a:$native" $skb -F $conf -f $format >"$tmp/want"
	diff_runs "$db/1:$native" $skb -f $format && diff "$tmp/want" "$tmp/out" >>"$tmp/why" || status=1
	"$X" diff --full "$tmp/a:$native" "$tmp/b" -F $conf -f $format >"$tmp/want"
	diff_runs "$db/1:$native" "$db/patched" -f $format && diff "$tmp/want" "$tmp/out" >>"$tmp/why" || status=1
done
result $status "diff of entries is diff of the directories, to the byte"
"$render" make "$tmp/counted" counted && "$X" history add --db "$tmp/counted.db" "$tmp/counted" -F $conf >/dev/null &&
	"$X" diff --full "$tmp/counted:$native" $skb -F $conf >"$tmp/want" && grep -q "perf stat" "$tmp/want" && grep -q "device's counter" "$tmp/want" &&
	diff_runs "$tmp/counted.db/1:$native" $skb && diff "$tmp/want" "$tmp/out" >>"$tmp/why"
result $? "so it is with what perf stat and the device counted"

"$X" report "$tmp/a" -F $conf -f json | jq -c '[.variants[] | [.id, .base_ns, .pps]]' >"$tmp/want"
history list --db "$db" -f json && jq -c '[.variants[] | select(.run == 1) | [.id, .base_ns, .pps]]' "$tmp/out" | diff "$tmp/want" - >"$tmp/why"
result $? "list has every headline"
history list --db "$db" && grep -q '^  2 * patched * 2026-01-02T00:00:00Z' "$tmp/out" && [ "$(awk 'length > 80' "$tmp/out" | wc -l)" = 0 ]
result $? "list for people"

# 5 % slower
history check --db "$db" patched --against 1 --run-sd 0.5
[ $? -eq 3 ] && [ "$(grep -c '@[a-z]* *SLOWER$' "$tmp/out")" = 3 ]
result $? "check: 5 % slower is slower, exit status 3"
"$X" history check --db "$db" patched --against 1 --run-sd 0.5 -f ktap >"$tmp/out"
[ $? -eq 3 ] && [ "$(grep -c '^not ok . .* not-slower$' "$tmp/out")" = 3 ] && grep -q '^# Totals: pass:0 fail:3 .* skip:0' "$tmp/out"
result $? "check: the same as KTAP"
history check --db "$db" --against 1 --threshold 10 --run-sd 0.5 && [ "$(grep -c '@[a-z]* *same$' "$tmp/out")" = 3 ]
result $? "check: --threshold 10 lets it pass"
history check --db "$db" 1 --against patched -f json --run-sd 0.5 && [ "$(jq -r '[.variants[].verdict] | unique[]' "$tmp/out")" = faster ]
result $? "check: faster is fine"
"$X" history add --db "$db" "$tmp/a2" -F $conf >/dev/null
history check --db "$db" --against 1 && [ "$(grep -c '@[a-z]* *same$' "$tmp/out")" = 3 ]
result $? "check: the same is fine"
"$X" history add --db "$db" "$tmp/c" --name far -F $conf >/dev/null
history check --db "$db" --against 1
[ $? -eq 3 ] && [ "$(grep -c '@[a-z]* *not evaluated$' "$tmp/out")" = 3 ]
result $? "check: CPUs placed otherwise are not held against each other, and do not pass"
"$X" history check --db "$db" --against 1 -f ktap | grep -c '^ok . .* not-slower # SKIP not evaluated: ' >"$tmp/out" && [ "$(cat "$tmp/out")" = 3 ]
result $? "check: ... and KTAP skips them"
"$X" history add --db "$tmp/two.db" build/runs/run2 >/dev/null && "$X" history add --db "$tmp/two.db" build/runs/run1 >/dev/null
"$X" history check --db "$tmp/two.db" 2 --against 1 >"$tmp/out" 2>"$tmp/why"
tr '\n' ' ' <"$tmp/out" | grep -q "[0-9] of 2 variants slower .*; [0-9] not evaluated, and 4 more are in the new run alone\. "
result $? "check: variants that are new are not counted as compared"
cp -r build/runs/run2 "$tmp/fewer" && jq '.variants |= .[:1] | .blocks |= (map(select(.variant == 0)) | to_entries | map(.value + {index: .key}))' build/runs/run2/run.json >"$tmp/fewer/run.json"
"$X" history add --db "$tmp/one.db" "$tmp/fewer" >/dev/null && "$X" history add --db "$tmp/one.db" build/runs/run2 >/dev/null
"$X" history check --db "$tmp/one.db" 2 --against 1 >"$tmp/out" 2>"$tmp/why"
tr '\n' ' ' <"$tmp/out" | grep -q "of 1 variant slower .*, and 1 more is in the new run alone\. "
result $? "check: one that is new is one"
says 2 "needs --against" check --db "$db" && says 1 'no run "9"' check --db "$db" --against 9 && says 1 "with itself" check --db "$db" 1 --against 1
result $? "what check cannot do"

"$X" history add --db "$tmp/evil.db" "$tmp/evil" --name "'); DROP TABLE entry;--" >/dev/null 2>"$tmp/why" &&
	"$X" diff "$tmp/evil:$native" $skb -f csv >"$tmp/want" && diff_runs "$tmp/evil.db/'); DROP TABLE entry;--:$native" $skb -f csv && diff -a "$tmp/want" "$tmp/out" >"$tmp/why"
result $? "names with quotes, markup and bytes that are no text come back as they were"
"$X" history list --db "$tmp/evil.db" | LC_ALL=C grep -q "$(printf '\033')"
[ $? -eq 1 ]
result $? "list: no escape sequence reaches a terminal"

# Eight at once into a file that is not there yet
for i in 1 2 3 4 5 6 7 8; do make_run sound "p$i" "2026-02-0${i}T00:00:00Z"; done
for i in 1 2 3 4 5 6 7 8; do "$X" history add --db "$tmp/many.db" "$tmp/p$i" -F $conf >"$tmp/number$i" 2>>"$tmp/many.err" & done
wait
cp "$tmp/many.err" "$tmp/why"
[ ! -s "$tmp/why" ] && [ "$(cat "$tmp"/number? | sort -n | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 " ] && whole "$tmp/many.db" "$files" "$numbers"
result $? "eight that add at once lose nothing"

# Killed all along the way, in steps that are finer than a write: each run is there whole or not at all, and can be added again.
before=0 after=0 bad=0
start=$(date +%s%N)
"$X" history add --db "$tmp/time.db" "$tmp/p1" -F $conf >/dev/null
took_us=$((($(date +%s%N) - start) / 1000))
cp "$tmp/many.db" "$tmp/killed.db"
sql "$tmp/killed.db" 'DELETE FROM numbers; DELETE FROM file; DELETE FROM entry'
kills=${KILLS:-$([ -n "${CHECK_ALL-}" ] && echo 20 || echo 4)}
for i in $(seq 0 $((kills - 1))); do
	sql "$tmp/killed.db" "DELETE FROM numbers; DELETE FROM file; DELETE FROM entry" 2>>"$tmp/killed.err" || bad=1
	{ timeout -s KILL "$(awk -v t=$took_us -v i=$i -v n=$kills 'BEGIN { printf "%.6f", t * (0.05 + i * 0.9 / n) / 1e6 }')" \
		"$X" history add --db "$tmp/killed.db" "$tmp/p1" -F $conf; } >/dev/null 2>&1
	runs=$(sql "$tmp/killed.db" 'SELECT count(*) FROM entry')
	whole "$tmp/killed.db" "$files" "$numbers" || { bad=1; echo "round $i: not whole" >>"$tmp/killed.err"; }
	[ "$runs" = 0 ] && before=$((before + 1))
	[ "$runs" = 1 ] && after=$((after + 1))
done
cat "$tmp/killed.err" >"$tmp/why" 2>/dev/null
echo "$before killed before, $after after it was in" >>"$tmp/why"
[ $bad = 0 ] && [ $((before + after)) = $kills ]
result $? "killed $kills times along the way ($before before it was in, $after after): whole each time"

# SIGKILL just before the new file gets its name
if command -v strace >/dev/null; then
	cp "$tmp/many.db" "$tmp/cut.db"
	make_run sound q 2026-03-01T00:00:00Z
	{ strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:signal=SIGKILL "$X" history add --db "$tmp/cut.db" "$tmp/q" -F $conf; } >/dev/null 2>&1
	[ "$(sql "$tmp/cut.db" 'SELECT count(*) FROM entry')" = 8 ] && whole "$tmp/cut.db" "$files" "$numbers" &&
		history add --db "$tmp/cut.db" "$tmp/q" -F $conf && [ "$(cat "$tmp/out")" = 9 ]
	result $? "killed before the new file gets its name: the file is what it was, and the run can be added"
else
	n=$((n + 1))
	echo "ok $n - killed before the new file gets its name # SKIP no strace here"
fi

# A disk that is full
cp "$tmp/many.db" "$tmp/full.db"
make_run sound r 2026-03-02T00:00:00Z
(trap '' XFSZ; ulimit -f $(($(stat -c %s "$tmp/full.db") / 1024 / 16)); exec "$X" history add --db "$tmp/full.db" "$tmp/r" -F $conf) >"$tmp/out" 2>"$tmp/why"
[ $? -eq 1 ] && [ "$(wc -l <"$tmp/why")" = 1 ] && [ "$(sql "$tmp/full.db" 'SELECT count(*) FROM entry')" = 8 ] && whole "$tmp/full.db" "$files" "$numbers"
result $? "no room to write: one sentence, and the file is what it was"

# Limits of a process, and a disk, at all sizes between nothing and enough. No history is left where there was none.
status=0
limited() { (ulimit -f "$1"; exec "$X" history add --db "$tmp/limit/h.db" "$tmp/r" -F $conf 2>&1 >/dev/null) | cat >"$tmp/why"; return "${PIPESTATUS[0]}"; } # KIB
for kib in 0 8 40 ${CHECK_ALL:+1 4 20 80}; do
	rm -rf "$tmp/limit" && mkdir "$tmp/limit"
	limited $kib
	[ $? -eq 1 ] && [ -z "$(ls -A "$tmp/limit")" ] || status=1
done
limited 40
grep -q "cannot write .*: File too large" "$tmp/why" && [ "$(wc -l <"$tmp/why")" = 1 ] && [ $status = 0 ]
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
		[ $? -eq 1 ] && [ "$(cat "$tmp/why")" = "xdpzoom: cannot write $disk/h.db: No space left on device" ] || echo "$size KiB: $* printed $(cat "$tmp/why")"
	}
	for size in 0 16 ${CHECK_ALL:+4 8 24 40 100}; do
		fill 400 "$size"
		one_sentence "$X" history add --db "$disk/h.db" "$tmp/r" -F $conf
		[ "$(ls -A "$disk")" = fill ] || echo "$size KiB: no history, but" "$disk"/*
		cp "$tmp/many.db" "$tmp/disk.db"
		fill 4000 "$size" "$tmp/disk.db"
		mv "$disk/disk.db" "$disk/h.db"
		one_sentence "$X" history add --db "$disk/h.db" "$tmp/r" -F $conf
		"$X" history list --db "$disk/h.db" 2>&1 | cmp - "$tmp/many.list" || echo "$size KiB: the list of what was there is another"
		rm "$disk/fill"
		sql "$disk/h.db" .dump | cmp - "$tmp/many.dump" || echo "$size KiB: the history has changed"
		"$X" history add --db "$disk/h.db" "$tmp/r" -F $conf >/dev/null || echo "$size KiB: no run can be added later"
		[ "$(ls "$disk")" = h.db ] || echo "$size KiB: later, there are" "$disk"/*
	done
)
"$X" history list --db "$tmp/many.db" >"$tmp/many.list"
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
says 1 "not a history" list --db "$tmp/text.db" && says 1 "another program; it is left alone" add --db "$tmp/other.db" "$tmp/a" && cmp "$tmp/other.db" "$tmp/other.was" &&
	says 1 "No such file" list --db "$tmp/nothing.db" && [ ! -e "$tmp/nothing.db" ] && says 1 "is empty" list --db "$tmp/empty.db" &&
	says 1 "nothing" add --db "$tmp/new.db" "$tmp/nothing" && [ ! -e "$tmp/new.db" ]
result $? "files that are no histories are left alone, and none is made for nothing"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir "$tmp/theirs" && cp "$tmp/many.db" "$tmp/theirs/h?#%41.db" && cp "$X" "$tmp/theirs/xdpzoom" && chmod 755 "$tmp" "$tmp/theirs"
	nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/theirs/xdpzoom" history "$@" >"$tmp/out" 2>"$tmp/why"; }
	nobody list --db "$tmp/theirs/h?#%41.db" && grep -q '^  8 .*Z' "$tmp/out" && [ "$(ls "$tmp/theirs")" = "$(printf 'h?#%%41.db\nxdpzoom')" ] &&
		! nobody add --db "$tmp/theirs/h?#%41.db" "$tmp/a" && grep -q "cannot write .*Permission denied" "$tmp/why" &&
		! nobody add --db "$tmp/theirs/new.db" "$tmp/a" && grep -q "Permission denied" "$tmp/why"
	result $? "whoever may only read can read, and is told what else they may not"
else
	n=$((n + 1))
	echo "ok $n - whoever may only read # SKIP needs root and setpriv"
fi
cp "$tmp/many.db" "$tmp/newer.db" && sql "$tmp/newer.db" 'PRAGMA user_version = 99' && says 1 "newer xdpzoom" list --db "$tmp/newer.db"
result $? "a newer file is refused"
cp "$tmp/many.db" "$tmp/older.db" && sql "$tmp/older.db" 'PRAGMA user_version = 3' && says 1 "an older xdpzoom" list --db "$tmp/older.db" && says 1 "an older xdpzoom" add --db "$tmp/older.db" "$tmp/a"
result $? "... and so is an older one"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "DELETE FROM file WHERE run = 2 AND name LIKE '%004.script'" && ! diff_runs "$tmp/hurt.db/2:$native" $skb && grep -q "damaged: run 2 has 37 files instead of 38" "$tmp/why"
result $? "a damaged run is said"
make_run sound held 2026-01-01T00:00:00Z && make_run sound unheld 2026-01-02T00:00:00Z
jq '.held_skbs = 4096' "$tmp/held/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/held/run.json"
for r in held unheld; do history add --db "$tmp/slabs.db" "$tmp/$r" -F $conf; done
checks() { jq -c '[.quality[] | select(.check == "slabs-alike") | .ok]'; }
[ "$("$X" diff "$tmp/slabs.db/1:$skb" "$tmp/slabs.db/2" -f json | checks) $("$X" diff "$tmp/held:$skb" "$tmp/unheld" -F $conf -f json | checks)" = "[false] [false]" ]
result $? "it knows whose slabs of skbs were whose"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "UPDATE numbers SET value = 'x' WHERE run = 2 AND what = 'base_ns'" && says 1 "damaged: value" list --db "$tmp/hurt.db" && says 1 "damaged: value" check --db "$tmp/hurt.db" 3 --against 1
result $? "so is a cost that is no number"
cp "$tmp/many.db" "$tmp/hurt.db" && sql "$tmp/hurt.db" "UPDATE numbers SET half = 9e999 WHERE run = 2 AND what = 'base_ns'" && says 1 "damaged: half" list --db "$tmp/hurt.db"
result $? "and one without an end"
says 2 "add, list or check" frobnicate && says 2 "needs a run directory" add && says 2 "wants add|list|check" && says 2 "takes no run" list 1 && says 2 "there is text, json" list -f ktap
result $? "usage"
status=0
for words in "list --threshold 1" "list --name x" "list --run-sd 1" "list --components $conf" "check --against 1 --name x" "add $tmp/a2 --against 1" "add $tmp/a2 -f json"; do
	# shellcheck disable=SC2086 # several words
	says 2 "history ${words%% *} has no use for --" $words --db "$db" || status=1
done
result $status "an option that a verb has no use for is refused"
(top=$PWD && mkdir "$tmp/default" && cd "$tmp/default" && "$X" history add ../a -F "$top/$conf" && "$X" history list | grep -q '^  1 .*Z' && [ "$(ls)" = history.db ]) >"$tmp/out" 2>"$tmp/why"
result $? "without --db, history.db in the working directory is meant"
# A run whose checks failed is not evaluated, however slow it looks
"$X" history add --db "$tmp/failed.db" "$tmp/a" -F $conf >/dev/null && jq '.ended = "interrupted"' "$tmp/b/run.json" >"$tmp/run.json" && cp "$tmp/b/run.json" "$tmp/b.json" && cp "$tmp/run.json" "$tmp/b/run.json" &&
	"$X" history add --db "$tmp/failed.db" "$tmp/b" -F $conf >/dev/null
history check --db "$tmp/failed.db" --against 1 --run-sd 0.5
[ $? -eq 3 ] && [ "$(grep -c '@[a-z]* *not evaluated$' "$tmp/out")" = 3 ] && grep -q "checks failed in the new run: ended" "$tmp/out"
result $? "check: with failed checks nothing is judged"
cp "$tmp/b.json" "$tmp/b/run.json"
# Histories of several machines become one: all runs, with their names where these are free, and once.
for machine in m1 m2; do
	"$X" history add --db "$tmp/$machine.db" build/runs/run1 --name same >/dev/null
done
"$X" history add --db "$tmp/m.3" build/runs/run2 --name same >/dev/null && "$X" history add --db "$tmp/m.3" build/runs/exact1 --name counted >/dev/null
"$X" history add --db "$tmp/m1.db" "$tmp/m.3" >"$tmp/out" 2>"$tmp/why" && [ "$(paste -sd' ' "$tmp/out")" = "2 1" ] &&
	grep -q 'm.3/1 was called same there; here another run has that name' "$tmp/why"
result $? "a history is added: its runs, and a name that is taken is left out with a sentence"
"$X" history add --db "$tmp/m1.db" "$tmp/m.3" >"$tmp/out" 2>&1 && "$X" history add --db "$tmp/m1.db" "$tmp/m2.db" >>"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
result $? "... twice is once, and so is the same run of another history"
"$X" history list --db "$tmp/m1.db" -f json | jq -ce '[[.variants[], .exact[] | [.run, .name]] | unique] == [[[1, "counted"], [1, "same"], [2, null]]]' >"$tmp/out"
result $? "... with runs of both kinds"
says 2 "those of a history keep their names" add --db "$tmp/m1.db" "$tmp/m.3" --name x && says 1 "is not a history" add --db "$tmp/m1.db" "$0"
result $? "... and what it cannot do"

# Two machines in one history: no run of one is taken for a run of the other.
two=$tmp/machines.db
for r in 1:sound:aaaaaaaaaaaa 2:slower:bbbbbbbbbbbb 3:sound:aaaaaaaaaaaa; do
	kind=${r#*:}
	make_run "${kind%:*}" "on${r%%:*}" "2026-05-0${r%%:*}T00:00:00Z"
	jq --arg m "${r##*:}" '.environment.machine = $m' "$tmp/on${r%%:*}/run.json" >"$tmp/run.json" && mv "$tmp/run.json" "$tmp/on${r%%:*}/run.json"
	"$X" history add --db "$two" "$tmp/on${r%%:*}" -F $conf >/dev/null
done
history list --db "$two" && [ "$(grep -o '[ab]\{12\}' "$tmp/out" | paste -sd' ')" = "aaaaaaaaaaaa bbbbbbbbbbbb aaaaaaaaaaaa" ] &&
	! { history list --db "$db" && grep machine "$tmp/out"; }
result $? "two machines: list names them, and none where there is one"
history check --db "$two" --against prev && [ "$(grep -c '@[a-z]* *same$' "$tmp/out")" = 3 ] && says 4 "no run before run 2 on its machine and device" check --db "$two" 2 --against prev &&
	says 4 "no run before run 1 on its" check --db "$two" 1 --against prev -f ktap
result $? "... prev is the run before on the same one, and where there is none nothing can be told"
history check --db "$two" 2 --against 1
[ $? -eq 3 ] && [ "$(grep -c '@[a-z]* *not evaluated$' "$tmp/out")" = 3 ] && grep -q "the runs are of two machines" "$tmp/out"
result $? "... check holds none against the other"
checks() { "$X" diff "$two/1:$native" "$two/$1" -f json | jq -c '[.quality[] | select(.check == "machine-alike") | .verdict]'; }
[ "$(checks 2) $(checks 3)" = '["failed"] ["passed"]' ] && ! "$X" diff --full "$tmp/on1:$native" "$tmp/on2" -F $conf --strict >/dev/null 2>"$tmp/why" && grep -q machine-alike "$tmp/why"
result $? "... and a check of diff tells"
history add --db "$tmp/named.db" "$tmp/on1" --machine dut1 && history add --db "$tmp/named.db" "$tmp/on3" --machine dut2 && history add --db "$tmp/merged.db" "$tmp/named.db" && history add --db "$tmp/merged.db" "$two" &&
	history list --db "$tmp/merged.db" -f json && [ "$(jq -c '[.variants[].machine] | unique' "$tmp/out")" = '["bbbbbbbbbbbb","dut1","dut2"]' ]
named=$?
history check --db "$tmp/named.db" 2 --against 1
[ $named = 0 ] && [ "$(grep -c "the runs are of two machines" "$tmp/out")" = 3 ]
result $? "--machine names it, also in a history of histories"
# The queries of the dashboard for Grafana, which Debian does not have, by SQLite: with each variable set to all of its values.
dash=packaging/grafana/xdpzoom-history.json
dashboard() { # every query of a variable and of a panel has rows
	jq -r '.templating.list[1:][] | "\(.name)\t\(.query.rawQueryText)"' $dash >"$tmp/variables"
	cp "$tmp/merged.db" "$tmp/dash.db" && "$X" history add --db "$tmp/dash.db" build/runs/exact1 >/dev/null || return 1
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
says 2 "1 to 63 bytes" add --db "$two" "$tmp/a" --machine "" && says 2 "keep their machines" add --db "$tmp/merged.db" "$two" --machine x && says 2 "is for measured runs" add --db "$two" build/runs/counted --machine x
result $? "... and what it cannot do"
