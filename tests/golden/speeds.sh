#!/bin/sh
# Are intervals as wide as they should be where variants take turns on a machine whose speed moves? RUNS=200: more runs of each model.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/golden/speeds.py build/xdpzoom "${RUNS:-40}"
