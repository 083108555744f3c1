#!/bin/sh
# pktgen_single_flow_burst.sh - one UDP flow, handed to the driver in bursts: the fastest that one CPU sends
pg_about="One UDP flow a thread, from the kernel's pktgen, in bursts: the fastest that one CPU sends"
BURST=32
# shellcheck source=pktgen/engine.sh
. "$(dirname "$0")/engine.sh"

pg_options "$@"
pg_open
pg_each pg_dev "burst $BURST"
pg_each pg_dev "udp_src_min 9"
pg_each pg_dev "udp_src_max 9"
pg_each pg_dev "udp_dst_min 9"
pg_each pg_dev "udp_dst_max 9"
pg_run
