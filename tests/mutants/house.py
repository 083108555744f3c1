"""house - a copy of the tree that is built and tested quickly again and again

in:    the sources by list, the objects of user/ and the generated files of a tree that is built
       the objects of the libraries and of the unit tests with sanitizers
out:   House(args, top).tree(n).judge(file, mutation): "caught", "survived", "unbuilt" or "equivalent", and by what
law:   all libraries are one shared object and all tests link with it, so that a mutant costs one compile and one link;
       a test can change the files of its tmp/ alone (wall.py), whatever a mutant makes it do, with root's rights too;
       a test is asked about a mutant only if it runs the line, which gcov knows from one run of every test; what
       survives is shown to those unit tests with sanitizers, as make check builds them
"""
import fnmatch
import glob
import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import wall

LIMIT_S = 10  # and ten times what the test takes without a change
NO_JAIL = "build/no_jail.c"  # in the place of jail_enter(), which forbids to write what gcov has counted
UNJAILED = r"""
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

int jail_enter(void)
{
	return 0;
}

/* What a keeper ran counts, too: it ends by this. */
void _exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}
"""
CPU_S = 2     # likewise, of one process: what runs for ever is noticed soon, however busy the machine is
SANITIZED = 5  # unit tests that a survivor is shown to with sanitizers: each is a link
alive, alive_lock, stopping = set(), threading.Lock(), threading.Event()


def start(command, **kwargs):
    with alive_lock:
        if stopping.is_set():
            raise SystemExit
        p = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, text=True, errors="replace",
                             **kwargs)
        alive.add(p)
    return p


def end(p):
    """Ends a process and all that it started."""
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    p.wait()
    with alive_lock:
        alive.discard(p)


def end_all():
    """Ends what runs; nothing is started any more."""
    with alive_lock:
        stopping.set()
    for p in list(alive):
        end(p)


def command(*words, cwd):
    p = start(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out = p.communicate()[0]
    end(p)
    return p.returncode, out


def must(*words, cwd):
    status, out = command(*words, cwd=cwd)
    if status:
        raise SystemExit("%s\n%s" % (" ".join(words), out))
    return out


def interpreter(path):
    """What the first line of a script names; a script need not be executable."""
    with open(path) as f:
        return f.readline()[2:].split()


class Test:
    def __init__(self, path):
        self.path, self.unit = path, path.endswith(".c")
        self.name = path[len("tests/"):].rpartition(".")[0]
        self.program = "build/" + self.name if self.unit else path
        self.words = (["./" + self.program] if self.unit else ["python3", "tests/cases/run.py", path] if path.endswith(".cases")
                      else [*interpreter(path), path])
        self.seconds, self.lines = 0.0, set()

    def limited(self, program=None):
        """The words that run it, or another program in its place, and end it when it takes too long."""
        return ["timeout", "-s", "KILL", "%.0f" % (LIMIT_S + 10 * self.seconds), "prlimit",
                "--cpu=%.0f" % (CPU_S + 10 * self.seconds), *(program or self.words)]


class Failed:
    """The first of some tests that failed, and what it said."""
    def __init__(self, test, why):
        self.test, self.why = test, why


def run_tests(tests, cwd, env):
    """Runs (test, words) one by one behind one wall, until the first failure. None if all pass, else Failed."""
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", TMPDIR=os.path.join(cwd, "tmp"), MALLOC_PERTURB_="165", **env)
    script = "".join("echo test %d\n%s 2>/dev/null || { echo not ok: exit status $?; exit 1; }\n" % (
        n, shlex.join(words)) for n, (test, words) in enumerate(tests))
    p = start(wall.behind(os.path.join(cwd, "tmp"), "sh", "-c", script), cwd=cwd, env=env, stdout=subprocess.PIPE,
              stderr=subprocess.DEVNULL)
    test, why = None, None
    for line in p.stdout:
        if line.startswith("test "):
            test = tests[int(line[5:])][0]
        elif line.startswith(("not ok", "Bail out")):
            why = line.strip()
            break
    else:
        p.wait()
    status = p.returncode
    end(p)
    p.stdout.close()
    if status == wall.NONE or not test:
        raise SystemExit("no wall around the tests")
    if why or status:
        return Failed(test, why or "exit status %d" % status)
    return None


class House:
    def __init__(self, args, top):
        self.args, self.top, self.began = args, top, time.time()
        self.base = os.path.join(top, "base")
        os.chmod(top, 0o755)  # some tests give up their privileges
        self.lib, self.filter = args.lib.split(), args.filter.split()
        self.libs, self.flags = ["-Wl,--as-needed", *args.ldlibs.split()], shlex.split(os.environ["MUTANT_FLAGS"])
        self.statements = set()  # (file, line) of all that can be run
        self.catches = {}        # (file, test): how many mutants
        self.optimised = {}      # file: its optimised object, unchanged
        scripts = [s for s in glob.glob("tests/golden/*.sh") if not s.endswith(("lib.sh", "golden/cases.sh", "cases_sanitized.sh", "speeds.sh"))]
        cases = glob.glob("tests/cases/**/*.cases", recursive=True)
        every = sorted(glob.glob("tests/unit/**/*.c", recursive=True) + scripts + cases)
        self.tests = [Test(t) for t in every if any(fnmatch.fnmatch(t, p) for p in args.tests.split() or ["*"])]
        self.copy()
        self.build()

    def seconds(self):
        return time.time() - self.began

    def copy(self):
        unneeded = {os.path.join(".", name) for name in (".git", "build", "runs")}
        shutil.copytree(".", self.base, symlinks=True, ignore=lambda folder, names: [
            n for n in names if n == "__pycache__" or os.path.join(folder, n) in unneeded])
        shutil.copytree("build/runs", os.path.join(self.base, "build/runs"))
        plugins = glob.glob("build/count-*.so") + glob.glob("build/rig/*")
        for f in self.args.generated.split() + self.args.user.split() + self.args.asan.split() + plugins:
            to = os.path.join(self.base, f)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(f, to)

    def compile(self, source, to, cwd, *more):
        os.makedirs(os.path.join(cwd, os.path.dirname(to)), exist_ok=True)
        flags = [*self.flags, "-w", "-fPIC", "-O0", "-g0", *(more or ["-O1"])]
        return command(*self.args.cc.split(), *flags, "-c", "-o", to, source, cwd=cwd)

    def link(self, to, objects, cwd, *more):
        os.makedirs(os.path.join(cwd, os.path.dirname(to)), exist_ok=True)
        return must("gcc", "-fuse-ld=lld", "-o", to, *objects, *more, cwd=cwd)

    def object(self, source, kind="obj"):
        return "build/%s/%s.o" % (kind, source[:-2])

    def link_libraries(self, cwd, kind, which=("house", "filter")):
        more = ["-shared", *self.libs] + (["--coverage"] if kind == "cov" else [])
        if "house" in which:
            lib = self.lib + ([NO_JAIL] if kind == "cov" else [])
            self.link("build/%s/libhouse.so" % kind, [self.object(s, kind) for s in lib], cwd, *more)
        if "filter" in which:
            self.link("build/%s/libfilter.so" % kind, [self.object(s, kind) for s in self.filter], cwd, *more,
                      "-Lbuild/%s" % kind, "-lhouse")

    def build(self):
        """The libraries twice, optimised a little and with coverage, and all programs and tests once, for both."""
        def one(job):
            source, kind = job
            flags = ["--coverage"] if kind == "cov" else []
            if flags and source == "base/jail.c":
                flags.append("-Djail_enter=real_jail_enter")
            status, out = self.compile(source, self.object(source, kind), self.base, *flags)
            if status:
                raise SystemExit(out)

        tests = [t.path for t in self.tests if t.unit] + ["tests/golden/screen.c"]
        jobs = [(s, kind) for kind in ("obj", "cov") for s in self.lib + self.filter] + [(t, "obj") for t in tests]
        jobs.append((NO_JAIL, "cov"))
        with open(os.path.join(self.base, NO_JAIL), "w") as f:
            f.write(UNJAILED)
        with ThreadPoolExecutor(self.args.jobs) as pool:
            list(pool.map(one, jobs))
        for kind in ("obj", "cov"):
            self.link_libraries(self.base, kind)
        house = ["-Lbuild/obj", "-lhouse", *self.libs]
        for t in self.tests:
            if t.unit:
                self.link(t.program, [self.object(t.path)], self.base, *house, "-lcmocka")
        self.link("build/tests/golden/screen", [self.object("tests/golden/screen.c")], self.base, *house)
        self.link("build/perfparse", [], self.base, "-Lbuild/obj", "-lfilter", *house)
        self.link("build/xdpzoom", self.args.user.split(), self.base, *house)

    def try_tests(self):
        """Runs every test with coverage, which shows what it runs and how long it takes. Names of those that fail,
        which are asked about nothing."""
        tries = [self.tree(n) for n in range(self.args.jobs)]
        free, lock = list(tries), threading.Lock()

        def one(t):
            with lock:
                tree = free.pop()
            try:
                began = time.time()
                counts = os.path.join(tree.path, "tmp/cov")
                failed = run_tests([(t, t.words)], tree.path, dict(tree.env("cov"), GCOV_PREFIX=counts))
                why = failed and failed.why
                t.seconds = time.time() - began
                t.lines = self.lines_run(counts) if not why else set()
                tree.clean()
            finally:
                with lock:
                    free.append(tree)
            return why and "%s (%s)" % (t.path, why)

        with ThreadPoolExecutor(self.args.jobs) as pool:
            failed = list(filter(None, pool.map(one, self.tests)))
        return failed

    def lines_run(self, counts):
        """(file, line) of what ran, from the counts below a folder."""
        found = set()
        data = glob.glob(counts + "/**/*.gcda", recursive=True)
        for d in data:
            notes = d[len(counts):-5] + ".gcno"
            os.symlink(notes, d[:-5] + ".gcno")
        if not data:
            return found
        for text in must("gcov", "-j", "-t", *data, cwd=self.base).split("\n"):
            if not text.startswith("{"):
                continue
            for f in json.loads(text)["files"]:
                found |= {(f["file"], line["line_number"]) for line in f["lines"] if line["count"]}
                self.statements |= {(f["file"], line["line_number"]) for line in f["lines"]}
        return found

    def who_runs(self, file, line):
        """The tests that run a line: units, then scripts; those before that caught most mutants of the file, then the
        quickest. A statement counts at its first line."""
        while line > 1 and (file, line) not in self.statements:
            line -= 1
        return sorted((t for t in self.tests if (file, line) in t.lines), 
                      key=lambda t: (-self.catches.get((file, t.path), 0), not t.unit, t.seconds))

    def tree(self, n):
        return Tree(self, os.path.join(self.top, "tree%d" % n))


class Tree:
    """A worker's copy. Objects and programs are links to those of the base, until a mutant's take their place."""

    def __init__(self, house, path):
        self.house, self.path = house, path
        if not os.path.exists(path):
            shutil.copytree(house.base, path, symlinks=True, copy_function=os.link)
        self.clean()

    def clean(self):
        shutil.rmtree(os.path.join(self.path, "tmp"), ignore_errors=True)
        os.makedirs(os.path.join(self.path, "tmp"), exist_ok=True)

    def env(self, kind):
        return {"LD_LIBRARY_PATH": os.path.join(self.path, "build", kind)}

    def put(self, file, text):
        """A new file in the place of the link."""
        path = os.path.join(self.path, file)
        os.unlink(path)
        with open(path, "w") as f:
            f.write(text)

    def restore(self, *files):
        for f in files:
            path = os.path.join(self.path, f)
            if os.path.exists(path):
                os.unlink(path)
            os.link(os.path.join(self.house.base, f), path)

    def judge(self, file, m):
        h = self.house
        made = h.object(file)
        library = "filter" if file in h.filter else "house"
        shared = "build/obj/lib%s.so" % library
        with open(os.path.join(h.base, file)) as f:
            lines = f.read().split("\n")
        lines[m.line] = m.new
        self.put(file, "\n".join(lines))
        os.unlink(os.path.join(self.path, made))
        os.unlink(os.path.join(self.path, shared))
        try:
            if h.compile(file, made, self.path)[0]:
                return "unbuilt", ""
            if self.same(os.path.join(self.path, made), os.path.join(h.base, made)):
                return "equivalent", "by its object code"
            h.link_libraries(self.path, "obj", (library,))
            verdict = self.ask(file, m)
            if verdict[0] == "caught":
                return verdict
            if self.is_refused(file):
                return "unbuilt", ""
            if self.same_optimised(file):
                return "equivalent", "by its optimised object code"
            return self.ask_sanitized(file, m) or verdict
        finally:
            self.restore(file, made, shared)
            self.clean()

    def ask(self, file, m):
        tests = self.house.who_runs(file, m.line + 1)
        failed = run_tests([(t, t.limited()) for t in tests], self.path, self.env("obj")) if tests else None
        if failed:
            key = file, failed.test.path
            self.house.catches[key] = self.house.catches.get(key, 0) + 1
            return "caught", "%s: %s" % (failed.test.name, failed.why)
        return "survived", "%s" % (" ".join(t.name for t in tests) if tests else "no test runs the line")

    def ask_sanitized(self, file, m):
        """The unit tests with sanitizers, which see leaks and what is read beyond an end. None: it survives."""
        h = self.house
        objects = {o: o for o in h.args.asan.split() if "/tests/" not in o}
        plain = "build/asan/%s.o" % file[:-2]
        if plain not in objects:
            return None
        objects[plain] = "tmp/mutant.o"
        if h.compile(file, "tmp/mutant.o", self.path, "-O1", *shlex.split(h.args.sanitizers))[0]:
            return None
        for t in [t for t in h.who_runs(file, m.line + 1) if t.unit][:SANITIZED]:
            h.link("tmp/test", ["build/asan/%s.o" % t.path[:-2], *objects.values()], self.path,
                   *h.args.sanitizers.split(), *h.libs, "-lcmocka")
            words = t.limited(["prlimit", "--as=unlimited", "tmp/test"])
            failed = run_tests([(t, words)], self.path, {"ASAN_OPTIONS": "hard_rss_limit_mb=4000"})
            if failed:
                return "caught", "%s with sanitizers: %s" % (t.name, failed.why)
        return None

    @staticmethod
    def same(a, b):
        with open(a, "rb") as x, open(b, "rb") as y:
            return x.read() == y.read()

    def is_refused(self, file):
        """Whether the compiler warns of it, which fails a developer's build (DEV)."""
        h = self.house
        return command(*h.args.cc.split(), *h.flags, "-Werror", "-fsyntax-only", file, cwd=self.path)[0] != 0

    def same_optimised(self, file):
        """Whether the compiler makes the same of both texts."""
        def optimised(cwd):
            to = os.path.join(self.path, "tmp/optimised.o")
            self.house.compile(file, to, cwd, "-O2", "-fno-semantic-interposition")
            with open(to, "rb") as f:
                return f.read()

        if file not in self.house.optimised:
            self.house.optimised[file] = optimised(self.house.base)
        return optimised(self.path) == self.house.optimised[file]
