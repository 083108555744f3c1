#!/bin/sh
# reproducible.sh - builds the committed files twice, and compares what came out: make install and the Debian packages
# usage: packaging/reproducible.sh
# The two builds differ in folder, language, time zone, umask, number of jobs and time of day. Status 1: they differ.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s dist
tarball=$(ls "$PWD"/build/xdpzoom-*.tar.gz)
unset CC MAKEFLAGS MAKELEVEL

build() { # FOLDER LANGUAGE TIMEZONE UMASK JOBS
	(
		umask "$4"
		export LC_ALL="$2" TZ="$3"
		mkdir -p "$1/tree" "$1/debian"
		tar -xzf "$tarball" -C "$1/tree" --strip-components=1
		tar -xzf "$tarball" -C "$1/debian" --strip-components=1
		make -s -C "$1/tree" -j"$5"
		make -s -C "$1/tree" install DESTDIR="$1/installed" PREFIX=/usr
		if command -v dpkg-buildpackage >/dev/null; then
			cd "$1/debian"
			mv packaging/debian debian
			dpkg-buildpackage -b -us -uc -j"$5" >"$1/log" 2>&1 || { tail -n 20 "$1/log" >&2; exit 1; }
		fi
	)
	(cd "$1" && find installed ./*.deb ! -type d 2>/dev/null | LC_ALL=C sort | xargs -d '\n' sha256sum) >"$1.sums"
	(cd "$1" && find installed -printf '%y %m %p\n' | LC_ALL=C sort) >"$1.modes"
}
build "$tmp/one" C UTC 022 "$(nproc)"
build "$tmp/another/in/a/deeper/folder" C.UTF-8 Asia/Tokyo 002 1
for what in sums modes; do
	diff "$tmp/one.$what" "$tmp/another/in/a/deeper/folder.$what" >&2 || { echo "the two builds differ" >&2; exit 1; }
done
echo "$(wc -l <"$tmp/one.sums") files are the same in both builds, $(grep -c '\.deb$' "$tmp/one.sums") of them packages"
