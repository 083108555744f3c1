#!/usr/bin/env python3
"""run - golden cases: what a command prints for an input, both in one file that people write

usage: tests/cases/run.py [FILE.cases]...     UPDATE=1: writes what is printed now; read the difference
                                              SANITIZED=1: with sanitized programs
A case:
    == its name, one sentence
    | a line of standard input        |name: a line of the file "name"; more inputs before the first command
    $ a command of the shell, in a folder of its own that holds those files; the programs are in PATH, and so are `made` and
      `effect` of this folder; $RUNS is where build/runs/ is, $BUILD build/, $TOP the tree
    what it prints, both on standard output and error
    exit status N                     where it is not 0
Inputs before the first case are there in each; a line "needs root" skips the file without it; other lines there, and those before a case that begin with "~ ", are for
people. "\\xHH" in an input is a byte.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("O", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))  # with `made` and `effect`
# A command ends in a jail, where LeakSanitizer cannot look (docs/hacking.rst).
ENV = dict(os.environ, PATH=":".join([BUILD + "/sanitized"] * bool(os.environ.get("SANITIZED")) + [BUILD, HERE, os.path.dirname(sys.executable), os.environ["PATH"]]), LC_ALL="C", ASAN_OPTIONS="detect_leaks=0",
           RUNS=BUILD + "/runs", BUILD=BUILD, TOP=TOP)


def split(text):
    """The head of a file, and its cases: (name, lines before the first command, [(command, lines that it prints)])."""
    head, *parts = re.split(r"(?m)^== ", text)
    cases = []
    for part in parts:
        name, *lines = part.split("\n")
        inputs, commands = [], []
        for line in lines:
            if line.startswith("$ "):
                commands.append((line, []))
            else:
                (commands[-1][1] if commands else inputs).append(line)
        cases.append((name, inputs, commands))
    return head, cases


def bytes_of(line):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), line.encode())


def files_of(lines):
    files = {".in": b""}
    for m in filter(None, (re.match(r"\|(?:([\w.-]+): ?| ?)(.*)", line) for line in lines)):
        files[m.group(1) or ".in"] = files.get(m.group(1) or ".in", b"") + bytes_of(m.group(2)) + b"\n"
    return files


def answers(lines, commands):
    """What each command of a case prints now, as lines."""
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        for name, content in files_of(lines).items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        for command, _ in commands:
            with open(os.path.join(folder, ".in"), "rb") as f:
                p = subprocess.run(["sh", "-c", command[2:]], cwd=folder, env=ENV, stdin=f, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, timeout=300)
            text = p.stdout.decode(errors="backslashreplace").rstrip("\n")
            yield (text.split("\n") if text else []) + (["exit status %d" % p.returncode] if p.returncode else [])


def printed(lines):
    """Without what stands before the next case: blank lines, and a comment."""
    n = len(lines)
    while n and (not lines[n - 1] or lines[n - 1].startswith("~ ")):
        n -= 1
    return lines[:n]


def check(file, number):
    """Runs the cases of a file. The number of the last one, and how many failed."""
    with open(file) as f:
        text = f.read()
    head, cases = split(text)
    if "\nneeds root\n" in head and os.geteuid():
        print("ok %d - %s # SKIP needs root" % (number + 1, os.path.basename(file)))
        return number + 1, 0
    failed, now = 0, [head]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: list(answers(head.split("\n") + case[1], case[2])), cases)
        for (name, inputs, commands), got in zip(cases, results):
            number += 1
            wrong = [(c, printed(w), g) for (c, w), g in zip(commands, got) if printed(w) != g]
            failed += bool(wrong)
            print("%s %d - %s: %s" % ("not ok" if wrong else "ok", number, os.path.basename(file), name))
            for command, w, g in wrong:
                print("\n".join(["# " + command, *("# -" + line for line in w), *("# +" + line for line in g)]))
            lines = [name, *inputs]
            for (command, w), g in zip(commands, got):
                lines += [command, *g, *w[len(printed(w)):]]
            now.append("== " + "\n".join(lines))
    if os.environ.get("UPDATE"):
        with open(file, "w") as f:
            f.write("".join(now))
    return number, failed


def main():
    number = failed = 0
    for file in sys.argv[1:] or sorted(glob.glob(TOP + "/tests/cases/**/*.cases", recursive=True)):
        number, more = check(file, number)
        failed += more
    print("1..%d" % number)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
