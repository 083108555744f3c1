#!/bin/sh
# Causes that take a NIC: its ring is shrunk; its interrupts are moved to the CPU of a reader. Planted in a VM while a watch runs;
# does `why` name them from the dump? Two controls, in which nothing, or nothing that matters, is changed. By hand:
#     vm/run -k 6.12 -n e1000 -c 3 -t 900 -- env ONLY='nothing ring-shrunk' sh tests/vm/why.sh
#     vm/run -k 6.12 -n e1000e -c 3 -t 900 -- env ONLY='nothing-2 irq-moved' sh tests/vm/why.sh        or -n virtio, -n e1000
# QEMU's e1000e lost no frame when its ring was full. SHOW=1 shows the answers whole.
. "$(dirname "$0")/../measure/lib.sh"
need_root
for tool in clang ethtool jq python3 taskset; do command -v $tool >/dev/null || skip_all "needs $tool"; done
[ -n "${ONLY-}" ] || expect 4

# What makes the receiver slow: a program that takes 5 ms for each packet, or 1 ms
cat >"$tmp/slow.c" <<'C'
#include <linux/bpf.h>
#define SEC(n) __attribute__((section(n), used))
static __u64 (*now)(void) = (void *)5;
static long (*loop)(__u32 n, void *f, void *context, __u64 flags) = (void *)181;
static int is_over(__u32 i, __u64 *end) { return now() >= *end; }
static inline void work(void)
{
	__u64 end = now() + WORK;

	loop(1 << 16, is_over, &end, 0);
}
SEC("xdp") int drop(struct xdp_md *ctx) { work(); return XDP_DROP; }
SEC("xdp/pass") int pass(struct xdp_md *ctx) { work(); return XDP_PASS; }
char _license[] SEC("license") = "GPL";
C
compile() { try "compile slow.c" clang -O2 -g -DWORK="$2" -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c -o "$tmp/$1.o" "$tmp/slow.c"; }
compile slow 5000000
compile less 1000000
sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip addr add 10.99.0.1/24 dev rx0
# A NIC's interrupts have its name, or are those of a device of virtio.
irqs() { awk '$NF ~ /^rx0/ { sub(":", "", $1); print $1; n++ } END { exit !n }' /proc/interrupts || ls "$(readlink -f /sys/class/net/rx0/device/..)/msi_irqs"; }
to_cpu() { for irq in $(irqs); do echo "$1" >"/proc/irq/$irq/smp_affinity_list"; done; }
# send BURST SECONDS: bursts of UDP datagrams
send() {
	taskset -c 2 python3 -c '
import socket, struct, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("tx0", 0))
mac = bytes.fromhex(open("/sys/class/net/rx0/address").read().strip().replace(":", ""))
ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 128, 0, 0, 64, 17, 0, bytes((10, 99, 0, 2)), bytes((10, 99, 0, 1)))
n = sum(struct.unpack("!10H", ip))
ip = ip[:10] + struct.pack("!H", ~(n + (n >> 16)) & 0xffff) + ip[12:]
frame = mac + b"\2" * 6 + b"\x08\0" + ip + struct.pack("!HHHH", 7, 9, 108, 0) + b"x" * 100
burst, pause = int(sys.argv[1]), float(sys.argv[2])
while True:
    for i in range(burst):
        s.send(frame)
    time.sleep(pause)
' "$1" "$2" &
	sender=$!
	started $sender
}
watch() {
	nice -n -10 "$X" watch rx0 --last 14 --overhead 0 --timing all -f jsonl >"$tmp/lines" 2>"$tmp/watch.err" &
	watch=$!
	started $watch
	await_of $watch grep -q '"queues"' "$tmp/lines"
	sleep 14
}
injected() { # NAME CAUSE INJECT REVERT
	name=$1 cause=$2
	case " ${ONLY-$name} " in *" $name "*) ;; *) return ;; esac
	"$X" watch --dump --after 9 -o "$tmp/$name" >"$tmp/asked" 2>&1 &
	asked=$!
	sleep 4 # until the watch was asked
	eval "$3" >"$tmp/inject" 2>&1 || echo "# $name: $(cat "$tmp/inject")"
	wait $asked || echo "# $name: $(cat "$tmp/asked")"
	eval "$4" >"$tmp/inject" 2>&1 || echo "# $name: $(cat "$tmp/inject")"
	"$X" why "$tmp/$name" -f json >"$tmp/why" 2>"$tmp/why.err"
	status=$? said=$(jq -r .cause "$tmp/why")
	case $status in
	0) [ "$said" = "$cause" ] && now=holds || now=misses ;;
	4) [ "$cause" = nothing ] && now=holds || now="inconclusive" ;;
	*) now=misses said="status $status $(cat "$tmp/why.err")" ;;
	esac
	verdict "$now" "$said" "$name"
	[ -z "${SHOW-}" ] || "$X" why "$tmp/$name" | sed 's/^/# /'
	jq -r '.sentences[]' "$tmp/why" | sed 's/^/#     /'
	sleep 14
}

# Bursts that the ring of 256 takes, and one of 80 does not.
ip link set rx0 xdpgeneric obj "$tmp/slow.o" sec xdp
to_cpu 1
send 200 2.5
watch
injected nothing nothing : :
injected ring-shrunk ring 'ethtool -G rx0 rx 80; to_cpu 1' 'ethtool -G rx0 rx 256; to_cpu 1'
stop() { for p; do kill -TERM "$p" && wait "$p"; done 2>/dev/null; }
stop $watch $sender
ip link set rx0 xdpgeneric off

# A reader on CPU 0, and interrupts that come there
ip link set rx0 xdpgeneric obj "$tmp/less.o" sec xdp/pass
python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.99.0.1", 9))
while True:
    s.recv(2048)
    end = time.monotonic() + 0.0012
    while time.monotonic() < end:
        pass
' &
reader=$!
started $reader
taskset -p -c 0 $reader >"$tmp/taskset"
send 20 0.08
watch
injected nothing-2 nothing 'sysctl -w net.core.somaxconn=123' 'sysctl -w net.core.somaxconn=4096'
injected irq-moved steering 'to_cpu 0' 'to_cpu 1'
stop $watch $sender $reader
echo "# $holds right, $unsure inconclusive, $misses wrong and sure, of $((holds + unsure + misses))"
