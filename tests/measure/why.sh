#!/bin/sh
# Causes that are injected while a watch runs, one after the other, in namespaces of this test's own: does `why` name each from the
# dump? "holds": it does. "inconclusive": it does not say. "misses": it is sure of something else, which is the worst it can do.
# ONLY='name name' takes some of them. KEEP=DIR keeps the dumps.
. "$(dirname "$0")/lib.sh"
need_root
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
command -v nft >/dev/null && command -v tc >/dev/null && command -v ethtool >/dev/null || skip_all "needs nft, tc and ethtool"

cp "$X" "$tmp/xdpzoom" && X=$tmp/xdpzoom # which may be built anew meanwhile
rx=xzw-rx$$ tx=xzw-tx$$
namespaces="$rx $tx"
stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
group=
for at in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
	[ -z "$group" ] && [ -e $at/cgroup.procs ] && group=$at/xzw$$
done
undo=put_back
put_back() {
	echo "$stats" >/proc/sys/kernel/bpf_stats_enabled
	[ ! -d "$group" ] || { while read -r p; do echo "$p" >"${group%/*}/cgroup.procs"; done <"$group/cgroup.procs" && rmdir "$group"; } 2>/dev/null
}
in_rx() { ip netns exec $rx "$@"; }
in_tx() { ip netns exec $tx "$@"; }

# two programs that differ in what they cost, and one for tc
for slow in 0 1; do
	cat >"$tmp/p$slow.c" <<-C
		#include <linux/bpf.h>
		#define SEC(n) __attribute__((section(n), used))
		static __u64 (*now)(void) = (void *)5;
		static inline void work(void) { for (int i = 0; i < 20 * $slow; i++) now(); }
		SEC("xdp") int drop(struct xdp_md *ctx) { work(); return XDP_DROP; }
		SEC("classifier") int pass(struct __sk_buff *skb) { work(); return 0; }
		char _license[] SEC("license") = "GPL";
	C
	try "clang" clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -c -o "$tmp/p$slow.o" "$tmp/p$slow.c"
done
xdp() { in_rx ip link set dev wrx "$@"; } # MODE obj FILE sec xdp, or MODE off

ip netns add $rx && ip netns add $tx || skip_all "no namespaces here"
ip link add wrx netns $rx numrxqueues 2 numtxqueues 2 type veth peer name wtx numrxqueues 2 numtxqueues 2 netns $tx
for n in rx tx; do
	eval "ns=\$$n"
	ip netns exec "$ns" sysctl -q -w net.ipv6.conf.all.disable_ipv6=1
	ip netns exec "$ns" ethtool -K w$n gro on
	ip netns exec "$ns" ethtool -L w$n rx 2 tx 2
	ip -n "$ns" link set lo up
	ip -n "$ns" link set w$n up
done
ip -n $rx addr add 10.99.0.1/24 dev wrx
ip -n $tx addr add 10.99.0.2/24 dev wtx
in_rx sh -c 'echo 1 >/sys/class/net/wrx/threaded'
mac=$(in_rx cat /sys/class/net/wrx/address)
# The generator on CPU 0, NAPI's threads on CPU 1; what others run beside them comes after them.
pin() { for p in $(pgrep '^napi/wrx-'); do taskset -p -c "$1" "$p" >/dev/null && renice -n -15 -p "$p" >/dev/null; done; }
napi_policy() { for p in $(pgrep '^napi/wrx-'); do chrt $1 "$p"; done; }
# hog SECONDS: keeps CPU 1 from all that is no more urgent, and ends by itself
hog() {
	chrt --flows 5 taskset -c 1 python3 -c "import time
end = time.monotonic() + $1
while time.monotonic() < end:
    pass" &
	hog=$!
	started $hog
}
pin 1

send() { # RATE
	taskset -c 0 "$X" gen wtx -N $tx -m "$mac" -r "$1" -t 7200 --frames 'udp 10.99.0.2:7 > 10.99.0.1:9 len 150' >"$tmp/gen" 2>&1 &
	gen=$!
	started $gen
	await_of $gen sh -c "[ \$(ip netns exec $rx cat /sys/class/net/wrx/statistics/rx_packets) -gt 1000 ]"
}
watch() {
	nice -n -10 nsenter --net=/run/netns/$rx "$X" watch wrx --last 14 --overhead 4 -f jsonl >"$tmp/lines" 2>"$tmp/watch.err" &
	watch=$!
	started $watch
	await_of $watch grep -q ns_per_packet "$tmp/lines"
	sleep 14
}
stop() {
	for p; do kill -TERM "$p" && wait "$p"; done 2>/dev/null
}

# wanted NAME...: is any of them asked for?
wanted() {
	[ -n "${ONLY-}" ] || return 0
	for one; do case " $ONLY " in *" $one "*) return 0 ;; esac done
	return 1
}

# injected NAME CAUSE INJECT REVERT: CAUSE is what why has to name, or "nothing": it must not be sure
injected() {
	name=$1 cause=$2
	wanted "$name" || return 0
	dump=$tmp/$name
	nsenter --net=/run/netns/$rx "$X" watch --dump --after 9 -o "$dump" >"$tmp/asked" 2>&1 &
	asked=$!
	sleep 0.3
	eval "$3" >"$tmp/inject" 2>&1 || echo "# $name: $(cat "$tmp/inject")"
	wait $asked || echo "# $name: $(cat "$tmp/asked")"
	eval "$4" >"$tmp/inject" 2>&1 || echo "# $name: $(cat "$tmp/inject")"
	"$X" why "$dump" -f json >"$tmp/why" 2>"$tmp/why.err"
	status=$? said=$(jq -r .cause "$tmp/why")
	[ -z "${KEEP-}" ] || { mkdir -p "$KEEP" && rm -rf "$KEEP/$name" && cp -r "$dump" "$KEEP/$name"; }
	case $status in
	0) case " $cause " in *" $said "*) now=holds ;; *) now=misses ;; esac ;;
	4) [ "$cause" = nothing ] && now=holds || now="inconclusive" ;;
	*) now=misses said="status $status $(cat "$tmp/why.err")" ;;
	esac
	verdict "$now" "$said" "$name"
	jq -r '.sentences[]' "$tmp/why" | sed 's/^/#     /'
	sleep 14
}

# ---- all packets are dropped by a program in the driver
dropped() {
xdp xdpdrv obj "$tmp/p0.o" sec xdp
send 300k
watch
injected nothing-1 nothing : :
injected generator-paused fewer-packets 'kill -STOP $gen' 'kill -CONT $gen'
injected slower-program program 'xdp xdpdrv off; xdp xdpdrv obj $tmp/p1.o sec xdp' 'xdp xdpdrv off; xdp xdpdrv obj $tmp/p0.o sec xdp'
injected program-removed program 'xdp xdpdrv off' 'xdp xdpdrv obj $tmp/p0.o sec xdp'
injected native-to-generic program 'xdp xdpdrv off; xdp xdpgeneric obj $tmp/p0.o sec xdp' 'xdp xdpgeneric off; xdp xdpdrv obj $tmp/p0.o sec xdp'
injected bpf-stats bpf-stats 'echo 1 >/proc/sys/kernel/bpf_stats_enabled' 'echo $stats >/proc/sys/kernel/bpf_stats_enabled'
injected threads-off napi-thread "in_rx sh -c 'echo 0 >/sys/class/net/wrx/threaded'" "in_rx sh -c 'echo 1 >/sys/class/net/wrx/threaded'; pin 1"
injected small-mtu mtu 'ip -n $rx link set wrx mtu 100' 'ip -n $rx link set wrx mtu 1500'
injected link-down link 'ip -n $rx link set wrx down' 'ip -n $rx link set wrx up; pin 1'
injected other-queue flow-moved 'taskset -a -p -c 1 $gen' 'taskset -a -p -c 0 $gen'
injected other-setting nothing 'in_rx sysctl -w net.core.somaxconn=123' 'in_rx sysctl -w net.core.somaxconn=4096'
injected hog-at-napi run-queue 'hog 9' 'stop $hog'
stop $watch $gen
xdp xdpdrv off
}

# ---- a process reads what comes to a UDP socket
reader() {
	nice -n -10 ip netns exec $rx taskset -c "$1" python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.99.0.1", 9))
while True:
    s.recv(2048)
' &
	reader=$!
	started $reader
}
read_by_socket() {
reader 0
send 30k
watch
injected nothing-2 nothing : :
injected nft-rules nftables '{ echo "table ip t { chain c {"; echo "type filter hook input priority 0;"; i=0; while [ $((i += 1)) -le 1000 ]; do echo "ip saddr 10.1.2.$((i % 250)) drop"; done; echo "}"; echo "}"; } | in_rx nft -f -' 'in_rx nft flush ruleset'
injected conntrack conntrack 'in_rx nft "table ip t { chain c { type filter hook input priority 0; ct state established accept; }; }"' 'in_rx nft flush ruleset'
injected packet-socket packet-socket 'ip netns exec $rx python3 -c "import socket,time; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)); s.bind((\"wrx\", 0)); time.sleep(100)" & tap=$!; started $tap' 'stop $tap'
injected reader-stopped reader-stopped 'kill -STOP $reader' 'kill -CONT $reader'
injected reader-quota cgroup-quota 'mkdir $group && { [ -e $group/cpu.max ] && echo "2000 100000" >$group/cpu.max || echo 2000 >$group/cpu.cfs_quota_us; } && echo $reader >$group/cgroup.procs' 'echo $reader >${group%/*}/cgroup.procs; rmdir $group'
injected gro-off offload 'in_rx ethtool -K wrx gro off' 'in_rx ethtool -K wrx gro on; in_rx sh -c "echo 1 >/sys/class/net/wrx/threaded"; pin 1'
injected rps rps 'in_rx sh -c "for q in /sys/class/net/wrx/queues/rx-*; do echo 1 >\$q/rps_cpus; done"' 'in_rx sh -c "for q in /sys/class/net/wrx/queues/rx-*; do echo 0 >\$q/rps_cpus; done"'
injected tc-program program 'in_rx tc qdisc add dev wrx clsact && in_rx tc filter add dev wrx ingress bpf da obj $tmp/p1.o sec classifier' 'in_rx tc qdisc del dev wrx clsact'
injected more-packets more-packets 'stop $gen; send 400k' 'stop $gen; send 30k'
hog 45
napi_policy '-f -p 10' # above the loop
injected reader-moved reader-cpu 'taskset -p -c 1 $reader' 'taskset -p -c 0 $reader'
napi_policy '-o -p 0'
stop $hog $watch $gen $reader
}

# ---- a process sends through a qdisc
sent() {
in_rx tc qdisc add dev wrx root tbf rate 10mbit burst 1600 limit 100000
ip netns exec $rx python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    for i in range(60):
        s.sendto(b"x" * 200, ("10.99.0.2", 9))
    time.sleep(0.05)
' &
sender=$!
started $sender
send 10k
watch
injected small-qdisc 'queue-size qdisc' 'in_rx tc qdisc change dev wrx root tbf rate 10mbit burst 1600 limit 3000' 'in_rx tc qdisc change dev wrx root tbf rate 10mbit burst 1600 limit 100000'
stop $watch $gen $sender
in_rx tc qdisc del dev wrx root
}

# ---- a process reads by AF_XDP, and a CPU consumes what is redirected to it
redirected() {
"$X" stat wrx -N $rx -V xsk@native -t 7200 >"$tmp/stat" 2>&1 &
stat=$!
started $stat
send 50k
watch
injected xsk-reader-stopped reader-stopped 'kill -STOP $stat' 'kill -CONT $stat'
stop $watch $gen $stat

"$X" stat wrx -N $rx -V redirect-cpu:1@native -t 7200 >"$tmp/stat" 2>&1 &
stat=$!
started $stat
send 50k
watch
napi_policy '-f -p 10'
injected cpumap-full run-queue 'hog 9' 'stop $hog'
stop $watch $gen $stat
}

# ---- a process reads what a bridge sends to a tap, as a virtual machine does
tapped() {
in_rx ip link add xzbr type bridge
in_rx ip link set xzbr up
in_rx ip link set wrx master xzbr
nice -n -10 ip netns exec $rx taskset -c 0 python3 -c '
import fcntl, os, struct
fd = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(fd, 0x400454CA, struct.pack("16sH22x", b"xztap", 0x1002)) # TUNSETIFF, IFF_TAP | IFF_NO_PI
os.system("ip link set xztap master xzbr up")
while True:
    os.read(fd, 2048)
' &
reader=$!
started $reader
await_of $reader in_rx sh -c "ip link show xztap 2>/dev/null | grep -q LOWER_UP"
mac=02:00:00:00:00:07
send 30k
watch
injected tap-reader-stopped reader-stopped 'kill -STOP $reader' 'kill -CONT $reader'
stop $watch $gen $reader
in_rx ip link del xzbr
}

! wanted nothing-1 generator-paused slower-program program-removed native-to-generic bpf-stats threads-off small-mtu link-down other-queue other-setting hog-at-napi || dropped
! wanted nothing-2 nft-rules conntrack packet-socket reader-stopped reader-quota gro-off rps tc-program more-packets reader-moved || read_by_socket
! wanted small-qdisc || sent
! wanted xsk-reader-stopped cpumap-full || redirected
! wanted tap-reader-stopped || tapped
echo "# $holds right, $unsure inconclusive, $misses wrong and sure, of $((holds + unsure + misses))"
