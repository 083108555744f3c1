#!/bin/sh
# pktgen_imix.sh - frames of several sizes, as in the Internet: 7 small, 4 middle, 1 large
pg_about="Frames of several sizes in a random order, as in the Internet (40, 576 and 1500 bytes of IP, 7:4:1)"
IMIX=${IMIX-60,7 590,4 1514,1}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
