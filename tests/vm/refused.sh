#!/bin/sh
# A driver that cannot or will not: its own words in one sentence, and nothing left attached.
# usage: refused.sh DRIVER STATUS WORD...    native mode is refused with STATUS and a sentence with the WORDs
. "$(dirname "$0")/../rig/lib.sh"
driver=$1 status=$2
shift 2

is "the NIC is driven by $driver" "$(ethtool -i rx0 | sed -n 's/^driver: //p')" "$driver"
fails "native is refused, with: $*" "$status" "rx0: driver $driver .*$*" "$X" stat rx0 -t 0.1
fails "so it is by record" "$status" "rx0: driver $driver .*$*" "$X" record rx0 -q -o "$tmp/run" -V drop/no-touch@native -b 1
is "nothing is attached, no half a run is there" "$(ip -o link show rx0 | grep -c xdp) $(ls "$tmp" | grep -c run)" "0 0"
