#!/bin/sh
# The same frames through two programs: the frames that differ are those in which a change was planted, and no others.
. "$(dirname "$0")/lib.sh"
need_root
plan 12
build() { # NAME SED-EXPRESSION: the firewall with a change, as $tmp/NAME.o
	sed "$2" tests/rig/own/firewall.bpf.c >"$tmp/$1.bpf.c"
	clang -O2 -g -target bpf -mcpu=v3 -idirafter "/usr/include/$(${CC:-gcc} -print-multiarch)" -c "$tmp/$1.bpf.c" \
		-o "$tmp/$1.o" || exit 1
}
build old ''
build verdict 's/return cfg_rest;/return ip->ttl == 3 ? 9 : cfg_rest;/'
build bytes 's/return cfg_rest;/return ip->ttl -= ip->ttl == 3, cfg_rest;/'
old=prog:$tmp/old.o
replay() {
	"$X" replay "$@" --frame 'udp 10.0.0.1 > 10.0.0.2:53 len 200' --frame 'udp 10.0.0.1:7 > 10.0.0.2:53 ttl 3' \
		--frame 'udp 198.18.0.1 > 10.0.0.2' >"$tmp/out" 2>"$tmp/err"
	echo $?
}

is "one program: nothing to compare" "$(replay "$old") $(grep -c '^  XDP_PASS *3$' "$tmp/out")" "0 1"
block='bpftool map update pinned $XDPZOOM_PINS/blocked key 198 18 0 1 value 0 0 0 0 0 0 0 0'
is "its map is filled by --setup" "$(replay "$old" --setup "$block") $(grep -c '^  XDP_DROP *1$' "$tmp/out")" "0 1"
is "a program and itself" "$(replay "$old" "$old") $(sed -n 3p "$tmp/out")" "0 0 of 3 frames differ"
is "another verdict, and it is none" "$(replay "$old" "prog:$tmp/verdict.o") $(tail -n 1 "$tmp/out" | tr -s ' ')" \
	"3  2 60 XDP_PASS 9 (no verdict) same"
is "another byte" "$(replay "$old" "prog:$tmp/bytes.o") $(tail -n 1 "$tmp/out" | tr -s ' ')" \
	"3  2 60 XDP_PASS XDP_PASS byte 22: 03 and 02"
is "as Markdown" "$(replay "$old" "prog:$tmp/bytes.o" --format markdown) $(tail -n 1 "$tmp/out")" \
	"3 | 2 | 60 | XDP_PASS | XDP_PASS | byte 22: 03 and 02 |"
is "--set for both" "$(replay "$old" "prog:$tmp/verdict.o" --set cfg_rest=1,cfg_odd=2) $(sed -n 3p "$tmp/out")" \
	"0 0 of 3 frames differ"
printf '\324\303\262\241\2\0\4\0\0\0\0\0\0\0\0\0\377\377\0\0\1\0\0\0' >"$tmp/empty.pcap"
fails "a file without frames" 1 'holds no frame' "$X" replay "$old" -f "$tmp/empty.pcap"
fails "no frames" 1 'no frames: give' "$X" replay "$old"
fails "a file that is no capture" 1 'unknown file format' "$X" replay "$old" -f "$0"
fails "words that are not understood" 1 'write PROTOCOL' "$X" replay "$old" --frame nonsense
fails "no program" 2 'name programs as prog' "$X" replay firewall.o --frame 'udp 1.2.3.4 > 1.2.3.5'
