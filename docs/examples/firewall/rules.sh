#!/bin/sh
# Rules of the firewall, for xdpzoom's --setup: 198.51.100.0/24 is blocked, and the ports 53 and 443 are open.
set -e
# the number of bits, then the address, as struct network has them
bpftool map update pinned "$XDPZOOM_PINS/blocked" key 24 0 0 0 198 51 100 0 value 1
for port in 53 443; do
	bpftool map update pinned "$XDPZOOM_PINS/open" key $((port / 256)) $((port % 256)) value 1
done
