#!/bin/sh
# pktgen_fixed_rate.sh - so many frames a second, evenly spaced
pg_about="So many frames a second, one by one"
RATE=${RATE-100000}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
