#!/bin/sh
# pktgen_fixed_rate.sh - a fixed number of frames per second, evenly spaced
pg_about="A fixed number of frames per second, one by one"
RATE=${RATE-100000}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
