#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every format of a run, of exact counts and of a comparison has the same total of each variant.
exec python3 "$(dirname "$0")/totals.py"
