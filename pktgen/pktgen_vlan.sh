#!/bin/sh
# pktgen_vlan.sh - one flow with a VLAN tag, in bursts
pg_about="One UDP flow with a VLAN tag, in bursts"
VLAN=${VLAN-100} BURST=${BURST-32}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
