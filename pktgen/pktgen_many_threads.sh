#!/bin/sh
# pktgen_many_threads.sh - a CPU and a flow for each TX queue, CPUs of the device's NUMA node first
pg_about="A CPU and a flow for each TX queue, on the device's NUMA node"
NUMA=1 THREADS=${THREADS-0} BURST=${BURST-32}
# shellcheck source=pktgen/engine.sh
[ -n "${pg_engine-}" ] || . "$(dirname "$0")/engine.sh"

pg_main "$@"
