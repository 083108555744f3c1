#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xdpzoom_lib.sh - what xdpzoom's programs for the kernel's selftests share
# usage: . "$(dirname "$0")/xdpzoom_lib.sh"
#
# in:    NETIF, LOCAL_V4 and LOCAL_V6, REMOTE_V4 and REMOTE_V6, REMOTE_TYPE, REMOTE_ARGS, from the environment or from the file
#        net.config beside the program, as tools/testing/selftests/drivers/net/README.rst has them; without NETIF the built-in
#        testbed, a veth pair
#        XDPZOOM: the program (xdpzoom). XDPZOOM_OUT: where runs and numbers go (/tmp/xdpzoom-kselftest)
#        XDPZOOM_MAY_FAIL: checks, separated by blanks, whose failure is skipped, as a virtual machine fails them whatever its kernel
# out:   results as the kernel's selftests print them
# error: exit status 0: nothing failed, and something passed; 1: something failed; 4: everything was skipped, with the reason
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034 # for those who use this
test_name=$(basename "$0" .sh)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM

# A line is NAME=VALUE, with or without double quotes; what is behind "#" is a comment. It wins over the environment.
if [ -r "$here/net.config" ]; then
	while IFS= read -r line || [ -n "$line" ]; do
		line=${line%%#*}
		name=$(printf '%s' "${line%%=*}" | tr -d ' \t')
		value=$(printf '%s' "${line#*=}" | sed 's/^[ \t"]*//; s/[ \t"]*$//')
		case $name in
		NETIF | LOCAL_V[46] | REMOTE_V[46] | REMOTE_TYPE | REMOTE_ARGS | XDPZOOM | XDPZOOM_*) export "$name=$value" ;;
		esac
	done <"$here/net.config"
fi
X=${XDPZOOM:-xdpzoom}
out=${XDPZOOM_OUT:-/tmp/xdpzoom-kselftest}

skip_all() { # REASON
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$(printf '%s' "$1" | tr '#\n' '  ')"
	exit 4
}
# result ok|"not ok" NAME [SKIP REASON]: for what no command of xdpzoom prints itself
result() {
	printf '%s 1 %s%s\n' "$1" "$2" "${3:+ # SKIP $(printf '%s' "$3" | tr '#\n' '  ')}" >>"$tmp/results"
}
# step NAME COMMAND...: its results, or one result of its own. A failed check is a result; 77 is what the machine lacks.
step() {
	name=$1
	shift
	"$@" >"$tmp/step" 2>"$tmp/why"
	case $? in
	0 | 3) cat "$tmp/step" >>"$tmp/results" ;;
	4 | 77)
		cat "$tmp/step" >>"$tmp/results"
		[ -s "$tmp/step" ] || result ok "$name" "$(tail -n 1 "$tmp/why")"
		;;
	*)
		sed 's/^/# /' "$tmp/why" >>"$tmp/results"
		result "not ok" "$name"
		;;
	esac
}
# done_all: prints all results as one list, and ends
done_all() {
	awk -v may_fail=" $XDPZOOM_MAY_FAIL " '
	/^TAP version/ || /^# Totals:/ { next }
	/^1\.\.[0-9]/ { next }
	/^not ok / && index(may_fail, " " $NF " ") { sub(/^not /, ""); $0 = $0 " # SKIP it failed, and XDPZOOM_MAY_FAIL names it" }
	/^(not )?ok [0-9]+ / { n++; sub(/ok [0-9]+ /, "ok " n " "); count[/^not/ ? "fail" : / # SKIP/ ? "skip" : "pass"]++ }
	{ line[++lines] = $0 }
	END {
		print "TAP version 13"
		print "1.." n + 0
		for (i = 1; i <= lines; i++) print line[i]
		printf "# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n", count["pass"], count["fail"], count["skip"]
		exit count["fail"] ? 1 : count["pass"] ? 0 : 4
	}' "$tmp/results"
	exit
}

command -v "$X" >/dev/null || skip_all "$X is not installed"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
mkdir -p "$out" || skip_all "cannot make $out"
