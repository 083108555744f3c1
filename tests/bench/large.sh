#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# large.sh - time and memory of what opens a large run
# usage: large.sh [VARIANTS [BLOCKS [SAMPLES]]]     BLOCKS of each variant, SAMPLES in all; default: 12, 12 and 2,000,000
#        TIMES=1: once, and not the best of five. KEEP=DIR: the run stays, as DIR
#
# The run is made of the samples of build/runs/recorded, drawn again and again, every tenth with a
# leaf that it did not have. A million samples take 0.7 GB of disk. Prints figures, judges nothing.
cd "$(dirname "$0")/../.." || exit 1
X=build/xdpzoom
variants=${1-12} blocks=${2-12} samples=${3-2000000} times=${TIMES-5}
command -v python3 >/dev/null || { echo "needs python3" >&2; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM

python3 - "$tmp/run" "$variants" "$blocks" "$samples" <<'PYTHON'
import json, os, random, sys

out, variants, blocks, samples = sys.argv[1], *map(int, sys.argv[2:])
source = "build/runs/recorded"
run = json.load(open(f"{source}/run.json"))
# The words of variants: twelve that are known, and then the same with injected costs.
words = [(action, operation, inject, mode) for inject in range(-1, 1000) for action in ("drop", "pass")
         for operation in ("no-touch", "read-data", "parse-ip") for mode in ("native", "skb")][:variants]
per_block = max(samples // variants // blocks, 2)

# The samples that were recorded of each variant: what is before the time, and what is behind it.
pool = {}
for b in run["blocks"]:
    for text in open(f"{source}/{b['script']}").read().split("\n\n"):
        if text.strip() and f" {run['napi_tid']} " in text.split("\n")[0]:
            head, rest = text.strip("\n").split(": ", 1)
            pool.setdefault(run["variants"][b["variant"]]["id"], []).append((head.rsplit(" ", 1)[0], ": " + rest + "\n\n"))

os.makedirs(f"{out}/blocks")
random.seed(1)
made, now = [], 10**9
alike = {id: next(json.dumps(b) for b in run["blocks"] if run["variants"][b["variant"]]["id"] == id) for id in pool}
for i in range(blocks * variants):
    variant = i % variants
    like = "drop/no-touch@" + words[variant][3]
    b = json.loads(alike[like])
    origin = b["windows"][0]["from_ns"]
    for w in b["windows"]:
        w["from_ns"] += now - origin
        w["to_ns"] += now - origin
    spans = [(w["from_ns"], w["to_ns"]) for w in b["windows"] if w["kind"] == "profile"]
    b.update(index=i, round=i // variants, variant=variant, script=f"blocks/{i:03}.script", placement_ns=[50.0, 50.0])
    with open(f"{out}/{b['script']}", "w") as f:
        for k in range(per_block):
            lo, hi = spans[k * len(spans) // per_block]
            t = lo + (hi - lo) * (k % (per_block // len(spans))) // (per_block // len(spans) + 1)
            head, rest = random.choice(pool[like])
            if k % 10 == 0: # as seldom seen call paths are
                event, stack = rest.split("\n", 1)
                rest = event + "\n" + random.choice(pool[like])[1].split("\n", 2)[1] + "\n" + stack
            f.write(f"{head} {t // 10**9}.{t % 10**9:09}{rest}")
    now = b["windows"][-1]["to_ns"] + 10**8
    made.append(b)
def named(action, operation, inject, mode):
    v = {**run["variants"][0], "action": action, "operation": operation, "mode": mode}
    if inject < 0:
        return {**v, "id": f"{action}/{operation}@{mode}"}
    return {**v, "id": f"{action}/{operation}+chain{inject}@{mode}", "inject": "chain", "inject_asked_ns": inject, "injected_ns": inject,
            "inject_steps": inject + 1}

run["variants"] = [named(*w) for w in words]
run["blocks"] = made
json.dump(run, open(f"{out}/run.json", "w"))
PYTHON

echo "$variants variants, $blocks blocks each, $samples samples, $(du -sm "$tmp/run" | cut -f 1) MB of perf's text, $(nproc) CPUs"
cat "$tmp"/run/blocks/* >/dev/null # into the page cache
measure() { # NAME COMMAND...
	name=$1
	shift
	for _ in $(seq "$times"); do
		python3 -c '
import os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
sys.exit(status != 0)' "$@" || exit 1
	done | sort -n | head -n 1 | {
		read -r wall cpu rss
		printf '%-24s %6.2f s, %6.2f s of CPU, %5.0f MB\n' "$name" "$wall" "$cpu" "$rss"
	}
}
measure "report" $X report --full "$tmp/run" -o "$tmp/report.txt"
measure "report --format html" $X report "$tmp/run" --format html -o "$tmp/report.html"
printf '%-24s %6.2f MB\n' "the page" "$(stat -c %s "$tmp/report.html" | awk '{ print $1 / 1e6 }')"
[ "$variants" -lt 2 ] || measure "diff" $X diff --full "$tmp/run:drop/no-touch@native" drop/no-touch@skb -o "$tmp/diff.txt"
times=1
measure "history add" $X history add --db "$tmp/db" "$tmp/run" # it can have a run once
[ -z "${KEEP-}" ] || cp -r "$tmp/run" "$KEEP"
