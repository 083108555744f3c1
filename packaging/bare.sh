#!/bin/sh
# bare.sh - builds the Debian packages in a tree of a Debian release, and installs them alone in a bare one
# usage: sudo [MIRROR=URL] packaging/bare.sh [SUITE...]      (bookworm trixie; without MIRROR that of debootstrap)
# In the bare tree: what the programs say of themselves, a text that becomes costs, the harness of virtual machines, man
# pages and completion. Status 1: something is missing there.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s dist
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

inside() { # TREE COMMAND: runs it there with /proc, which is gone with the command
	unshare --mount --pid --fork chroot "$1" sh -euc "mount -t proc proc /proc; $2"
}
try() { # SUITE
	debootstrap --variant=minbase "$1" "$tmp/$1" ${MIRROR:+"$MIRROR"} >"$tmp/log" || { tail -n 5 "$tmp/log" >&2; return 1; }
	cp -a "$tmp/$1" "$tmp/$1-build"
	mkdir "$tmp/$1-build/src"
	tar -xzf build/xdpzoom-*.tar.gz -C "$tmp/$1-build/src" --strip-components=1
	mv "$tmp/$1-build/src/packaging/debian" "$tmp/$1-build/src/debian"
	inside "$tmp/$1-build" 'cd /src; apt-get update -q; apt-get install -y -q --no-install-recommends dpkg-dev
		apt-get build-dep -y -q --no-install-recommends ./; dpkg-buildpackage -b -us -uc' >"$tmp/log" 2>&1 ||
		{ tail -n 20 "$tmp/log" >&2; return 1; }
	mkdir "$tmp/$1/packages"
	cp "$tmp/$1-build"/*.deb "$tmp/$1/packages"
	cp tests/fixtures/perf/6.1/report-self.txt "$tmp/$1/packages"
	inside "$tmp/$1" 'cd /packages; apt-get update -q
		apt-get install -y -q --no-install-recommends ./xdpzoom_*.deb' >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log" >&2; return 1; }
	inside "$tmp/$1" 'cd /packages
		xdpzoom --version
		perfparse --ns 100 report-self.txt | grep -q ns/packet
		! xdpzoom exact -o /tmp/run 2>/tmp/said
		grep "no qemu-system-x86_64 in PATH" /tmp/said
		test -s /usr/share/man/man1/xdpzoom-record.1.gz
		test -s /usr/share/man/man1/perfparse.1.gz
		test -s /usr/share/bash-completion/completions/xdpzoom
		test -s /usr/share/zsh/site-functions/_xdpzoom
		test -s /usr/share/fish/vendor_completions.d/xdpzoom.fish
		apt-get purge -y -q xdpzoom >/tmp/log 2>&1
		! find / -xdev -path "*xdpzoom*" ! -path "/packages/*" ! -path "/tmp/*" ! -path "/var/*" | grep .' ||
		{ echo "$1: not as it should be" >&2; return 1; }
	echo "$1: $(cd "$tmp/$1/packages" && ls xdpzoom_*.deb) is fine alone"
}
[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
	try "$suite"
done
