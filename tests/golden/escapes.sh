#!/bin/sh
# What strangers wrote controls no terminal: ESC, BEL, OSC and C1, as U+009B and as a byte, in every text that commands read.
cd "$(dirname "$0")/../.." || exit 1
exec python3 - "tests/golden/render" <<'END'
import glob, json, os, re, shutil, subprocess, sys, tempfile, zlib

RENDER = sys.argv[1]
EVIL = "\x1b[31mE\x07\x1b]0;E\x07\x9b31mE\x9d0;E\x7f"  # what JSON can hold
BYTES = EVIL.encode() + b"\x9b31mE\xe0\x82\x9b31mE"  # what other texts can hold as well: C1 as a byte, and in an overlong form
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
tmp = tempfile.mkdtemp()
number = failures = 0


def controls(data):
    """The first place of data that a terminal obeys, and what is around it."""
    if data[:2] == b"\x1f\x8b":  # pprof: numbers are bytes of any value, so only the words are looked for
        at = re.search(rb"[\x1b\x9b\x9d](?:\[31m|31m|\]?0;)E", zlib.decompress(data, 47))
        return at and at.group()
    try:
        data.decode()
        at = CONTROL.search(data)
    except UnicodeDecodeError as e:
        return data[max(0, e.start - 30):e.end + 30]
    return at and data[max(0, at.start() - 30):at.end() + 30]


def result(what, why):
    global number, failures
    number += 1
    failures += bool(why)
    print("%sok %d - %s" % ("not " if why else "", number, what), *["\n# %s" % w for w in why[:5]])


def run(*args, stdin=b""):
    return subprocess.run(args, input=stdin, capture_output=True, timeout=300)


class Group:
    """Commands that are one line of the result."""

    def __init__(self, what):
        self.what, self.why, self.worked = what, [], 0

    def __enter__(self):
        return self

    def see(self, *args, works=False, stdin=b""):
        got = run(*args, stdin=stdin)
        self.worked += got.returncode in (0, 3)
        if works and got.returncode not in (0, 3):
            self.why.append("%s: exit status %d, %r" % (args, got.returncode, got.stderr[:200]))
        for name, data in (("stdout", got.stdout), ("stderr", got.stderr)):
            if controls(data):
                self.why.append("%s: %s: %r" % (args, name, controls(data)))
        return got

    def files(self, where, skip=()):
        for path in [where] if os.path.isfile(where) else glob.glob(where + "/**", recursive=True):
            if os.path.isfile(path) and not path.endswith(tuple(skip)) and controls(open(path, "rb").read()):
                self.why.append("%s: %r" % (path, controls(open(path, "rb").read())))

    def __exit__(self, kind, *_):
        if not kind:
            result(self.what, self.why or ([] if self.worked else ["no command worked"]))


def words(program):
    """{(command, option): its words}, from the option tables, so that a new format is taken in by itself."""
    all_words, command = {}, ""
    for line in run(program, "--help=table").stdout.decode().split("\n"):
        fields = line.split("\t")
        if len(fields) > 5 and fields[5]:
            all_words[fields[0], fields[1]] = fields[5].split()
    return all_words


X, PERFPARSE = "build/xdpzoom", "build/perfparse"
READERS = {"report", "diff"}  # they change nothing, whatever their arguments are
XWORDS, PWORDS = words(X), words(PERFPARSE)


def formats(command):
    return XWORDS[command, "--format"]


# ---- run directories: each string that the reader takes with it has the corpus in it ----------------------

def strings(node, pattern=()):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        here = pattern + (key if isinstance(node, dict) else "*",)
        if isinstance(value, str):
            yield node, key, here
        elif isinstance(value, (dict, list)):
            yield from strings(value, here)


def poison_json(g, path, but):
    """Returns the patterns of the members that hold the corpus now. What is refused is refused in clean words."""
    taken = []
    document = json.load(open(path))
    for block in document.get("blocks", ()):
        block.pop("script_bytes", None)  # as in runs of older versions: of the texts before they had the corpus
        block.pop("script_digest", None)
    where = os.path.dirname(path)

    def take(patterns):
        """All of them at once where the reader takes them, else half by half, down to those that it refuses."""
        was = [(node, key, node[key]) for node, key, p in strings(document) if p in patterns]
        for node, key, text in was:
            node[key] = text + EVIL
        json.dump(document, open(path, "w"))
        if g.see(X, "report", where, "-f", "json").returncode in (0, 3):
            taken.extend(patterns)
            return
        for node, key, text in was:
            node[key] = text
        if len(patterns) > 1:
            half = len(patterns) // 2
            take(patterns[:half])
            take(patterns[half:])

    take(sorted({p for _, _, p in strings(document)} - {but}))
    json.dump(document, open(path, "w"))
    return taken


def poison_texts(where):
    for path in glob.glob(where + "/blocks/*"):
        data = open(path, "rb").read()
        if path.endswith(".paths"):
            data = re.sub(rb"(?m)^((?:path \d+ \d+ \d+|outside \d+) (?!bpf_)[A-Za-z]\w{3,})(?=[ .\n])", lambda m: m[1] + BYTES, data)
            data = re.sub(rb"(?m)^(at .*[a-z].*|line .*)$", lambda m: m[1] + BYTES, data)
        else:
            data = re.sub(rb"(?m)^(\t *[0-9a-f]+ [a-z]\w{3,})(.*)\)$", lambda m: m[1] + BYTES + m[2] + BYTES + b")", data)
            data = re.sub(rb"(?m)^(  source: .*)$", lambda m: m[1] + BYTES, data)
            data = re.sub(rb"(?m)^(\S+)(?= +\d+ \[)", lambda m: m[1] + BYTES, data)
        open(path, "wb").write(data)


def poisoned(name, source, but=None):
    where = os.path.join(tmp, name)
    if source in ("sound", "counted"):
        subprocess.run([RENDER, "make", where, source], check=True)
    else:
        shutil.copytree(source, where)
    with Group("%s: what the reader refuses, it refuses in clean words" % name) as g:
        poison_texts(where)
        taken = poison_json(g, where + "/run.json", but)
        if os.environ.get("SHOW"):
            print("#", name, taken)
        if len(taken) < 3:
            g.why.append("the corpus is only in %s" % taken)
    return where


def variants(where):
    document = json.load(open(where + "/run.json"))
    return [v["id"] for v in document["variants"]]


RUNS = {"measured": "build/runs/run2", "own": "build/runs/fw1", "sound": "sound", "counted": "counted"}
EXACT = {"exact": "build/runs/counted", "memory": "build/runs/memory", "lines": "build/runs/fw3"}
IDS = "variants", "*", "id"
runs = {name: poisoned(name, source, IDS if name == "lines" else None) for name, source in {**RUNS, **EXACT}.items()}
for name, where in runs.items():
    ids = variants(where)
    for command, args in (("report", [where]), ("diff", [where + ":" + ids[0], where + ":" + ids[-1]]))[:len(ids)]:
        with Group("%s %s: all formats" % (command, name)) as g:
            for f in formats(command):
                g.see(X, command, *args, "-f", f)
            g.see(X, command, *args, "-o", tmp + "/out")
            g.files(tmp + "/out")
with Group("why, of two runs: all formats") as g:
    for f in formats("why"):
        g.see(X, "why", runs["measured"] + ":" + variants(runs["measured"])[0], runs["measured"] + ":" + variants(runs["measured"])[-1], "-f", f)
counted = poisoned("exact of the same variants", EXACT["memory"], IDS)
with Group("report with exact counts: all formats") as g:
    for f in "text", "json", "markdown", "html":
        g.see(X, "report", runs["measured"], "--exact", counted, "--full", "-f", f, works=True)
with Group("history: add, list, check") as g:
    db = tmp + "/h.db"
    for name in (*RUNS, *EXACT, *RUNS, *EXACT):
        g.see(X, "history", "add", "--db", db, runs[name], "--name", "n" + EVIL)
    for f in formats("history"):
        g.see(X, "history", "list", "--db", db, "-f", f)
        for run_number in range(1, 3):
            g.see(X, "history", "check", "--db", db, str(run_number), "--against", "prev", "-f", f)
            g.see(X, "history", "check", "--db", db, "exact/%d" % (run_number + 4), "--against", "prev", "-f", f)
    g.see(X, "history", "list" + EVIL, "--db", db)
    g.see(X, "history", "list", "--db", tmp + "/" + EVIL)
with Group("sweep: all formats, a name with the corpus") as g:
    for size in 64, 256, 1500:
        os.makedirs(tmp + "/sweep", exist_ok=True)
        os.symlink(runs["sound"], tmp + "/sweep/size=%d" % size)
    os.symlink(runs["sound"], tmp + "/sweep/" + EVIL)
    os.symlink(runs["sound"], tmp + "/sweep/size=3" + EVIL)
    for f in "text", "csv", "json", "html":
        g.see(X, "report", tmp + "/sweep", "-f", f, works=True)
with Group("report -f svg: pictures, scripts and data") as g:
    os.mkdir(tmp + "/plots")
    for name in (*RUNS, "sweep"):
        g.see(X, "report", runs.get(name, tmp + "/" + name), "-f", "svg", "-o", "%s/plots/%s.svg" % (tmp, name))
    os.mkdir(tmp + "/plots/" + EVIL[:1])
    g.see(X, "report", runs["sound"], "-f", "svg", "-o", tmp + "/plots/a" + EVIL.replace("/", "") + ".svg")
    g.files(tmp + "/plots")

# ---- texts of perf and of other tools ----------------------------------------------------------------------

def texts(pattern):
    """Each file twice: with the corpus behind the last word of each line, and behind all words."""
    for path in sorted(glob.glob(pattern)):
        data = open(path, "rb").read()
        for how, finds in (("last", rb"(?m)(?<=\w)$"), ("all", rb"(?<=[a-z_]{4})(?=[^\w])"), ("names", rb"(?<=\w_[a-z]{3})\b")):
            copy = "%s/%s.%s" % (tmp, os.path.basename(path), how)
            open(copy, "wb").write(re.sub(finds, lambda _: BYTES, data))
            yield path, copy


for folder in ("6.12", "document", "wild"):
    with Group("perfparse: perf's texts of %s, all kinds" % folder) as g:
        for path, copy in texts("tests/fixtures/perf/%s/*.txt" % folder):
            for f in PWORDS["perfparse", "--format"] if copy.endswith(".all") and folder == "wild" else ["text"]:
                g.see(PERFPARSE, "--pps", "1e6", copy, "-f", f)
            g.see(PERFPARSE, "--ns", "100", "--symbol", "xdp", copy)
            g.see(PERFPARSE, "--ns", "100", "--ns2", "90", "--diff", copy, copy)
        for kind in PWORDS["perfparse", "--input"]:
            g.see(PERFPARSE, "--ns", "100", "-i", kind, stdin=BYTES + b"\n" + BYTES)
with Group("import: perf's texts and rates, listed and taken") as g:
    for path, copy in [*texts("tests/fixtures/perf/*/*.txt"), *texts("tests/fixtures/rates/*")]:
        g.see(X, "import", "--list", copy)
        for more in [["--samples", "1000"]] if copy.endswith(".all") else []:
            where = tmp + "/imported"
            shutil.rmtree(where, ignore_errors=True)
            if g.see(X, "import", "-o", where, "-V", "drop/no-touch@skb", "--pps", "1e6", "--nic", "d" + EVIL, "--driver", EVIL,
                     "--kernel", EVIL, *more, copy).returncode == 0:
                g.files(where)
                g.see(X, "report", where)

# ---- rules, frames, names -----------------------------------------------------------------------------------

with Group("files of rules, and words of the command line") as g:
    open(tmp + "/rules", "wb").write(b"component " + BYTES + b"\n" + BYTES + b"\n")
    for option in "--components", "--renames":
        g.see(X, "diff", "build/runs/run1:drop/no-touch@native", "drop/no-touch@skb", option, tmp + "/rules")
        g.see(PERFPARSE, "--ns", "1", option, tmp + "/rules", "--diff", "tests/fixtures/perf/document/self.txt", "--ns2", "2",
              "tests/fixtures/perf/document/self.txt")
    good = open("perfparse/components.conf", "rb").read().replace(b"skb allocation", b"skb" + BYTES)
    open(tmp + "/rules", "wb").write(good)
    for f in formats("report"):
        g.see(X, "report", "build/runs/run1", "-F", tmp + "/rules", "-f", f)
    for command in sorted({c for c, _ in XWORDS if c}):
        g.see(X, command, b"--" + BYTES)  # a wrong command line ends all of them before they begin
        g.see(X, command, "--format", BYTES)
        if command in READERS:
            g.see(X, command, BYTES, BYTES, BYTES, BYTES, BYTES)
    g.see(X, BYTES)
    g.see(X, "report", "build/runs/run1:" + EVIL, works=False)
    g.see(X, "report", "build/runs/run1", works=True)
    open(tmp + "/pcap" + EVIL, "wb").write(BYTES)
    g.see(X, "replay", b"prog:" + BYTES, "-f", tmp + "/pcap" + EVIL)
    g.see(X, "replay", "drop/no-touch", "-f", tmp + "/pcap" + EVIL)
    g.see(X, "replay", "drop/no-touch", "--frames", b"udp " + BYTES)

with Group("maps: names of devices, programs and the rest") as g:
    was = json.load(open("tests/golden/map/map.json"))
    for node, key, pattern in list(strings(was)):
        node[key] = node[key] + (EVIL if pattern != ("schema",) else "")
    json.dump(was, open(tmp + "/map.json", "w"))
    for f in formats("map"):
        g.see(X, "map", tmp + "/map.json", "-f", f, works=True)
    g.see(X, "map", tmp + "/rules")

seen = READERS | {"history", "doctor", "replay", "map", "why"}
result("every command with formats is here, but for those that need the testbed",
       ["%s has formats" % c for c, o in XWORDS if o == "--format" and c not in seen | {"gen", "record", "stat", "watch", "exact", "demo"}])
shutil.rmtree(tmp, ignore_errors=True)
print("1..%d" % number)
END
