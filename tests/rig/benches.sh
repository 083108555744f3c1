#!/bin/sh
# The benches of tests/bench/, each with a small input: they run, and each figure that they print is there. How large a figure is
# depends on the machine, and so does whether a check of the recording holds; neither is looked at here. truth.sh is not among
# them: it runs the self-test, which takes minutes.
. "$(dirname "$0")/lib.sh"

export TIMES=1 ANYWAY=1
shown=
one_line() { sed 's/^ *//; s/ *$/;;/' | tr -d '\n'; }
# shows WHAT BENCH ARGUMENT... -- PATTERN...: the bench ends well, and prints these lines and no others. N in a pattern is a number, and
# ... stands for one line or more.
shows() {
	what=$1 bench=$2 shown="$shown $2"
	shift 2
	words=
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	# one line for each, that all of them are one regular expression
	pattern=$(printf '%s\n' "$@" | sed 's/+-/[+]-/g; s/\bN\b/[-+0-9.e]+/g; s/^[.]*$/.*/' | one_line)
	# shellcheck disable=SC2086 # words
	"tests/bench/$bench.sh" $words >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status -eq 77 ]; then
		skip "$what" "$(tail -n 1 "$tmp/err")"
		return
	fi
	if [ $status -eq 0 ] && tr -s ' ' <"$tmp/out" | one_line | grep -qxE "$pattern"; then
		result 0 "$what"
	else
		result 1 "$what"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
		echo "# exit status $status"
	fi
}

fast='( N MB N s N MB/s|: no figure, N s are too short to tell; give more MB)'
beside() { # NAME: perfparse and awk, and how many times as fast perfparse is where both have a figure
	echo "$1: perfparse$fast;;$1: the document's awk \(m?awk\)$fast(;;$1: perfparse is faster N times)?"
}
shows "perfparse: how fast it reads" perfparse 1 -- \
	"$(beside "perf report, plain")" "perf report, plain: wc -l$fast" "$(beside "perf report, cpu,comm,dso,sym")" \
	"perf script with stacks: perfparse$fast" "perf script with stacks: wc -l$fast" "$(beside "perf report, quoted by a mail")" \
	"perf script with stacks: runs in N MB of address space"
cost='N s, N s of CPU, N MB'
shows "large: what opens a large run" large 2 1 2000 -- 'N variants, N blocks each, N samples, N MB of .*' "report $cost" \
	"report --format html $cost" 'the page N MB' "diff $cost" "history add $cost"

shows "history: what opens a file of many runs" history 20 -- 'N runs, N MB' "add $cost" "check $cost" "diff $cost" "report, a page $cost" \
	"list $cost" "list, JSON $cost" "SQL: one variant's base $cost"

turns='N s N N N N'
shows "allan: how cost varies over longer times" allan 2 -- 'Allan deviation of ns/packet; .* takes N ms' 'over .* pairs' "$turns" ...
shows "events: what windows of perf stat change" events 2 cpu-clock 2 0.05 -- \
	'perf stat windows: base N ns/packet with them \(N blocks\), N without \(N\), difference N +- N' \
	'perf stat windows: while it counts a packet costs N +- N ns more'
shows "generator: beside xdp-trafficgen" generator 1 0.2 -- 'gen: N N Mpps received' 'trafficgen: N N Mpps received' \
	'gen over trafficgen \(geometric mean\): N' 'gen, functions of its CPU:' ...
waits='packets/s MODE: (N|not known) packets per poll, N ns/packet without them, N with; samples account for (N|not known) % without, (N|not known) % with'
for rate in 1M none; do
	for mode in native skb; do
		set -- "$@" "waits, $rate $(echo "$waits" | sed "s/MODE/$mode/")"
	done
done
shows "wakeups: what waiting costs, by the rate" wakeups 1 0.3 1M none -- "$@"
is "no bench is left out" "$(echo $shown | tr ' ' '\n' | sort | tr '\n' ' ')" "$(basename -s .sh tests/bench/*.sh | grep -vxE "lib|truth" | sort | tr '\n' ' ')"
