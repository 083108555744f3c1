#!/bin/sh
# The same frames through two programs: the frames that differ are those in which a change was injected, and no others.
. "$(dirname "$0")/lib.sh"
need_root
build() { # NAME SED-EXPRESSION: the firewall with a change, as $tmp/NAME.o
	sed "$2" tests/rig/own/firewall.bpf.c >"$tmp/$1.bpf.c"
	bpf "$tmp/$1.bpf.c" "$tmp/$1.o"
}
build old ''
build verdict 's/return cfg_rest;/return ip->ttl == 3 ? 9 : cfg_rest;/'
build bytes 's/return cfg_rest;/return ip->ttl -= ip->ttl == 3, cfg_rest;/'
old=prog:$tmp/old.o
bpf tests/rig/own/none.bpf.c "$tmp/none.o"
tc=$tmp/none.o
replay() {
	"$X" replay "$@" --frames 'udp 10.0.0.1 > 10.0.0.2:53 len 200' --frames 'udp 10.0.0.1:7 > 10.0.0.2:53 ttl 3' \
		--frames 'udp 198.18.0.1 > 10.0.0.2' >"$tmp/out" 2>"$tmp/err"
	echo $?
}

is "one program: nothing to compare" "$(replay "$old") $(grep -c '^  XDP_PASS *3$' "$tmp/out")" "0 1"
block='bpftool map update pinned $XDPZOOM_PINS/blocked key 198 18 0 1 value 0 0 0 0 0 0 0 0'
is "its map is filled by --setup" "$(replay "$old" --setup "$block") $(grep -c '^  XDP_DROP *1$' "$tmp/out")" "0 1"
is "a program and itself" "$(replay "$old" "$old") $(sed -n 3p "$tmp/out")" "0 0 of 3 frames differ"
is "another verdict, and it is none" "$(replay "$old" "prog:$tmp/verdict.o") $(tail -n 1 "$tmp/out" | tr -s ' ')" \
	"3  2 60 XDP_PASS 9 (no verdict) same"
is "one program: a number that is no verdict has a row" "$(replay "prog:$tmp/verdict.o") $(sed -n '3,$p' "$tmp/out" | tr -s ' \n' ' ')" \
	"0  XDP_PASS 2 9 (no verdict) 1 "
is "another byte" "$(replay "$old" "prog:$tmp/bytes.o") $(tail -n 1 "$tmp/out" | tr -s ' ')" \
	"3  2 60 XDP_PASS XDP_PASS byte 22: 03 and 02"
is "as Markdown" "$(replay "$old" "prog:$tmp/bytes.o" --format markdown) $(tail -n 1 "$tmp/out")" \
	"3 | 2 | 60 | XDP_PASS | XDP_PASS | byte 22: 03 and 02 |"
is "--set for both" "$(replay "$old" "prog:$tmp/verdict.o" --set cfg_rest=1,cfg_odd=2) $(sed -n 3p "$tmp/out")" \
	"0 0 of 3 frames differ"
seen() { echo "$(replay "prog:$tc@$1") $(sed -n '3,$p' "$tmp/out" | tr -s ' \n' ' ')"; }
is "a tc program's verdicts, and at netkit" "$(seen tcx)$(seen netkit)" "0  TC_ACT_OK 2 TC_ACT_SHOT 1 0  NETKIT_PASS 2 NETKIT_DROP 1 "
fails "a program for tc and one for XDP" 2 'one program is for tc and the other for XDP' "$X" replay "$old" "prog:$tc@tcx" --frames 'udp 10.0.0.1 > 10.0.0.2'

# One page: the frames, what a run measured of both programs, and what another one counted. The names are those of the runs.
runs=$PWD/build/runs
cp "$tmp/old.o" "$tmp/fw.o"
cp "$tmp/old.o" "$tmp/new.o"
cd "$tmp" || exit 1
page() { "$X" replay prog:fw.o prog:new.o --frames 'udp 10.0.0.1 > 10.0.0.2:53' --format markdown "$@" >out 2>err; }
both() { page --measured "$runs/fw2" --exact "$runs/fw3" "$@"; }
said() { sed 's/[-+0-9.]* to .* ns/N to N ns/; s/(.*)/(N)/; s/+[0-9]*/N/' err | tr '\n' ';'; }
both
is "a page with three parts, in this order" \
	"$? $(grep -oE '^\*\*0 of 1 frame|^### (Time|Instructions)$|costs \*\*[0-9.]+.* (ns|instructions)\*\*' out | sed 's/[0-9.]* ± [0-9.]*/N/; s/[0-9]*\.[0-9]* i/N i/' | tr '\n' ';')" \
	"0 **0 of 1 frame;### Time;costs **N ns**;### Instructions;costs **N instructions**;"
both --fail-if slower=2%
is "a limit in percent is for both runs" "$? $(said)" \
	"3 xdpzoom: slower by N to N ns per packet (N), which is beyond 2 %;xdpzoom: N instructions per packet (N), which is beyond 2 %;"
both --fail-if slower=10instructions
is "one in instructions is for the exact run" "$? $(said)" "3 xdpzoom: N instructions per packet (N), which is beyond 10 instructions;"
both --fail-if slower=1000ns
is "and a difference within the limit fails nothing" "$? $(cat err)" "0 "
both -o page.md --format text
is "as text, into a file" "$? $(grep -cxE 'Time|Instructions|0 of 1 frame differ' page.md) $(wc -c <out)" "0 3 0"
page --measured "$runs/run1" -o none.md
is "a run without these programs: what it has, and no page" "$? $(grep -c 'has no variant .prog:fw.o@native.; it has' err) $(ls none.md 2>&1 | grep -c cannot)" "1 1 1"
page --measured "$runs/fw2" --fail-if slower=2instructions
is "a limit for a run that is not named" "$? $(wc -l <err)" "2 1"
"$X" replay prog:fw.o --frames 'udp 10.0.0.1 > 10.0.0.2' --exact "$runs/fw3" 2>err
is "one program: nothing to compare" "$? $(grep -c 'name a second one' err)" "2 1"
