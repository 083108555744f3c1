#!/bin/sh
# The programs stop at an overflow: stack protector, checked string functions, no fixed addresses, no table to overwrite.
. "$(dirname "$0")/../rig/lib.sh"
command -v readelf >/dev/null || skip_all "no readelf here"
[ -x "$X" ] || skip_all "$X is not built"
P=${X%/*}/perfparse

has() { # WHAT FILE PATTERN READELF-OPTIONS...: readelf prints a line that the pattern fits
	what=$1 file=$2 pattern=$3
	shift 3
	readelf -W "$@" "$file" >"$tmp/elf"
	ok "${file##*/}: $what" grep -Eq "$pattern" "$tmp/elf"
}
for program in "$X" "$P"; do
	has "runs at any address" "$program" 'FLAGS_1.*PIE' -d
	has "calls are bound at the start" "$program" 'FLAGS_1.*NOW' -d
	has "and can't be changed afterwards" "$program" '^ *GNU_RELRO' -l
	has "checks its stack" "$program" '__stack_chk_fail' --dyn-syms
	has "checks what it copies" "$program" '__[a-z]*printf_chk|__memcpy_chk' --dyn-syms
	has "has no stack that can be executed" "$program" '^ *GNU_STACK.* RW ' -l
done
# Where the compiler knows it: large frames are touched page by page, and indirect jumps have marked targets. Of these
# marks, what the C library adds to each program has three.
for file in "$X" "$P" "${X%/*}/count-1.so" "${X%/*}/count-3.so"; do
	if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null; then
		objdump -d --no-show-raw-insn "$file" >"$tmp/code"
		ok "${file##*/}: touches each page of a large frame" grep -Eq 'or[qlb] +\$0x0,(0x[0-9a-f]+)?\(%rsp\)' "$tmp/code"
		ok "${file##*/}: marks the targets of jumps" awk '/endbr64/ { n++ } END { exit n < 10 }' "$tmp/code"
	else
		skip "${file##*/}: touches each page of a large frame" "another machine"
		skip "${file##*/}: marks the targets of jumps" "another machine"
	fi
done
# The plugins read what a guest has written, in QEMU.
for plugin in ${X%/*}/count-1.so ${X%/*}/count-3.so; do
	has "checks its stack" "$plugin" '__stack_chk_fail' --dyn-syms
	has "checks what it copies" "$plugin" '__[a-z]*printf_chk|__memcpy_chk' --dyn-syms
	is "${plugin##*/}: QEMU, its GLib and libc have all that it calls" \
		"$(awk '$5 == "GLOBAL" && $7 == "UND" && $8 !~ /@GLIBC|^(qemu_plugin|g)_/ { print $8 }' "$tmp/elf")" ""
done
# Level 3 of FORTIFY also knows a size that is known at run time alone. Where the compiler does not, 3 means 2.
cat >"$tmp/copy.c" <<'EOF'
#include <stdlib.h>
#include <string.h>
char *copy(const char *from, size_t n, size_t room)
{
	char *to = malloc(room);

	return to ? memcpy(to, from, n) : to;
}
EOF
checks() { # FLAGS...: the compiler checks that copy
	${CC:-cc} -O2 "$@" -c -o "$tmp/copy.o" "$tmp/copy.c" && readelf -Ws "$tmp/copy.o" | grep -q __memcpy_chk
}
if checks -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3; then
	# shellcheck disable=SC2016,SC2046 # make's variable; flags are words
	for variable in HARDEN CHECKED; do
		ok "$variable: checks a copy to where malloc() has been" checks $(make -s --eval='flags:;@echo $('$variable')' flags)
	done
else
	skip "HARDEN: checks a copy to where malloc() has been" "this compiler does not"
	skip "CHECKED: checks a copy to where malloc() has been" "this compiler does not"
fi
