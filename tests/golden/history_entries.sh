#!/bin/bash
# A run in a history is read like its directory, by every command; a history of a stranger costs a sentence.
. "$(dirname "$0")/lib.sh"
need "$X"
runs=$PWD/build/runs
conf=$PWD/tests/synthetic.conf
native=drop/no-touch@native
skb=drop/no-touch@skb
db=h.db

sql() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()' "$@"; }
add() { "$X" history add --db $db "$@" >/dev/null; }
# like ENTRY DIR COMMAND...: a command that names DIR prints the same of an entry and of the directory, which have names of one length
like() {
	local entry=$1 dir=$2
	shift 2
	"$X" "${@//DIR/$dir}" >want 2>why && "$X" "${@//DIR/$entry}" 2>>why | sed "s|$entry|$dir|g" >got && cmp want got >>why && [ -s want ] || { cat why; false; }
}
refused() { # PATTERN COMMAND...: one sentence with PATTERN
	local pattern=$1
	shift
	timeout 600 "$X" "$@" >got 2>&1
	local status=$?
	[ $status = 1 ] || [ $status = 2 ] && [ "$(wc -l <got)" -eq 1 ] && grep -q -e "$pattern" got || { cat got; false; }
}

cd "$tmp" || exit 1
for run in run1 fw1 exact2; do cp -r "$runs/$run" d-$run; done
cp -r "$runs/fw1" d-fw1/crossing # as a run of the view "work" has it
add d-run1 --name e-run1 && add d-fw1 --name e-fw1 && add d-exact2 --name exact2
for format in json html ${CHECK_ALL:+text csv folded}; do
	ok "report $format" like $db/1 d-run1 report DIR -f $format
	ok "report $format, of turns" like $db/2 d-fw1 report DIR -f $format
done
ok "report summary, with the crossing" like $db/2 d-fw1 report DIR
for format in json ${CHECK_ALL:+text html folded}; do ok "report $format, of exact counts" like $db/exact/1 d-exact2 report DIR -f $format; done
ok "another placement and other components" like $db/1 d-run1 report DIR --limit placement=all -F "$conf" -f json
ok "diff" like $db/1 d-run1 diff DIR:$native $skb -f html
ok "diff of two" like $db/1 d-run1 diff DIR:$native DIR:$skb -f json
ok "diff with a directory" like $db/1 d-run1 diff DIR:$native "$runs/run2"
ok "diff of exact counts" like $db/exact/1 d-exact2 diff DIR:$native $skb
ok "report with exact counts" like $db/1 d-run1 report DIR:$native --exact d-exact2 --full
ok "diff makes pages, too" sh -c "'$X' diff $db/1:$native $skb -f html -o got && '$X' diff d-run1:$native $skb -f html -o want && grep -q flame got"
ok "history add of an entry" sh -c "'$X' history add --db other.db $db/1 && '$X' history add --db other.db $db/exact/last && '$X' report other.db/last -f json >got && '$X' report d-run1 -f json | cmp - got"

# What a run was added with
cp -r d-run1 d-mine && sed -i 's/"started": "[^"]*"/"started": "2026-01-01T00:00:00Z"/' d-mine/run.json
add d-mine --name a/b -F "$conf"
"$X" report d-mine -F "$conf" -f csv >want
ok "its components go into the file" sh -c "'$X' report $db/a/b -f csv | cmp - want"
ok "others can be named" sh -c "! '$X' report $db/a/b -F '${conf%/*/*}/perfparse/components.conf' -f csv | cmp -s - want"
ok "a pipe cannot be kept" sh -c "'$X' history add --db p.db d-run1 -F /dev/stdin <'$conf' | cat; cat '$conf' | '$X' history add --db p2.db d-run1 -F /dev/stdin 2>&1 | grep -q 'no regular file' && [ ! -e p2.db ]"

refused_all() {
	refused "$db is a file, .*of a history, report takes DB/RUN" report $db && refused 'has no run "zz"; history list' report $db/zz &&
		refused 'has no run "exact2", but an exact run: h.db/exact/exact2' report $db/exact2 && refused 'no exact run "9"' report $db/exact/9 &&
		refused "want is not a history" report want/1 && refused "Not a directory" report /dev/null/1 && refused "No such file" report $db/1/blocks &&
		refused "is the file $db/1, which is read" report $db/1 -o $db && refused "is the file" diff $db/1:$native $db/1:$skb -o $db
}
ok "what is no run in it" refused_all

# A stranger's: each change costs one sentence, and no time and memory
python3 - $db <<'END'
import shutil, sqlite3, sys, zlib
def change(name, sql, *args):
    shutil.copy(sys.argv[1], name)
    c = sqlite3.connect(name)
    c.execute(sql, args)
    c.commit()
bomb = zlib.compress(bytes(300 << 20), 9)
where = " WHERE kind = 'measured' AND run = 1 AND name = "
change("bomb.db", "UPDATE file SET bytes = ?, data = ?" + where + "'run.json'", 300 << 20, bomb)
change("lies.db", "UPDATE file SET bytes = ?, data = ?" + where + "'run.json'", 1000, bomb)
cut = "UPDATE file SET data = substr(data, 1, length(data) - 1) WHERE kind = 'measured' AND name = "
change("cut-crossing.db", cut + "'crossing/run.json'")
change("cut-components.db", cut + "'components.conf'")
change("cut.db", "UPDATE file SET data = substr(data, 1, 1000)" + where + "'blocks/003.script'")
change("out.db", "UPDATE file SET data = ?, bytes = ?" + where + "'run.json'", *(lambda t: (zlib.compress(t), len(t)))(
    open("d-run1/run.json", "rb").read().replace(b"blocks/000.script", b"../../../../etc/passwd")))
END
hostile() {
	# shellcheck disable=SC3045
	(ulimit -v 200000; refused "would have 314572800 bytes" report bomb.db/1) && refused "run.json is damaged: it cannot be unpacked" report lies.db/1 &&
		refused "003.script is damaged: it cannot be unpacked" report cut.db/1 && refused "components.conf is damaged" report cut-components.db/a/b &&
		refused "crossing/run.json is damaged" report cut-crossing.db/2 && refused "lies outside of the run directory" report out.db/1
}
ok "hostile files: bombs, lies, cuts and paths" hostile

# Whoever may only read, and whose the file is
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir theirs && cp $db "$X" theirs && chmod 755 "$tmp" theirs
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups theirs/xdpzoom report theirs/$db/1 -f csv >got && "$X" report d-run1 -f csv | cmp - got; }
	as_owner() { chown -R 65534:65534 theirs && as_nobody && [ "$(ls theirs)" = "$(printf '%s\nxdpzoom' $db)" ]; }
	ok "for a reader without rights" as_nobody && ok "for its owner" as_owner
else
	skip "for a reader without rights" "needs root and setpriv" && skip "for its owner" "needs root and setpriv"
fi

# While another program has written ahead, to a file of its own, by SQLite
python3 - <<'END' &
import sqlite3, time, os
c = sqlite3.connect("h.db")
c.execute("PRAGMA journal_mode = WAL")
c.execute("PRAGMA wal_autocheckpoint = 0")
c.execute("UPDATE entry SET name = 'renamed' WHERE kind = 'measured' AND run = 1")
c.commit()
open("written", "w")
while not os.path.exists("done"):
    time.sleep(0.01)
END
writer=$!
while [ ! -e written ] && kill -0 $writer 2>/dev/null; do sleep 0.01; done
ok "what is written beside the file is not taken for all" refused "h.db-wal has runs that are not in it yet: if it is yours, sqlite3" report $db/1
: >done
wait $writer
read_later() { "$X" report $db/renamed -f json >got && "$X" report d-run1 -f json | cmp - got && "$X" history list --db $db | grep -q renamed; }
ok "... and is read once it is in it" read_later

# What a writer that was killed left: SQLite would undo it, and the file alone has half of it.
python3 - <<'END'
import shutil, sqlite3
c = sqlite3.connect("h.db")
c.execute("PRAGMA journal_mode = DELETE")
c.execute("PRAGMA cache_size = 1")
c.execute("UPDATE file SET data = zeroblob(bytes)")
shutil.copy("h.db", "half.db")
shutil.copy("h.db-journal", "half.db-journal")
END
ok "a write that did not end is not read" refused "half.db-journal undoes a write that did not end" report half.db/1
sqlite3 half.db 'PRAGMA journal_mode = DELETE' >/dev/null
ok "... and is undone as the sentence says" sh -c "'$X' report half.db/1 -f json >got && '$X' report d-run1 -f json | cmp - got"
