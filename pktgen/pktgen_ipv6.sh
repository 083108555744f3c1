#!/bin/sh
# pktgen_ipv6.sh - one IPv6 flow in bursts
pg_about="One UDP flow over IPv6, in bursts"
IP6=6 BURST=${BURST-32}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
