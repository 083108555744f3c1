#!/bin/sh
# xdpzoom map: what is made is found, edge by edge; what cannot be seen is said; names control no terminal; nothing is changed.
. "$(dirname "$0")/lib.sh"
ip netns add xzma && ip netns add xzmb || lacks "no namespaces here"
namespaces="xzma xzmb"
mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || exit 1
python3 tests/rig/topology.py "$X" build/bpf/forward.bpf.o 1 "${TOPOLOGIES:-4}" >"$tmp/seen" 2>&1
result $? "random topologies: devices, programs and edges, all of them and no other"
sed 's/^/# /' "$tmp/seen"

evil=$(printf 'e\033[31m')
ip link add xzm0 netns xzma type veth peer name "$evil" netns xzmb || lacks "no veth here"
ip -n xzma link add xzbr type bridge && ip -n xzma link set xzm0 master xzbr mtu 1400
map() { "$X" map "$@"; }
map >"$tmp/text"
is "a port stands below its bridge" "$(grep -A1 '^  xzbr ' "$tmp/text" | tail -n 1 | sed 's/,.*//; s/  */ /g')" " xzm0 veth"
is "and leads to the other namespace" "$(grep -c '^      <-> xzmb/e?\[31m$' "$tmp/text")" 1
is "no name controls a terminal" "$(tr -cd '\033' <"$tmp/text" | wc -c)" 0
# a namespace that is crowded by somebody; one whose mount has a long name
ip netns add xzmc && namespaces="$namespaces xzmc"
seq 100 | sed 's/.*/link add d& type veth peer name e&/' | ip -n xzmc -batch -
is "its devices are listed" "$(map | sed -n '/^xzmc/,/^$/p' | grep -c '^  [de][0-9]*  *veth')" 200
for n in $(seq 100); do ip -n xzmc link add q type bridge && ip -n xzmc link del q; done &
is "devices that come and go meanwhile" "$(for n in $(seq 20); do map -f json 2>&1 >"$tmp/map" || break; done)" ""
wait $!
blanks=$(printf '%230s' '')
long="$tmp/$blanks/$blanks/$blanks/$blanks/$blanks" # 1,150 blanks, which the kernel tells by four letters each
mkdir -p "$long" && : >"$long/xzm of a long path"
mount --bind /run/netns/xzmc "$long/xzm of a long path"
mounts="$long" ip netns del xzmc
ok "a namespace by the end of a long path with blanks" sh -c '"$1" map | grep -qx "xzm of a long path"' - "$X"
umount "$long/xzm of a long path"
mounts=
map -f json >"$tmp/one.json" && map -f json >"$tmp/two.json"
own() { jq -c '.. | objects | select(.device | strings | startswith("xzm"))' "$1"; }
is "the same machine, the same rows in the same order" "$(own "$tmp/two.json")" "$(own "$tmp/one.json" | grep .)"

# programs of tc, a filter of its own, tail calls
pins=/sys/fs/bpf/xzm$$
bpftool prog loadall build/bpf/forward.bpf.o $pins pinmaps $pins >"$tmp/load" 2>&1
in_a() { nsenter --net=/run/netns/xzma "$@"; }
in_a tc qdisc add dev xzm0 clsact
in_a tc filter add dev xzm0 ingress bpf da pinned $pins/tc_to_device
in_a tc filter add dev xzm0 egress protocol all u32 match u32 0 0
map -f json >"$tmp/tc.json"
is "a program of tc" "$(jq -r '.attachments[] | select(.device == "xzma/xzm0") | .hook' "$tmp/tc.json")" tc-ingress
is "by its name, and where it is pinned" "$(jq -r '.programs[] | select(.name == "tc_to_device") | .pinned[]' "$tmp/tc.json")" "$pins/tc_to_device"
is "another filter" "$(jq -r '.hooks[] | select(.device == "xzma/xzm0") | .kind, .name' "$tmp/tc.json" | tr '\n' ' ')" "tc-egress u32 "

# a tap, with two queues, and who holds it
cat >"$tmp/tap.py" <<'EOF'
import fcntl, os, struct, time
for queue in range(2):
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, 0x400454CA, struct.pack("16sH22x", b"xzmt", 0x1102))  # TUNSETIFF, IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE
open("/proc/self/comm", "w").write("holds\033[31m")
print(os.getpid(), flush=True)
time.sleep(1000)
EOF
modprobe -q tun
if in_a python3 -c 'open("/dev/net/tun", "r+b", buffering=0)' 2>/dev/null; then
	nsenter --net=/run/netns/xzma python3 "$tmp/tap.py" >"$tmp/holder" &
	started $!
	await_of $! test -s "$tmp/holder"
	in_a ip link set xzmt up
	map -f json >"$tmp/tap.json"
	is "a tap leads to the process that holds it, once" \
		"$(jq -r '.edges[] | select(.from == "xzma/xzmt") | .kind, .to' "$tmp/tap.json" | tr '\n' ' ')" "process process:$(cat "$tmp/holder") "
	is "by its name, which controls no terminal" "$(map | grep -c "^ *process:$(cat "$tmp/holder"), holds?\[31m$")" 1
	chmod 711 "$tmp"
	is "who may not look is told so" \
		"$(in_a setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$X" map | tr -s '\n ' ' ' | grep -c 'the process that holds [^ ]*/xzmt: only root')" 1
	kill -KILL $!
else
	skip "a tap leads to the process that holds it" "no tun here"
fi

rm -rf $pins

# who may not look at others still sees something
chmod 711 "$tmp"
setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$X" map >"$tmp/user" 2>"$tmp/err"
is "a user without rights" "$? $(wc -c <"$tmp/err")" "0 0"
is "is told what is not visible" "$(grep -c 'not visible:.*only root' "$tmp/user")" 2
