#!/bin/sh
# watch looks at queues whose fill is known by another way: sockets that nobody reads, a qdisc that holds its packets, and what a
# process that is stopped leaves in its rings. A device that goes meanwhile is not followed.
. "$(dirname "$0")/lib.sh"
need_lab

# seen KIND [FILTER] [MEMBER]: of the last interval in which such a queue was seen
seen() { whole "$tmp/${from:-lines}" | jq -s -c --arg kind "$1" "[.[] | select(.schema == \"xdpzoom.watch-queues/1\").queues[] | select(.kind == \$kind ${2:+and $2})] | last | ${3:-[.p50, .p99, .most]}"; }
looks_again() { n=$(grep -c watch-queues "$tmp/lines"); await sh -c "[ \$(grep -c watch-queues '$tmp/lines') -ge $((n + 2)) ]"; }

in_rx ip link set lo up
ip -n xdpzoom-rx link add xzmany numrxqueues 40 numtxqueues 40 type veth peer name xzmany1
in_tx tc qdisc add dev xztx root tbf rate 8bit burst 1600 limit 100000
launch watch "$tmp/lines" "$tmp/watch.err" "$X" watch -N xdpzoom-rx -i 0.2 -f jsonl --overhead 0
launch watch_tx "$tmp/lines_tx" "$tmp/watch.err" "$X" watch xztx -N xdpzoom-tx -i 0.2 -f jsonl --overhead 0
# two sockets and a tap that nobody reads: seven datagrams, the frames of a packet socket at lo, and 60 frames
ip netns exec xdpzoom-rx python3 -c '
import fcntl, os, socket, struct, time
packet = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
packet.bind(("lo", 0))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 4242))
for i in range(7):
    udp.sendto(b"x" * 100, ("127.0.0.1", 4242))
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", b"xzqtap", 0x1002)) # TUNSETIFF, IFF_TAP | IFF_NO_PI
os.system("ip link set xzqtap up")
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("xzqtap", 0))
for i in range(60):
    raw.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 50)
raw.close()
print("sent", flush=True)
time.sleep(600)
' >"$tmp/sockets" &
sockets=$!
started $sockets
await_of $sockets grep -q sent "$tmp/sockets"
looks_again
udp=$(in_rx awk '$2 ~ /:1092$/ { split($5, q, ":"); print q[2] }' /proc/net/udp)
is "a UDP socket that nobody reads" "$(seen "udp socket" '.number == 4242')" "[$((0x$udp)),$((0x$udp)),$((0x$udp))]"
is "a tap that nobody reads" "$(seen tap '.device == "xzqtap"' '[.p50, .most, .size, .wait_us]')" "[60,60,1000,null]"
packet=$(in_rx awk 'NR > 1 { print $7 }' /proc/net/packet)
is "a packet socket that nobody reads" "$(seen "packet socket" '.device == "lo"')" "[$packet,$packet,$packet]"
is "24 rings and 24 TX queues of a device with 40 are not sampled, which is told" "$(whole "$tmp/lines" | jq -s '[.[] | select(.queues).left_out] | last')" 48
# What watch sets ahead are 16 looks, 10 ms apart on average.
kill -STOP $watch
sleep 1
kill -CONT $watch
looks_again
is "looks that are not made are told" "$(whole "$tmp/lines" | jq -s '[.[] | select(.queues) | select(.samples_late > 40 and .samples_late < .samples_due)] | length > 0')" true
ip -n xdpzoom-rx link del xzmany
is "of the stack's queues, each CPU's is empty" "$(seen backlog '.number == 0' '.most, .why')" "0
null"
# 60 frames into a qdisc that lets a byte through in a second, behind those that pass at once
in_tx python3 -c '
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("xztx", 0))
for i in range(60):
    s.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 1486)
'
qlen=$(in_tx tc -s qdisc show dev xztx | sed -n 's/.*backlog [^ ]* \([0-9]*\)p.*/\1/p')
await sh -c "grep -q '\"kind\":\"qdisc\".*\"p50\":$qlen.0' $tmp/lines_tx"
halt TERM $watch_tx
from=lines_tx
is "a qdisc that keeps what it gets, by tc's own count" "$(seen qdisc '.device == "xztx"')" "[$qlen,$qlen,$qlen]"
ok "that is all but the first burst of 60 frames" test "$qlen" -ge 57 -a "$qlen" -le 60
# A queue that is full, by bytes, and drains at a known rate: 20 frames of 1500 bytes at 8 Mbit/s wait for 30 ms.
in_tx tc qdisc del dev xztx root
in_tx tc qdisc add dev xztx root tbf rate 8mbit burst 1600 limit 30000
launch watch_tx "$tmp/lines_tx" "$tmp/watch.err" "$X" watch xztx -N xdpzoom-tx -i 0.5 -f jsonl --overhead 0
ip netns exec xdpzoom-tx python3 -c '
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("xztx", 0))
while True:
    try:
        s.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 1486)
    except OSError: # it is full
        time.sleep(0.0005)
' &
sender=$!
started $sender
waits() { seen qdisc '.device == "xztx"' '.wait_us | . > 27000 and . < 33000' | grep -qx true; }
ok "a frame of a full queue waits as long as bytes and rate say: 30 ms" await_of $watch_tx waits
kill -TERM $watch_tx $sender
wait $watch_tx
from=
in_tx tc qdisc del dev xztx root
halt TERM $watch
nightly

# what receives is stopped: the rings of an AF_XDP socket and of a CPU map are full, and stay so
launch watch "$tmp/lines" "$tmp/watch.err" "$X" watch xzrx -N xdpzoom-rx -i 0.2 -f jsonl --overhead 0
launch stat "$tmp/stat" - "$X" stat lab -V xsk@native -t 600
await_of $stat sh -c "grep -q 'af_xdp rx' $tmp/lines"
kill -STOP $stat
mac=$(in_rx cat /sys/class/net/xzrx/address)
"$X" gen xztx -N xdpzoom-tx -m "$mac" -c 20000 >"$tmp/gen" 2>&1
looks_again
is "an AF_XDP socket whose process is stopped: its ring is full" "$(seen "af_xdp rx" '' '.most == .size and .full_pct == 100')" true
"$X" watch --dump -o "$tmp/dump" >"$tmp/asked" 2>&1
"$X" why "$tmp/dump" -f json >"$tmp/why" 2>"$tmp/why.err"
is "and why names that process, by its socket" "$? $(jq -r '.cause' "$tmp/why") $(jq --arg pid "($stat)" '.sentences[1] | contains($pid)' "$tmp/why")" "0 reader-stopped true"
is "who could read the tap is known, too" "$(jq -r '.state.readings[-1].tasks[] | select(.taps == ["xzqtap"]).pid' "$tmp/dump/event.json")" "$sockets"
kill -TERM $sockets
sed 's/"schema"/"shema"/' "$tmp/dump/event.json" >"$tmp/odd" && cp "$tmp/odd" "$tmp/dump/event.json"
"$X" why "$tmp/dump" >"$tmp/why" 2>"$tmp/why.err"
is "a event.json that is none is refused" "$? $(sed 's|.*/||' "$tmp/why.err")" "1 event.json: not what xdpzoom watch writes"
kill -CONT $stat
halt TERM $stat
launch gen "$tmp/gen" - "$X" gen xztx -N xdpzoom-tx -m "$mac" -t 600
launch stat "$tmp/stat" - "$X" stat lab -V redirect-cpu:0@native -t 600
await_of $stat sh -c "grep -q cpumap $tmp/lines"
looks_again
is "the ring of a device that is polled" "$(seen ring '.device == "xzrx"' '.size == 256 and .most <= 256 and .samples > 1')" true
is "a CPU map" "$(seen cpumap '' '.number == 0 and .size > 0 and .most <= .size and .map > 0')" true
some_passed() { jq -s -e '[.[].queues? // [] | .[] | select(.kind == "cpumap" and .number == 0).passed // 0] | add > 0' "$tmp/lines"; }
await_of $stat some_passed >/dev/null
is "what passed through it is counted" "$?" 0
halt TERM $stat $gen $watch

# Somebody has 1,200 sockets with a datagram each. The five that hold more are looked at.
ip netns exec xdpzoom-rx python3 -c '
import resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
def full(port, n):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", port))
    for i in range(n):
        s.sendto(b"x", s.getsockname())
    return s
crowd = [full(port, 1) for port in range(20000, 20600)] + [full(20600 + 37 * i, 9) for i in range(5)] + [full(port, 1) for port in range(21000, 21600)]
print("sent", flush=True)
time.sleep(600)
' >"$tmp/crowd" &
crowd=$!
started $crowd
await_of $crowd grep -q sent "$tmp/crowd"
"$X" watch -N xdpzoom-rx -i 0.5 -t 3 -f jsonl --overhead 0 >"$tmp/lines" 2>"$tmp/watch.err"
is "the fullest of many UDP sockets are looked at" \
	"$(whole "$tmp/lines" | jq -s -c '[.[] | select(.queues)] | last | [.queues[] | select(.kind == "udp socket" and .number % 37 == 20600 % 37 and .number >= 20600 and .number < 20800).number] | sort | unique')" \
	"[20600,20637,20674,20711,20748]"
is "and how many are not is told" "$(whole "$tmp/lines" | jq -s '[.[] | select(.queues)] | last | .left_out >= 1077')" true
halt TERM $crowd

# devices come and go all the time
launch watch "$tmp/lines" "$tmp/watch.err" "$X" watch -N xdpzoom-rx -i 0.1 -t 2 -f jsonl --overhead 0
while kill -0 $watch 2>/dev/null; do
	ip -n xdpzoom-rx link add xzgo0 type veth peer name xzgo1
	ip -n xdpzoom-rx link set xzgo0 up
	ip -n xdpzoom-rx link set xzgo1 up
	ip -n xdpzoom-rx link del xzgo0
done
wait $watch
is "devices that go are not followed" "$?" 0
