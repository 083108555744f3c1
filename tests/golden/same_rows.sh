#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perfparse and import read the same rows of every text of perf in this tree.
exec python3 "$(dirname "$0")/same_rows.py"
