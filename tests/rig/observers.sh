#!/bin/sh
# Observers: each is there while its variant is measured, counts or copies what it should, and is gone after every end.
# usage: observers.sh [all]   all: this kernel must know all of them; else those that it refuses are refused in a sentence
alone=1
. "$(dirname "$0")/lib.sh"
all=${1-} more=
need_lab

# What can be seen from outside, one word each; nothing where none is on.
sockets() { in_rx awk 'NR > 1 && $4 == "0003" && $5 > 1 { print "packet-socket" }' /proc/net/packet | sort -u; }
statistics() { ls -l /proc/[0-9]*/fd 2>/dev/null | sed -n 's/.*anon_inode:bpf-stats$/bpf-stats/p' | sort -u; }
programs() { bpftool -j prog show | jq -r '.[] | {look: "tc", dump: "fexit", prog0: "dispatcher", xdp_dispatcher: "dispatcher"}[.name // ""] // empty' | sort -u; }
instances() { unshare -m sh -c 'mount -t tracefs none "$1" 2>/dev/null && ls "$1/instances"' sh "$tmp/trace" | sed -n 's/^xdpzoom-.*/ftrace/p'; }
mkdir "$tmp/trace"
seen() { { sockets; statistics; programs; instances; } | sort -u | paste -sd' ' -; }
doctor() { in_rx "$X" doctor xzrx --format json | jq -r --arg c "$1" '.rows[] | select(.check == $c) | "\(.level) \(.fix)"' | sed "s/$pid/PID/"; }
# sees WORD CHECK MEND VARIANT OPTION...: stat with the variant shows WORD; the doctor's CHECK knows it, but for ""; and
# after SIGKILL nothing is left
sees() {
	word=$1 check=$2 fix=$3 action=$4
	shift 4
	: >"$tmp/stat"
	launch pid "$tmp/stat" "$tmp/err" "$X" stat lab -V "$action" -i 0.1 --format json "$@"
	stat_counts $pid
	is "$word is there" "$(seen)" "$word"
	[ -z "$check" ] || is "the doctor names it, and what ends it" "$(doctor "$check")" "warning $fix"
	halt KILL $pid
	gone "$word: nothing of it after SIGKILL" seen
}
refused() { [ -z "$all" ] && grep -q 'this kernel ' "$tmp/err" && ! test -s "$tmp/stat"; }

is "nobody observes before" "$(seen)" ""
sees packet-socket packet-sockets "kill PID" pass/no-touch+observer:packet-socket@skb
fix="bpftool net show dev xzrx names the programs; bpftool link detach id N ends one"
case $(uname -r) in [1-5].* | 6.[0-5].*) fix="tc qdisc del dev xzrx clsact" ;; esac
sees tc tc "$fix" pass/no-touch+observer:tc
sees bpf-stats bpf-stats "kill PID" drop/no-touch+observer:bpf-stats
sees ftrace "" "" drop/no-touch+observer:ftrace
for word in fexit dispatcher; do
	"$X" stat lab -t 0.2 -V "drop/no-touch+observer:$word" --format json >"$tmp/stat" 2>"$tmp/err"
	if refused; then
		is "$word: refused in one sentence" "$(wc -l <"$tmp/err")" 1
		skip "$word: nothing of it after SIGKILL" "$(cat "$tmp/err")"
		[ $word = dispatcher ] || skip "the doctor names it, and what ends it" "the same"
	else
		check=
		[ $word = dispatcher ] || check=xdp-tracing
		sees $word "$check" "kill PID" drop/no-touch+observer:$word
		more=$more,prog:$tmp/fw.o+observer:$word@native,drop/no-touch+observer:$word@skb
	fi
done

# Each in its own turns, or in its own blocks; every frame is counted all the same.
built firewall.o
cp build/rig/firewall.o "$tmp/fw.o"
counted() { jq -c '[.blocks[].totals | .rx_seen == .gen_sent and .rx_seen > 0] | length > 0 and all' "$1/run.json"; }
rec() { "$X" record lab -q -b 1 --window 0.1 --schedule windows=2 "$@" 2>"$tmp/err"; }
for view in work blocks; do
	rec -o "$tmp/turns" --view $view -V "pass/no-touch@native,prog:$tmp/fw.o+observer:tc@native$more" \
		-V pass/no-touch+observer:packet-socket@skb
	grep -q 'clock of softirqs' "$tmp/err" || break # Debian's 6.1 takes no turns
done
is "turns: each frame sent is a packet counted" "$(counted "$tmp/turns")" true
is "the run names the observers" "$(jq -c '[.variants[].observer][0, 1, -1]' "$tmp/turns/run.json" | paste -sd' ' -)" \
	'null "tc" "packet-socket"'
is "an own program has its verdicts counted" "$(jq -c '.variants[1].verdicts | .pass == .frames and .frames > 0' "$tmp/turns/run.json")" true
rec -o "$tmp/blocks" -V drop/no-touch+observer:bpf-stats@native,drop/no-touch+observer:ftrace@skb
is "blocks: each frame sent is a packet counted" "$(counted "$tmp/blocks")" true
ok "reports read such a run" "$X" diff --full "$tmp/turns:pass/no-touch@native" pass/no-touch+observer:packet-socket@skb
gone "nothing is left" seen

fails "an observer of the whole machine takes no turns" 2 'watch the other variants too' \
	"$X" record lab -o "$tmp/no" --view work -V drop/no-touch@native,drop/no-touch+observer:bpf-stats@native
fails "no such observer" 2 'unknown observer "gdb"; known: bpf-stats packet-socket' \
	"$X" record lab -o "$tmp/no" -V drop/no-touch+observer:gdb@native
fails "exact counts no observers" 2 'record measures what they cost' "$X" exact -o "$tmp/no" -V drop/no-touch+observer:tc@skb

# Programs of others at tracepoints stand in a run, with whose they are, beside the recorder's own.
launch pid /dev/null - "$X" watch lo --format jsonl
at_polls() { bpftool -j link show | jq -e 'any(.[]; .tp_name == "napi_poll")' >/dev/null; }
await_of $pid at_polls
rec -o "$tmp/traced" -V drop/no-touch@native,drop/no-touch@skb
halt TERM $pid
tracers() { jq -r "[.tracers[] | select(.own == $1) | .name + \" \" + (.hook // \"\") + \" \" + (.owner // \"\")] | unique[]" "$tmp/traced/run.json"; }
is "a tracing program of another user is in the run" "$(tracers false | grep -x 'watch_poll napi_poll xdpzoom')" "watch_poll napi_poll xdpzoom"
is "the recorder's own are told apart" "$(tracers true | grep -c '^watch_')" 0
