#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perfparse.sh - how fast texts are read, beside the document's awk line and wc -l
# usage: perfparse.sh [MB]      size of each text, default: 300
#        TIMES=1: once, and not the best of five
#
# CPU time (user and system), texts in the page cache. Prints figures; judges nothing. A figure that rests on a run that failed, or
# on less than 10 ms, is not printed.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@" # another shell has no "time" that counts this, and no TIMEFORMAT
cd "$(dirname "$0")/../.." || exit 1
perfparse=build/perfparse
mb=${1-300} times=${TIMES-5}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
pin=
command -v taskset >/dev/null && pin="taskset -c $(($(nproc) - 1))"

# Repeats standard input until it is $mb MB long.
repeat() {
	cat >"$tmp/part"
	awk -v mb="$mb" -v bytes="$(stat -c %s "$tmp/part")" 'BEGIN { for (n = mb * 1e6 / bytes; n > 0; n--) print "" }' |
		while read -r _; do cat "$tmp/part"; done
}

# 2,000 samples of 1,500 symbols in 3 DSOs, stacks of 3 to 24 frames
awk 'BEGIN { srand(7)
	for (s = 0; s < 2000; s++) {
		printf "napi/eth0-%d  4883 [001]  1143.%09d:    1003009 cycles: \n", s % 4, s * 1003
		depth = 3 + int(rand() * 22)
		for (i = 0; i < depth; i++) {
			f = int(rand() * rand() * 1500)
			dso = f % 3 == 0 ? "[kernel.kallsyms]" : f % 3 == 1 ? "[mlx5_core]" : "/usr/lib/x86_64-linux-gnu/libc.so.6"
			printf "\tffffffff81%06x some_kernel_function_%d (%s)\n", f * 64 + int(rand() * 60), f, dso
		}
		print ""
	} }' | repeat >"$tmp/script"

# Rows that repeat without end have no share, or the sum would pass 100 %; a first row has all of it.
head='# Samples: 119K of event '\''cycles'\''\n# Event count (approx.): 119499252009\n#\n'
{
	printf %b "$head"
	echo '# Overhead  Symbol                              '
	echo '# ........  ....................................'
	echo '#'
	echo '   100.00%  [k] some_kernel_function_0'
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "     0.00%%  [k] some_kernel_function_%d\n", int(i * i * 7 % 1500) }' | repeat
} >"$tmp/plain"
{
	printf %b "$head"
	echo '# Overhead  CPU  Command          Shared Object          Symbol                              '
	echo '# ........  ...  ...............  .....................  ....................................'
	echo '#'
	echo '   100.00%  000  ksoftirqd/0      [kernel.kallsyms]      [k] some_kernel_function_0'
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "     0.00%%  %03d  ksoftirqd/%-5d  %-21s  [k] some_kernel_function_%d\n", i % 64, i % 64,
		"[kernel.kallsyms]", int(i * i * 7 % 1500) }' | repeat
} >"$tmp/wide"

cat >"$tmp/document.awk" <<'EOF'
BEGIN {base=(1/8165032*10^9)} /%/ {ns=base*($1/100); printf("%6.2f%% => %5.1f ns func:%s\n",$1,ns,$2);}
EOF

seconds() { # COMMAND...: CPU time of the best of $times; nothing when one of them failed
	TIMEFORMAT='%U %S'
	for _ in $(seq "$times"); do
		{ time $pin "$@" >/dev/null 2>&1 || echo failed; } 2>&1
	done | awk '!/^[0-9.]+ [0-9.]+$/ { exit failed = 1 } { t = $1 + $2; if (NR == 1 || t < best) best = t } END { if (!failed) print best }'
}

row() { # NAME FILE COMMAND..., which has to succeed; leaves its time in $took
	local name=$1 file=$2 t
	took=
	shift 2
	t=$(seconds "$@")
	awk -v t="$t" 'BEGIN { exit !(t >= 0.01) }' || { echo "$name: no figure, ${t:-a run failed}${t:+ s are too short to tell; give more MB}"; return; }
	awk -v name="$name" -v bytes="$(stat -c %s "$file")" -v t="$t" \
		'BEGIN { printf "%-44s %7.0f MB %8.3f s %9.0f MB/s\n", name, bytes / 1e6, t, bytes / 1e6 / t }'
	took=$t
}
against() { # NAME FILE: perfparse and the document's awk, mawk where there is one, and how many times as fast perfparse is
	local mine
	row "$1: perfparse" "$2" $perfparse --pps 8165032 --no-symbols "$2"
	mine=$took
	row "$1: the document's awk ($awk)" "$2" $awk -F% -f "$tmp/document.awk" "$2"
	awk -v name="$1" -v mine="$mine" -v its="$took" \
		'BEGIN { if (mine && its) printf "%-44s %30.1f times\n", name ": perfparse is faster", its / mine }'
}

awk="awk"
command -v mawk >/dev/null && awk=mawk
against "perf report, plain" "$tmp/plain"
row "perf report, plain: wc -l" "$tmp/plain" wc -l "$tmp/plain"
against "perf report, cpu,comm,dso,sym" "$tmp/wide"
row "perf script with stacks: perfparse" "$tmp/script" $perfparse --pps 8165032 --no-symbols "$tmp/script"
row "perf script with stacks: wc -l" "$tmp/script" wc -l "$tmp/script"
sed 's/^/> /' "$tmp/plain" >"$tmp/quoted"
against "perf report, quoted by a mail" "$tmp/quoted"
for kb in 8192 16384 32768 65536; do
	if (ulimit -v $kb; $perfparse --pps 8165032 --no-symbols "$tmp/script" >/dev/null 2>&1); then
		echo "perf script with stacks: runs in $((kb / 1024)) MB of address space"
		break
	fi
done
