#!/bin/sh
# README.rst and docs/: valid, no dead link, nothing missing in docs/formats.rst; and the commands that they show, which need
# neither root nor a rig, print what stands there. UPDATE=1 writes what they print now, to be looked at.
cd "$(dirname "$0")/../.." || exit 1
[ -x "${O:-build}/xdpzoom" ] || { echo "1..0 # SKIP ${O:-build}/xdpzoom is not built"; exit 0; }
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3 here"; exit 0; }
if [ -n "${UPDATE-}" ]; then tests/docs/shown.py update; fi
exec tests/docs/shown.py golden
