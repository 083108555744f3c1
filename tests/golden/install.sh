#!/bin/sh
# make install: the installed program finds the harness and the plugin beside it, and says so when they are missing.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"
plan 4

mkdir "$tmp/empty"
ok "it is installed" make -s install DESTDIR="$tmp" PREFIX=/usr
exact() { env PATH="$tmp/empty" "$tmp/usr/bin/xdpzoom" exact -o "$tmp/run"; }
fails "the harness and a plugin are there, QEMU is missing" 77 "no qemu-system-x86_64 in PATH" exact
mv "$tmp/usr/lib/xdpzoom" "$tmp/away"
fails "no plugin" 77 "the harness of virtual machines is not installed beside" exact
mv "$tmp/away" "$tmp/usr/lib/xdpzoom"
rm "$tmp/usr/share/xdpzoom/vm/run"
fails "no harness" 77 "the harness of virtual machines is not installed beside" exact
