#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""totals - every format says the same total of each variant: ns per packet, or instructions

The formats are those that `-f list` names: one that is not in the tables below fails. Totals that are only the sum of
their parts are added up. A format that cannot hold what there is says so in one sentence.
"""
import csv
import gzip
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile

X = "build/xdpzoom"
NUMBER = r"[-+]?[\d,]*\.?\d+"
folder = tempfile.mkdtemp(prefix="totals-")
count = bad = 0


def ok(good, what, why=""):
    global count, bad
    count += 1
    bad += not good
    print("%sok %d - %s" % ("" if good else "not ", count, what))
    for line in [] if good else str(why).split("\n")[:20]:
        print("# " + line)


def run(*command):
    p = subprocess.run([X, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stdout, p.stderr.decode()


def number(text):
    return float(text.replace(",", ""))


def found(pattern, text):
    """{variant: number} of all places, the first one of each variant."""
    totals = {}
    for m in re.finditer(pattern, text, re.M):
        totals.setdefault(html.unescape(m["v"]), number(m["n"]))
    return totals


def sums(pairs):
    totals = {}
    for name, n in pairs:
        totals[name] = totals.get(name, 0) + n
    return totals


# ---- one run ---------------------------------------------------------------------------------------------------------

def of_text(text, want):
    """Its table: the name of an action and an operation, and both modes beside each other; exact: a line per variant."""
    totals = found(r"^(?P<v>\S+@\S+): (?P<n>%s) instructions" % NUMBER, text)
    for line in text.split("\n\n")[1].split("\n")[1:] if not totals else []:
        name = re.search(r"  (\S+/\S+)", line)[1]
        costs = re.findall(r"(%s) ± +%s" % (NUMBER, NUMBER), line)[:2]
        for mode, cost in zip((m for m in ("native", "skb") if f"{name}@{m}" in want), costs):
            totals[f"{name}@{mode}"] = number(cost)
    return totals


def of_folded(text, want):
    pairs = [(s.split(";")[0], int(n)) for s, n in (line.rsplit(" ", 1) for line in text.splitlines())]
    if any(n < 0 for _, n in pairs):
        return {"a count is below 0": 0}
    return {k: v / 1000 for k, v in sums(pairs).items()}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            value, at = varint(data, at)
            yield key >> 3, value


def of_pprof(data, want):
    """Field 2 is a sample: packed values, labels; field 6 a string. The second value is picoseconds."""
    profile = list(fields(gzip.decompress(data)))
    strings, pairs = [s.decode() for f, s in profile if f == 6], []
    for sample in (s for f, s in profile if f == 2):
        parts, values, name = list(fields(sample)), [], ""
        for packed in (p for f, p in parts if f == 2):
            at = 0
            while at < len(packed):
                value, at = varint(packed, at)
                values.append(value - 2 ** 64 if value >> 63 else value)
        for label in (dict(fields(p)) for f, p in parts if f == 3):
            name = strings[label[2]]
        pairs.append((name or list(want)[0], values[1] / 1000))
    return sums(pairs)


def of_csv(text, want):
    rows = list(csv.DictReader(io.StringIO(text)))
    value = "instructions" if "instructions" in rows[0] else "self_ns"
    parts = sums((r["variant"], float(r[value])) for r in rows if r["row"] in ("symbol", "unattributed") and r[value])
    whole = {r["variant"]: float(r[value]) for r in rows if r["row"] in ("base", "total")}
    return whole if all(abs(parts[v] - n) < 0.01 for v, n in whole.items()) else {"parts and whole differ": 0}


def of_html(text, want):
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    flames = found(r'class="flame".*?data-names="(?P<v>[^"|]*)".*?data-base="(?P<n>[^"]*)"', text.replace("\n", " "))
    totals = of_json(data, want)
    return totals if all(abs(flames.get(v, n) - n) < 0.006 * n for v, n in totals.items()) else {"flames": flames}


def of_json(data, want):
    data = data if isinstance(data, dict) else json.loads(data)
    return {v["id"]: v.get("base_ns", v.get("instructions")) for v in data["variants"]}


def of_svg(text, want):
    """Drawn of its own run: what the flame graph's root says; the charts are of the tables in gnuplot's script."""
    return found(r">(?P<v>[^<>]+): (?P<n>%s)[^<]*</text></g>.*\n?.*\n?.*<title>all" % NUMBER, text)


def of_chart(script):
    steps = script.split("$waterfall << EOD\n")[1].split("\nEOD\n")[0]
    return {r["step"]: float(r["to_ns"]) for r in csv.DictReader(io.StringIO(steps), delimiter="\t") if "@" in r["step"]}


REPORT = {
    "text": of_text,
    "ladder": lambda t, w: found(r"^ +\S+ +(?P<n>%s) ± .*?  (?P<v>\S+@\S+)" % NUMBER, t),
    "json": of_json,
    "csv": of_csv,
    "markdown": lambda t, w: found(r"^### `(?P<v>.*)`\n(?:.*\n){1,3}?- (?:ns/packet: (?=.* ±)|instructions: )(?P<n>%s)" % NUMBER, t),
    "folded": of_folded,
    "pprof": of_pprof,
    "ktap": lambda t, w: found(r"^# (?P<v>\S+@\S+): (?P<n>%s) " % NUMBER, t),
    "html": of_html,
    "ladder-html": of_html,
    "svg": of_svg,
    "gnuplot": lambda t, w: of_chart(t),
}


def formats(*command):
    return [line.split()[0] for line in run(*command, "-f", "list")[1].decode().splitlines()]


def check(what, got, want, some=False):
    near = lambda g, w: abs(g - w) <= 0.0051 * w  # three figures
    wrong = {v: (n, want.get(v)) for v, n in got.items() if not (v in want and near(n, want[v]))}
    ok(got and not wrong and (some or set(got) == set(want)), what, f"got {got}, want {want}")


def report(name):
    path = f"build/runs/{name}"
    known = json.loads(run("report", path, "-f", "json")[1])
    want = of_json(known, {})
    for format in formats("report"):
        what = f"{name}: {format}"
        more = ["--plot", "flame"] if format == "svg" and "base_ns" in known["variants"][0] else []
        status, out, why = run("report", path, "-f", format, *more)
        if status:
            ok(re.fullmatch(r"xdpzoom: .*(cannot hold|holds) exact counts[;,] .*\n", why), what + " says why not", why)
            continue
        check(what, REPORT[format](out if format == "pprof" else out.decode(), want), want, some=format == "gnuplot")


# ---- two variants ----------------------------------------------------------------------------------------------------

def pair(pattern, text):
    m = re.search(pattern, text, re.M)
    return [number(m[1]), number(m[2])] if m else []


def diff_folded(text, want):
    rows = [[int(n) for n in line.rsplit(" ", 2)[1:]] for line in text.splitlines()]
    return [sum(r[i] for r in rows) / 1000 for i in (0, 1)] if all(min(r) >= 0 for r in rows) else [0, 0]


def diff_csv(text, want):
    rows = list(csv.DictReader(io.StringIO(text)))
    keys = ["base_ns", "new_ns"] if "base_ns" in rows[0] else ["base_instructions", "new_instructions"]
    return [float(next(r[k] for r in rows if r["row"] in ("base", "total"))) for k in keys]


def diff_json(data, want):
    data = data if isinstance(data, dict) else json.loads(data)
    return [data["base_ns"], data["new_ns"]] if "base_ns" in data else [data[k]["instructions"] for k in ("base", "new")]


def diff_root(text):
    return pair(r'data-base="([^"]*)" data-new="([^"]*)"[^>]*><title>all\n', text)


def diff_html(text, want):
    got = diff_json(json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1]), want)
    root = diff_root(text)
    return got if not root or all(abs(r - g) < 0.001 * g for r, g in zip(root, got)) else root


TWO_ROWS = r"(%s)(?: ±.*?)? .* base .*\n.*?[\d,]+ +(?:\| )?(%s)(?: ±.*?)? .* new " % (NUMBER, NUMBER)
DIFF = {
    "text": lambda t, w: pair(r"^ +[\d,]+ +" + TWO_ROWS, t) or pair(r"(%s) .*\n.*?(%s) " % (NUMBER, NUMBER), t),
    "json": diff_json,
    "csv": diff_csv,
    "markdown": lambda t, w: pair(r"^\| [\d,]+ \| " + TWO_ROWS, t) or pair(r"^\| (%s) \|.*\n\| (%s) \|" % (NUMBER, NUMBER), t),
    "changelog": lambda t, w: pair(r"^  a packet +(%s) +(%s) " % (NUMBER, NUMBER), t),
    "folded": diff_folded,
    "ktap": None,
    "html": diff_html,
    "svg": lambda t, w: diff_root(t),
}


def diff(*sides):
    want = diff_json(run("diff", *sides, "-f", "json")[1], [])
    for format in formats("diff"):
        what = f"diff {' '.join(sides)}: {format}"
        status, out, why = run("diff", *sides, "-f", format)
        text = out.decode()
        if status:
            ok(re.fullmatch(r"xdpzoom: .*(cannot hold|holds) exact counts[;,] .*\n", why), what + " says why not", why)
            continue
        if format == "ktap":  # the difference, in words
            got = re.search(r"^# .*?(\+?-?[\d.]+) ± ", text, re.M)
            ok(got and abs(abs(number(got[1])) - abs(want[1] - want[0])) <= max(0.0501, 0.0051 * want[1]), what, text[:300])
            continue
        got = DIFF[format](text, want)
        ok(len(got) == 2 and all(abs(g - w) <= max(0.0051 * w, 0.0501) for g, w in zip(got, want)), what, f"got {got}, want {want}\n{why}")


for each in ("run1", "counted"):
    report(each)
diff("build/runs/run1:tx/swap-macs@native", "tx/swap-macs@skb")
diff("build/runs/memory:drop/no-touch@native", "drop/no-touch@skb")
if os.environ.get("CHECK_ALL"):  # more of the same kinds
    for each in ("recorded", "memory"):
        report(each)
    diff("build/runs/recorded:drop/no-touch@native", "drop/no-touch@skb")
    diff("build/runs/run1:drop/no-touch@native", "build/runs/run2")
    diff("build/runs/fw1:prog:fw.o@native", "build/runs/fw2:prog:fw.o@native")
print("1..%d" % count)
sys.exit(bad > 0)
