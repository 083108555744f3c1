#!/bin/sh
# watch on a terminal is a screen of 80 columns and fewer, takes keys, and gives the terminal back, however it is asked to end.
. "$(dirname "$0")/lib.sh"
command -v tmux >/dev/null || skip_all "no tmux here"
need_lab

# Each screen has a tmux server of its own: one that was told to end may still take the next one's session.
server=first
t() { LC_ALL=C.UTF-8 tmux -S "$tmp/$server" -f /dev/null "$@"; }
close_screen() { t kill-server 2>/dev/null; }
undo=close_screen
shows() { t capture-pane -p | grep -q -- "$1"; }
mac=$(in_rx cat /sys/class/net/xzrx/address)
launch gen "$tmp/gen" - "$X" gen xztx -N xdpzoom-tx -m "$mac" -r 100k
# opened: a shell that keeps the terminal's settings before and after, in a terminal of 80 columns
opened() { t new-session -d -x 80 -y 24 "stty -g >$tmp/before; sh -c 'echo \$\$ >$tmp/pid; cd $tmp; exec $X watch xzrx -N xdpzoom-rx -i 0.3 --overhead 0'; stty -g >$tmp/after; echo ended; sleep 600"; }
opened
ok "devices are shown" await shows '^xzrx .* [1-9]'
is "in 80 columns, with the keys below" "$(t capture-pane -p | LC_ALL=C awk '{ gsub(/[\302-\364][\200-\277]*/, "x") } length($0) > 80' | wc -l) $(t capture-pane -p | tail -n 1 | sed 's/: .*//')" "0 ?"
ok "the title says what is watched, and for how long" shows '^xdpzoom watch .* xzrx .* up 00:0[0-9]:[0-9][0-9]  triggers 0 armed'
ok "the last minute is drawn" await shows '^xzrx .*█'
t send-keys '?'
ok "? shows help" await shows '^NS/PKT: CPU time of a packet,'
t send-keys '?' / n o n e
ok "/ hides devices of other names" await shows '^/none_'
ok "which are there no more" sh -c '! tmux -S "$1" capture-pane -p | grep -q "^xzrx"' - "$tmp/$server"
t send-keys Escape
t send-keys p
ok "a key pauses it" await shows '^paused'
t resize-window -x 50 -y 8
t send-keys p
ok "a smaller terminal is filled, and no more" await shows '^?: help'
t send-keys q
await shows '^ended'
ok "q leaves the last state" shows '^xzrx .* [1-9]'
is "q ends it, and the terminal is as it was" "$(cat "$tmp/after")" "$(cat "$tmp/before")"
close_screen
rm "$tmp/pid" "$tmp/after"
server=second
opened
await shows '^xzrx .* [1-9]'
kill -TERM "$(cat "$tmp/pid")"
await shows '^ended'
is "so it is after SIGTERM" "$(cat "$tmp/after")" "$(cat "$tmp/before")"
close_screen
is "in a pipe there are lines" "$("$X" watch xzrx -N xdpzoom-rx -i 0.2 -c 1 --overhead 0 | head -n 1 | tr -s ' ')" " time device packets/s ns/packet pk/poll empty full busy"
halt TERM $gen
