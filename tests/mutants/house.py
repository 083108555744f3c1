"""house - a copy of the tree that is built and tested quickly again and again

in:    the sources by list, the objects of user/ and the generated files of a tree that is built
       the objects of the libraries and of the unit tests with sanitizers
out:   House(args, top).tree(n).judge(file, mutation): "caught", "survived", "unbuilt" or "equivalent", and by what
law:   all libraries are one shared object and all tests link with it, so that a mutant costs one compile and one link;
       a test can change the files of its tmp/ alone (wall.py, rig_wall.py), whatever a mutant makes it do, with root's rights,
       too; a test is asked about a mutant only if it runs the line, which gcov knows from one run of every test. A BPF program
       counts as run where user/ opens it, the counting plugin in each test of tests/vm/. What survives is shown to those unit
       tests with sanitizers, as make check builds them
"""
import contextlib
import fcntl
import fnmatch
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import rig_wall
import wall

FEW = 4          # lines of a test that may fail without any change
LONGEST_S = 240  # what a test may take that is asked
MOST_S = 180     # what all tests together may take that a mutant is shown to; the next ones are not asked
LIMIT_S = 10  # and ten times what the test takes without a change
NO_JAIL = "build/no_jail.c"  # in the place of jail_enter(), which forbids to write what gcov has counted
UNJAILED = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

int jail_enter(void)
{
	return 0;
}

/* A guest, or who has given up rights and environment, writes nothing where the sources are, and no complaint. */
__attribute__((constructor)) static void count_elsewhere(void)
{
	setenv("GCOV_PREFIX", "/tmp/cov", 0);
	setenv("GCOV_ERROR_FILE", "/dev/null", 0);
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
RIG_LOCK = "/tmp/xdpzoom-rig.lock"  # tests/rig/own_lib.sh has it, too
IN_GUEST = "user/exact/guest.c"     # what runs there counts no lines
KERNEL = "6.12"                     # of the virtual machines
IN_RUN = ("tests/unit/user/test_changes.c", "tests/unit/user/test_locks.c")  # they write to /run, as root
# They run these files in a jail, where nothing can be counted; the first one not even as it is without a jail.
JAILED = {"tests/unit/test_jail.c": ["base/jail.c"], "tests/unit/test_new_file.c": ["base/file.c"],
          "tests/cases/user/odd.cases": ["base/jail.c", "base/file.c"]}
alive, alive_lock, stopping = set(), threading.Lock(), threading.Event()


def start(command, **kwargs):
    with alive_lock:
        if stopping.is_set():
            raise SystemExit
        p = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, text=True, errors="replace",
                             **kwargs)
        alive.add(p)
    return p


def end(p, itself=False):
    """Ends a process and all that it started: itself, if it is the wall of a rig's test, which ends what has left its group."""
    if itself:
        p.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            p.wait(10)
    try:
        os.killpg(p.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    p.wait()
    with alive_lock:
        alive.discard(p)


def end_all():
    """Ends what runs; nothing is started any more. A wall ends what is behind it."""
    with alive_lock:
        stopping.set()
    for p in list(alive):
        end(p, itself=True)


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


def has_line(path, text):
    with open(path) as f:
        return text + "\n" in f


class Test:
    def __init__(self, line):
        path, *arguments = line.split()
        self.line, self.path, self.unit = line, path, path.endswith(".c")
        self.rig, self.vm = path.startswith("tests/rig/"), path.startswith("tests/vm/")
        self.name = " ".join([path[len("tests/"):].rpartition(".")[0], *arguments])
        self.program = "build/" + self.name if self.unit else path
        self.words = (["./" + self.program] if self.unit else ["python3", "tests/cases/run.py", path] if path.endswith(".cases")
                      else [*interpreter(path), *line.split()])
        # As root it makes devices, loads programs.
        self.rooted = self.rig or self.vm or path in IN_RUN or path.endswith(".cases") and has_line(path, "needs root")
        self.emulates = path == "tests/cases/exact/plugin.cases"
        self.wall = rig_wall if self.rooted else wall
        self.alone = self.rig and has_line(path, "alone=1")
        if self.vm:  # QEMU has limits of its own
            self.words = ["prlimit", "--fsize=unlimited", "--as=unlimited", *self.words]
        self.seconds, self.lines = 0.0, set()
        self.why, self.failures = None, []  # without any change

    @contextlib.contextmanager
    def turn(self):
        """When it may run: tests of the rig that say so run while no other one does, of any tree of this machine."""
        with open(RIG_LOCK, "a") if self.rig else contextlib.nullcontext() as lock:
            if lock:
                fcntl.flock(lock, fcntl.LOCK_EX if self.alone else fcntl.LOCK_SH)
            yield

    def limited(self, program=None):
        """The words that run it, or another program in its place, and end it when it takes too long."""
        return ["timeout", "-s", "KILL", "%.0f" % (LIMIT_S + 10 * self.seconds), "prlimit",
                "--cpu=%.0f" % (CPU_S + 10 * self.seconds), *(program or self.words)]


class Failed:
    """The first of some tests that failed, and what it said."""
    def __init__(self, test, why):
        self.test, self.why = test, why


def run_tests(tests, cwd, env):
    """Runs (test, words) one by one, until the first failure. None if all pass, else Failed. Those of the rig have a wall each.
    What measures may fail by itself, so it has to fail twice."""
    def failed(some):
        with some[0][0].turn():
            return run_behind(some[0][0].wall, some, cwd, env)

    quick = [one for one in tests if not one[0].rooted]
    for some in [quick] * bool(quick) + [[one] for one in tests if one[0].rooted]:
        why = failed(some)
        if why and (some is quick or why.test.vm or failed(some)):
            return why
    return None


def unnumbered(line):
    return re.sub(r"^not ok \d+ - ", "", line.strip())


def run_behind(kind, tests, cwd, env, failures=None):
    """The same of tests behind one wall. What fails without any change is no failure. A list of failures gets them all."""
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", TMPDIR=os.path.join(cwd, "tmp"), MALLOC_PERTURB_="165", CHECK_ALL="1", CCACHE_DISABLE="1",
               VM_KERNEL=KERNEL, WALL_CACHE=must("vm/cache", cwd=".").strip(), **env)
    script = "".join("echo test %d\n%s 2>/dev/null || { echo not ok: exit status $?; exit 1; }\n" % (
        n, shlex.join(words)) for n, (test, words) in enumerate(tests))
    p = start(kind.behind(os.path.join(cwd, "tmp"), "sh", "-c", script), cwd=cwd, env=env, stdout=subprocess.PIPE,
              stderr=subprocess.DEVNULL)
    test, why = None, None
    for line in p.stdout:
        if line.startswith("test "):
            test = tests[int(line[5:])][0]
        elif line.startswith(("not ok", "Bail out")) and unnumbered(line) not in test.failures:
            why = line.strip()
            if failures is None:
                break
            failures.append(unnumbered(line))
    else:
        p.wait()
    status = p.returncode
    end(p, kind is rig_wall)
    p.stdout.close()
    if status == wall.NONE or not test:
        raise SystemExit("no wall around the tests")
    if why or status and not test.failures:
        return Failed(test, why or "exit status %d" % status)
    return None


def digest(paths):
    sum_ = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as f:
            sum_.update(b"%s\0%s\0" % (path.encode(), f.read()))
    return sum_.hexdigest()


class House:
    def __init__(self, args, top):
        self.args, self.top, self.began = args, top, time.time()
        self.base = os.path.join(top, "base")
        os.chmod(top, 0o755)  # some tests give up their privileges
        self.lib, self.filter = args.lib.split(), args.filter.split()
        self.bpf, self.plugin = args.bpf.split(), args.plugin.split()
        self.libs, self.flags = ["-Wl,--as-needed", *args.ldlibs.split()], shlex.split(os.environ["MUTANT_FLAGS"])
        self.statements = set()  # (file, line) of all that can be run
        self.catches = {}        # (file, test): how many mutants
        self.optimised = {}      # file: its optimised object, unchanged
        scripts = [s for s in glob.glob("tests/golden/*.sh") if not s.endswith(("lib.sh", "golden/cases.sh", "cases_sanitized.sh", "speeds.sh"))]
        cases = glob.glob("tests/cases/**/*.cases", recursive=True)
        rig = [s for s in glob.glob("tests/rig/*.sh") if not s.endswith("lib.sh") and rig_wall.possible(top)]
        with open("tests/vm/matrix") as f:
            vm = [" ".join(w[3:]) for w in map(str.split, f) if w[1:3] == [KERNEL, "host"] and w[3].startswith("tests/vm/exact")]
        every = sorted(glob.glob("tests/unit/**/*.c", recursive=True) + scripts + cases + rig + vm)
        self.tests = [Test(t) for t in every if any(fnmatch.fnmatch(t, p) for p in args.tests.split() or ["*"])]
        self.digest = digest(sorted(glob.glob("[bpruv]*/**/*.[ch]", recursive=True)))
        if not self.is_kept():
            self.copy()
            self.build()
            with open(os.path.join(self.top, "digest"), "w") as f:
                f.write(self.digest)

    def is_kept(self):
        """Whether a run before this one has built it of the same sources (KEEP). Tests are copied anew."""
        try:
            with open(os.path.join(self.top, "digest")) as f:
                if f.read() != self.digest:
                    raise FileNotFoundError
        except FileNotFoundError:
            for path in glob.glob(self.top + "/*"):
                shutil.rmtree(path, ignore_errors=True)
            return False
        for tree in glob.glob(self.top + "/*/tests"):
            shutil.rmtree(tree)
            shutil.copytree("tests", tree, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        return True

    def seconds(self):
        return time.time() - self.began

    def copy(self):
        unneeded = {os.path.join(".", name) for name in (".git", "build", "runs")}
        shutil.copytree(".", self.base, symlinks=True, ignore=lambda folder, names: [
            n for n in names if n == "__pycache__" or os.path.join(folder, n) in unneeded])
        shutil.copytree("build/runs", os.path.join(self.base, "build/runs"))
        plugins = glob.glob("build/count-*.so") + glob.glob("build/rig/*") + glob.glob("build/bpf/*.o") + glob.glob("build/tests/vm/*")
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
        found = "-Wl,-rpath,$ORIGIN/obj"  # where a test runs it without LD_LIBRARY_PATH
        self.link("build/perfparse", [], self.base, "-Lbuild/obj", "-lfilter", *house, found)
        self.link("build/xdpzoom", self.args.user.split(), self.base, *house, found)

    def try_tests(self):
        """Runs every test with coverage, which shows what it runs and how long it takes, if the same test did not run with the
        same sources before. Those that fail, which are asked about nothing; those that there was no time for."""
        tries = [self.tree(n) for n in range(self.args.jobs)]
        free, lock = list(tries), threading.Lock()
        kept = Kept(self)

        def one(t):
            if kept.holds(t):
                return t.why and "%s (%s)" % (t.line, t.why)
            if self.seconds() > self.args.seconds:
                return "%s (not tried yet)" % t.line
            with lock:
                tree = free.pop()
            try:
                counts = os.path.join(tree.path, "tmp/cov")
                if t.vm:
                    tree.whole("cov")
                with t.turn():
                    began = time.time()
                    env = dict(tree.env("obj" if t.path == "tests/unit/test_jail.c" else "cov"), GCOV_PREFIX=counts, GCOV_ERROR_FILE="/dev/null")
                    failures = []
                    words = ["timeout", "-s", "KILL", str(LONGEST_S), *t.words]
                    failed = run_behind(t.wall, [(t, words)], tree.path, env, failures)
                    t.seconds = time.time() - began
                # Where a few lines fail by themselves, the others can tell.
                if failed and (len(failures) - 1 not in range(1, FEW) or failures[-1] != "not ok: exit status 1"):
                    t.why = failed.why
                t.failures = failures
                t.lines = self.lines_run(counts) if not t.why else set()
                for file in JAILED.get(t.path, []) if not t.why else []:
                    with open(file) as f:
                        t.lines |= {(file, n) for n, _ in enumerate(f, 1)}
                tree.clean()
                tree.restore("build/xdpzoom")
                with lock:
                    kept.add(t)
            finally:
                with lock:
                    free.append(tree)
            return t.why and "%s (%s)" % (t.line, t.why)

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
        if file in self.plugin or file == IN_GUEST:
            some = [t for t in self.tests if (t.vm or t.emulates and file in self.plugin) and not t.why]
        else:
            places = self.opens(file) if file in self.bpf else {(file, self.statement(file, line))}
            some = [t for t in self.tests if places & t.lines]
        ordered = sorted(some, key=lambda t: (-self.catches.get((file, t.line), 0), not t.unit, t.seconds))
        total, asked = 0, []
        for t in ordered:
            total += t.seconds
            if asked and total > MOST_S:
                break
            asked.append(t)
        return asked

    def statement(self, file, line):
        while line > 1 and (file, line) not in self.statements:
            line -= 1
        return line

    def users(self, bpf):
        """The sources that include the skeleton of a BPF program."""
        header = '#include "%s"\n' % bpf.replace(".bpf.c", ".skel.h")
        return [s for s in self.lib if s.startswith("user/") and has_line(s, header[:-1])]

    def opens(self, bpf):
        """Where user/ opens it."""
        found, name = set(), os.path.basename(bpf).replace(".bpf.c", "_bpf__")
        for source in self.users(bpf):
            with open(source) as f:
                found |= {(source, self.statement(source, n)) for n, line in enumerate(f, 1) if name in line and "open" in line}
        return found

    def tree(self, n):
        return Tree(self, os.path.join(self.top, "tree%d" % n))


class Kept:
    """What tests ran, of the sources as they are: a line of JSON for each, in build/."""

    def __init__(self, house):
        self.house, self.path, self.known = house, "build/mutants.lines", {}
        self.libs = digest(sorted(glob.glob("tests/*/*lib*") + glob.glob("tests/rig/own/*") + ["tests/cases/run.py"]))
        if os.path.exists(self.path):
            with open(self.path) as f:
                for line in map(json.loads, f):
                    self.known[line["test"]] = line
        if any(line["sources"] != house.digest for line in self.known.values()):
            self.known = {}
            os.unlink(self.path)

    def name(self, t):
        return "%s %s" % (t.line, digest([t.path])[:16] + self.libs[:16])

    def holds(self, t):
        line = self.known.get(self.name(t))
        if line:
            t.seconds, t.why, t.failures = line["seconds"], line["why"], line.get("failures", [])
            t.lines = {(file, n) for file, numbers in line["lines"].items() for n in numbers}
            self.house.statements |= {(file, n) for file, numbers in line["statements"].items() for n in numbers}
        return bool(line)

    def add(self, t):
        def by_file(pairs):
            files = {}
            for file, n in sorted(pairs):
                files.setdefault(file, []).append(n)
            return files

        files = {file for file, _ in t.lines}
        with open(self.path, "a") as f:
            f.write(json.dumps({"test": self.name(t), "sources": self.house.digest, "seconds": t.seconds, "why": t.why, "failures": t.failures, "lines": by_file(t.lines),
                                "statements": by_file(pair for pair in self.house.statements if pair[0] in files)}) + "\n")


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
        with open(os.path.join(h.base, file)) as f:
            lines = f.read().split("\n")
        lines[m.line] = m.new
        self.put(file, "\n".join(lines))
        try:
            if file in h.bpf:
                return self.judge_bpf(file, m)
            if file in h.plugin:
                return self.judge_plugin(file, m)
            return self.judge_library(file, m)
        finally:
            self.restore(file)
            self.clean()

    def judge_library(self, file, m):
        h = self.house
        made = h.object(file)
        library = "filter" if file in h.filter else "house"
        shared = "build/obj/lib%s.so" % library
        os.unlink(os.path.join(self.path, made))
        os.unlink(os.path.join(self.path, shared))
        try:
            if h.compile(file, made, self.path)[0]:
                return "unbuilt", ""
            if self.same(os.path.join(self.path, made), os.path.join(h.base, made)):
                return "equivalent", "by its object code"
            h.link_libraries(self.path, "obj", (library,))
            if any(t.vm for t in h.who_runs(file, m.line + 1)):
                self.whole("obj")
            verdict = self.ask(file, h.who_runs(file, m.line + 1))
            if verdict[0] == "caught":
                return verdict
            if self.is_refused(file):
                return "unbuilt", ""
            if self.same_optimised(file):
                return "equivalent", "by its optimised object code"
            return self.ask_sanitized(file, m) or verdict
        finally:
            self.restore(made, shared, "build/xdpzoom")

    def judge_bpf(self, file, m):
        """A program for the kernel: its object, its skeleton, and what includes that, are made anew."""
        h = self.house
        program, skeleton = "build/" + file[:-2] + ".o", "build/" + file.replace(".bpf.c", ".skel.h")
        made = [program, skeleton, *map(h.object, h.users(file)), "build/obj/libhouse.so"]
        for path in made:
            os.unlink(os.path.join(self.path, path))
        try:
            if self.command(h.args.clang, *shlex.split(h.args.bpf_flags), "-c", "-o", program, file):
                return "unbuilt", ""
            self.command("llvm-strip", "-g", program)
            if self.same_program(program):
                return "equivalent", "by its instructions"
            with open(os.path.join(self.path, skeleton), "w") as f:
                f.write(must(h.args.bpftool, "gen", "skeleton", program, "name", os.path.basename(file)[:-6] + "_bpf", cwd=self.path))
            for source in h.users(file):
                if h.compile(source, h.object(source), self.path)[0]:
                    return "unbuilt", ""
            h.link_libraries(self.path, "obj", ("house",))
            return self.ask(file, h.who_runs(file, m.line + 1))
        finally:
            self.restore(*made)

    def judge_plugin(self, file, m):
        """QEMU's plugin, for each version of its interface."""
        h, made = self.house, sorted(glob.glob("build/count-*.so"))
        for path in made:
            os.unlink(os.path.join(self.path, path))
        try:
            for path in made:
                flags = [*h.flags, "-w", "-O1", "-g0", "-DPLUGIN_API=" + path[len("build/count-"):-3], "-fPIC", "-fvisibility=hidden"]
                if self.command(*h.args.cc.split(), *flags, "-shared", "-o", path, *h.plugin, "base/array.c", "base/printable.c"):
                    return "unbuilt", ""
            if self.command(*h.args.cc.split(), *h.flags, "-Werror", "-DPLUGIN_API=2", "-fsyntax-only", file):
                return "unbuilt", ""
            asked = h.who_runs(file, m.line + 1)
            verdict = self.ask(file, [t for t in asked if t.emulates])
            if verdict[0] == "caught" or not any(t.vm for t in asked):
                return verdict
            self.whole("obj")
            return self.ask(file, [t for t in asked if t.vm])
        finally:
            self.restore(*made, "build/xdpzoom")

    def command(self, *words):
        return command(*words, cwd=self.path)[0]

    def whole(self, kind):
        """The program without a library of its own: a guest sees this file alone."""
        h = self.house
        os.unlink(os.path.join(self.path, "build/xdpzoom"))
        objects = [h.object(s, kind) for s in h.lib] + ([h.object(NO_JAIL, kind), "--coverage"] if kind == "cov" else [])
        h.link("build/xdpzoom", [*h.args.user.split(), *objects], self.path, *h.libs)

    def same_program(self, program):
        """Whether the kernel gets the same instructions and data: the lines of the source are left out."""
        def bare(folder):
            to = os.path.join(self.path, "tmp/bare.o")
            must("llvm-objcopy", *("-R%s" % s for s in (".BTF", ".BTF.ext", ".rel.BTF", ".rel.BTF.ext")), os.path.join(folder, program), to,
                 cwd=self.path)
            with open(to, "rb") as f:
                return f.read()
        return bare(self.path) == bare(self.house.base)

    def ask(self, file, tests):
        failed = run_tests([(t, t.limited()) for t in tests], self.path, self.env("obj")) if tests else None
        if failed:
            key = file, failed.test.line
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
            h.link("tmp/test", ["build/asan/%s.o" % t.line[:-2], *objects.values()], self.path,
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
