#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_rows - perfparse and import read the same rows of the same text

Every text of tests/fixtures/perf and every input of tests/cases/perfparse: where both take it, each function costs the
same; where one refuses a text, the other one may only have less to go by (samples, several tables, a document of rates).
"""
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

spec = importlib.util.spec_from_file_location("run", "tests/cases/run.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)
VARIANT = "drop/no-touch@skb"
STEP = 1 if os.environ.get("CHECK_ALL") else 5  # every fifth text


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def costs(symbols):
    sums = {}
    for s in symbols:
        if s["self_ns"]:
            sums[s["name"]] = sums.get(s["name"], 0) + s["self_ns"]
    return sums


def by_perfparse(path):
    p = run("build/perfparse", "--ns", "1000", "-f", "json", path)
    o = json.loads(p.stdout) if not p.returncode else {}
    return costs(o["symbols"]) if o.get("schema", "").startswith("xdpzoom.profile/") else None


def by_import(path, folder, rules):
    out = os.path.join(folder, "run")
    for more in ([], ["--samples", "1000000"]):
        if not run("build/xdpzoom", "import", "-V", VARIANT, "--ns", "1000", "-o", out, *more, path).returncode:
            break
    else:
        return None
    p = run("build/xdpzoom", "report", "--components", rules, "-f", "json", out)
    if p.returncode:
        return {"report refuses it: " + p.stderr: 0}
    v = json.loads(p.stdout)["variants"][0]
    return costs(v["symbols"]) if v["symbols"] else None


def compare(text):
    """None: not both take it; else how they differ, or ""."""
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        path = os.path.join(folder, "text")
        with open(path, "wb") as f:
            f.write(text)
        rules = os.path.join(folder, "rules")
        with open("perfparse/components.conf") as f, open(rules, "w") as to:
            to.write(f.read().replace("\nenabler\n", "\ntag without\n"))  # report gives such samples to the caller
        a = by_perfparse(path)
        b = None if a is None else by_import(path, folder, rules)
        if b is None:
            return None
        wrong = [n for n in {*a, *b} if abs(a.get(n, 0) - b.get(n, 0)) > 0.01]
        return ", ".join("%s: %s, imported %s" % (n, a.get(n), b.get(n)) for n in sorted(wrong)[:3])


def texts():
    for path in sorted(glob.glob("tests/fixtures/perf/**/*", recursive=True)):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                yield path, f.read()
    for path in sorted(glob.glob("tests/cases/perfparse/*.cases")):
        with open(path) as f:
            head, parts = cases.split(f.read())
        for name, inputs, _ in parts:
            for file, text in cases.files_of(head.split("\n") + inputs).items():
                if text:
                    yield "%s: %s: %s" % (os.path.basename(path), name, file), text


def main():
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        all_of = list(texts())[::STEP]
        results = list(pool.map(lambda t: compare(t[1]), all_of))
    both = [r for r in results if r is not None]
    wrong = [(n, r) for (n, _), r in zip(all_of, results) if r]
    print("%sok 1 - of %d texts, both take %d, as the same rows" % ("not " if wrong else "", len(all_of), len(both)))
    for name, r in wrong:
        print("# %s: %s" % (name, r))
    enough = len(both) * STEP >= 60
    print("%sok 2 - both take a third or so" % ("" if enough else "not "))
    print("1..2")
    return bool(wrong) or not enough


sys.exit(main())
