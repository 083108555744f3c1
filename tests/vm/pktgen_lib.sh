# pktgen_lib.sh - for the tests of pktgen/: run a script, and what arrived meanwhile, frame by frame where that matters
# usage: . "$(dirname "$0")/pktgen_lib.sh"
. "$(dirname "$0")/../rig/lib.sh"

P=pktgen/pktgen_single_flow_burst.sh
M=52:54:00:00:00:01
modprobe pktgen
devices() { cat /proc/net/pktgen/kpktgend_* | sed -n 's/^\(Running\|Stopped\): *//p' | tr -d '\n'; }
received() { cat /sys/class/net/rx0/statistics/rx_packets; }
bytes() { cat /sys/class/net/rx0/statistics/rx_bytes; }
until_sending() { until grep -q 'pkts-sofar: [1-9]' /proc/net/pktgen/tx0@0 2>/dev/null; do sleep 0.2; done; }
settled() {
	last=
	until now=$(received) && [ "$now" = "$last" ]; do
		last=$now
		sleep 0.3
	done
}
# run SCRIPT OPTIONS...: $text and $err, and what the receiver saw: $frames, $octets
run() {
	frames=$(received) octets=$(bytes)
	script=$1
	shift
	text=$(pktgen/pktgen_"$script".sh -i tx0 -m $M "$@" 2>"$tmp/err")
	status=$? err=$(cat "$tmp/err")
	settled
	frames=$(($(received) - frames)) octets=$(($(bytes) - octets))
}
said() { echo "$text" | sed 's/ in .*//' | sort | tr '\n' ' ' | sed 's/ $//'; }
sent() { echo "$text" | tail -n 1 | awk '{ print $3 }'; }

# Frames as they arrive on rx0, a line each: from, to, ports, tag, length, checksum or none.
cat >"$tmp/look.py" <<'END'
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("rx0", 3))
s.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)  # SO_RCVBUFFORCE
s.setsockopt(263, 8, 1)  # PACKET_AUXDATA: the tag, which the stack takes off before anybody looks
s.settimeout(60)
open(sys.argv[2], "w").close()
for i in range(int(sys.argv[1])):
    p, aux, _, _ = s.recvmsg(2000, 100)
    tci = next((struct.unpack("IIIHHHH", d[:20])[5] for l, t, d in aux if t == 8 and struct.unpack("I", d[:4])[0] & 0x10), None)
    v6 = p[12:14] == b"\x86\xdd"
    size, at, family = (16, 22, socket.AF_INET6) if v6 else (4, 26, socket.AF_INET)
    sport, dport, _, check = struct.unpack("!4H", p[54 if v6 else 34:][:8])
    print(socket.inet_ntop(family, p[at:at + size]), socket.inet_ntop(family, p[at + size:at + 2 * size]), sport, dport,
          "-" if tci is None else tci, len(p) + (4 if tci is not None else 0), "sum" if check else "nosum", flush=True)
END
look() { # frames
	rm -f "$tmp/looking"
	python3 -S -E "$tmp/look.py" "$1" "$tmp/looking" >"$tmp/seen" 2>"$tmp/look.err" &
	looker=$!
	started $looker
	until [ -e "$tmp/looking" ]; do sleep 0.1; done
}
looked() { wait $looker; }
column() { cut -d' ' -f"$1" "$tmp/seen" | sort | uniq -c | awk '{ print $2 "*" $1 }' | sort | tr '\n' ' ' | sed 's/ $//'; }
distinct() { cut -d' ' -f"$1" "$tmp/seen" | sort -u | wc -l; }
