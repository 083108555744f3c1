#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.data itself: what this machine's perf prints of it gives the same numbers as its text.
# The same perf.data, read by perf 6.1.192, 6.12.117 and 7.3.4 (November 2026): each gave the costs of its own perf script,
# and those of its own perf report to their two decimals; 105 functions of the kernel were alike in all three.
. "$(dirname "$0")/lib.sh"
P=$PWD/build/perfparse
need "$P"
data=$tmp/perf.data
export HOME=$tmp/home TMPDIR=$tmp/temporary # of perf's copies of programs
mkdir "$HOME" "$TMPDIR"
perf record -q -a -e cpu-clock -F 999 -g -o "$data" -- dd if=/dev/zero of=/dev/null bs=1k count=100000 >/dev/null 2>&1 && [ -s "$data" ] ||
	skip_all "perf records nothing here"
perf script -i "$data" --no-inline --ns -F tid,cpu,time,event,period,ip,sym,dso >"$tmp/script" 2>/dev/null
# the CPU with most samples of tasks in the kernel; another one may have none, or be idle all the time
cpu=$(awk '/^[^\t]/ { cpu = $2; head = $1 > 0; next } head && /^\t *ffff/ { n[cpu]++ } { head = 0 } END { for (c in n) print n[c], c }' "$tmp/script" |
	sort -rn | sed -n '1s/.*\[0*\([0-9].*\)\]/\1/p')
costs() { "$P" --ns 100 --format json "$@" 2>"$tmp/why"; }
same() { # OPTION...: of the text and of the file
	costs "$@" "$tmp/script" >"$tmp/want" && costs "$@" "$data" >"$tmp/got" || cat "$tmp/why"
	[ -s "$tmp/got" ] && diff "$tmp/want" "$tmp/got"
}
refused() { # STATUS WORDS COMMAND...: one sentence, and nothing printed
	local want=$1 words=$2 got
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/why"
	got=$?
	[ $got -eq "$want" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/why")" -eq 1 ] && grep -q -e "$words" "$tmp/why" && return 0
	echo "exit status $got"
	cat "$tmp/why"
	return 1
}

ok "the costs of perf.data are those of its text" same
ok "... who read it is told" grep -q "it is read by perf version" "$tmp/why"
ok "... of one CPU" same --cpu "$cpu"
on_stdin() { costs "$tmp/script" >"$tmp/want" && costs <"$data" >"$tmp/got" && diff "$tmp/want" "$tmp/got"; }
ok "... on standard input" on_stdin
second() { costs --ns2 90 --diff "$tmp/script" "$tmp/script" >"$tmp/want" && costs --ns2 90 --diff "$data" "$data" >"$tmp/got" && diff "$tmp/want" "$tmp/got"; }
ok "... as the second profile, too" second
part() { [ "$(costs --time 0%-10% "$data" | jq .samples)" -lt "$(costs "$data" | jq .samples)" ]; }
ok "a part of the time has fewer samples" part
through_a_pipe() {
	rm -f "$tmp/pipe"
	mkfifo "$tmp/pipe"
	cat "$tmp/script" >"$tmp/pipe" &
	costs "$tmp/script" >"$tmp/want" && costs "$tmp/pipe" | diff "$tmp/want" -
}
ok "a text in a pipe with a name is opened once" through_a_pipe
ok "--time of a text" refused 2 "is for a perf.data" "$P" --ns 100 --time 1,2 "$tmp/script"
head -c 3000 "$data" >"$tmp/cut"
ok "a file that was cut" refused 1 "cut: " "$P" --ns 100 "$tmp/cut"
nightly

# perf archive: the kernel becomes one of another machine by its build id, which is in both files.
here=$tmp/here other=$tmp/other/perf.data cache=$tmp/cache
perf record -q -e cpu-clock:k -F 999 -g -o "$here" -- dd if=/dev/zero of=/dev/null bs=1k count=100000 >/dev/null 2>&1
make_other() {
	local id new
	mkdir -p "$tmp/other" "$cache/[kernel.kallsyms]" && perf archive "$here" &&
		tar xf "$here.tar.bz2" -C "$cache" && rm "$here.tar.bz2" || return 1
	id=$(perf buildid-list -i "$here" | awk '/kernel.kallsyms/ { print $1 }') new=00112233${id:8}
	ID=$id NEW=$new perl -0777 -pe 's/\Q${\pack("H*", $ENV{ID})}\E/pack("H*", $ENV{NEW})/ge' "$here" >"$other"
	rm "$cache/.build-id/${id:0:2}/${id:2}" && mkdir "$cache/.build-id/00" &&
		mv "$cache/[kernel.kallsyms]/$id" "$cache/[kernel.kallsyms]/$new" &&
		ln -s "../../[kernel.kallsyms]/$new" "$cache/.build-id/00/${new:2}" && tar cjf "$tmp/other.tar.bz2" -C "$cache" .
}
ok "perf archive packs the kernel's symbols" make_other
"$P" --ns 100 "$other" >"$tmp/bare" 2>"$tmp/why"
ok "a kernel of another machine has no symbols" grep -q "% of its samples are in the kernel and have no symbol" "$tmp/why"
unpacked() {
	costs "$here" >"$tmp/want" && mkdir -p "$HOME/.debug" && tar xf "$tmp/other.tar.bz2" -C "$HOME/.debug" &&
		costs "$other" >"$tmp/got" && diff "$tmp/want" "$tmp/got" && ! grep -q "have no symbol" "$tmp/why"
}
ok "... but those of an archive, unpacked" unpacked
ok "no perf here" refused 1 "no perf here" env PATH=/nowhere "$P" --ns 100 "$data"
imported() {
	"$X" import -V drop/no-touch@native --pps 1M -C "$cpu" -o "$tmp/run" "$data" 2>"$tmp/why" &&
		"$X" report "$tmp/run" -f json | jq '.variants[0].samples' >"$tmp/got" &&
		costs --cpu "$cpu" "$tmp/script" | jq .samples | diff - "$tmp/got" &&
		[ "$(jq -r .environment.perf "$tmp/run/run.json")" = "$(perf --version)" ] &&
		[ "$(jq -r .environment.kernel "$tmp/run/run.json")" = "$(uname -r)" ]
}
ok "import: the same samples, with perf's version and the kernel of the recording" imported
