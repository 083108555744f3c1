#!/bin/sh
# Frames of the user's own out of every generator: the bytes of the file, in its order, again and again.
. "$(dirname "$0")/lib.sh"
need_lab
built order.o
order=$PWD/build/rig/order.o

# write FILE: a capture of 100 frames of all lengths, with random bytes. catch COUNT: how many frames that arrive are none
# of these, or not to this address; how many of the file were left out, modulo the file's length
cat >"$tmp/frames.py" <<'END'
import random, socket, struct, sys
random.seed(1)
lengths = [14, 60, 61, 1514, 64] + [random.randint(14, 1514) for _ in range(95)]
# 0x88b5: local experiments; no protocol of the kernel takes these frames up
frames = [random.randbytes(12) + b"\x88\xb5" + random.randbytes(n - 14) for n in lengths]
if sys.argv[1] == "write":
    with open(sys.argv[2], "wb") as f:
        f.write(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for d in frames:
            f.write(struct.pack("=IIII", 0, 0, len(d), len(d)) + d)
else:
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5))
    s.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
    s.bind(("xzrx", 0x88b5))
    s.settimeout(60)
    print("ready", flush=True)
    mac = s.getsockname()[4]
    number = {d[12:]: n for n, d in enumerate(frames)}
    bad, last, left_out = 0, -1, 0
    for i in range(int(sys.argv[2])):
        d = s.recv(2000)
        n = number.get(d[12:], -1)
        bad += n < 0 or d[:6] != mac
        left_out += (n - last - 1) % len(frames)
        last = n
    print("differ:", bad, "left out:", left_out % len(frames), flush=True)
END
python3 "$tmp/frames.py" write "$tmp/f.pcap"
launch pid "$tmp/caught" "$tmp/launched.err" in_rx python3 "$tmp/frames.py" catch 2050
await_of $pid grep -q ready "$tmp/caught"
"$X" gen lab --frames "$tmp/f.pcap" -c 2050 -r 5k --format json >"$tmp/gen" 2>"$tmp/err"
is "a file out of gen: so many frames leave" "$(jq .sent "$tmp/gen")" 2050
wait $pid
# a receiver that gets no CPU for a while refuses frames, which are then left out
is "each is the file's next one, whole, to the receiver's address" "$(tail -n 1 "$tmp/caught")" \
	"differ: 0 left out: $(jq '.dropped % 100' "$tmp/gen")"

# four frames by words, numbered by their source ports; the program under test looks whether they come in order
four() {
	"$@" --frames 'udp 10.0.0.1:0 > 10.0.0.2:53,udp 10.0.0.1:1 > 10.0.0.2:53 len 200' \
		--frames 'udp 10.0.0.1:2 > 10.0.0.2:53 len 1514,udp 10.0.0.1:3 > 10.0.0.2:53 len 61'
}
for view in work ${CHECK_ALL:+crossing blocks}; do
	four "$X" record lab -q -o "$tmp/$view" --view $view -b 1 --window 0.1 --schedule windows=2 -V "prog:$order:order@native" \
		--teardown 'bpftool -j map dump id $XDPZOOM_MAP_seen >'"$tmp/seen" 2>"$tmp/err"
	if [ $view != blocks ] && grep -q 'clock of softirqs' "$tmp/err"; then # Debian's 6.1 takes no turns
		for what in order often counted told; do skip "$view: $what" "$(cat "$tmp/err")"; done
		continue
	fi
	seen=$(jq -c '[.[].formatted.value]' "$tmp/seen" 2>/dev/null)
	is "$view: no frame out of order, none of another length" "$(echo "$seen" | jq -c '.[8:10]')" '[0,0]'
	# each start of the generator begins with the first frame; a batch is the most that a stop cuts off
	is "$view: all frames equally often" "$(echo "$seen" | jq '.[0] > 1000 and (.[0:4] | max - min) < .[0] / 100')" true
	is "$view: each frame sent is a packet counted" \
		"$(jq -c '[.blocks[] | .totals.rx_seen == .totals.gen_sent] | length > 0 and all' "$tmp/$view/run.json")" true
	is "$view: the run tells how many there were" "$(jq -c .load.frames "$tmp/$view/run.json")" 4
done

nightly

fails "a frame longer than the device takes" 1 '1514 bytes are more than xztx takes: MTU 100' \
	sh -c 'ip -n xdpzoom-tx link set xztx mtu 100; "$@"; s=$?; ip -n xdpzoom-tx link set xztx mtu 1500; exit $s' \
	sh "$X" gen lab -c 10 --frames "$tmp/f.pcap"
# frames of several buffers, through a packet socket; block by block, and blocks at another placement have others that make up for them
long() { "$@" --frames 'udp 10.0.0.1:1 > 10.0.0.2:53 len 6000,udp 10.0.0.1:2 > 10.0.0.2:53,udp 10.0.0.1:3 > 10.0.0.2:53 len 9000'; }
fails "a frame that the lab's MTU forbids" 1 '9000 bytes are more than xztx takes: MTU 1500' long "$X" gen lab -c 10
fails "exact has live frames alone" 1 'frame 1 has 6000 bytes; live frames lie in one buffer' long "$X" exact -o "$tmp/no"
"$X" lab down
"$X" lab up --mtu 9000 >"$tmp/up"
is "the lab takes long frames" "$(grep -o 'MTU .*' "$tmp/up" | tr -s ' ') $(in_tx cat /sys/class/net/xztx/mtu)" "MTU 9000 9000"
fails "the lab has another MTU" 1 'xdpzoom lab down' "$X" lab up --mtu 8000
fails "a program that knows one buffer alone" 1 'the MTU of its peer .*MTU is too large.*the remedy: .*xdp.frags' "$X" record lab -q --view blocks \
	-o "$tmp/no" -b 1 --window 0.1 -V "prog:$order:order@native"
fails "turns are taken with live frames" 1 'frame 1 has 6000 bytes; .*--view blocks' long "$X" record lab -o "$tmp/no" -b 1 --window 0.1 \
	-V "prog:$order:whole@native"
long "$X" record lab -q --view blocks -o "$tmp/long" -b 1 --window 0.1 --schedule windows=2 -V "prog:$order:whole@native,prog:$order:whole@skb" \
	--teardown 'bpftool -j map dump id $XDPZOOM_MAP_seen >>'"$tmp/lengths" 2>"$tmp/err"
is "long frames: each frame sent is a packet counted, in both modes" \
	"$(jq -c '[.blocks[] | [.variant, (.totals | .gen_sent > 100 and .rx_seen == .gen_sent and .rx_named_drops <= .gen_errors)]] | unique' "$tmp/long/run.json")" \
	'[[0,true],[1,true]]'
is "their verdicts are told" "$("$X" report "$tmp/long" --format json | jq -c '[.variants[].quality[] | select(.check == "verdicts") |
	.ok, .value]')" '[true,0,true,0]'
# frames by source port, then those of another length than they say or whose last byte cannot be read, and those in several buffers
is "all are whole, and those above a page lie in several buffers" \
	"$(jq -sc 'map([.[].formatted.value] | [.[1] > 30, .[2] > 30, .[3] > 30, .[4], .[5] == .[1] + .[3]]) | unique' "$tmp/lengths")" \
	"$(printf '6.9\n%s\n' "$(uname -r)" | sort -CV && echo '[[true,true,true,0,true]]' ||
		echo '[[true,true,true,0,false],[true,true,true,0,true]]')" # skb mode before Linux 6.9: in one piece
