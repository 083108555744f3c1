#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shown.py - runs the commands that the documentation shows, and compares what they print

usage: shown.py golden    the texts themselves: valid, no dead link, every command marked, every JSON member explained; and
                          the commands that need no root, on recorded runs: the output has to be the same (TAP)
       shown.py lab       the commands with sudo, on the testbed: the output has to have the same shape (TAP)
       shown.py update    writes what the commands without root print now into the documentation, to be looked at

In a literal block of a page or a man page, a line that begins with "$ " is a command; a "\\" at its end goes on in the next
line. The lines down to the next command are its output. A line "..." stands for any number of lines. A command without output
is run, and only its exit status is looked at. What a command does follows from its words:

  NOT_RUN below    it is not run at all, for the reason given there
  eth0, HOST       another machine or a real NIC: the words and options are parsed (COMMAND --help), nothing is done
  sudo             it is run on the testbed; numbers in the output may differ, words may not
  clang, patch     it is run before those with sudo, which load what it makes
  otherwise        it is run in a directory that holds the runs of build/runs/, the perf texts of tests/fixtures/perf/document/,
                   and the files of docs/examples/; figures.py holds that what a page counts is what the tree counts
A last line "exit status N" of the output is the status with which the command has to end.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TEXTS = ["README.rst"] + sorted("docs/" + f for f in os.listdir(TOP + "/docs") if f.endswith(".rst"))
MAN_PAGES = sorted("user/man/" + f for f in os.listdir(TOP + "/user/man")) + ["perfparse/perfparse.rst"]  # tests/golden/man.sh has the rest
OTHER_TEXTS = ["CHANGELOG.rst", "CONTRIBUTING.rst", "SECURITY.rst", "pktgen/README.rst", "tests/vm/README.rst", "vm/README.rst", "tests/mutants/README.rst"]
BUILD = os.path.join(TOP, os.environ.get("O", "build"))

# Commands that no test runs. A reason each: it is printed.
NOT_RUN = [
    (r"^sudo make demo$", "takes two minutes; tests/rig/demo.sh runs xdpzoom demo"),
    (r"^sudo make install", "changes this machine; tests/golden/install.sh installs into a folder"),
    (r"^xdpzoom report umem", "reads a run of the rig; tests/rig/ladder.sh has its reader in the table"),
    (r"^sudo xdpzoom record lab --ladder forward", "takes two minutes; tests/rig/forward.sh records all its layers and makes the page"),
    (r"^sudo xdpzoom record lab --ladder tcp|tcp1", "takes two minutes; tests/rig/tcp.sh records all its layers and makes the page"),
    (r"^sudo xdpzoom record lab --ladder tx", "takes two minutes; tests/rig/sending.sh records all its layers and makes the page"),
    (r"^sudo xdpzoom record lab --ladder rx|ladder1", "takes two minutes; tests/rig/ladder.sh records all layers, makes the page and a diff"),
    (r"^xdpzoom .*layers61", "needs QEMU and kernels from Debian; tests/vm/exact_layers.sh counts all layers and makes a diff"),
    (r"^(sudo )?xdpzoom .*sweep1", "takes a minute; tests/rig/sweep.sh records a sweep, and tests/golden/sweep.sh prints some"),
    (r"^sudo xdpzoom .*(--mtu 9000|-s 6000)", "makes a lab of its own; tests/rig/redirect.sh records frames of several buffers"),
    (r"^sudo xdpzoom (gen lab -r 300k -t 12|stat lab -t 8|watch lab -t 3|map xdpzoom-rx/xzrx)", "beside each other; tests/rig/map.sh makes maps"),
    (r"^(parallel|sbatch) |make -k -j 2 -f -$", "shares out a count that takes minutes; CELLS=1 tests/rig/cells.sh does so"),
    (r"^xdpzoom (exact (?!--cells)-o|report) matrix", "takes an hour; tests/golden/matrix.sh has the table of counts that were recorded"),
    (r"^(sudo )?xdpzoom .*(-o pmu|--against pmu|report beside)\b", "needs a PMU; tests/cases/exact/pmu.cases lays counts of one beside exact ones"),
    (r"exact .*--(tree|bisect) ", "takes a tree of Linux; tests/vm/exact_tree.sh counts one, tests/golden/exact_trouble.sh has the exit statuses"),
    (r"^(PATH=.*:\$PATH )?vm/(run|fetch) ", "takes QEMU and a kernel; tests/vm/harness.sh runs a virtual machine"),
    (r"^perf report ", "needs a perf.data; tests/fixtures/perf/document/ holds what it printed"),
    (r"^xdpzoom exact ", "needs QEMU and a kernel from Debian; build/runs/ holds what it wrote, and make check-figures counts it again"),
    (r"^go tool pprof", "needs go; tests/golden/readers.sh asks it where it is installed"),
    (r"^sudo xdpzoom doctor .*(--fix|--undo)", "changes settings of this machine; tests/rig/doctor.sh does so on the rig"),
    (r"^sudo xdpzoom watch |incident[12]|runs/watch-", "waits for an incident; tests/rig/watch.sh counts packets, makes dumps, and has one reported and compared"),
    (r"selftests", "needs the kernel's selftests; tests/rig/kselftest.sh and tests/vm/kselftest.sh run the programs, by the kernel's runner too"),
    (r"^ansible-playbook .* install.yml", "installs a package on other machines; no test does"),
    (r"^ansible-playbook ", "takes minutes and ansible-core; FLEET=1 tests/rig/fleet.sh and CELLS=1 tests/rig/cells.sh play these"),
    (r"cost\.py", "needs LNST, which Debian does not have; LNST=ROOT tests/rig/lnst.sh runs the recipe"),
    (r"^xdpzoom-ci |^podman ", "needs QEMU and a kernel from Debian; tests/vm/exact_ci.sh counts two builds"),
    (r"^sudo integrations/ci/image.sh", "builds an image, with podman"),
    (r"pktgen/pktgen_", "needs the kernel's pktgen; tests/vm/pktgen.sh runs the scripts"),
]
NOT_RUN = [(re.compile(p), why) for p, why in NOT_RUN]

# On the rig, these end sooner than they would for a reader.
SOONER = {"record": " --for 3 --window 0.1", "demo": " --for 12"}

tests = 0
failures = 0


def result(ok, name, why=""):
    global tests, failures
    tests += 1
    failures += not ok
    print(("ok" if ok else "not ok"), tests, "-", name, flush=True)
    if not ok:
        for line in str(why).splitlines()[:60]:
            print("#", line, flush=True)


def skip(name, why):
    global tests
    tests += 1
    print("ok", tests, "-", name, "# SKIP", why, flush=True)


def read(text):
    with open(os.path.join(TOP, text), encoding="utf-8") as f:
        return f.read().split("\n")


class Shown:
    """One command: where it stands, its words, the output below it."""

    def __init__(self, text, line, indent, command):
        self.text, self.line, self.indent, self.command = text, line, indent, command
        self.first = self.last = line + 1  # of the output: read(text)[first:last]
        self.output = []

    def name(self):
        return f"{self.text}:{self.line + 1}: {self.command}"

    def kind(self):
        for pattern, why in NOT_RUN:
            if pattern.search(self.command):
                return "not run"
        if re.search(r"\beth\d\b|\bHOST\b", self.command):
            return "parsed"
        return "lab" if re.match(r"(sudo|clang|patch) ", self.command) else "pure"


def literal_blocks(lines):
    """(first, last, indent) of each literal block."""
    i = 0
    while i < len(lines):
        opens = lines[i].rstrip().endswith("::") and not lines[i].lstrip().startswith(".. ")
        i += 1
        if not opens:
            continue
        outer = len(lines[i - 1]) - len(lines[i - 1].lstrip())
        while i < len(lines) and not lines[i].strip():
            i += 1
        first = i
        indent = len(lines[i]) - len(lines[i].lstrip()) if i < len(lines) else 0
        if indent <= outer:
            continue
        while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) >= indent):
            i += 1
        last = i
        while last > first and not lines[last - 1].strip():
            last -= 1
        yield first, last, indent


def commands(text):
    lines = read(text)
    found = []
    for first, last, indent in literal_blocks(lines):
        now, at = None, first
        while at < last:
            line = lines[at][indent:]
            if line.startswith("$ "):
                start, command = at, line[2:]
                while command.endswith("\\"):
                    at += 1
                    command = command[:-1].rstrip() + " " + lines[at].strip()
                now = Shown(text, start, indent, re.sub(r"\s+# .*$", "", command).strip())
                now.first = now.last = at + 1
                found.append(now)
            elif now:
                now.output.append(line.rstrip())
                now.last = at + 1
            at += 1
    for shown in found:
        while shown.output and not shown.output[-1]:
            shown.output.pop()
            shown.last -= 1
    return found


NUMBER = re.compile(r"[-+]?\b\d[\d,.:]*(?:e[-+]?\d+)?[kKMGu]?\b|\b[0-9a-f]{16}\b")


def shape(line):
    """Numbers and blanks are alike; words stay."""
    line = re.sub(r"\bbpf_prog_[0-9a-f]{16}", "bpf_prog_N", line)
    line = re.sub(r"-[0-9]{8}-[0-9]{6}\b", "-N", line)
    line = NUMBER.sub("N", line)
    line = re.sub(r"(?<![\w-])[-+](?=N)", "", line)
    return re.sub(r"\s+", " ", line).strip()


def unlike(want, got, same):
    """None, or what is wrong: want may hold lines "...", each for any number of lines."""
    want, got = [same(w) for w in want], [same(g) for g in got]
    while got and not got[-1]:
        got.pop()

    def fits(w, g):
        while w < len(want) and want[w] != "...":
            if g >= len(got) or got[g] != want[w]:
                return False, w, g
            w, g = w + 1, g + 1
        if w == len(want):
            return g == len(got), w, g
        best = (False, w, g)
        for skip in range(g, len(got) + 1):
            tried = fits(w + 1, skip)
            if tried[0]:
                return tried
            best = max(best, tried, key=lambda t: t[1])
        return best

    ok, w, g = fits(0, 0)
    if ok:
        return None
    return "wanted: {}\n   got: {}\n".format(want[w] if w < len(want) else "(the end)", got[g] if g < len(got) else "(the end)") + (
        "all of it:\n" + "\n".join(got))


def alike_once(lines):
    """A machine that was late prints fewer rows: of neighbours with the same shape, the first."""
    return [l for i, l in enumerate(lines) if i == 0 or shape(l) != shape(lines[i - 1])]


def environment(work):
    programs = os.path.join(work, ".bin")
    os.mkdir(programs)
    for name in ("xdpzoom", "perfparse"):
        os.symlink(os.path.join(BUILD, name), os.path.join(programs, name))
    runs = os.path.join(TOP, "build/runs")
    for name in os.listdir(runs) if os.path.isdir(runs) else []:
        os.symlink(os.path.join(runs, name), os.path.join(work, name))
    perf = os.path.join(TOP, "tests/fixtures/perf/document")
    for name in os.listdir(perf):
        if name.endswith(".txt"):
            os.symlink(os.path.join(perf, name), os.path.join(work, name))
    for path in glob.glob(os.path.join(TOP, "docs/examples/*/*")):
        shutil.copy(path, work)  # patch follows no links
    env = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", TZ="UTC")
    for name in ("NO_COLOR", "COLUMNS", "HARNESS_ACTIVE"):
        env.pop(name, None)
    return env


def run(command, work, env, seconds=120):
    """(exit status, lines of stdout and stderr)"""
    done = subprocess.run(["bash", "-c", "set -o pipefail\n" + command], cwd=work, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    return done.returncode, done.stdout.decode(errors="replace").split("\n")


def pipe_broken(status):
    return status in (0, 141)  # "| head" has had enough


def test_pure(update):
    for text in TEXTS + MAN_PAGES:
        changes = []
        with tempfile.TemporaryDirectory() as work:
            env = environment(work)
            for shown in commands(text):
                if shown.kind() == "parsed":
                    test_parsed(shown, work, env)
                if shown.kind() != "pure":
                    continue
                status, got = run(shown.command, work, env)
                if status in (77, 127):
                    skip(shown.name(), "this machine lacks what it needs")
                    continue
                while got and not got[-1]:
                    got.pop()
                got = [g.rstrip() for g in got]
                wanted = re.match(r"exit status (\d+)", shown.output[-1]) if shown.output else None
                if wanted:
                    got.append("exit status %d" % status)
                    status = 0
                if not shown.output:
                    result(pipe_broken(status), shown.name(), "\n".join(got))
                    continue
                why = unlike(shown.output, got, str.rstrip)
                if update and why and "..." not in shown.output:
                    changes.append((shown, got))
                result(pipe_broken(status) and why is None, shown.name(), why or f"exit status {status}")
        if changes:
            lines = read(text)
            for shown, got in reversed(changes):
                lines[shown.first:shown.last] = [(" " * shown.indent + g).rstrip() for g in got]
            with open(os.path.join(TOP, text), "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
            print("# wrote", len(changes), "outputs into", text)


def test_parsed(shown, work, env):
    """Options, their values, and the words of variants; nothing is attached or sent."""
    bare = re.sub(r"\bsudo ", "", shown.command)
    parts = [p for p in re.split(r"\||&&|;", bare) if re.match(r"\s*(xdpzoom|perfparse|pktgen/)", p)]
    if not parts:
        return result(False, shown.name(), "no command of ours, and not in NOT_RUN")
    for part in parts:
        command, flag = part.strip(), "--help"
        if command.startswith("pktgen/"):
            command, flag = os.path.join(TOP, command), "-h"
        status, got = run(command.rstrip("& ") + " " + flag, work, env)
        if status:
            return result(False, shown.name(), "\n".join(got))
        for variant in re.findall(r"\b[a-z][\w:-]*/[\w+-]+@\w+", command):
            if not re.match(r"(drop|pass|tx|aborted|redirect(:\w+)?|redirect-cpu(:\d+)?|xsk(:copy|:zero-copy)?)/"
                            r"(bare|no-touch|read-data|parse-ip|swap-macs)(\+(chain|walk)\d+|\+again)?@(native|skb|hw)$", variant):
                return result(False, shown.name(), "no such variant: " + variant)
    result(True, shown.name() + " (parsed only)")


def test_lab():
    listed = [s for text in TEXTS for s in commands(text) if s.kind() == "lab"]
    xdpzoom = BUILD + "/xdpzoom"
    if os.geteuid() != 0:
        print("1..0 # SKIP needs root")
        return
    up = subprocess.run([xdpzoom, "lab", "up"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if up.returncode:
        print("1..0 # SKIP no lab here:", up.stdout.strip().split("\n")[-1])
        return
    behind = []
    try:
        with tempfile.TemporaryDirectory() as work:
            env = environment(work)
            env["PATH"] = os.path.join(work, ".bin") + ":" + os.environ["PATH"]
            for name in os.listdir(os.path.join(TOP, "build/runs")):  # recorded here anew
                os.unlink(os.path.join(work, name))
            for shown in listed:
                one_on_the_lab(shown, work, env, behind)
    finally:
        stop(behind)
        subprocess.run([xdpzoom, "lab", "down"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop(behind):
    while behind:
        p = behind.pop()
        p.send_signal(signal.SIGTERM)
        p.wait()


def one_on_the_lab(shown, work, env, behind):
    words = re.sub(r"^sudo ", "", shown.command)
    verb = words.split()[1] if words.startswith("xdpzoom ") else ""
    words = re.sub(r"\bsudo ", "", words)
    if words.endswith("&"):  # runs beside the next commands, as long as they are stat
        behind.append(subprocess.Popen(words.rstrip("& ").split(), cwd=work, env=env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        try:
            behind[-1].wait(1)
            return result(False, shown.name(), behind.pop().stderr.read().decode())
        except subprocess.TimeoutExpired:
            return result(True, shown.name())
    if verb != "stat":
        stop(behind)
    status, got = run(words + (SOONER.get(verb, "") if "|" not in words else ""), work, env)
    if shown.output and re.match(r"exit status \d+$", shown.output[-1]):  # numbers may differ, but not this one
        if shown.output.pop() != f"exit status {status}":
            return result(False, shown.name(), f"exit status {status}\n" + "\n".join(got))
        status = 0
    why = unlike(alike_once(shown.output), alike_once(got), shape) if shown.output else None
    result(pipe_broken(status) and why is None, shown.name(), (why or "") + f"\nexit status {status}\n" + "\n".join(got))


def test_text(text):
    lines = read(text)
    long = [f"{i + 1}: {len(l)} columns" for i, l in enumerate(lines) if len(l) > (140 if text == "tests/mutants/README.rst" else 120)]
    result(len(lines) > 5 and not long, f"{text}: more than five lines, of 120 columns at most", "\n".join(long))
    try:
        done = subprocess.run(["rst2html", "--halt=2", "--quiet", os.path.join(TOP, text), os.devnull], capture_output=True, text=True)
        result(done.returncode == 0, f"{text}: valid reStructuredText", done.stderr or "see rst2html --halt=2")
    except FileNotFoundError:
        skip(f"{text}: valid reStructuredText", "no rst2html here")
    here = os.path.dirname(os.path.join(TOP, text))
    joined = "\n".join(lines)
    links = re.findall(r"<([^<>\s]+)>`_", joined) + re.findall(r"^\s*\.\. (?:image|figure|include):: (\S+)", joined, re.M)
    links += re.findall(r"^\s*\.\. _[^:]+: (\S+)", joined, re.M)
    dead = [l for l in links if "://" not in l and not l.startswith("mailto:")
            and not os.path.exists(os.path.join(here, l.split("#")[0]))]
    result(not dead, f"{text}: no dead link", "\n".join(dead))
    paths = re.findall(r"``((?:base|bpf|perfparse|reports|user|tests|docs|pktgen)/[\w./*-]+)``", joined)
    gone = [p for p in paths if "NAME" not in p and not glob.glob(os.path.join(TOP, p))]
    result(not gone, f"{text}: files that it names are there", "\n".join(gone))


def test_marked(text):
    """A command that is not behind "$ " would be run by nobody."""
    lines, bad = read(text), []
    for first, last, indent in literal_blocks(lines):
        for at in range(first, last):
            line = lines[at][indent:]
            if line.startswith("$ "):
                break
            if re.match(r"(sudo |xdpzoom [a-z]+\b|perfparse -|make( |$)|tests/|build/|pktgen/pktgen)", line):
                bad.append(f"{at + 1}: {line}")
    result(not bad, f"{text}: every command begins with $", "\n".join(bad))


def test_inline(text, work, env):
    """Commands and options that are named in a sentence exist."""
    table = [line.split("\t") for line in run("xdpzoom --help=table; perfparse --help=table", work, env)[1]]
    verbs = {row[0] for row in table}
    known = {row[1] for row in table if len(row) > 1}
    known |= {"--browser", "--packages", "--lint", "--help", "--children", "--sort", "--per-core"}  # of deps.sh, of perf
    body = "\n".join(read(text))
    bad = []
    for literal in re.findall(r"``([^`]+)``", body):
        if literal.startswith("xdpzoom ") and re.match(r"xdpzoom [a-z]", literal) and literal.split()[1] not in verbs:
            bad.append(literal)
        if re.match(r"(perf|go|rst2html|git|ethtool|chromium) ", literal):
            continue
        bad += [f"{o} in ``{literal}``" for o in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", literal) if o not in known]
    result(not bad, f"{text}: commands and options in sentences exist", "\n".join(bad))


def members(value, found):
    if isinstance(value, dict):
        for key, inner in value.items():
            found.add(key)
            if key not in ("environment", "device", "load", "counters", "mitigations", "verdicts", "excluded"):
                members(inner, found)
    elif isinstance(value, list):
        for inner in value:
            members(inner, found)


def test_formats(work, env):
    """Each member of the JSON, each column of the CSV and of the history stands in docs/formats.rst."""
    body = "\n".join(read("docs/formats.rst"))
    words = set(re.findall(r"[A-Za-z_][\w-]*", body))
    v = "drop/no-touch@"
    sources = {
        "report": "xdpzoom report run1 -f json", "diff": f"xdpzoom diff run1:{v}native {v}skb -f json",
        "run": "cat run1/run.json", "profile": "perfparse --pps 8165032 -f json self.txt",
        "profile-diff": "perfparse --pps 8165032 -f json --diff self.txt --pps2 8000000 self.txt",
        "stat of perf": "perfparse --pps 8413417 --window 1 -f json stat-1.txt",
        "annotate": "perfparse --pps 8165032 --share 10 -f json annotate.txt",
        "exact counts": "cat exact1/run.json", "a report of exact counts": "xdpzoom report exact1 -f json",
        "a comparison of exact counts": f"xdpzoom diff exact1:{v}native {v}skb -f json",
        "an explanation": "xdpzoom report run1 --exact exact1 -f json",
        "doctor": "xdpzoom doctor --format json || [ $? = 77 ]",
    }
    for name, command in sources.items():
        status, got = run(command, work, env)
        found = set()
        try:
            members(json.loads("\n".join(got)), found)
        except ValueError as why:
            result(False, f"docs/formats.rst: JSON of {name}", f"{command}: {why}\n" + "\n".join(got[:5]))
            continue
        missing = sorted(found - words)
        result(not missing, f"docs/formats.rst: every member of {name}", " ".join(missing))
    sweep = "mkdir -p sweep && ln -sfn ../run1 sweep/size=64,flows=1,rate=100 && xdpzoom report sweep"
    found = set()
    members(json.loads("\n".join(run(sweep + " -f json", work, env)[1])), found)
    result(not found - words, "docs/formats.rst: every member of a sweep", " ".join(sorted(found - words)))
    for name, command in {"report": "xdpzoom report run1 -f csv", "diff": f"xdpzoom diff run1:{v}native {v}skb -f csv",
                          "exact counts": "xdpzoom report exact1 -f csv", "exact difference": f"xdpzoom diff exact1:{v}native {v}skb -f csv",
                          "a sweep": sweep + " -f csv",
                          "perfparse": "perfparse --pps 8165032 -f csv self.txt"}.items():
        columns = set(run(command + " | head -n 1", work, env)[1][0].split(","))
        result(len(columns) > 3 and not columns - words, f"docs/formats.rst: every CSV column of {name}", " ".join(sorted(columns - words)))
    run("xdpzoom history add --db h.db run1", work, env)
    status, got = run("sqlite3 h.db \"select p.name from sqlite_master m, pragma_table_info(m.name) p where m.type = 'table' "
                      "and m.name not like 'sqlite%'\"", work, env)
    if status == 127:
        skip("docs/formats.rst: every column of the history", "no sqlite3 here")
    else:
        columns = set(got) - {""}
        result(len(columns) > 15 and not columns - words, "docs/formats.rst: every column of the history", " ".join(sorted(columns - words)))
    # Names that stand in other places of the page too are looked for where they belong.
    def section(begin, end):
        return set(re.findall(r"``([\w-]+)(?:\[\])?``", body.split(begin, 1)[1].split(end, 1)[0]))
    columns = set(run("perfparse --pps 8165032 -f csv --diff self.txt --pps2 8000000 self.txt", work, env)[1][0].split(","))
    missing = columns - section("with ``--diff``: ", "Fields follow")
    result(len(columns) > 3 and not missing, "docs/formats.rst: every CSV column of perfparse --diff", " ".join(sorted(missing)))
    run("xdpzoom history add --db h.db exact1", work, env)
    status, got = run("sqlite3 h.db \"select distinct what from numbers where what not like '% %'\"", work, env)
    if status != 127:
        missing = set(got) - {""} - section("\nnumbers\n", "\nentry\n")
        result(len(got) > 20 and not missing, "docs/formats.rst: every number of the history", " ".join(sorted(missing)))
    status, got = run("perfparse --pps 8165032 -f json --diff self.txt --pps2 8000000 self.txt", work, env)
    missing = set(json.loads("\n".join(got))) - section("Two profiles", "The text of perf stat,") - {"schema"}
    result(not missing, "docs/formats.rst: every member of two profiles", " ".join(sorted(missing)))
    status, got = run("xdpzoom report --format list; xdpzoom --help", work, env)
    named = set(re.findall(r"^(\w+)  +", "\n".join(got), re.M))
    result(len(named) > 8 and not named - words, "docs/formats.rst: every format", " ".join(sorted(named - words)))
    checks = re.findall(r'^GATE\(\w+, "([a-z-]+)"', open(TOP + "/reports/analysis/quality_rules.def").read(), re.M)
    body = "\n".join(read("docs/measuring.rst"))
    missing = [g for g in checks if f"``{g}``" not in body]
    result(len(checks) > 20 and not missing, "docs/measuring.rst: every check", " ".join(missing))


def test_check():
    import figures  # here, as it reads pages by this file

    for text in TEXTS + OTHER_TEXTS:
        test_text(text)
    figures.test_pages(result)
    with tempfile.TemporaryDirectory() as work:
        env = environment(work)
        for text in TEXTS:
            test_marked(text)
            test_inline(text, work, env)
        test_formats(work, env)
    lines = len(read("README.rst")) - 1
    result(lines <= 110, f"README.rst has {lines} lines, 110 at most")
    readme = "\n".join(read("README.rst"))
    with tempfile.TemporaryDirectory() as work:
        verbs = re.findall(r"^  ([a-z]+) +\S", "\n".join(run("xdpzoom --help", work, environment(work))[1]), re.M)
    missing = [v for v in verbs if not re.search(f"xdpzoom {v}\\b|``{v}``", readme)]
    result(len(verbs) > 10 and not missing, "README.rst names every command", " ".join(missing))
    result("sudo make demo" in readme and "sudo make check" in readme, "README.rst names its two commands")
    unused = {p.pattern for p, why in NOT_RUN}
    for shown in [s for text in TEXTS + OTHER_TEXTS for s in commands(text)]:
        if shown.kind() == "not run":
            pattern, why = next((p, w) for p, w in NOT_RUN if p.search(shown.command))
            unused.discard(pattern.pattern)
            print(f"# not run: {shown.name()}: {why}")
        elif shown.text in OTHER_TEXTS:
            result(False, shown.name(), "run by nobody, and not in NOT_RUN")
    result(not unused, "NOT_RUN holds only commands that are shown", "\n".join(unused))


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("golden", "lab", "update"):
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "lab":
        test_lab()
    elif sys.argv[1] == "update":
        test_pure(True)
        return 0
    else:
        test_check()
        test_pure(False)
    if tests:
        print(f"1..{tests}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
