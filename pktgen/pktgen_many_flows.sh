#!/bin/sh
# pktgen_many_flows.sh - as many UDP flows as asked for, in turn: what spreads over the receiver's queues
pg_about="Many UDP flows in turn: what spreads over the receiver's queues and misses its caches"
FLOWS=${FLOWS-8000}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
