#!/bin/sh
# pktgen_netif_receive.sh - skbs into the stack as if the device had received them: needs no wire
pg_about="Injects skbs into the stack as if the device had received them: needs no wire and no driver"
XMIT=netif_receive BURST=${BURST-1024} COUNT=${COUNT-10000000}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
