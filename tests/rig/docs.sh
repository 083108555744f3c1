#!/bin/sh
# The commands that README.rst and docs/ show with sudo, run on the rig: what they print has the shape that stands there.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3 here"; exit 0; }
exec tests/docs/shown.py lab
