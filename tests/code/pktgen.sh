#!/bin/sh
# pktgen/ without pktgen: options that make no sense, devices that cannot send, receivers that it would crash.
. "$(dirname "$0")/../rig/lib.sh"

S=pktgen/pktgen_single_flow_burst.sh
for s in pktgen/pktgen_*.sh; do
	is "$s -h tells" "$($s -h | grep -c '^usage: ')" 1
	grep -q "^\`\`$(basename "$s" .sh | sed 's/^pktgen_//')\`\`" pktgen/README.rst || missing="${missing-} $s"
done
is "each script is in the README's table" "${missing-}" ""
is "each option is in the README's table" "$($S -h | sed -n 's/^  -\(.\) .*/\1/p' | while read -r l; do grep -q "^\`\`-$l" pktgen/README.rst || echo "$l"; done)" ""

# shellcheck disable=SC2317 # called by name
wrong() { # pattern, options...
	pattern=$1
	shift
	fails "$*: refused" 2 "$pattern" $S -i lo "$@"
}
fails "no device named" 2 "name the device" $S
wrong "no option -Z" -Z
wrong "wants an argument" -n
wrong "not an option" -n 1 more
wrong "-n 64abc: not a whole number" -n 64abc
wrong "-n 010: not a whole number" -n 010
wrong "-s 20: outside 60..9216" -s 20
wrong "have at least 78 bytes" -6 -s 64
wrong "not a MAC address" -m 1:2:3:4:5:6
for a in 1.2.3 1.2.3.256 1.2.3.4/33 fd00::1 1.2.3.4.5 "" 1.2.3.x; do
	[ -n "$a" ] || continue
	wrong "not an IPv4 address or network" -d "$a"
done
for a in 198.18.0.1 1:2:3:4:5:6:7 1::2::3 12345:: fd00::/129 fe80:::1 :1:2:3:4:5:6:7; do wrong "not an IPv6 address or network" -6 -d "$a"; done
for p in 0 65536 9-8 9-65535 http; do wrong "-p " -p $p; done
wrong "one of them" -r 10 -w 10
wrong "waits between bursts" -w 10 -b 2
wrong "not many flows" -F 10 -b 2
wrong "not many sizes" -z "60,1 100,1" -b 2
wrong "a clone has the size of its original" -z "60,1 100,1" -c 2
wrong "less than one in a hundred" -z "60,1 100,200"
wrong "more than 20 sizes" -z "$(for i in $(seq 100 120); do printf '%s,1 ' "$i"; done)"
wrong "not SIZE,WEIGHT" -z 60:1
wrong "does not send" -a -e 5
fails "injected clones" 2 "cannot be cloned" pktgen/pktgen_netif_receive.sh -i lo -c 2
is "networks: first and last address" "$(sh -c '. pktgen/engine.sh; pg_addresses 198.18.77.1/15; IP6=6 pg_addresses fd00:1::ff/118; IP6=6 pg_addresses ::/0')" \
	"198.18.0.0 198.19.255.255
fd00:1:0:0:0:0:0:0 fd00:1:0:0:0:0:0:3ff
0:0:0:0:0:0:0:0 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
mkdir "$tmp/threads"
for c in 0 1 2 3 8; do : >"$tmp/threads/kpktgend_$c"; done
is "CPUs of a node: those with a thread of pktgen" \
	"$(PG=$tmp/threads sh -c '. pktgen/engine.sh; pg_cpu_list 0-2,8,9; pg_cpu_list ""; pg_cpu_list 3' | tr '\n' ' ')" "0 1 2 8 3 "
