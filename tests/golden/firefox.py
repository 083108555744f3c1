#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds a profile for the Firefox Profiler against the JSON of the same report: firefox.py PROFILE REPORT

The tables are whole (columns as long as "length", indices in range, callers before callees), the threads are the
variants and their second stages, and each function of each DSO weighs in its thread what the report says.
"""
import collections
import json
import math
import sys

raw = open(sys.argv[1], "rb").read()
assert not any(c < 0x20 or c == 0x7f for c in raw[:-1]), "a control character"
profile = json.loads(raw)
with open(sys.argv[2], encoding="utf-8") as f:
    variants = [v for v in json.load(f)["variants"] if v["base_ns"]]
shared, threads = profile["shared"], profile["threads"]
strings = shared["stringArray"]
frames, functions, resources, stacks = (shared[t] for t in ("frameTable", "funcTable", "resourceTable", "stackTable"))


def whole(table, columns):
    got = {name: len(column) for name, column in table.items() if isinstance(column, list)}
    assert got == dict.fromkeys(columns.split(), table["length"]), (got, table["length"])


def within(indices, n, least=0):
    assert all(type(i) is int and least <= i < n for i in indices), (indices, n)


assert profile["meta"]["preprocessedProfileVersion"] == 60
assert profile["meta"]["initialVisibleThreads"] == list(range(len(threads)))
whole(stacks, "frame prefix")
whole(frames, "address inlineDepth category subcategory func nativeSymbol innerWindowID line column")
whole(functions, "name isJS relevantForJS resource source lineNumber columnNumber")
whole(resources, "lib name host type")
whole(shared["nativeSymbols"], "libIndex address name functionSize")
whole(shared["sources"], "id filename")
within(stacks["frame"], frames["length"])
for own, caller in enumerate(stacks["prefix"]):
    within([caller] if caller is not None else [], own)
within(frames["func"], functions["length"])
within(frames["category"], len(profile["meta"]["categories"]))
within(functions["name"] + resources["name"], len(strings))
within(functions["resource"], resources["length"], -1)


def function(stack):
    i = frames["func"][stacks["frame"][stack]]
    resource = functions["resource"][i]
    return strings[functions["name"][i]], "" if resource == -1 else strings[resources["name"][resource]]


def check(thread, name, rows, rest_ns):
    """rest_ns None: not in the report, so that it is what the thread says."""
    samples = thread["samples"]
    whole(samples, "stack time weight")
    whole(thread["markers"], "data name startTime endTime phase category")
    within(samples["stack"], stacks["length"])
    assert thread["name"] == name and samples["weightType"] == "tracing-ms", thread["name"]
    got, want, at = collections.Counter(), collections.Counter(), 0
    for stack, time, weight in zip(samples["stack"], samples["time"], samples["weight"]):
        assert math.isclose(time, at, abs_tol=1e-6), (time, at)
        got[function(stack)] += weight
        at += weight
    for row in rows:
        want[row["name"], row["dso"]] += row["self_ns"]
    rest = "[unattributed]", ""
    want[rest] += got[rest] if rest_ns is None else max(rest_ns, 0)
    wrong = {k: (got[k], want[k]) for k in got | want if not math.isclose(got[k], want[k], abs_tol=1e-6)}
    assert not wrong, (name, wrong)
    return at


left = list(threads)
for v in variants:
    total = check(left.pop(0), v["id"] + ", a million packets", v["symbols"], v["unattributed_ns"])
    assert math.isclose(total, v["base_ns"] - min(v["unattributed_ns"], 0), abs_tol=1e-6), (v["id"], total)
    stage = v["second_stage"]
    if stage and "symbols" in stage:
        total = check(left.pop(0), v["id"] + ", second stage, a million frames", stage["symbols"], None)
        assert total > stage["ns"] - 1e-6, (v["id"], total, stage["ns"])
assert not left, [t["name"] for t in left]
assert [t["pid"] for t in threads] == [str(i + 1) for i in range(len(threads))]
