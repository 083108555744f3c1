#!/bin/sh
# No data that nobody reads: each file of tests/ that is no test is named in a test, a page or a build file, by itself or by a
# path with globs and variables that is there, where each variable's part of the name is a word of that test.
cd "$(dirname "$0")/../.." || exit 1
git rev-parse HEAD >/dev/null 2>&1 || { echo "1..0 # SKIP this tree is no checkout"; exit 0; }
exec python3 - <<'END'
import os
import re
import subprocess
import sys

CODE = re.compile(r"\.(sh|py|c|h|mk|js|awk|cases|conf|rst)$|/(made|effect|cause|refusals|render|run|case|all|matrix|budget|equivalent|blocks\.tar\.xz)$")
PATH = re.compile(r"[\w./*@\[\]$(){}%+-]*/[\w./*@\[\]$(){}%+-]*")
VARIABLE = r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|%s|\{\w*\}"
files = subprocess.run(["git", "ls-files", "tests"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def read(file):
    """Its words, and its paths with globs or variables, as they are and as regular expressions in which a group is a variable."""
    with open(file, errors="replace") as f:
        text = f.read()
    words = set(re.findall(r"[\w.@+-]+", text)) | set(re.findall(r"\w+", text))
    values, paths = dict(re.findall(r"(?:^|\s)(\w+)=\"?([\w./$-]*/[\w./$-]*)", text)), set()
    for path in set(PATH.findall(text.replace('"', ""))):
        for _ in range(2):
            path = re.sub(r"\$\{?(\w+)\}?", lambda m: values.get(m[1], m[0]), path)
        parts = re.split("(%s|\\*+)" % VARIABLE, path.lstrip("./"))
        if "**" not in path and len(parts) > 1:
            paths.add((path, "(?:.*/)?" + "".join("[^/]*" if p == "*" else "(.+)" if re.fullmatch(VARIABLE, p) else
                                           re.sub(r"\\\[([\w\\-]+)\\\]", r"[\1]", re.escape(p)) for p in parts)))
    return words, paths


def names(words, paths, path):
    name = os.path.basename(path)
    if name in words or path.startswith("tests/runs/"):  # a run is read as build/runs/NAME
        return name in words or name[:-len(".json")] in words
    folders = path.split("/")[-3:-1]  # one of the two stands there
    found = (re.fullmatch(p, path) for shown, p in paths if any(f + "/" in shown for f in folders if f != "tests"))
    return any(m and all(g in words or all(w in words for w in re.split("[-/]", g)) for g in m.groups()) for m in found)


readers = [read(f) for f in ["Makefile"] + [f for f in files if CODE.search(f) and not f.endswith((".xz", "code/fixtures.sh"))]]
data = [f for f in files if not CODE.search(f)]
unread = [f for f in data if not any(names(*r, f) for r in readers)
          and not ("tests/fuzz/corpus/" in f and "tests/fuzz/fuzz_%s.c" % f.split("/")[3] in files)]
print("%sok 1 - each of %d files of data is read by a test" % ("not " if unread else "", len(data)))
print("".join("# nobody names %s\n" % f for f in unread), end="")
print("1..1")
sys.exit(bool(unread))
END
