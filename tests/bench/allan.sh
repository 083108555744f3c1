#!/bin/sh
# How long is it worth to measure one variant at a stretch? The Allan deviation of ns/packet from some ms to 10 s, native and
# skb in turns on one CPU, and of their difference.
# usage: tests/bench/allan.sh [SECONDS]
. "$(dirname "$0")/lib.sh"
s=${1:-40}
"$X" record lab -q -o "$tmp/run" -V drop/no-touch@native,drop/no-touch@skb -b 2 --schedule windows=2 --window "$((s / 2))" || exit
tests/bench/allan.py "$tmp/run"
