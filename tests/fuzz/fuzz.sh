#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz.sh - every reader on broken texts and files, seeded with the fixtures
# usage: fuzz.sh [SECONDS_EACH]      default: 8
cd "$(dirname "$0")/../.." || exit 1
seconds=${1-8}
targets="report tables difftext script stat annotate rules exact frames rates"

seeds() { # TARGET: fixtures that are its food
	case $1 in
	report) ls tests/fixtures/perf/*/report-*.txt tests/fixtures/perf/wild/[cgqt]*.txt tests/fixtures/perf/document/[a-s]*.txt ;;
	tables) ls tests/fixtures/perf/wild/* tests/fixtures/perf/document/* ;;
	difftext) ls tests/fixtures/perf/*/diff*.txt ;;
	script) ls tests/fixtures/perf/*/script*.txt ;;
	stat) ls tests/fixtures/perf/*/stat*.txt ;;
	annotate) ls tests/fixtures/perf/*/annotate.txt ;;
	rules) ls perfparse/facilities.conf ;;
	frames) ls tests/fixtures/frames/* ;;
	rates) ls tests/fixtures/rates/*.txt tests/fixtures/rates/*.json tests/fixtures/perf/wild/xdp-bench.txt ;;
	exact) ls tests/golden/exact/run/run.json tests/golden/exact/run/blocks/*.paths ;;
	esac
}

set -- $targets
echo "1..$#"
n=0
for target; do
	n=$((n + 1))
	program=build/fuzz/fuzz_$target
	if [ ! -x "$program" ]; then
		echo "ok $n - $target # SKIP no clang with libFuzzer here"
		continue
	fi
	corpus=build/fuzz/corpus/$target
	mkdir -p "$corpus" "$corpus-seeds"
	for s in $(seeds "$target"); do cp "$s" "$corpus-seeds/$(echo "$s" | tr / _)"; done
	if "$program" -max_total_time="$seconds" -max_len=20000 -timeout=10 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/ "$corpus" "$corpus-seeds" >"build/fuzz/$target.log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$target.log")
		echo "ok $n - $target: ${runs:-?} texts in $seconds s"
	else
		echo "not ok $n - $target"
		tail -30 "build/fuzz/$target.log" | sed 's/^/# /'
	fi
done
