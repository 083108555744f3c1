#!/usr/bin/env python3
"""mutants - change one thing at a time in a copy of the tree, and list the changes that no test notices

in:    the tree, built by `make programs`; lists of its sources from the Makefile
out:   survivors as small diffs, then the share that was caught
exit:  0 that share reaches --bar, 1 it does not, 77 there can be no wall around the tests here
"""
import argparse
import fnmatch
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import equivalent
import house
import mutate
import wall


def arguments():
    p = argparse.ArgumentParser()
    for name in ("cc", "lib", "filter", "user", "generated", "asan", "sanitizers", "ldlibs", "bpf", "plugin", "clang", "bpftool", "bpf-flags"):
        p.add_argument("--" + name, required=True, help="from the Makefile")
    p.add_argument("--mutants", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--files", default="", help="patterns of files; FILE:LINE takes every mutant of one line")
    p.add_argument("--tests", default="", help="patterns of tests, which alone are asked")
    p.add_argument("--again", default="", help="a report of this program: judge its survivors only")
    p.add_argument("--keep", default="", help="a folder for what is built: a later run takes it over")
    p.add_argument("--first", type=int, default=0, help="leave so many of the chosen changes out: an earlier run judged them")
    p.add_argument("--seconds", type=float, default=float("inf"), help="begin with no test and no change any more after them")
    p.add_argument("--bar", type=float, default=90, help="percent")
    p.add_argument("--nice", type=int, default=10)
    p.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    return p.parse_args()


def candidates(sources, patterns):
    """(file, Mutation) of every file that matches a pattern. FILE:LINE names one line."""
    for file in sorted(sources):
        wanted = [p for p in patterns if fnmatch.fnmatch(file, p.partition(":")[0])]
        if patterns and not wanted:
            continue
        lines = {int(p.partition(":")[2]) - 1 for p in wanted if ":" in p}
        with open(file) as f:
            for m in mutate.mutations(f.read()):
                if not lines or m.line in lines:
                    yield file, m


def chosen(found, seed):
    """Lines in random order, so that each file has its share by size; then one mutant of each, then a second one."""
    lines = {}
    for file, m in found:
        lines.setdefault((file, m.line), []).append(m)
    dice = random.Random(seed)
    order = sorted(lines)
    dice.shuffle(order)
    for line in order:
        dice.shuffle(lines[line])
    while order:
        for line in order:
            yield line[0], lines[line].pop()
        order = [line for line in order if lines[line]]


def survivors_of(report, found):
    """Those of the mutants found that a report lists. A line may have moved since."""
    with open(report) as f:
        lines = f.read().split("\n")
    listed = {(line.partition(":")[0], lines[n + 1][1:].strip(), lines[n + 2][1:].strip())
              for n, line in enumerate(lines) if " survived: " in line}
    for file, m in found:
        key = file, m.old.strip(), m.new.strip()
        if key in listed:
            listed.remove(key)
            yield file, m


class Score:
    """What became of the mutants. Workers report to it, in any order."""

    def __init__(self, wanted):
        self.wanted, self.lock, self.started = wanted, threading.Lock(), time.time()
        self.caught, self.unbuilt, self.equivalent, self.survivors = 0, 0, 0, 0

    def judged(self):
        return self.caught + self.equivalent + self.survivors

    def add(self, file, m, verdict, by):
        with self.lock:
            if verdict == "caught":
                self.caught += 1
                print("%s:%d caught by %s" % (file, m.line + 1, by), flush=True)
            elif verdict == "unbuilt":
                self.unbuilt += 1
            elif verdict == "equivalent":
                self.equivalent += 1
            else:
                self.survivors += 1
                print("%s:%d survived: %s\n-%s\n+%s\n" % (file, m.line + 1, by, m.old, m.new), flush=True)
            if sys.stderr.isatty() or not self.judged() % 50:
                print("%d of %d: %s:%d %s, %s" % (self.judged(), self.wanted, file, m.line + 1, verdict, by),
                      file=sys.stderr)

    def report(self, bar):
        seconds = time.time() - self.started
        judged = self.caught + self.survivors
        share = 100 * self.caught / judged if judged else 100
        print("%d mutants: %d caught, %d survived, %d equivalent; %d more did not compile" % (
            self.judged(), self.caught, self.survivors, self.equivalent, self.unbuilt))
        print("caught: %.1f %% of %d that are not equivalent (bar: %g %%); %.0f s, %.1f s each" % (
            share, judged, bar, seconds, seconds / max(1, self.judged())))
        return 0 if share >= bar else 1


def work(tree, todo, score, known):
    while True:
        with score.lock:
            if score.judged() + todo.running >= score.wanted or not todo.ahead or tree.house.seconds() > tree.house.args.seconds:
                return
            file, m = todo.ahead.pop()
            todo.running += 1
        try:
            verdict = ("equivalent", "is on the list") if known.holds(file, m) else tree.judge(file, m)
        except SystemExit:
            return
        finally:
            todo.running -= 1
        score.add(file, m, *verdict)


class Todo:
    def __init__(self, ahead):
        self.ahead, self.running = list(ahead)[::-1], 0


def run(args, top):
    os.nice(args.nice)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))  # soft: sanitizers need more
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, resource.RLIM_INFINITY))  # likewise, virtual machines
    known = equivalent.Known("tests/mutants/equivalent")
    for stale in known.stale():
        print("tests/mutants/equivalent: no line any more in %s: %s" % stale, file=sys.stderr)
    sources = [s for s in (args.lib + " " + args.filter + " " + args.bpf + " " + args.plugin).split() if s not in args.generated.split()]
    found = candidates(sources, args.files.split())
    todo = Todo(list(survivors_of(args.again, found) if args.again else chosen(found, args.seed))[args.first:])
    built = house.House(args, top)
    for failed in built.try_tests():
        print("left out, as it fails without any change: " + failed, file=sys.stderr)
    print("built and tried in %.0f s; %d changes to choose from" % (built.seconds(), len(todo.ahead)), file=sys.stderr)
    score = Score(min(args.mutants, len(todo.ahead)))
    ahead = len(todo.ahead)
    workers = [threading.Thread(target=work, args=(built.tree(n), todo, score, known), daemon=True)
               for n in range(args.jobs)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    print("the next one is FIRST=%d" % (args.first + ahead - len(todo.ahead)))
    return score.report(args.bar)


def folder_in_memory():
    """A new folder, where files cost nothing to sync if there is room for the trees and what tests write. Root's is below
    /var/tmp and a mount that this process and its children see: a virtual machine has a /dev/shm of its own."""
    try:
        place = os.statvfs("/dev/shm")
        roomy = place.f_bavail * place.f_frsize > 2 << 30 and not place.f_flag & os.ST_NOEXEC and os.access("/dev/shm", os.W_OK)
    except OSError:
        roomy = False
    root = os.geteuid() == 0
    top = tempfile.mkdtemp(prefix="xdpzoom-mutants-", dir="/dev/shm" if roomy and not root else "/var/tmp")
    if roomy and root:
        wall.mount_in_memory(top)
    return top


def main():
    args = arguments()
    top = args.keep or folder_in_memory()
    os.makedirs(top, exist_ok=True)
    for s in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, lambda number, frame: sys.exit(128 + number))
    try:
        if not wall.possible(top):
            print("make mutants needs mount and process namespaces here, so that no mutant can harm this machine; run it "
                  "as root, or where users may make namespaces", file=sys.stderr)
            return 77
        return run(args, top)
    except KeyboardInterrupt:
        return 130
    finally:
        house.end_all()
        for t in threading.enumerate():
            if t is not threading.current_thread():
                t.join(10)
        if not args.keep:
            wall.libc.umount2(top.encode(), wall.MNT_DETACH)
            shutil.rmtree(top, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
