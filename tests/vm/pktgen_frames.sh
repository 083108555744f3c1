#!/bin/sh
# pktgen/: what is in the frames: addresses, ports, tags, sizes, as asked for.
. "$(dirname "$0")/pktgen_lib.sh"

look 20
run single_flow_burst -n 20 -b 1 -d 198.18.7.8 -p 433 -k
looked
is "destination and port, UDP checksum" "$(column 2) $(column 4) $(column 7)" "198.18.7.8*20 433*20 sum*20"
look 200
run single_flow_burst -n 200 -b 1 -d 198.18.0.0/29 -p 9-11
looked
is "a network's addresses in turn, the ports of a range, no checksum" "$(distinct 2) $(cut -d' ' -f4 "$tmp/seen" | sort -un | tr '\n' ' ')$(column 7)" "8 9 10 11 nosum*200"
look 120
run many_flows -n 120 -F 40
looked
is "forty flows in turn" "$(distinct 1) $(cut -d' ' -f1 "$tmp/seen" | sort | uniq -c | awk '{ print $1 }' | sort -u)" "40 3"
look 600
run many_flows -n 600 -F 300
looked
is "more flows than a byte counts" "$(distinct 1) $(sort "$tmp/seen" | uniq -c | awk '{ print $1 }' | sort -u)" "300 2"
look 40
run many_threads -n 20 -b 1 -t 2
looked
is "each thread a flow" "$(column 1)" "198.18.1.1*20 198.18.1.2*20"
look 60
run many_flows -6 -n 60 -F 20
looked
is "flows of IPv6: source ports" "$(distinct 3) $(distinct 1)" "20 1"
look 20
run ipv6 -n 20 -b 1 -d fd00:1:2::7
looked
is "IPv6: destination and size" "$(column 2) $(column 6)" "fd00:1:2::7*20 78*20"
look 50
run ipv6 -n 50 -b 1 -d fd00:1:2::/64
looked
is "IPv6: addresses of the network" "$(cut -d' ' -f2 "$tmp/seen" | cut -d: -f1-3 | sort -u)" "fd00:1:2"
between "IPv6: and at random" "$(distinct 2)" 45 50
ip link set rx0 promisc on # the NIC lets no tag in that it does not know
look 20
run vlan -n 20 -b 1 -q 77:3
looked
is "VLAN tag and priority" "$(column 5) $(column 6)" "$((3 * 8192 + 77))*20 62*20"
look 1200
run imix -n 1200
looked
is "IMIX: the sizes" "$(cut -d' ' -f6 "$tmp/seen" | sort -un | tr '\n' ' ')" "60 590 1514 "
between "IMIX: small ones" "$(cut -d' ' -f6 "$tmp/seen" | grep -cx 60)" 600 800
between "IMIX: large ones" "$(cut -d' ' -f6 "$tmp/seen" | grep -cx 1514)" 40 170
