#!/usr/bin/env python3
# allan.py RUN: how much ns/packet still varies when it is averaged over longer and longer times, from the turns of a run in
# which two variants took turns: the Allan deviation of each variant, and of the difference of neighbouring turns. Where the
# curve of a variant stops falling, a longer block buys nothing; the difference goes on falling as long as both drift alike.
import math, sys

def turns(run):
    with open(run + "/turns") as f:
        next(f)
        for line in f:
            w = line.split()
            if w[3] == "b":
                yield int(w[0]), int(w[1]), int(w[4]), int(w[6]) / int(w[7])

def deviation(pieces, n):
    """pieces: lists without a gap. Mean square of the difference of neighbouring means of n values, halved."""
    squares = []
    for p in pieces:
        means = [sum(p[i : i + n]) / n for i in range(0, len(p) - n + 1, n)]
        squares += [(b - a) ** 2 / 2 for a, b in zip(means, means[1:])]
    return (math.sqrt(sum(squares) / len(squares)), len(squares)) if squares else (None, 0)

rounds = {}
for r, v, at, cost in turns(sys.argv[1]):
    rounds.setdefault(r, []).append((at, v, cost))
series = {"variant 0": [], "variant 1": [], "difference": []}
spans = groups = 0
for t in rounds.values():
    d = [[], [], []]
    for i in range(0, len(t) - 3, 4):  # groups of Thue-Morse: two turns of each
        g = t[i : i + 4]
        means = [[c for _, v, c in g if v == k] for k in (0, 1)]
        if len(means[0]) != 2 or len(means[1]) != 2:
            continue
        a, b = sum(means[0]) / 2, sum(means[1]) / 2
        for k, x in enumerate((a, b, b - a)):
            d[k].append(x)
    if d[0]:
        spans += t[-1][0] - t[0][0]
        groups += len(d[0])
        for k, name in enumerate(series):
            series[name].append(d[k])
group_s = spans / groups / 1e9
print("Allan deviation of ns/packet; a group is 2 turns of each variant and takes %.2f ms" % (group_s * 1e3))
print("%10s %12s %12s %12s %8s" % ("over", *series, "pairs"))
n = 1
while True:
    row = [deviation(p, n) for p in series.values()]
    if row[0][1] < 3:
        break
    print("%8.3f s %12.3f %12.3f %12.3f %8d" % (n * group_s, *(x for x, _ in row), row[0][1]))
    n *= 2
