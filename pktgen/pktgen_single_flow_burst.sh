#!/bin/sh
# pktgen_single_flow_burst.sh - one UDP flow, handed to the driver in bursts: the fastest that one CPU sends
pg_about="One UDP flow, handed to the driver in bursts: the fastest that one CPU sends"
BURST=${BURST-32}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
