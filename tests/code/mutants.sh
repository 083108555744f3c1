#!/bin/sh
# What make mutants changes in a C source, and what it leaves alone.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3 here"; exit 0; }
PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'END_OF_PYTHON'
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/mutants")
import mutants
import mutate
import rig_wall
import wall

number = 0


def result(ok, what, why):
    global number
    number += 1
    print("%sok %d - %s" % ("" if ok else "not ", number, what))
    if not ok:
        print("# got: %s" % why)


def changed(line, *want):
    """The line of a function becomes each of these, and nothing else."""
    got = sorted(m.new.strip() for m in mutate.mutations("int f(int n)\n{\n\t%s\n}\n" % line))
    result(got == sorted(want), line.replace("#", "\\#").replace("\n", " "), got)


print("1..23")
changed("x = a - b;", "x = a + b;")
changed("return 7;", "return 8;")
changed("x = 1e-3;", "x = 0.0015;")
changed("x = -b * *c;", "x = -b / *c;")
changed("for (; p < q; p++)", "for (; p <= q; p++)", "for (; p > q; p++)", "for (; p < q; p--)")
changed("if (a)", "if (0 && (a))", "if (1 || (a))")
changed("if (!strcmp(s, \"a < 1\"))", "if (strcmp(s, \"a < 1\"))", "if (0 && (!strcmp(s, \"a < 1\")))",
        "if (1 || (!strcmp(s, \"a < 1\")))")
changed("row = NAN; /* not 5 > 4 */", "row = 0; /* not 5 > 4 */")
changed("ci[1] = h;", "ci[0] = h;")
changed("char text[64];")
changed("struct run r = {0}, *s = &(struct run){0};")
changed("char path[4096 + 80], *to;")
changed("char *to, path[sizeof(rd->path) + 32];")
changed("return row[1 + n];", "return row[0 + n];", "return row[1 - n];")
changed("x = row[1 + n];", "x = row[0 + n];", "x = row[1 - n];")
changed("static const char *const names[] = {\n\t\t\"a\" + 1,\n\t};")
changed("x = calloc(n + 1, 8);\n\tif (!x)\n\t\treturn -ENOMEM;")
changed("x = array_add(&list, &n, 8);\n\n\tif (!x)\n\t\treturn;")
got = mutate.mutations("static const int x = 1 + 2;\n#define Y (3 + 4)\n/* {\n 5 + 6\n} */\n")
result(not got, "outside functions nothing", got)

lines = "\n".join("\tx = a - %d;" % n for n in range(2, 40))
found = [("f.c", m) for m in mutate.mutations("int f(void)\n{\n%s\n}\n" % lines)]
first, again, other = (list(mutants.chosen(found, seed)) for seed in (1, 1, 2))
result(first == again and first != other and sorted(first) == sorted(found), "the same seed, the same choice", "")
places = [m.line for file, m in first[:38]]
result(len(set(places)) == 38, "one mutant of each line before a second one", places)

attack = "echo in >$0/in; echo out >$0/../out; rm -f $0/../other; kill -0 %d && echo >$0/seen; echo >/proc/sys/kernel/panic && echo >$0/set" % os.getpid()
for kind, what in ((wall, "a test"), (rig_wall, "a test of the rig")):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:
        open(top + "/other", "w").close()
        os.mkdir(top + "/tmp")
        if kind.possible(top + "/tmp"):
            subprocess.run(kind.behind(top + "/tmp", "sh", "-c", attack, top + "/tmp"), stderr=subprocess.DEVNULL)
            got = sorted(os.listdir(top)) + os.listdir(top + "/tmp")
            result(got == ["other", "tmp", "in"], what + " reaches its own folder, no other file, no process", got)
        else:
            number += 1
            print("ok %d - a wall around %s # SKIP not here" % (number, what))
END_OF_PYTHON
