# kills_lib.sh - recordings that steer, and doctors that fix, killed at moments drawn from a seed; everything is put back each time
# usage: . "$(dirname "$0")/kills_lib.sh" after lib.sh; spoil, settings, receiver COMMAND... say what and where; then
#        kills TIMES SEED DEV OPTIONS...
#
# TIMES is $KILLS, or a handful. All moments come from SEED, which is printed.

kills_span=4000 # ms from the beginning of a recording until it is hurt, at most

kills_random() { # below
	kills_seed=$(((kills_seed * 1103515245 + 12345) % 2147483648))
	kills_drawn=$((kills_seed / 65536 % $1))
}
kills_written() { jq '.changes | length' /run/xdpzoom/changes.json 2>/dev/null || echo 0; }
kills_of() { ps --ppid "$1" -o pid=,args= | awk -v word="$2" 'index($0, word) { print $1 }'; } # children with a word
kills_hurt() { # pid
	case $kills_what in
	recorder | doctor) kill -KILL "$1" ;;
	interrupt) kill -INT "$1" ;;
	terminate) kill -TERM "$1" ;;
	hangup) kill -HUP "$1" ;;
	perf) kill -KILL $(kills_of "$1" 'perf ') ;;
	esac 2>/dev/null
}
# Who was killed has children, which take a moment to see it.
kills_gone() {
	await kills_none
	! pgrep -af "$tmp/run"
}
kills_none() { ! pgrep -f "$tmp/run" >/dev/null; }
kills_begin() { # DEV OPTIONS...
	kills_dev=$1
	shift
	case $kills_what in
	doctor) receiver exec "$X" doctor "$kills_dev" --fix -y >"$tmp/out" 2>"$tmp/err" & ;;
	*)
		kills_rounds=3
		[ $kills_what != recorder ] || kills_rounds=500 # it never ends before it is killed
		receiver exec "$X" record "$kills_dev" -q --force -o "$tmp/run" -b $kills_rounds --window 0.1 --schedule windows=2 "$@" 2>"$tmp/err" &
		;;
	esac
	kills_pid=$!
	started $kills_pid
}
# Those that could, put back at once; of those that could not, the next one does: it or doctor --undo.
kills_put_back() {
	case $kills_what in
	recorder | doctor) ;;
	*) [ "$(kills_written)" = 0 ] || echo "it left changes behind" ;;
	esac
	kills_random 2
	if [ $kills_what = doctor ] || [ $kills_drawn = 0 ]; then
		receiver "$X" doctor --undo >"$tmp/undo" 2>&1 || cat "$tmp/undo"
		kills_by='doctor --undo'
	else
		receiver "$X" stat "$kills_dev" -V drop@skb -t 0.1 >"$tmp/undo" 2>&1 || cat "$tmp/undo"
		kills_by='the next run'
	fi
}
kills_once() { # DEV OPTIONS...
	case $kills_what in
	doctor) spoil && kills_random $((kills_span / 16)) && kills_ms=$((450 + kills_drawn)) ;; # it looks for 500 ms before it does anything
	*) kills_random $kills_span && kills_ms=$kills_drawn ;;
	esac
	settings >"$tmp/before"
	kills_begin "$@"
	sleep "$(printf '%d.%03d' $((kills_ms / 1000)) $((kills_ms % 1000)))"
	until kills_hurt $kills_pid || ! kill -0 $kills_pid 2>/dev/null; do sleep 0.05; done # there may be no perf just then
	wait $kills_pid
	kills_status=$?
	kills_put_back >"$tmp/left"
	kills_gone >>"$tmp/left"
	case $kills_what:$kills_status:$(grep -c '^xdpzoom: ' "$tmp/err") in
	recorder:137:* | doctor:137:* | doctor:0:0 | [!rd]*:[01]:[012]) ;;
	*) cat "$tmp/err" >>"$tmp/left" && echo "that is an odd end" >>"$tmp/left" ;;
	esac
	{
		settings | diff "$tmp/before" -
		[ "$(kills_written)" = 0 ] || cat /run/xdpzoom/changes.json
		receiver ip -o link show "$kills_dev" | grep -w xdp
	} >>"$tmp/left"
	is "$kills_what after $kills_ms ms (status $kills_status): all is as it was, by $kills_by" "$(cat "$tmp/left")" ""
	[ $kills_what != doctor ] || unspoil
}
kills() { # TIMES SEED DEV OPTIONS...
	kills_times=$1 kills_seed=$2 kills_n=0
	shift 2
	echo "# seed $kills_seed"
	while [ $kills_n -lt "$kills_times" ]; do
		kills_what=$(echo recorder doctor perf interrupt terminate hangup | cut -d' ' -f$((kills_n % 6 + 1)))
		[ $((kills_n % 12)) -lt 6 ] || [ $kills_what != hangup ] || kills_what=recorder
		kills_once "$@"
		kills_n=$((kills_n + 1))
	done
	kills_what=end
	kills_begin "$@"
	wait $kills_pid
	is "a recording that nobody disturbs is fine, and removes what others left" "$? $(ls -d "$tmp"/run* | wc -l)" "0 1"
}
