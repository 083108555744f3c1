#!/bin/sh
# Attaching: refusals in words, nothing left behind, nothing of others touched.
. "$(dirname "$0")/lib.sh"
need_lab

prog_id() { in_rx ip -d -o link show xzrx | sed -n 's/.*prog\/xdp[a-z]* id \([0-9]*\).*/\1/p'; }

for mode in native skb; do
	launch pid "$tmp/out" - "$X" stat xzrx -N xdpzoom-rx -V "drop@$mode" -t 600
	await_of $pid attached xzrx xdpzoom-rx
	ok "$mode: the kernel has the program" test -n "$(prog_id)"
	fails "$mode: a second one leaves it alone" 1 "xzrx is in use by process $pid (.*stat xzrx" "$X" stat xzrx -N xdpzoom-rx -t 0.1
	halt KILL $pid
	gone "$mode: killed, it leaves nothing" prog_id
done

# Whoever lists links holds them for a moment. BPF_LINK_GET_FD_BY_ID is 30; the call's number is that of x86-64 and arm64.
launch pid "$tmp/out" - "$X" stat xzrx -N xdpzoom-rx -t 600
await_of $pid attached xzrx xdpzoom-rx
mkfifo "$tmp/hold"
python3 -c '
import ctypes, platform, struct, sys
call = {"x86_64": 321, "aarch64": 280}[platform.machine()]
attr = ctypes.create_string_buffer(struct.pack("I", int(sys.argv[1])), 128)
print(ctypes.CDLL(None).syscall(call, 30, attr, 128) > 2, flush=True)
open(sys.argv[2]).read()' "$(bpftool -j link show | jq -r --argjson p "$(prog_id)" '.[] | select(.prog_id == $p).id')" "$tmp/hold" >"$tmp/held" &
holder=$!
started $holder
await_of $holder test -s "$tmp/held"
halt TERM $pid
is "a link that another process holds ends all the same" "$(cat "$tmp/held") $(prog_id)" "True "
: >"$tmp/hold"

# The driver is asked why it refuses, by attaching another way; here that succeeds.
built refuses.so
REFUSES=links LD_PRELOAD=$PWD/build/rig/refuses.so "$X" stat xzrx -N xdpzoom-rx -t 0.1 2>"$tmp/err"
is "a refusal whose reason cannot be asked for: said, and nothing stays" "$? $(grep -c 'refuses an XDP program' "$tmp/err") $(prog_id)" "1 1 "
REFUSES="links and dies" LD_PRELOAD=$PWD/build/rig/refuses.so "$X" stat xzrx -N xdpzoom-rx -t 0.1 2>"$tmp/err"
is "killed while it asks for the reason" "$? $(head -n 1 "$tmp/err")" "137 attached"
gone "... and nothing stays" prog_id
