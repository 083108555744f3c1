#!/usr/bin/env python3
"""resample.py XDPZOOM RUN COPY HEADLINES ROUNDS SEED: comparisons of a program with itself, drawn from one long run

RUN holds one program under two names that took turns. Each comparison takes so many of its rounds at random, and in each of
them exchanges the two names or does not, by a coin. So the true difference is 0, whatever the two devices, programs and rounds
were like, and as many intervals as promised have to hold 0. Comparisons share rounds, so they are not independent; what
exchanging cannot show is a likeness of rounds that follow each other. COPY is written over.

Prints one JSON object: headlines, how many of their intervals miss 0, rows with a p, how many of these are below 0.05.
"""
import json
import os
import random
import shutil
import subprocess
import sys


def read_turns(path):
    rounds = {}
    with open(path) as f:
        head = f.readline()
        for line in f:
            number, variant, rest = line.split(" ", 2)
            rounds.setdefault(int(number), []).append((int(variant), rest))
    return head, rounds


def draw(run, turns, rounds, copy):
    """Writes the run of these rounds. rounds: number of a round -> whether its names are exchanged (0 or 1)."""
    head, by_round = turns
    kept = [b for b in run["blocks"] if b["round"] in rounds]
    blocks = [dict(b, index=i, variant=b["variant"] ^ rounds[b["round"]]) for i, b in enumerate(kept)]
    with open(os.path.join(copy, "run.json"), "w") as f:
        json.dump(dict(run, blocks=blocks), f)
    with open(os.path.join(copy, "turns"), "w") as f:
        f.write(head)
        for number in sorted(rounds):
            f.writelines(f"{number} {variant ^ rounds[number]} {rest}" for variant, rest in by_round[number])


def main():
    xdpzoom, source, copy, headlines, take, seed = sys.argv[1:]
    with open(os.path.join(source, "run.json")) as f:
        run = json.load(f)
    turns = read_turns(os.path.join(source, "turns"))
    numbers = sorted({b["round"] for b in run["blocks"]})
    names = [v["id"] for v in run["variants"]]
    if len(names) != 2 or len(numbers) < int(take):
        sys.exit(f"resample.py: {source} has {len(names)} variants in {len(numbers)} rounds; 2 in {take} or more are needed")
    shutil.copytree(source, copy, dirs_exist_ok=True)
    random.seed(int(seed))
    count = dict(headlines=0, misses=0, rows=0, row_misses=0)
    for _ in range(int(headlines)):
        draw(run, turns, {n: random.getrandbits(1) for n in random.sample(numbers, int(take))}, copy)
        text = subprocess.run([xdpzoom, "diff", f"{copy}:{names[0]}", names[1], "--format", "json"], check=True,
                              stdout=subprocess.PIPE).stdout
        diff = json.loads(text)
        rows = [r["p"] for r in diff["components"] if r.get("p") is not None]
        if diff["ci95_ns"][0] is None:
            continue
        count["headlines"] += 1
        count["misses"] += not diff["ci95_ns"][0] <= 0 <= diff["ci95_ns"][1]
        count["rows"] += len(rows)
        count["row_misses"] += sum(p < 0.05 for p in rows)
    print(json.dumps(count))


main()
