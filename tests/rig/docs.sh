#!/bin/sh
# The commands that README.rst and docs/ show with sudo, run on the rig: what they print has the shape that stands there.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all "no python3 here"
cleanup
trap - EXIT
exec tests/docs/shown.py lab
