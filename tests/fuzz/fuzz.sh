#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz.sh - every reader on broken texts and files, seeded with the fixtures and with tests/fuzz/corpus/
# usage: [SEED=N] [FUZZ_INPUTS=N] fuzz.sh [SECONDS_EACH [TARGET...]]      default: 5, all; seed 1, or with SECONDS_EACH any
#
# With one seed a target makes the same inputs in the same order. Without SECONDS_EACH it also stops after so many of them
# as a fast machine makes in 3 s beside other tests: a slower one sees the first of them, and none sees others.
# Each line says how many inputs there were, and how many places (cov) and features of them (ft) they reached. What is
# found on the way stays in build/fuzz/corpus/. Of a long run, build/fuzz/fuzz_TARGET -set_cover_merge=1 NEW OLD... takes
# the best; tests/fuzz/corpus/ keeps a few hundred kB of it. Two targets run at a time.
cd "$(dirname "$0")/../.." || exit 1
seconds=${1-5}
bounded=''
[ $# -gt 0 ] && seed=${SEED-0} || seed=${SEED-1} bounded=1 # 0: libFuzzer chooses
[ $# -gt 0 ] && shift
small="undress report tables difftext script stat annotate rules exact frames rates remote"
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $([ -n "${FUZZ_INPUTS-}" ] || echo run moment watch history doctor proc) $small # with FUZZ_INPUTS: what make check builds
at_once=2

seeds() { # TARGET: fixtures that are its food
	case $1 in
	run) ls build/runs/*/run.json ;;
	moment) ls tests/fixtures/moments/*/event.json ;;
	watch) ls tests/golden/map/*.json ;;
	report) ls tests/fixtures/perf/*/report-*.txt tests/fixtures/perf/wild/[cgqt]*.txt tests/fixtures/perf/document/[a-s]*.txt ;;
	tables) ls tests/fixtures/perf/wild/*.* tests/fixtures/perf/wild/public/*.* tests/fixtures/perf/document/* ;;
	undress) ls tests/fixtures/perf/wild/*.txt tests/fixtures/perf/wild/public/*.txt ;;
	difftext) ls tests/fixtures/perf/*/diff*.txt ;;
	script) ls tests/fixtures/perf/*/script*.txt ;;
	stat) ls tests/fixtures/perf/*/stat*.txt ;;
	annotate) ls tests/fixtures/perf/*/annotate.txt ;;
	rules) ls perfparse/components.conf ;;
	frames) ls tests/fixtures/frames/* ;;
	rates) ls tests/fixtures/rates/*.txt tests/fixtures/perf/wild/xdp-bench.txt ;;
	exact) ls build/runs/counted/run.json build/runs/memory/run.json build/runs/device/run.json build/runs/counted/blocks/*.paths ;;
	esac
}

inputs() { # TARGET: how many at most; -1: no limit
	[ -z "${bounded:+${FUZZ_INPUTS-}}" ] || { echo "$FUZZ_INPUTS" && return; }
	case ${bounded:+$1} in
	'') echo -1 ;;
	history | doctor | proc) echo 160 ;;
	run | moment | watch) echo 500 ;;
	annotate | stat | remote) echo 15000 ;;
	frames | rates) echo 150000 ;;
	*) echo 1500 ;;
	esac
}

# What targets write goes where syncing costs nothing.
shm=/dev/shm
[ -w $shm ] || shm=${TMPDIR-/tmp}
TMPDIR=$(mktemp -d "$shm/xdpzoom-fuzz.XXXXXX") || exit 1
export TMPDIR
export ASAN_OPTIONS=quarantine_size_mb=8:max_malloc_fill_size=0:malloc_context_size=8 # twice as fast
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 129' HUP INT TERM

fuzz() { # TARGET: into build/fuzz/TARGET.log and its exit status into TARGET.status
	corpus=build/fuzz/corpus/$1
	rm -rf "$corpus-seeds"
	mkdir -p "$corpus" "$corpus-seeds"
	for s in $(seeds "$1"); do cp "$s" "$corpus-seeds/$(echo "$s" | tr / _)"; done
	dict=tests/fuzz/$1.dict
	[ -e "$dict" ] && dict=-dict=$dict || dict=
	kept=tests/fuzz/corpus/$1
	[ -d "$kept" ] || kept=
	# shellcheck disable=SC2086 # no dictionary is no argument, and so is no kept corpus
	build/fuzz/fuzz_"$1" -seed="$seed" -max_total_time="$seconds" -runs="$(inputs "$1")" -max_len=24000 -timeout=100 -rss_limit_mb=1024 \
		-print_final_stats=1 $dict -artifact_prefix=build/fuzz/ "$corpus" "$corpus-seeds" $kept >"build/fuzz/$1.log" 2>&1
	echo $? >"build/fuzz/$1.status"
}

result() { # NUMBER TARGET
	log=build/fuzz/$2.log
	if [ "$(cat "build/fuzz/$2.status")" = 0 ]; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		reached=$(sed -n 's/^#.*\(cov: [0-9]* ft: [0-9]*\).*/\1/p' "$log" | tail -n 1)
		echo "ok $1 - $2: ${runs:-?} inputs in $seconds s at most, ${reached:-nothing reached}"
	else
		failed=1
		echo "not ok $1 - $2"
		grep -v '^#[0-9]' "$log" | tail -n 40 | sed 's/^/# /'
	fi
}

echo "1..$#"
n=0 failed=0
while [ $# -gt 0 ]; do
	these=
	while [ $# -gt 0 ] && [ "$(echo "$these" | wc -w)" -lt $at_once ]; do
		these="$these $1"
		shift
	done
	for target in $these; do
		[ ! -x build/fuzz/fuzz_"$target" ] || fuzz "$target" &
	done
	wait
	for target in $these; do
		n=$((n + 1))
		if [ -x build/fuzz/fuzz_"$target" ]; then
			result $n "$target"
		else
			echo "ok $n - $target # SKIP no clang with libFuzzer here"
		fi
	done
done
exit $failed
