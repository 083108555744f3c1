#!/bin/sh
# A run directory recorded on the rig -> exact text and JSON.
. "$(dirname "$0")/lib.sh"
need "$X"
here=tests/golden/recorded

golden_plan 6
golden $here/report.txt "$X" report $here/run
golden $here/report.json "$X" report $here/run --format json
golden $here/report-one.txt "$X" report "$here/run:tx/swap-macs@native"
golden $here/diff.txt "$X" diff "$here/run:drop/no-touch@native" drop/no-touch@skb
golden $here/diff.json "$X" diff "$here/run:drop/no-touch@native" drop/no-touch@skb --format json
golden $here/diff-self.txt "$X" diff "$here/run:drop/no-touch@native" "$here/run"
