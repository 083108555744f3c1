#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Can this machine measure what a packet costs, now? One result for each check of xdpzoom doctor --selftest, on the built-in testbed.
# xdpzoom_lib.sh explains the environment; besides:
#   XDPZOOM_SECONDS   while a check is inconclusive, go on for so long (600)
. "$(dirname "$0")/xdpzoom_lib.sh"

step selftest "$X" doctor --selftest --for "${XDPZOOM_SECONDS:-600}" -f ktap
done_all
