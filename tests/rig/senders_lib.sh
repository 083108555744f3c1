# senders_lib.sh - recordings of layers that send, whose frames arrive on devices of their own
# usage: . "$(dirname "$0")/senders_lib.sh" after lib.sh

senders() { ip -n xdpzoom-tx -o link | grep -c xzsend; }
no_senders() { [ "$(senders)" = 0 ]; }
# killed_in_the_middle IDS NEXT: 4 tests. Of a recording of IDS that is killed nothing stays but devices, and a recording of
# NEXT works and removes them.
killed_in_the_middle() {
	killed_ids=$1 killed_next=$2
	"$X" record lab -q -o "$tmp/killed" -V "$killed_ids" -b 500 --window 0.5 2>/dev/null &
	killed_pid=$!
	started $killed_pid
	ok "all senders are there" await_of $killed_pid killed_has_all
	kill -KILL $killed_pid
	wait $killed_pid 2>/dev/null
	gone "killed: no process stays" pgrep -f "$tmp/killed"
	"$X" record lab -q -o "$tmp/next" -V "$killed_next" -b 1 --schedule windows=2 --window 0.1 --for 1 2>"$tmp/err"
	is "the next command needs nobody's help" \
		"$? $(jq '[.blocks[].totals | .gen_sent == .rx_seen + .rx_named_drops and .gen_sent > 0] | length > 0 and all' "$tmp/next/run.json")" "0 true"
	ok "and leaves nothing of either" no_senders
}
killed_has_all() { [ "$(senders)" = "$(echo "$killed_ids" | tr , '\n' | wc -l)" ] && pgrep -P $killed_pid >/dev/null; }
