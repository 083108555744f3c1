#!/bin/sh
# pktgen_many_flows.sh - many UDP flows in turn: they spread over the receiver's queues
pg_about="Many UDP flows in turn: they spread over the receiver's queues and miss its caches"
FLOWS=${FLOWS-8000}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
