#!/bin/sh
# Every case of tests/cases/: what a command prints for an input.
exec python3 "$(dirname "$0")/../cases/run.py"
