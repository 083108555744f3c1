#!/bin/bash
# Files and names of strangers: what reads them neither obeys them, nor changes anything else, nor waits for ever.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 here"
conf=$PWD/tests/synthetic.conf
native=drop/no-touch@native
skb=drop/no-touch@skb

# refused WORDS COMMAND...: xdpzoom COMMAND ends soon, with status 1 or 2, after one sentence with WORDS
refused() {
	local words=$1 got
	shift
	timeout 20 "$X" "$@" >"$tmp/out" 2>"$tmp/why"
	got=$?
	[ $got -ge 1 ] && [ $got -le 2 ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why" && return 0
	echo "exit status $got" >>"$tmp/why"
	return 1
}
acts() { LC_ALL=C grep -q "$(printf '[\033\007]')" "$@"; } # control characters that a terminal obeys

"$render" make "$tmp/run" sound || exit 1

# Histories

db=$tmp/h.db
"$X" history add --db "$db" "$tmp/run" -F "$conf" >/dev/null || exit 1

# hot DB VICTIM: a journal beside DB, which SQLite plays back, and which names VICTIM as the journal of other databases
hot() {
	python3 - "$1" "$2" <<-'END'
	import struct, sys
	db, victim = sys.argv[1:]
	magic = bytes.fromhex("d9d505f920a163d7")
	size = int.from_bytes(open(db, "rb").read(18)[16:], "big")
	pages = len(open(db, "rb").read()) // size
	name = victim.encode()
	head = magic + struct.pack(">IIIII", 0, 0, pages, 512, size)
	lock = 0x40000000 // size + 1
	tail = struct.pack(">I", lock) + name + struct.pack(">II", len(name), sum(name)) + magic
	open(db + "-journal", "wb").write(head.ljust(512, b"\0") + tail)
	END
}
mkdir "$tmp/hot" && cp "$db" "$tmp/hot/h.db" && echo precious >"$tmp/victim" && hot "$tmp/hot/h.db" "$tmp/victim"
elses='if it is yours'
refused "$elses" history list --db "$tmp/hot/h.db" && refused "$elses" report "$tmp/hot/h.db/1" && refused "$elses" history add "$tmp/run" -F "$conf" --db "$tmp/hot/h.db" &&
	[ -s "$tmp/victim" ] && cmp "$db" "$tmp/hot/h.db" >"$tmp/why"
result $? "history and report: a journal of a stranger deletes nothing, and nobody plays it back"

for table in entry file numbers; do
	cp "$db" "$tmp/view.db"
	sqlite3 "$tmp/view.db" "ALTER TABLE $table RENAME TO data; CREATE VIEW $table AS SELECT * FROM data UNION ALL
		SELECT data.* FROM data, (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE random() % 8) SELECT n FROM c)"
	refused "tables are no tables" diff "$tmp/view.db/1:$native" $skb
	result $? "diff: a view instead of the table $table is refused"
done

refused "empty" history add --db "" "$tmp/run" -F "$conf"
result $? "history: a file without a name"
refused "UTF-8" history add --db "$db" "$tmp/run" -F "$conf" --name "$(printf 'bad\377')" && "$X" history list --db "$db" -f json >"$tmp/out" 2>"$tmp/why"
result $? "history add: a name that is no text is refused"

# A tree whose upper page names one leaf many times, and itself: more rows than bytes.
cp "$db" "$tmp/loop.db"
python3 - "$tmp/loop.db" <<'END'
import sqlite3, struct, sys
path = sys.argv[1]
db = sqlite3.connect(path)
db.execute("PRAGMA journal_mode = DELETE")
db.executemany("INSERT INTO numbers VALUES (NULL, 'measured', 1, ?, 'base_ns', 1, 1)", (("drop/no-touch@native" + "x" * 300,) for i in range(3000)))
db.execute("PRAGMA writable_schema = 1")
db.execute("DELETE FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
db.commit()
root, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'numbers'").fetchone()
db.close()
data = bytearray(open(path, "rb").read())
size = int.from_bytes(data[16:18], "big")
at = lambda page: (page - 1) * size
def cells(page):
    count = struct.unpack_from(">H", data, at(page) + 3)[0]
    return [struct.unpack_from(">H", data, at(page) + 12 + 2 * i)[0] for i in range(count)]
assert data[at(root)] == 5, "the root is an inner page"
copies = []
for level in range(6):  # new pages above the root's children, each with all pointers to the page below
    page = len(data) // size + 1
    data += data[at(root):at(root) + size]
    below = copies[-1] if copies else root
    for c in cells(page):
        struct.pack_into(">I", data, at(page) + c, below)
    struct.pack_into(">I", data, at(page) + 8, below)
    copies.append(page)

struct.pack_into(">I", data, 28, len(data) // size)
open(path, "wb").write(data)
db = sqlite3.connect(path)
db.execute("PRAGMA writable_schema = 1")
db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = 'numbers'", (copies[-1],))
db.commit()
END
refused "no such index" history list --db "$tmp/loop.db"
result $? "history list: a damaged file with more rows than bytes ends soon"

mkfifo "$tmp/fifo"
refused "no regular file" history list --db "$tmp/fifo" && refused "no regular file" history list --db /dev/zero && refused "not a history" history add --db "$tmp/fifo" "$tmp/run" -F "$conf"
result $? "history: a pipe and a device are no histories, and nobody waits for them"

# Files that are none, or that lead elsewhere

for what in run.json blocks/000.script; do
	for kind in fifo link zero; do
		rm -rf "$tmp/odd"
		cp -r "$tmp/run" "$tmp/odd"
		rm "$tmp/odd/$what"
		case $kind in
		fifo) mkfifo "$tmp/odd/$what" ;;
		link) ln -s "$tmp/run/$what" "$tmp/odd/$what" ;;
		zero) ln -s /dev/zero "$tmp/odd/$what" ;;
		esac
		case $kind in fifo) words="no regular file" ;; *) words="is a link" ;; esac
		refused "$what.*$words" report "$tmp/odd" -F "$conf"
		result $? "report: $what that is a $kind is refused"
	done
done

mkdir -p "$tmp/copy/proc" "$tmp/copy/sys"
ln -s /dev/zero "$tmp/copy/proc/cpuinfo"
mkfifo "$tmp/copy/proc/cmdline"
echo "a word of the machine itself" >"$tmp/elsewhere"
mkdir -p "$tmp/copy/sys/devices/system/cpu"
ln -s "$tmp/elsewhere" "$tmp/copy/sys/devices/system/cpu/online"
timeout 60 "$X" doctor --root "$tmp/copy" >"$tmp/out" 2>"$tmp/why"
[ $? -lt 124 ] && ! grep -q "a word of" "$tmp/out"
result $? "doctor --root: a device, a pipe and links out of the copy end nothing and show nothing"

# Names are data, and what is written is written as a whole

echo precious >"$tmp/victim"
cp /bin/true "$tmp/setuid"
chmod 06777 "$tmp/setuid"
[ "$(id -u)" -ne 0 ] || chown 65534:65534 "$tmp/setuid"
owner=$(stat -c %u:%g "$tmp/setuid")
"$X" report --full "$tmp/run" -F "$conf" -o "$tmp/setuid" >"$tmp/why" 2>&1
is=$(stat -c '%a %u:%g' "$tmp/setuid")
[ "$is" = "777 $owner" ] || echo "$is" >"$tmp/why"
[ "$is" = "777 $owner" ]
result $? "report -o: the file keeps its owner and its mode, but for setuid"

echo precious >"$tmp/keep"
P=${X%/*}/perfparse
script=build/runs/recorded/blocks/000.script
"$P" --pps 1M --diff $script --pps2 2M -f folded -o "$tmp/keep" $script >"$tmp/why" 2>&1
[ "$(cat "$tmp/keep")" = precious ]
result $? "perfparse -o: an error leaves the old file"
bash -c "ulimit -f 8; \"$X\" report \"$tmp/run\" -F \"$conf\" -f html -o \"$tmp/keep\"; true" >"$tmp/why" 2>&1
[ "$(cat "$tmp/keep") $(ls "$tmp" | grep -c keep)" = "precious 1" ]
result $? "report -o: killed, it leaves the old file and no other"
"$P" --pps 1M --components /dev/zero $script >"$tmp/out" 2>"$tmp/why"
grep -q "^perfparse: /dev/zero: " "$tmp/why"
result $? "perfparse: an error names the file that it is about"

if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/small" && mount -t tmpfs -o size=100k tmpfs "$tmp/small" 2>/dev/null; then
	small_goes() { umount "$tmp/small"; }
	undo=small_goes
	dd if=/dev/zero of="$tmp/small/filled" bs=1k count=70 2>/dev/null
	echo precious >"$tmp/small/p.svg"
	"$X" report -f svg "$tmp/run" -F "$conf" -o "$tmp/small/p.svg" >"$tmp/out" 2>"$tmp/why"
	[ $? -eq 1 ] && grep -q "No space left" "$tmp/why" && [ "$(cat "$tmp/small/p.svg")" = precious ]
	result $? "plot: a full disk is said, and costs no old picture"
fi
"$X" report "$tmp/run" -F "$conf" -f svg --plot flame 2>"$tmp/why" | head -c 1 >/dev/null
[ ! -s "$tmp/why" ] && [ "${PIPESTATUS[0]}" -eq 0 ]
result $? "report: a reader that has enough is no error"
refused "No space left" report "$tmp/run" -F "$conf" -f svg --plot flame -o /dev/full
result $? "report: what a write failed of is said"

# What files say is shown, and not obeyed

# forged WHAT JQ WORDS: run.json changed by JQ is refused with WORDS, and the sentence controls no terminal
forged() {
	rm -rf "$tmp/forged"
	cp -r "$tmp/run" "$tmp/forged"
	jq "$2" "$tmp/run/run.json" >"$tmp/forged/run.json"
	refused "$3" report "$tmp/forged" -F "$conf" && ! acts "$tmp/why" "$tmp/out"
	result $? "report: $1"
}
forged "an id with an escape is refused" '.variants[0].id = "redirect:\u001b[31mX/no-touch@skb"' "id is no variant"
forged "an action that ends a label is refused" '.variants[0].action = "x\"} 1\nevil 1\n#"' "action does not match the id"
forged "an id that its words do not say is refused" '.variants[0].id = .variants[1].id' "does not match the id"
forged "two variants of one id are refused" '.variants[1] = .variants[0]' "that of another variant"
forged "one thread named twice is refused" '.napi_tids = [7, 7]' "napi_tids names one twice"
forged "one CPU named twice is refused" '.rx_cpus = [1, 1]' "rx_cpus names one twice"
forged "two blocks of one script are refused" '.blocks[1].script = .blocks[0].script' "script is that of another block"
forged "a digest that is none is refused" '.blocks[0] += {script_bytes: 7, script_digest: "0x"}' "script_digest is not 16"
forged "a schema with an escape is shown" '.schema = "\u001b]0;x\u0007"' "schema is .]0;x"

printf 'swapper 0 [001] 1.000000:  1000 cyc\033[31mles:\n\tffffffff81000000 napi_poll ([kernel.kallsyms])\n\n' >"$tmp/esc.script"
"$P" --pps 1M "$tmp/esc.script" >"$tmp/out" 2>"$tmp/why"
! acts "$tmp/out" "$tmp/why"
result $? "perfparse: an event's name is shown"
printf 'CPU0,=1+1,"x-5  5,678  cyc\033[31mles\n' >"$tmp/esc.stat"
for format in text csv; do
	"$P" --packets 1000 --window 1 --input stat -f $format "$tmp/esc.stat" >"$tmp/out" 2>"$tmp/why"
	! acts "$tmp/out" "$tmp/why"
	result $? "perfparse: perf stat's words are shown, as $format"
done
"$X" report --full "$(printf '/\033[31mno')" >"$tmp/out" 2>"$tmp/why"
! acts "$tmp/why"
result $? "a name in a sentence is shown"
printf 'Linux version \033[31m6.1\n' >"$tmp/copy/proc/version"
printf '\033[31mclock\377\n' >"$tmp/copy/sys/clock"
mkdir -p "$tmp/copy/sys/devices/system/clocksource/clocksource0"
mv "$tmp/copy/sys/clock" "$tmp/copy/sys/devices/system/clocksource/clocksource0/current_clocksource"
rm -f "$tmp/copy/proc/cmdline"
"$X" doctor --root "$tmp/copy" >"$tmp/out" 2>"$tmp/why"
! acts "$tmp/out" "$tmp/why" && grep -q 'clocksource.*clock' "$tmp/out"
result $? "doctor: what files say is shown"
"$X" doctor --root "$tmp/copy" --format json >"$tmp/out" 2>"$tmp/why"
jq -e '(.rows | length) == .fatal + .warnings + .ok + .unknown' "$tmp/out" >/dev/null
result $? "doctor --format json: a finding that is no text has its row too"


# Ends of names and files

refused "empty" report ""
result $? "report: an empty name is none"
refused "no run" report ":$native"
result $? "report: a variant of an empty name"
"$X" history add --db "$tmp/new.db" "$tmp/run" -F "$conf" >/dev/full 2>"$tmp/why"
[ $? -eq 1 ] && grep -q 'run 1 was added, and its number cannot be written: No space' "$tmp/why"
result $? "history add: a number that nobody got is an error"
long=$(printf '%02032d' 0)
"$X" report --full "$long" "a b" >"$tmp/out" 2>"$tmp/why"
[ $? -eq 1 ]
result $? "report: a command line as long as the place for it"
"$X" import tests/fixtures/perf/6.1/script.txt --pps 1M -V $native -o "$tmp/sealed" >"$tmp/out" 2>"$tmp/why"
jq -e '.blocks[0] | .script_bytes > 0 and (.script_digest | length) == 16' "$tmp/sealed/run.json" >/dev/null &&
	"$X" report --full "$tmp/sealed" >/dev/null 2>"$tmp/why"
result $? "a run knows how long its scripts are"
script=$(jq -r '.blocks[0].script' "$tmp/sealed/run.json")
cp "$tmp/sealed/$script" "$tmp/whole"
head -c -1000 "$tmp/whole" >"$tmp/sealed/$script"
refused "bytes, and .* when it was recorded" report "$tmp/sealed"
result $? "report: a script that was cut short is refused"
tr 0 1 <"$tmp/whole" >"$tmp/sealed/$script"
refused "was changed since it was recorded" report "$tmp/sealed"
result $? "report: a script that was changed is refused"

# A sentence names the file that it is about

printf 'a\0b\n' >"$tmp/nul"
refused "nul: NUL byte" report "$tmp/run" -F "$tmp/nul" && refused "^xdpzoom: $tmp: .*Is a directory" report "$tmp/run" -F "$tmp"
result $? "report: components that are none are named"
refused "nul: NUL byte" diff "$tmp/run:$native" $skb -F "$conf" --renames "$tmp/nul" && refused "^xdpzoom: $tmp: .*Is a directory" diff "$tmp/run:$native" $skb -F "$conf" --renames "$tmp"
result $? "diff: renames that are none are named"
cp -r build/runs/counted "$tmp/counted"
paths=$(find "$tmp/counted/blocks" -type f | sort | head -n 1)
cp "$tmp/nul" "$paths"
refused "$paths: NUL byte" report "$tmp/counted"
result $? "report: call paths that are none are named"
# Work: a stack of 60000 helpers, whose caller is looked for further and further out, took a minute for three samples
{
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "7 [001] 1.00000$i:  1000 cycles:"
		yes "	ffffffff81000000 memcpy ([kernel.kallsyms])" | head -n 60000
		echo
	done
} >"$tmp/deep.script"
timeout 60 "$P" --pps 1M "$tmp/deep.script" >"$tmp/out" 2>"$tmp/why"
result $? "perfparse: deep stacks cost no more than their length"

# What a stranger's file could make of its reader: nothing that writes, connects or gets rights
if command -v strace >/dev/null && strace -o "$tmp/trace" true 2>/dev/null; then
	jailed() { # "PRCTL LANDLOCK" calls that are seen before FILE is opened to be read, of COMMAND...; the first 8 bytes were looked at
		file=$1
		shift
		strace -f -o "$tmp/trace" -e trace=prctl,seccomp,landlock_restrict_self,openat "$@" >"$tmp/out" 2>"$tmp/why"
		awk -v file="$file" '{ line[NR] = $0 } index($0, file) { last = NR } END { for (i = 1; i < last; i++) print line[i] }' "$tmp/trace" |
			awk '/SECCOMP_(SET_)?MODE_FILTER.* = 0/ { s++ } /landlock_restrict_self/ { l++ } END { print s + 0, l + 0 }'
	}
	want="1 $(python3 -c 'import ctypes; print(int(ctypes.CDLL(None).syscall(444, 0, 0, 1) > 0))')"
	[ "$(jailed script.txt "$P" --pps 1M tests/fixtures/perf/6.1/script.txt)" = "$want" ]
	result $? "perfparse reads in a jail"
	[ "$(jailed run.json "$X" report --full "$tmp/run")" = "$want" ]
	result $? "report reads in a jail"
	[ "$(jailed run.json "$X" report --full "$tmp/run" -o "$tmp/jailed")" = "$want" ] && [ -s "$tmp/jailed" ]
	result $? "report -o reads in a jail, and writes"
	[ "$(jailed run.json "$X" report -f svg "$tmp/run" -o "$tmp/jailed.svg")" = "$want" ] && [ -s "$tmp/jailed.svg" ]
	result $? "plot reads in a jail, and writes"
	[ "$(jailed run.json "$X" history add --db "$tmp/jailed.db" "$tmp/run")" = "$want" ] && [ -s "$tmp/jailed.db" ]
	result $? "history add reads in a jail, and writes"
	[ "$(jailed script.txt "$X" import tests/fixtures/perf/6.1/script.txt --pps 1M -V $native -o "$tmp/jailed.run")" = "$want" ] &&
		[ -s "$tmp/jailed.run/run.json" ]
	result $? "import reads in a jail, and writes"
	[ "$(jailed script.txt "$X" import --list tests/fixtures/perf/6.1/script.txt)" = "$want" ]
	result $? "import --list reads in a jail"
fi

