#!/bin/bash
# -o and standard output: a result never takes the place of what it is made from, and a result that was lost is said.
. "$(dirname "$0")/lib.sh"
need "$X"
P=${X%/*}/perfparse
native=drop/no-touch@native
fixture=$PWD/tests/fixtures/perf/6.1/report-self.txt
conf=$PWD/perfparse/components.conf
names=$PWD/perfparse/renames.conf
cp -r build/runs/run1 build/runs/fw1 "$tmp/"
cp -r build/runs/counted "$tmp/counted"
mkdir "$tmp/points"
cp -r build/runs/run1 "$tmp/points/size=64"
cp "$fixture" "$tmp/s.txt"
cp "$conf" "$tmp/f.conf"
cp "$names" "$tmp/r.conf"
ln -s run1/run.json "$tmp/link"
ln "$tmp/s.txt" "$tmp/hard"
"$X" history add --db "$tmp/h.db" build/runs/run1 >/dev/null || exit 1
cd "$tmp" || exit 1

# keeps FILE COMMAND...: status 2 and one sentence with --output, and FILE is as it was
keeps() {
	file=$1
	shift
	cp "$file" was
	"$@" >printed 2>said
	got=$?
	[ $got -eq 2 ] && [ ! -s printed ] && [ "$(wc -l <said)" -eq 1 ] && grep -q -- "--output" said && cmp was "$file" && return 0
	echo "exit status $got"
	cat said
	return 1
}
# shellcheck disable=SC2094 # the same file is what is refused
stdin() { "$P" --ns 100 -o s.txt <s.txt; }

block=run1/$(jq -r '.blocks[0].script' run1/run.json)
paths=$(find counted/blocks -type f | head -n 1)
ok "report: run.json" keeps run1/run.json "$X" report run1 -f json -o run1/run.json
ok "report: a link to it" keeps run1/run.json "$X" report --full run1 -o link
ok "report: a block's text" keeps "$block" "$X" report --full run1 -o "$block"
ok "report: the turns" keeps fw1/turns "$X" report --full fw1 -o fw1/turns
ok "report: an exact run" keeps counted/run.json "$X" report --full counted -o counted/run.json
ok "report: its call paths" keeps "$paths" "$X" report --full counted -o "$paths"
ok "report: the components" keeps f.conf "$X" report --full run1 -F f.conf -o f.conf
ok "diff: run.json" keeps run1/run.json "$X" diff --full "run1:$native" drop/no-touch@skb -o run1/run.json
ok "explain: the exact run" keeps counted/run.json "$X" report run1 --exact counted -o counted/run.json --full
ok "sweep: a point" keeps points/size=64/run.json "$X" report points -o points/size=64/run.json
ok "perfparse: its input" keeps s.txt "$P" --ns 100 s.txt -o s.txt
ok "perfparse: under another name" keeps s.txt "$P" --ns 100 s.txt -o hard
ok "perfparse: on standard input" keeps s.txt stdin
ok "perfparse: the second profile" keeps s.txt "$P" --ns 100 "$fixture" --diff s.txt --ns2 50 -o s.txt
ok "perfparse: the components" keeps f.conf "$P" --ns 100 s.txt --components f.conf -o f.conf
ok "perfparse: the renames" keeps r.conf "$P" --ns 100 s.txt --renames r.conf -o r.conf
# What was no input stays allowed
ok "report: a file of one's own in the run directory, twice" sh -c "'$X' report --full run1 -o run1/report.txt && '$X' report --full run1 -o run1/report.txt && [ -s run1/report.txt ]"
mkdir mine
echo old >mine/run.json
ok "report: a run.json that is no run's" sh -c "'$X' report run1 -f json -o mine/run.json && jq -e .schema mine/run.json"
ok "perfparse: another file" sh -c "'$P' --ns 100 s.txt -o other && [ -s other ]"
ok "report: a device" "$X" report --full run1 -o /dev/null

# lost WORDS COMMAND...: standard output that cannot be written is said, with status 1
lost() {
	words=$1
	shift
	if [ "$words" = full ]; then "$@" >/dev/full 2>said; else "$@" >&- 2>said; fi
	got=$?
	[ $got -eq 1 ] && [ "$(wc -l <said)" -eq 1 ] && grep -q "cannot write the output: " said && return 0
	echo "exit status $got"
	cat said
	return 1
}
for where in full closed; do
	ok "xdpzoom --help: $where" lost $where "$X" --help
	ok "xdpzoom --version: $where" lost $where "$X" --version
	ok "report --help: $where" lost $where "$X" report --help
	ok "report --format list: $where" lost $where "$X" report --format list
	ok "perfparse --help: $where" lost $where "$P" --help
	ok "perfparse --version: $where" lost $where "$P" --version
	ok "import --list: $where" lost $where "$X" import --list s.txt
done
# unread COMMAND...: standard output is a pipe whose reader has gone; the status is in $got
unread() {
	exec 4> >(:)
	wait $!
	"$@" >&4 2>said
	got=$?
	exec 4>&-
}
enough() { unread "$X" --help; [ $got -eq 141 ] && [ ! -s said ]; } # SIGPIPE
ok "a reader that has enough is no error" enough
ignoring() { (trap '' PIPE; unread "$X" --help; [ $got -eq 0 ] && [ ! -s said ]); }
ok "... whoever ignores SIGPIPE" ignoring
