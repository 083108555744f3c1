#!/bin/sh
# deps.sh - install the missing packages among those that xdpzoom needs to be built, run and tested
# usage: deps.sh            install the missing packages (needs root only if there are any)
#        deps.sh --list     print the missing packages, install nothing
#        deps.sh --vm       install the packages for virtual machines (vm/, tests/vm)
#        deps.sh --packages install what makes Debian and RPM packages, and looks at them
#        deps.sh --lint     install the analysers of make lint
#        deps.sh --browser  install the packages for the browser of tests/browser: 300 MB that no other test needs
set -eu

list_only='' vm='' browser='' packages_too='' lint=''
case "${1-}" in
"") ;;
--list) list_only=1 ;;
--vm) vm=1 ;;
--packages) packages_too=1 ;;
--lint) lint=1 ;;
--browser) browser=1 ;;
*) echo "usage: deps.sh [--list|--vm|--packages|--lint|--browser]" >&2; exit 2 ;;
esac

# The packages of each package manager are in three groups: to build, to run, and to test. A generator on another
# machine needs ssh
# here and sshd there. golang-go, prometheus and chromium are left out, because they take hundreds of megabytes; the
# tests that use
# them are skipped without them.
# have() tests whether a package is installed; install() installs packages.
if command -v apt-get >/dev/null 2>&1; then
	have() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || is_nowhere "$1"; }
	# A Debian in the making may lack this one for a while; tests/code/format.sh is skipped without it.
	is_nowhere() {
		[ "$1" = clang-format-19 ] && apt-cache pkgnames clang-format | grep -q . &&
			! apt-cache policy "$1" | grep -q 'Candidate: [^(]'
	}
	install() { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; }
	perf=linux-perf bpftool=bpftool
	if [ "$(. /etc/os-release; echo "$ID")" = ubuntu ]; then
		# Ubuntu builds perf and bpftool for each kernel, in packages with these names.
		perf="linux-tools-common linux-tools-generic" bpftool=
	fi
	packages="gcc libc6-dev make clang llvm pkg-config libbpf-dev linux-libc-dev libxdp-dev libelf-dev zlib1g-dev $bpftool
			libjansson-dev libnl-route-3-dev libnl-genl-3-dev libnftables-dev liburing-dev libmicrohttpd-dev libgsl-dev libprotobuf-c-dev protobuf-c-compiler
			libsqlite3-dev libpcap-dev libncurses-dev libcrypt-dev python3-docutils
		$perf iproute2 ethtool procps bzip2 openssh-client gnuplot-nox graphviz
		libclang-rt-dev clang-format-19 libcmocka-dev cppcheck shellcheck openssh-server nftables perl jq protobuf-compiler sqlite3 python3 strace tmux valgrind zsh fish"
elif command -v dnf >/dev/null 2>&1; then
	have() { rpm -q "$1" >/dev/null 2>&1; }
	install() { dnf install -y -q "$@"; }
	packages="gcc glibc-devel make clang llvm pkgconf-pkg-config libbpf-devel kernel-headers libxdp-devel
			elfutils-libelf-devel zlib-devel bpftool jansson-devel libnl3-devel nftables-devel liburing-devel libmicrohttpd-devel gsl-devel protobuf-c-devel
			protobuf-c-compiler sqlite-devel libpcap-devel ncurses-devel libxcrypt-devel python3-docutils
		perf iproute ethtool procps-ng bzip2 openssh-clients gnuplot-minimal graphviz
		libasan libubsan compiler-rt libcmocka-devel cppcheck ShellCheck openssh-server nftables perl-Test-Harness perl-CPAN-Meta-YAML jq
			protobuf-compiler sqlite python3 strace valgrind"
elif command -v pacman >/dev/null 2>&1; then
	have() { pacman -Q "$1" >/dev/null 2>&1; }
	install() { pacman -Sy --noconfirm --needed "$@"; }
	packages="gcc make clang llvm pkgconf libbpf linux-api-headers xdp-tools libelf zlib bpf jansson libnl nftables liburing libmicrohttpd gsl protobuf-c sqlite
			libpcap ncurses libxcrypt python-docutils
		perf iproute2 ethtool procps-ng bzip2 openssh gnuplot graphviz
		compiler-rt cmocka cppcheck shellcheck perl jq protobuf python strace valgrind"
else
	echo "deps.sh: no apt-get, dnf or pacman here; install by hand: clang llvm bpftool perf libbpf jansson libnl-route-3 gsl cmocka zlib protobuf-c sqlite3 libpcap" >&2
	exit 1
fi

if [ -n "$vm" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the virtual machines run Debian's kernels and need apt-get" >&2; exit 77; }
	packages="qemu-system-x86 cpio busybox-static kmod util-linux xz-utils zstd perl jq gojq iproute2 ethtool python3 e2fsprogs flex bison bc libelf-dev dwarves"
fi

if [ -n "$browser" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the browser's tests drive Debian's chromium and need apt-get" >&2; exit 77; }
	packages="chromium chromium-driver python3-selenium"
fi

if [ -n "$packages_too" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the packages are made with Debian's tools and need apt-get" >&2; exit 77; }
	packages="debhelper fakeroot lintian debootstrap rpm reuse"
fi

if [ -n "$lint" ]; then
	command -v apt-get >/dev/null 2>&1 || { echo "deps.sh: the names of the analysers are Debian's and need apt-get" >&2; exit 77; }
	packages="shellcheck cppcheck clang-tidy gcc sparse"
fi

missing=
for p in $packages; do
	have "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086 # words
set -- $missing

if [ -n "$list_only" ]; then
	printf '%s\n' "$@"
	exit 0
fi
echo "deps: installing$missing" >&2
if [ "$(id -u)" -ne 0 ]; then
	echo "deps: installing packages needs root; run: sudo make deps" >&2
	exit 77
fi
# The output of the package manager is printed only when it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! install "$@" >"$log" 2>&1; then
	cat "$log" >&2
	echo "deps: not all packages could be installed; the last lines above show the reason" >&2
	exit 1
fi
