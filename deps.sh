#!/bin/sh
# deps.sh - install the packages that building, running and testing xdpzoom need, and only those that are missing
# usage: deps.sh            install what is missing (needs root only if something is)
#        deps.sh --list     print what is missing, install nothing
#        deps.sh --vm       the same for the virtual machines of tests/vm
#        deps.sh --browser  the same for the browser that tests/browser drives: 300 MB that nothing else needs
set -eu

list_only='' vm='' browser=''
case "${1-}" in
"") ;;
--list) list_only=1 ;;
--vm) vm=1 ;;
--browser) browser=1 ;;
*) echo "usage: deps.sh [--list|--vm|--browser]" >&2; exit 2 ;;
esac

# The last line of packages holds what tests alone use. Not here, as they are hundreds of megabytes: golang-go,
# prometheus, chromium; tests that ask them are skipped without them.
# A generator on another machine wants ssh here and sshd there. Tests alone use: cppcheck shellcheck sshd perl jq.
# One line a package manager: how to ask whether a package is there, how to install, and the names.
if command -v apt-get >/dev/null 2>&1; then
	have() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
	install() { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; }
	perf=linux-perf bpftool=bpftool
	if [ "$(. /etc/os-release; echo "$ID")" = ubuntu ]; then
		# Ubuntu builds perf and bpftool per kernel and calls the packages so.
		perf="linux-tools-common linux-tools-generic" bpftool=
	fi
	packages="gcc libc6-dev make clang llvm libclang-rt-dev pkg-config libbpf-dev linux-libc-dev libjansson-dev
		libnl-route-3-dev libnl-genl-3-dev libgsl-dev libcmocka-dev zlib1g-dev libxdp-dev libprotobuf-c-dev protobuf-c-compiler libsqlite3-dev
		libelf-dev $perf $bpftool
		iproute2 ethtool procps openssh-client cppcheck shellcheck openssh-server python3-docutils perl jq gnuplot-nox
		protobuf-compiler sqlite3 python3 strace"
elif command -v dnf >/dev/null 2>&1; then
	have() { rpm -q "$1" >/dev/null 2>&1; }
	install() { dnf install -y -q "$@"; }
	packages="gcc glibc-devel libasan libubsan make clang llvm compiler-rt pkgconf-pkg-config libbpf-devel
		kernel-headers libxdp-devel jansson-devel libnl3-devel gsl-devel libcmocka-devel zlib-devel protobuf-c-devel
		protobuf-c-compiler sqlite-devel elfutils-libelf-devel perf
		bpftool iproute ethtool procps-ng openssh-clients cppcheck ShellCheck openssh-server python3-docutils perl-Test-Harness jq gnuplot-minimal
		protobuf-compiler sqlite python3 strace"
elif command -v pacman >/dev/null 2>&1; then
	have() { pacman -Q "$1" >/dev/null 2>&1; }
	install() { pacman -Sy --noconfirm --needed "$@"; }
	packages="gcc make clang llvm compiler-rt pkgconf libbpf xdp-tools linux-api-headers jansson libnl gsl cmocka zlib protobuf-c sqlite libelf
		perf bpf iproute2 ethtool procps-ng openssh cppcheck shellcheck python-docutils perl jq gnuplot
		protobuf python strace"
else
	echo "deps.sh: no apt-get, dnf or pacman here; install by hand: clang llvm bpftool perf libbpf jansson libnl-route-3 gsl cmocka zlib protobuf-c sqlite3" >&2
	exit 1
fi

if [ -n "$vm" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the virtual machines run Debian's kernels, and need apt-get" >&2; exit 77; }
	packages="qemu-system-x86 cpio busybox-static kmod xz-utils perl jq iproute2 ethtool python3"
fi

if [ -n "$browser" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the browser's tests drive Debian's chromium, and need apt-get" >&2; exit 77; }
	packages="chromium chromium-driver python3-selenium"
fi

missing=
for p in $packages; do
	have "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ -n "$list_only" ]; then
	printf '%s\n' $missing
	exit 0
fi
echo "deps: installing$missing" >&2
if [ "$(id -u)" -ne 0 ]; then
	echo "deps: installing packages needs root; run: sudo make deps" >&2
	exit 77
fi
install $missing
