#!/bin/sh
# Twice as many elements take twice the instructions, and not four times: what readers and reports do grows with the number of
# symbols, call paths, data structures, source lines and counts, and not with its square. Valgrind counts the instructions.
cd "$(dirname "$0")/../.." || exit 1
command -v valgrind >/dev/null || { echo "1..0 # SKIP no valgrind here"; exit 0; }
[ -x "${O:-build}/xdpzoom" ] || { echo "1..0 # SKIP ${O:-build}/xdpzoom is not built"; exit 0; }
exec python3 - "${O:-build}/xdpzoom" "${O:-build}/perfparse" <<'END_OF_PYTHON'
import json, os, re, shutil, subprocess, sys, tempfile

X, PERFPARSE = sys.argv[1:]
FEW, MOST = 2, 2.1  # what FEW elements take is taken off: the start of the program
tmp = tempfile.mkdtemp()
# Callgrind opens its file when the program ends, so the reader's jail is taken for entered.
OPEN = """#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <dlfcn.h>
int prctl(int option, ...)
{
	va_list a;
	va_start(a, option);
	unsigned long b = va_arg(a, unsigned long), c = va_arg(a, unsigned long), d = va_arg(a, unsigned long), e = va_arg(a, unsigned long);
	va_end(a);
	int (*real)(int, ...) = dlsym(RTLD_NEXT, "prctl");
	return option == PR_SET_SECCOMP ? 0 : real(option, b, c, d, e);
}
long syscall(long n, ...)
{
	va_list a;
	va_start(a, n);
	long b = va_arg(a, long), c = va_arg(a, long), d = va_arg(a, long), e = va_arg(a, long), f = va_arg(a, long), g = va_arg(a, long);
	va_end(a);
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	return n == SYS_landlock_restrict_self ? 0 : real(n, b, c, d, e, f, g);
}
"""
subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", tmp + "/open.so", "-ldl"], input=OPEN.encode(), check=True)
ENV = {**os.environ, "LD_PRELOAD": tmp + "/open.so"}
number = 0


def instructions(*command):
    got = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], capture_output=True, env=ENV)
    count = re.search(rb"Collected : (\d+)", got.stderr)
    if got.returncode or not count:
        raise RuntimeError("%s: exit status %d, %s" % (command, got.returncode, got.stderr.decode(errors="replace")[-400:]))
    return int(count[1])


def grows(what, make, n, *command):
    """In the command, IN is what make(n, path) makes."""
    global number
    number += 1
    counts = []
    try:
        for size in FEW, n, 2 * n:
            path = "%s/%s-%d" % (tmp, make.__name__, size)
            if not os.path.exists(path):
                make(size, path)
            counts.append(instructions(*[word.replace("IN", path) for word in command]))
        more = (counts[2] - counts[0]) / (counts[1] - counts[0])
        print("%sok %d - %s" % ("" if 1.2 < more < MOST else "not ", number, what))
        print("# %d, %d and %d: %s instructions, %.2f times as many" % (FEW, n, 2 * n, counts, more))
    except (RuntimeError, subprocess.CalledProcessError) as e:
        print("not ok %d - %s\n# %s" % (number, what, e))


# ---- exact runs: lines are added to two windows, so that their sums still close ----------------------------

def exact(n, out, source, change):
    shutil.copytree(source, out)
    document = json.load(open(out + "/run.json"))
    document["variants"] = document["variants"][:1]
    json.dump(document, open(out + "/run.json", "w"))
    for window in document["variants"][0]["windows"][:2]:
        path = "%s/blocks/%d.paths" % (out, window["file"])
        lines = open(path).read().split("\n")
        open(path, "w").write("\n".join(change(lines, n)))


def add(line, field, n):
    words = line.split(" ")
    words[field] = str(int(words[field]) + n)
    return " ".join(words)


def first(lines, start):
    return next((i for i, line in enumerate(lines) if line.startswith(start)), len(lines))


def siblings(n, out):
    def change(lines, n):
        at = first(lines, "path 1 ")
        return [add(lines[0], 3, n), *lines[1:at], *["path 1 0 1 function_%d -" % i for i in range(n)], *lines[at:]]
    exact(n, out, "build/runs/counted", change)


def data_structures(n, out):
    def change(lines, n):
        at = first(lines, "path 0 ")
        known = "-" if lines[at].endswith("-") else "0"
        cpu = max(i for i in range(at) if lines[i].startswith("cpu "))
        lines[cpu] = add(lines[cpu], 6, n)
        return [*lines[:at], add(lines[at], 6, n), *["at 1 0 0 %s place_%d" % (known, i) for i in range(n)], *lines[at + 1:]]
    exact(n, out, "build/runs/memory", change)


def source_lines(n, out):
    def change(lines, n):
        at = first(lines, "line ")
        function = lines[at].split(" ")[2] if at < len(lines) else ""
        return [*lines[:at], *["line 0 %s %d ./a.c\ttext %d" % (function, i, i) for i in range(n if function else 0)], *lines[at:]]
    exact(n, out, "build/runs/fw3", change)


# ---- texts of perf -----------------------------------------------------------------------------------------

def write(out, head, lines):
    open(out, "w").write(head + "".join(lines))


def counts(n, out):
    write(out, "", ("CPU%d,%d,,%s,1241301,100.00,,\n" % (i // 2, i + 1, "instructions" if i % 2 else "cycles") for i in range(n)))


def annotated(n, out):
    write(out, " Percent |\tSource code & Disassembly of spin for cpu-clock (%d samples, percent: local period)\n----\n         :\n"
          "         :    0000000000001000 <spin>:\n" % n,
          ("         : %d    text %d;\n    %.4f :   %x:   add    %%eax,%%ebx\n" % (i + 1, i, 100 / n, 4096 + i) for i in range(n)))


def cut_tags(n, out):
    write(out, "# Samples: 1K of event 'cpu-clock'\n#\n# Overhead  Shared Object  Symbol\n# ........  .............  ......\n#\n",
          ("   %.6f%%  [kernel.kallsyms]  [k] bpf_prog_%08x\n" % (100 / n, i + 0x12345678) for i in range(n)))


try:
    grows("call paths below one function", siblings, 200, X, "report", "IN", "-f", "folded")
    grows("rows of a page", siblings, 100, X, "report", "IN", "-f", "html")
    grows("data structures", data_structures, 200, X, "report", "IN")
    grows("source lines", source_lines, 200, X, "report", "IN")
    grows("counts of perf stat", counts, 200, PERFPARSE, "--packets", "100", "--window", "1", "IN")
    grows("source lines of perf annotate", annotated, 200, PERFPARSE, "--ns", "100", "IN", "-f", "csv")
    grows("programs whose tag was cut", cut_tags, 170, PERFPARSE, "--ns", "100", "--ns2", "90", "--diff", "IN", "IN")
finally:
    shutil.rmtree(tmp, ignore_errors=True)
print("1..%d" % number)
END_OF_PYTHON
