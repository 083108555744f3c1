#!/bin/sh
# make install: the installed program finds the harness and the plugin beside it, and says so when they are missing.
. "$(dirname "$0")/../rig/lib.sh"
[ -x "$X" ] || skip_all "$X is not built"

mkdir "$tmp/empty" "$tmp/none"
# No package is installed, and what installs says that it was called.
printf '#!/bin/sh\nexit 1\n' >"$tmp/none/dpkg-query"
printf '#!/bin/sh\ntouch "%s"\n' "$tmp/called" >"$tmp/none/apt-get"
chmod +x "$tmp/none/dpkg-query" "$tmp/none/apt-get"
is "deps.sh: --list after another word installs nothing" \
	"$(PATH="$tmp/none:$PATH" ./deps.sh --browser --list | tr '\n' ' ')$(ls "$tmp/called" 2>/dev/null)" "chromium chromium-driver python3-selenium termtosvg "
is "--version names what figures come from" "$("$X" --version | sed 's/ .*//' | tr '\n' ' ')" "xdpzoom libbpf $(perf --version 2>/dev/null | sed 's/ .*//;s/^$/no/') $(uname -s) "
ok "it is installed" make -s install DESTDIR="$tmp/other" PREFIX=/usr
touch "$tmp/other/usr/share/xdpzoom/mine" "$tmp/other/usr/bin/other"
ok "it is uninstalled" make -s uninstall DESTDIR="$tmp/other" PREFIX=/usr
is "what it did not install stays" "$(cd "$tmp/other" && find . ! -type d | sort | tr '\n' ' ')" "./usr/bin/other ./usr/share/xdpzoom/mine "
ok "it is installed" make -s install DESTDIR="$tmp" PREFIX=/usr

is "nothing holds the name of the folder in which it was built" "$(grep -rlF "$PWD" "$tmp/usr")" ""
version=$("$X" --version | sed -n 's/^xdpzoom //p')
is "the packages have this version" "$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)" "$version"

exact() { env PATH="$tmp/empty" "$tmp/usr/bin/xdpzoom" exact -o "$tmp/run"; }
fails "the harness and a plugin are there, QEMU is missing" 77 "no qemu-system-x86_64 in PATH" exact
mv "$tmp/usr/lib/xdpzoom" "$tmp/away"
fails "no plugin" 77 "the harness of virtual machines is not installed beside" exact
mv "$tmp/away" "$tmp/usr/lib/xdpzoom"
rm "$tmp/usr/share/xdpzoom/vm/run"
fails "no harness" 77 "the harness of virtual machines is not installed beside" exact
if git rev-parse HEAD >/dev/null 2>&1; then
	make -s dist && cp build/xdpzoom-*.tar.gz "$tmp/first.tar.gz" && sleep 1 && make -s dist
	is "a tarball has all committed files, and is the same twice" \
		"$(tar tzf "$tmp/first.tar.gz" | grep -vc '/$') $(cmp "$tmp/first.tar.gz" build/xdpzoom-*.tar.gz)" "$(git ls-tree -r HEAD | wc -l) "
else
	skip "a tarball" "this tree is no checkout"
fi
