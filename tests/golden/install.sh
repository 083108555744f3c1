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
	"$(PATH="$tmp/none:$PATH" ./deps.sh --browser --list | tr '\n' ' ')$(ls "$tmp/called" 2>/dev/null)" "chromium chromium-driver python3-selenium "
is "--version names what figures come from" "$("$X" --version | sed 's/ .*//' | tr '\n' ' ')" "xdpzoom libbpf $(perf --version 2>/dev/null | sed 's/ .*//;s/^$/no/') $(uname -s) "
ok "it is installed" make -s install DESTDIR="$tmp/other" PREFIX=/usr
touch "$tmp/other/usr/share/xdpzoom/mine" "$tmp/other/usr/bin/other"
ok "it is uninstalled" make -s uninstall DESTDIR="$tmp/other" PREFIX=/usr
is "what it did not install stays" "$(cd "$tmp/other" && find . ! -type d | sort | tr '\n' ' ')" "./usr/bin/other ./usr/share/xdpzoom/mine "
ok "it is installed" make -s install DESTDIR="$tmp" PREFIX=/usr

is "nothing holds the name of the folder in which it was built" "$(grep -rlF "$PWD" "$tmp/usr")" ""
is "headers that leave the tree name their licence" "$(grep -rL 'SPDX-License-Identifier''[:] GPL-2.0-or-later' "$tmp/usr/include")" ""
version=$("$X" --version | sed -n 's/^xdpzoom //p')
is "the packages have this version" "$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)" "$version"

# A program of somebody else: against the installed library, by pkg-config; the library shows the functions of its headers.
pc() { PKG_CONFIG_SYSROOT_DIR="$tmp" PKG_CONFIG_LIBDIR="$tmp/usr/lib/pkgconfig" pkg-config "$@" perfparse; }
text=tests/fixtures/perf/6.1/report-self.txt
# shellcheck disable=SC2046 # words
ok "the example builds against the library" ${CC:-cc} -Wall -Werror -o "$tmp/costs" docs/examples/perfparse/costs.c $(pc --cflags --libs)
is "and prints what perfparse prints" \
	"$(LD_LIBRARY_PATH="$tmp/usr/lib" "$tmp/costs" 100 <$text | awk '{ print $1, $NF }' | sort)" \
	"$("$tmp/usr/bin/perfparse" --ns 100 -f json $text | jq -r '.symbols[] | "\(.self_ns) \(.name)"' | awk '{ printf "%.1f %s\n", $1, $NF }' | sort)"
nm -D --defined-only "$tmp/usr/lib/libperfparse.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/exported"
nm --defined-only "$tmp/usr/lib/libperfparse.a" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >"$tmp/functions"
find "$tmp/usr/include/xdpzoom" -name '*.h' -exec grep -ohE '[a-z][a-z_0-9]+\(' {} + | tr -d '(' | sort -u | comm -12 - "$tmp/functions" >"$tmp/declared"
is "the library has the functions of its headers, and no others" "$(diff "$tmp/declared" "$tmp/exported") $(wc -l <"$tmp/declared" | grep -c '^[1-9][0-9]')" " 1"
is "each with a version" "$(nm -D --defined-only "$tmp/usr/lib/libperfparse.so" | grep ' T ' | grep -vc '@@PERFPARSE_0')" 0

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
