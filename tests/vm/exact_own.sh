#!/bin/sh
# xdpzoom exact on a kernel of one's own: Debian's, as a bzImage and as a vmlinux, counts as by its word; and on a full disk.
# usage: VM_KERNEL=6.12 exact_own.sh
. "$(dirname "$0")/../rig/lib.sh"
kernel=${VM_KERNEL:-6.12}
folder=$(vm/cache)/$kernel
version=$(cat "$folder/version")
native=drop/no-touch@native

count() { # run, arguments...
	run=$1
	shift
	"$X" exact -q -o "$tmp/$run" -V $native "$@"
}
ok "by its word: counted" count word -k "$kernel"
ok "a bzImage and lib/modules/VERSION: counted" count bz -k "$folder/boot/vmlinuz-$version:$folder/lib/modules/$version"
ok "a vmlinux and the folder above: counted" count elf -k "$folder/vmlinux:$folder"
for run in bz elf; do
	"$X" diff "$tmp/word:$native" "$tmp/$run:$native" -f json >"$tmp/diff"
	is "$run: every exact function has the same count as by the word, and there are some" \
		"$(jq -r '[.symbols[] | select(.exact)] | [length > 5, all(.change == 0)] | join(" ")' "$tmp/diff")" "true true"
done
fails "without its modules: what it lacks" 1 "the kernel lacks the file system 9p" count none -k "$folder/boot/vmlinuz-$version"

need_root
mkdir "$tmp/small"
unshare -m sh -c 'mount -t tmpfs -o size=3M small "$1/small" && "$2" exact -q -o "$1/small/run" -k "$3" 2>"$1/err"
	echo $? >"$1/status"; ls "$1/small" >"$1/left"' sh "$tmp" "$X" "$kernel"
is "a full disk: status 1, in one sentence" "$(cat "$tmp/status") $(grep -c 'No space left on device' "$tmp/err") $(wc -l <"$tmp/err")" "1 1 1"
is "and no half run directory is left" "$(cat "$tmp/left")" ""

# The disk has room for all that comes before the first window, and is filled when that begins.
mkdir "$tmp/filled"
unshare -m sh -c 'mount -t tmpfs -o size=96M filled "$1/filled" && {
		"$2" exact -o "$1/filled/run" -V drop/no-touch@native -k "$3" 2>"$1/err" &
		until grep -q "^window 1 " "$1/err" || ! kill -0 $!; do sleep 0.1; done
		cat /dev/zero >"$1/filled/fill" 2>/dev/null
		wait $!
	}
	echo $? >"$1/status"; ls "$1/filled" >"$1/left"' sh "$tmp" "$X" "$kernel"
is "a disk that fills while it counts: status 1, in one sentence" \
	"$(cat "$tmp/status") $(grep -c '^xdpzoom: .*No space left on device' "$tmp/err") $(grep -c '^xdpzoom: ' "$tmp/err")" "1 1 1"
is "no half run directory is left" "$(cat "$tmp/left")" "fill"
gone "and no virtual machine" pgrep -f "[q]emu.*$tmp/"
