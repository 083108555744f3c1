#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py - the exact figures that the pages show, against what this tree counts

usage: figures.py           counts what the pages need and is not kept yet; then prints each figure that differs
       figures.py write     the same, and writes what was counted into tests/docs/figures.csv, build/runs/ and the pages
       figures.py kept      the same as write, with the runs that are kept, and counts nothing
       figures.py list      the runs that the pages need, and the kept directory of each that is there
       figures.py pages     renders the pages from tests/docs/figures.csv, without counting anything
exit status: 0 nothing differs, 1 failed, 3 something differs, 4 nothing that was counted differs, but not all could be counted

A page names its figures in comments, each line of which is one of these; a line that is further in goes on with the one above

   .. figures:
      components VARIANT | RUN | RUN ...         the next table has a row for each component, a column for each run
      kernels NIC NIC ... | KERNEL | KERNEL ...  the next table has a row for each kernel, a column for each NIC: native / skb
   computed RUN | RUN ...; LABEL = EXPRESSION; ...  the next table has a row for each label, a column for each run; in an expression
                                                 native(NAME) and skb(NAME) are what a function or component takes, native() all,
                                                 row(LABEL) what stands in a row above
   totals | HEADING = RUN | HEADING = RUN ... these columns of the next table are totals of the variant that begins the row;
                                                 HEADING = A // B: column A for each hundred of column B
      says WORDS {f("RUN", "VARIANT", "FUNCTION"):.1f} WORDS      the page has this phrase; without FUNCTION: all instructions;
                                                 FUNCTION* stands for those that begin so

native and skb stand for drop/no-touch in that mode. A RUN is the name that a command of a page gives it (xdpzoom exact ... -o NAME),
or WORD KERNEL: a NIC, or a word of SETS. So a new column of a table takes one word in its comment, and the run follows.

A run is kept in the cache of kernels, below figures/, under a name that holds what it was made of: programs, plugin, kernel,
QEMU, options. Runs that exist are not counted again, so this goes on where it was stopped. Components and reports are those of
the tree at each time. Two counts are the same when they differ by less than 0.001, or by no more than both deviate.
"""
import csv
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import shown

DATA = os.path.join(shown.TOP, "tests/docs/figures.csv")
RUNS = os.path.join(shown.TOP, "build/runs")
XDPZOOM = os.path.join(shown.BUILD, "xdpzoom")
MADE_OF = ("bpf", "vm", "user/exact", "user/bed", "user/gen", "user/ladder", "user/programs", "user/stage", "user/turns")
COMPONENT = "component "  # before its name in the data, as a function may have the same one

SETS = {
    "rx": "--ladder rx",
    "forward": "--ladder forward",
    "tx": "--ladder tx",
    **{"pass-" + nic: f"-n {nic} -V pass/no-touch@native,pass/no-touch@skb" for nic in ("veth", "virtio_net", "vmxnet3", "igb")},
    "sent": "-V tx/swap-macs@native,tx/swap-macs@skb,redirect/no-touch@native,redirect/no-touch@skb",
}
EMULATORS = {"igb": "bookworm-backports"}  # NICs that QEMU of Debian 12 lacks: the suite whose QEMU counts them


# ---- what the pages say ------------------------------------------------------------------------------------------------


def shown_runs():
    """{name: words of the command} of the exact runs that a page makes."""
    found = {}
    for text in shown.TEXTS:
        for s in shown.commands(text):
            if s.command.startswith("xdpzoom exact ") and (name := re.search(r" -o (\w+)", s.command)):
                words = shlex.split(s.command)[2:]
                at = words.index("-o")
                found[name[1]] = words[:at] + words[at + 2:]
    return found


def options(run):
    """The options of xdpzoom exact that make this run: first kernel and NIC, which have defaults, so that like runs have like words."""
    if run in shown_runs():
        words = list(shown_runs()[run])
    else:
        word, _, kernel = run.partition(" ")
        words = ["-k", kernel] + (shlex.split(SETS[word]) if word in SETS else ["-n", word])
    first = []
    for option, default in (("-k", "6.12"), ("-n", "veth")):
        at = words.index(option) if option in words else None
        first += [option, default if at is None else words[at + 1]]
        if at is not None:
            del words[at:at + 2]
    return first + words


def statements(lines):
    """(line, words) of each statement in the comments of a page."""
    at = 0
    while at < len(lines):
        if lines[at].strip() == ".. figures:":
            at += 1
            while at < len(lines) and lines[at].startswith("   ") and lines[at].strip():
                first, words = at, lines[at].strip()
                at += 1
                while at < len(lines) and lines[at].startswith("    ") and lines[at].strip():
                    words += " " + lines[at].strip()
                    at += 1
                yield first, words
        at += 1


def whole(variant):
    return "drop/no-touch@" + variant if variant in ("native", "skb") else variant


class Figures:
    """What was counted: {run: {(variant, name): (instructions, deviation)}}; name is "" for the total."""

    def __init__(self):
        self.runs = {}
        self.asked = set()

    def get(self, run, variant, name=""):
        self.asked.add((run, variant, name))
        rows = self.runs.get(run, {})
        if (variant, "") not in rows:
            return None
        if name.endswith("*") and (variant, name) not in rows:
            like = [x for (v, n), x in rows.items() if v == variant and n.startswith(name[:-1])]
            rows[variant, name] = sum(x[0] for x in like), sum(x[1] for x in like)
        return rows.get((variant, name), (0.0, 0.0))

    def value(self, run, variant, name=""):
        found = self.get(run, whole(variant), name)
        if found is None:
            raise KeyError(f"{run}: no {whole(variant)}")
        return found[0]


def cells(border, line):
    spans = [m.span() for m in re.finditer("=+", border)]
    return [line[b:e if i < len(spans) - 1 else None].strip() for i, (b, e) in enumerate(spans)]


def table_at(lines, at):
    """(first, last, rows) of the next table: its borders are lines[first] and lines[last]; rows[0] is its head."""
    first = next(i for i in range(at, len(lines)) if re.match(r"=+( +=+)+$", lines[i]))
    borders = [i for i in range(first, min(first + 200, len(lines))) if lines[i] == lines[first]][:3]
    return borders[0], borders[2], [cells(lines[first], l) for i, l in enumerate(lines[first:borders[2]], first) if i not in borders]


def laid_out(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    gap = "  " if sum(widths) + 2 * len(widths) - 2 <= 120 else " "
    border = gap.join("=" * w for w in widths)
    text = [gap.join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows]
    return [border, text[0], border] + text[1:] + [border]


def component_table(figures, variant, runs):
    def cell(run, name):
        return figures.value(run, variant, name)
    names = {n for run in runs for v, n in figures.runs.get(run, {}) if v == whole(variant) and n.startswith(COMPONENT)}
    for run in runs:  # all of them, so that those that are small now are kept, too
        for name in names:
            figures.get(run, whole(variant), name)
    total = {run: cell(run, "") for run in runs}
    large = [n for n in names if n != COMPONENT + "rest" and any(cell(r, n) >= 0.02 * total[r] for r in runs)]
    large.sort(key=lambda n: (-max(cell(r, n) for r in runs), n))
    rows = [["component"] + [re.sub(r" \S+:", " ", run) for run in runs]]  # a kernel without the name of its suite
    rows += [[n[len(COMPONENT):]] + [f"{cell(r, n):.1f}" for r in runs] for n in large]
    rows.append(["rest"] + [f"{total[r] - sum(cell(r, n) for n in large):.1f}".replace("-0.0", "0.0") for r in runs])
    rows.append(["**all**"] + [f"{total[r]:.1f}" for r in runs])
    return laid_out(rows)


def kernel_table(figures, nics, kernels):
    def cell(run, variant):
        found = figures.get(run, whole(variant))
        return f"{found[0]:.1f}" if found else "-"
    rows = [["kernel"] + nics]
    for kernel in kernels:
        figures.value(f"{nics[0]} {kernel}", "skb")  # there is no run without it
        rows.append([kernel.split(":")[-1]] + [f"{cell(f'{n} {kernel}', 'native')} / {cell(f'{n} {kernel}', 'skb')}" for n in nics])
    return laid_out(rows)


def computed_table(figures, runs, rows):
    table = [["instructions"] + [re.sub(r" \S+:", " ", run.removeprefix("pass-")) for run in runs]]
    values = [{} for _ in runs]  # of the rows above, by their labels

    def value(run, above, label, expression):
        def of(mode):
            action = "pass" if run.startswith("pass-") else "drop"
            def look(name=""):
                component = (f"{action}/no-touch@{mode}", COMPONENT + name)
                if component in figures.runs.get(run, {}) or not name:
                    name = COMPONENT + name if name else ""
                return figures.value(run, f"{action}/no-touch@{mode}", name)
            return look
        names = {"native": of("native"), "skb": of("skb"), "row": above.get}
        above[label.strip("*")] = eval(expression, {"__builtins__": {}}, names)
        return re.sub(r"^-(0\.0+)$", r"\1", f'{above[label.strip("*")]:.1f}')
    for row in rows:
        label, _, expression = (part.strip() for part in row.partition(" = "))
        table.append([label] + [value(run, above, label, expression) for run, above in zip(runs, values)])
    return laid_out(table)


def number(cell):
    return float(re.match(r"[\d.]+", cell)[0])


def totals_table(figures, rows, columns):
    head = rows[0]
    for column in columns:
        name, _, source = (part.strip() for part in column.partition(" = "))
        at = head.index(name)
        for row in rows[1:]:
            if " // " in source:
                a, b = (head.index(part.strip()) for part in source.split(" // "))
                row[at] = f"{100 * number(row[a]) / number(row[b]):.0f}"
            else:
                variant = row[0] if "@" in row[0] else "layer:" + row[0]
                kernel_lacks_it = row[at] == "-" and figures.get(source, whole(variant)) is None
                row[at] = "-" if kernel_lacks_it else f"{figures.value(source, variant):.1f}"
    return laid_out(rows)


def said(figures, phrase):
    """(pattern, words) of a phrase: any numbers, and the right ones."""
    parts = re.split(r"\{([^{}]*)\}", phrase)
    pattern, words = "", []
    for i, part in enumerate(parts):
        if i % 2:
            value, _, form = part.rpartition(":")
            words.append(format(eval(value, {"__builtins__": {}}, {"f": figures.value, "round": round}), form))
            pattern += r"([-+]?[\d.]*\d)"
        else:
            pattern += r"\s+".join(re.escape(w) for w in re.split(r"\s+", part))
    return pattern, words


def rendered(lines, figures, problems):
    """The lines of a page with the figures that it should have."""
    lines, at = list(lines), 0
    for at, statement in list(statements(lines))[::-1]:  # from below, as tables change the number of lines
        verb, _, rest = statement.partition(" ")
        try:
            if verb == "says":
                continue
            first, last, rows = table_at(lines, at)
            words = [w.strip() for w in rest.split("|")]
            if verb == "components":
                lines[first:last + 1] = component_table(figures, words[0], words[1:])
            elif verb == "kernels":
                lines[first:last + 1] = kernel_table(figures, words[0].split(), words[1:])
            elif verb == "computed":
                first_part, *others = rest.split(";")
                lines[first:last + 1] = computed_table(figures, [w.strip() for w in first_part.split("|")], others)
            elif verb == "totals":
                lines[first:last + 1] = totals_table(figures, rows, words[1:])
            else:
                raise ValueError("no such statement")
        except (KeyError, ValueError, IndexError, StopIteration) as why:
            problems.append(f"{at + 1}: {statement}: {why}")
    text = "\n".join(lines)
    for at, statement in statements(lines):
        if not statement.startswith("says "):
            continue
        try:
            pattern, words = said(figures, statement[5:])
        except (KeyError, ValueError, ZeroDivisionError) as why:
            problems.append(f"{at + 1}: {statement}: {why}")
            continue
        found = [m for m in re.finditer(r"(?<![\w.])" + pattern, text) if "{" not in m[0]]
        if len(found) != 1:
            problems.append(f"{at + 1}: found {len(found)} times: {statement[5:]}")
            continue
        for i in range(len(words), 0, -1):
            text = text[:found[0].start(i)] + words[i - 1] + text[found[0].end(i):]
    return text.split("\n")


def pages(figures, problems):
    """{page: its lines as they should be} of pages with figures."""
    made = {}
    for text in shown.TEXTS:
        lines, bad = shown.read(text), []
        if any(True for _ in statements(lines)):
            made[text] = rendered(lines, figures, bad)
            problems += [f"{text}:{b}" for b in bad]
    return made


def runs_of_pages():
    """The names of all runs that comments use."""
    found = []
    for text in shown.TEXTS:
        for _, statement in statements(shown.read(text)):
            verb, _, rest = statement.partition(" ")
            words = [w.strip() for w in rest.split("|")][1:]
            if verb == "says":
                found += re.findall(r'f\("([^"]+)"', rest)
            elif verb == "components":
                found += words
            elif verb == "computed":
                found += [w.strip() for w in rest.split(";")[0].split("|")]
            elif verb == "kernels":
                found += [f"{nic} {kernel}" for kernel in words for nic in rest.split("|")[0].split()]
            else:
                found += [w.split(" = ")[1].strip() for w in words if " // " not in w]
    return list(dict.fromkeys(found))


def test_pages(result):
    """For shown.py: each page has the figures of the data."""
    problems, figures = [], read_data()
    made = pages(figures, problems)
    for text, lines in made.items():
        unlike = [f"{text}: {l}" for l in lines if l not in shown.read(text)]
        result(lines == shown.read(text), f"{text}: its exact figures are those of tests/docs/figures.csv", "\n".join(unlike))
    result(not problems, "each figure that a comment names is there", "\n".join(problems))


# ---- the data ------------------------------------------------------------------------------------------------------------


def read_data():
    figures = Figures()
    if os.path.exists(DATA):
        with open(DATA, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                figures.runs.setdefault(row["run"], {})[row["variant"], row["name"]] = float(row["instructions"]), float(row["deviation"])
    return figures


def write_data(figures, asked):
    with open(DATA, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["run", "variant", "name", "instructions", "deviation"])
        for run, variant, name in sorted(asked):
            found = figures.get(run, variant, name)
            if found and (found[0] or not name):
                out.writerow([run, variant, name, f"{found[0]:.6g}" if found[0] >= 1000 else f"{found[0]:.3f}", f"{found[1]:.3g}"])


def counted(directory):
    """What a run directory holds, as Figures holds it."""
    done = subprocess.run([XDPZOOM, "report", directory, "-f", "csv"], stdout=subprocess.PIPE, text=True, check=True)
    rows = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        name = {"total": "", "component": COMPONENT + row["name"], "symbol": row["name"]}[row["row"]]
        deviation = 0.0 if row["exact"] == "1" else float(row["residual"])
        before = rows.get((row["variant"], name), (0.0, 0.0))
        rows[row["variant"], name] = before[0] + float(row["instructions"]), before[1] + deviation
    return rows


def alike(a, b):
    # three digits are kept, so two roundings come on top
    return abs(a[0] - b[0]) < 0.002 + (a[1] + b[1] if a[1] or b[1] else 0) or f"{a[0]:.6g}" == f"{b[0]:.6g}"


# ---- runs ----------------------------------------------------------------------------------------------------------------


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=shown.TOP)
    return done.stdout.strip()


def own_program(words):
    return re.search(r"prog:|\.o\b", " ".join(words)) is not None


def emulator(run):
    """The PATH that finds the QEMU of this run."""
    suite = EMULATORS.get(options(run)[3])
    return output("vm/emulator", suite) + ":" + os.environ["PATH"] if suite else os.environ["PATH"]


def key(run):
    """What the run is made of."""
    words, made, cache = options(run), hashlib.sha256(), output("vm/cache")
    qemu = output("env", "PATH=" + emulator(run), "qemu-system-x86_64", "--version")
    parts = [" ".join(words), qemu, output("clang", "--version")]
    files = [os.path.join(cache, words[1], "version")]
    for top in MADE_OF + (("docs/examples",) if own_program(words) else ()):
        for folder, _, names in sorted(os.walk(os.path.join(shown.TOP, top))):
            files += [os.path.join(folder, n) for n in sorted(names) if not n.endswith(".rst")]
    for part in parts:
        made.update(part.encode() + b"\0")
    for path in files:
        try:
            with open(path, "rb") as f:
                made.update(os.path.relpath(path, shown.TOP if path.startswith(shown.TOP) else cache).encode() + b"\0" + f.read())
        except FileNotFoundError:
            pass
    return made.hexdigest()[:12]


def kept(run):
    return os.path.join(output("vm/cache"), "figures", key(run))


def count(run, only_kept):
    """The directory of this run, which is counted if it is not there; or None, and why."""
    directory = kept(run)
    if os.path.exists(directory + "/run.json"):
        return directory, ""
    if only_kept:
        return None, "it is not kept"
    os.makedirs(os.path.dirname(directory), exist_ok=True)
    begin = time.time()
    with tempfile.TemporaryDirectory() as work:
        env = shown.environment(work) | {"PATH": emulator(run)}
        if own_program(options(run)):
            for s in shown.commands("docs/own-program.rst"):
                if re.match(r"(clang|patch) ", s.command):
                    shown.run(s.command, work, env)
        def exact(words):
            return subprocess.run([XDPZOOM, "exact", "-q", "-o", directory] + words, cwd=work, env=env, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        done = exact(options(run))
        if done.returncode and "no native XDP" in done.stderr:
            done = exact(options(run) + ["--force", "-V", "drop/no-touch@skb"])
    if done.returncode:
        return None, done.stderr.strip()
    print(f"# {run}: counted in {time.time() - begin:.0f} s", flush=True)
    return directory, ""


def shown_directories():
    """The runs that commands of pages read: names below build/runs/ that a page's xdpzoom exact makes."""
    return [name for name in shown_runs() if os.path.isdir(os.path.join(RUNS, name))]


def compare(what, old, new, differs):
    for k in sorted(set(old) | set(new)):
        a, b = old.get(k, (0.0, 0.0)), new.get(k, (0.0, 0.0))
        if not alike(a, b):
            differs.append(f"{what}: {k[0]} {k[1] or 'all'}: {a[0]:.3f} is shown, {b[0]:.3f} counted")


def check(write, only_kept):
    data, now, differs, missing, problems = read_data(), Figures(), [], [], []
    pages(data, [])  # so that data.asked has what the pages ask for
    replace = []
    for run in shown_directories() + runs_of_pages():
        directory, why = count(run, only_kept)
        if directory is None:
            missing.append(f"{run}: cannot be counted: {why}")
            now.runs[run] = data.runs.get(run, {})
            continue
        now.runs[run] = counted(directory)
        if run in shown_directories():
            before = len(differs)
            compare(f"build/runs/{run}", counted(os.path.join(RUNS, run)), now.runs[run], differs)
            if len(differs) > before:
                replace.append((run, directory))
    pages(now, problems)  # what they ask for, of components that may be new, too
    for run in runs_of_pages():
        asked = {(v, n) for r, v, n in now.asked if r == run}
        old = data.runs.get(run, {})
        compare(run, {k: x for k, x in old.items() if k in asked}, {k: x for k, x in now.runs[run].items() if k in asked}, differs)
        for variant in {v for v, _ in asked}:  # parts of two counts add up to neither
            keys = {k for k in asked & set(old) & set(now.runs[run]) if k[0] == variant}
            if all(alike(old[k], now.runs[run][k]) for k in keys):
                now.runs[run].update({k: old[k] for k in keys})
    for line in differs + problems + missing:
        print(line)
    if write:
        write_data(now, now.asked)
        for run, directory in replace:
            shutil.rmtree(os.path.join(RUNS, run))
            shutil.copytree(directory, os.path.join(RUNS, run))
        if replace:
            subprocess.run([os.path.join(shown.TOP, "tests/runs/pack.sh")], check=True)
        write_pages()
        shown.test_pure(True)
    return 3 if differs or problems else 4 if missing else 0


def write_pages():
    problems = []
    for text, lines in pages(read_data(), problems).items():
        if lines != shown.read(text):
            with open(os.path.join(shown.TOP, text), "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
            print("# wrote", text)
    for p in problems:
        print(p)
    return 3 if problems else 0


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else "check"
    if verb == "list":
        for run in shown_directories() + runs_of_pages():
            directory = kept(run)
            print(run, "|", " ".join(options(run)), "|", directory if os.path.exists(directory) else "not counted")
        return 0
    if verb == "pages":
        return write_pages()
    if verb not in ("check", "write", "kept") or len(sys.argv) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    return check(verb != "check", verb == "kept")


if __name__ == "__main__":
    sys.exit(main())
