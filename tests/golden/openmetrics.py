#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A strict reader of OpenMetrics text: openmetrics.py FILE prints how many samples of how many families it has.

src: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md, sections ABNF and "Text format".
Exemplars, timestamps and types other than gauge and counter are refused: xdpzoom writes none, and node_exporter's textfile
collector takes no timestamps.
"""
import math
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r"(%s)(?:\{((?:%s(?:,%s)*)?)\})? (\S+)" % (NAME, LABEL, LABEL))
META = re.compile(r"# (TYPE|HELP|UNIT) (%s) (.+)" % NAME)


def fail(number, why):
    sys.exit("line %d: %s" % (number, why))


def read(text):
    if not text.endswith("# EOF\n"):
        sys.exit("does not end in # EOF")
    closed, family, meta, seen, samples = set(), None, set(), set(), 0
    lines = text.split("\n")[:-2]
    for number, line in enumerate(lines, 1):
        match = META.fullmatch(line)
        if match:
            kind, name, rest = match.groups()
            if name != family:
                if name in closed:
                    fail(number, "%s comes back" % name)
                closed.add(name)
                family, meta = name, set()
            if kind in meta:
                fail(number, "a second %s" % kind)
            meta.add(kind)
            if kind == "TYPE" and rest not in ("gauge", "counter"):
                fail(number, "type %s" % rest)
            if kind == "TYPE":
                suffix = "_total" if rest == "counter" else ""
            if kind == "UNIT" and not name.endswith("_" + rest):
                fail(number, "%s does not end in its unit" % name)
            continue
        match = SAMPLE.fullmatch(line)
        if not match:
            fail(number, "neither metadata nor a sample: %r" % line)
        name, labels, value = match.groups()
        if "TYPE" not in meta or name != family + suffix:
            fail(number, "a sample outside of its family")
        names = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"', labels or "")
        if len(names) != len(set(names)):
            fail(number, "a label twice")
        if (name, labels) in seen:
            fail(number, "a sample twice")
        seen.add((name, labels))
        if not math.isfinite(float(value)):
            fail(number, "value %s" % value)
        samples += 1
    print(samples, len(closed))


with open(sys.argv[1], encoding="utf-8", errors="strict", newline="") as f:
    read(f.read())
