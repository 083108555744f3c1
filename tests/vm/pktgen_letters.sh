#!/bin/sh
# pktgen/: every letter with every script: what it asks for is in the frames, or it is refused in words. What is left: -h
# (tests/code/pktgen.sh), and -i and -m, which are everywhere.
# usage: pktgen_letters.sh [SCRIPT...]
. "$(dirname "$0")/pktgen_lib.sh"
[ $# -gt 0 ] || set -- $(ls pktgen/pktgen_*.sh | sed 's/.*pktgen_//; s/\.sh$//')
ip link set rx0 promisc on # the NIC lets no tag in that it does not know

# Of the frames seen: columns, each with the values in it and how often.
seen() { for c; do printf '%s ' "$(column "$c")"; done | sed 's/ $//'; }
# letters FRAMES SCRIPT OPTIONS...: runs it; $status, and what arrived
letters() {
	look "$1"
	shift
	run "$@"
	i=0
	while kill -0 $looker 2>/dev/null && [ $i -lt 50 ]; do i=$((i + 1)); sleep 0.1; done
	kill $looker 2>/dev/null
	looked 2>/dev/null
}
injects() { case $1 in netif_receive) echo -i rx0 ;; esac; } # into the stack of the receiver itself

for s; do
	to=198.18.7.8 size="-s 128"
	[ $s != ipv6 ] || to=fd00:1:2::7
	[ $s != imix ] || size="-z 128,1"
	letters 80 $s $(injects $s) $size -d $to -p 433 -k -t 2 --flows 0 -n 40 -b 1 -j
	is "$s -s -d -p -k -t -f -n -b -j" "$status $(seen 2 4 6 7) $(echo "$text" | jq -c '[.sent, (.threads | map(.cpu))]')" \
		"0 $to*80 433*80 128*80 sum*80 [80,[0,1]]"

	letters 50 $s $(injects $s) $size -6 -d fd00:1:2::7 -F 5 -r 200 -q 77:3 -n 50 --flows 1 -v
	is "$s -6 -F -r -q -v" "$status $(seen 2 5 6) $(distinct 3) $(echo "$err" | grep -c 'pgctrl: reset')" \
		"0 fd00:1:2::7*50 $((3 * 8192 + 77))*50 128*50 5 1"

	letters 100 $s $(injects $s) -c 10 -n 100 -b 1
	case $s in
	imix) is "$s -c: refused" "$status $err" "2 pktgen_imix.sh: -c 10: a clone has the size of the first; use -c 0" ;;
	netif_receive) is "$s -c: refused" "$status $err" "2 pktgen_netif_receive.sh: -c 10: what is injected cannot be cloned; use -b" ;;
	*) is "$s -c" "$status $(wc -l <"$tmp/seen")" "0 100" ;;
	esac

	letters 20 $s $(injects $s) -w 10000000 -n 20
	case $s in
	fixed_rate) is "$s -w: refused" "$status $err" "2 pktgen_fixed_rate.sh: -r and -w: one of them" ;;
	*) is "$s -w: all, and not faster" "$status $(wc -l <"$tmp/seen") $(echo "$text" | sed 's/.* in \([0-9.]*\) s.*/\1/' | awk '{ print ($1 > 0.15) }')" "0 20 1" ;;
	esac

	letters 40 $s $(injects $s) -z "128,1 300,1" -n 40 -b 1
	is "$s -z" "$status $(wc -l <"$tmp/seen") $(cut -d' ' -f6 "$tmp/seen" | sort -un | tr '\n' ' ')" "0 40 128 300 "

	letters 0 $s $(injects $s) -a -x -n 30 -b 1
	look 30
	echo start >/proc/net/pktgen/pgctrl
	looked
	is "$s -a -x" "$status $(echo "$err" | grep -q '^+ pg_' && echo traced) $(wc -l <"$tmp/seen")" "0 traced 30"
	echo reset >/proc/net/pktgen/pgctrl

	sleep 1 | pktgen/pktgen_$s.sh -i tx0 -m $M $(injects $s) -r 100 -n 0 -e 10 -j >"$tmp/out" 2>"$tmp/err"
	is "$s -e: ends with its input, and says both" "$? $(jq -rs '[.[].state] | join(" ")' "$tmp/out") $(devices)" "0 sending done "
done
