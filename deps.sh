#!/bin/sh
# deps.sh - install the missing packages among those that xdpzoom needs to be built, run and tested, on Debian and Ubuntu
# usage: deps.sh [--list] [--vm|--packages|--lint|--browser]
#        deps.sh            install the missing packages (needs root only if there are any)
#        deps.sh --vm       install the packages for virtual machines (vm/, tests/vm)
#        deps.sh --packages install what makes Debian packages, and looks at them
#        deps.sh --lint     install the analysers of make lint
#        deps.sh --browser  install the packages for tests/browser and reports/examples: 300 MB that no other test needs
#        --list             print the missing packages, install nothing
set -eu

usage() { echo "usage: deps.sh [--list] [--vm|--packages|--lint|--browser]" >&2; exit 2; }
list_only='' group=''
for word; do
	case $word in
	--list) list_only=1 ;;
	--vm | --packages | --lint | --browser) [ -z "$group" ] || usage; group=$word ;;
	*) usage ;;
	esac
done

if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps.sh: no apt-get here; install by hand: clang llvm bpftool perf libbpf jansson libnl-route-3 libseccomp gsl cmocka zlib sqlite3 libpcap" >&2
	exit 77
fi
perf=linux-perf bpftool=bpftool
if [ "$(. /etc/os-release; echo "$ID")" = ubuntu ]; then
	# Ubuntu builds perf and bpftool for each kernel, in packages with these names.
	perf="linux-tools-common linux-tools-generic" bpftool=
fi
# To build, to run, and to test. A generator on another machine needs ssh here and sshd there. golang-go and
# chromium are left out, because they take hundreds of megabytes; the tests that use them are skipped without them.
case $group in
"") packages="gcc libc6-dev make clang llvm pkg-config libbpf-dev linux-libc-dev libxdp-dev libelf-dev zlib1g-dev $bpftool
			libjansson-dev libnl-route-3-dev libnl-genl-3-dev libnftables-dev liburing-dev libmicrohttpd-dev libgsl-dev
			libseccomp-dev libsqlite3-dev libpcap-dev libncurses-dev libcrypt-dev python3-docutils
		$perf iproute2 ethtool procps bzip2 openssh-client gnuplot-nox
		libclang-rt-dev clang-format-19 libcmocka-dev cppcheck shellcheck openssh-server nftables perl jq protobuf-compiler sqlite3 python3 python3-seccomp strace tmux valgrind zsh fish" ;;
--vm) packages="qemu-system-x86 cpio busybox-static kmod util-linux xz-utils zstd perl jq gojq iproute2 ethtool python3 e2fsprogs flex bison bc libelf-dev dwarves" ;;
--packages) packages="debhelper fakeroot lintian debootstrap reuse" ;;
--lint) packages="shellcheck cppcheck clang-tidy gcc sparse" ;;
--browser) packages="chromium chromium-driver python3-selenium termtosvg" ;;
esac

have() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || is_nowhere "$1"; }
# A Debian in the making may lack this one for a while; tests/code/format.sh is skipped without it.
is_nowhere() {
	[ "$1" = clang-format-19 ] && apt-cache pkgnames clang-format | grep -q . &&
		! apt-cache policy "$1" | grep -q 'Candidate: [^(]'
}
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
if ! (apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@") >"$log" 2>&1; then
	cat "$log" >&2
	echo "deps: not all packages could be installed; the last lines above show the reason" >&2
	exit 1
fi
