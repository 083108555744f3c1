#!/usr/bin/env python3
"""waits.py METER LINES KIND: the wait that watch estimates, over the one that frames show which carry their time of sending

METER is what `waits meter` or `waits read` printed, LINES what watch -f jsonl printed at the same time. Prints the ratio of the means over all intervals, its
95 % interval, both means in us, and the number of packets. The first seconds do not count: watch asks for the machine's
state then, and the kernel loads modules for the answer, which takes a CPU once. Nor do intervals of which watch says that
more than LATE of its looks came late or not at all: it had no CPU.
"""
import bisect
import json
import statistics
import sys

BEGUN_S = 3
LATE = 0.5


def main(meter, path, kind):
    with open(meter) as f:
        steps = [[int(word) for word in line.split()] for line in f]
    times = [s[0] for s in steps]

    def at(ns):
        i = bisect.bisect_left(times, ns)
        if i == 0 or i == len(times):
            return None
        (t0, n0, w0), (t1, n1, w1) = steps[i - 1], steps[i]
        part = (ns - t0) / (t1 - t0)
        return n0 + part * (n1 - n0), w0 + part * (w1 - w0)

    ends, pairs, unknown = {}, [], 0
    with open(path) as f:
        for line in map(json.loads, f):
            if "queues" not in line:
                ends[round(line["time_s"], 5)] = line["at_ns"]
                continue
            end = ends.get(round(line["time_s"], 5))
            of = [q for q in line["queues"] if q["kind"] == kind and (q["mean"] or 0) > 0]
            if not end or line["time_s"] < BEGUN_S or line["samples_late"] > LATE * line["samples_due"]:
                continue
            before, after = at(end - line["seconds"] * 1e9), at(end)
            if any(q["wait_us"] is None for q in of):  # as in the first interval of a CPU map
                unknown += 1
            elif before and after and after[0] > before[0]:
                packets = after[0] - before[0]
                wait = of[0]["wait_us"] if of else 0
                if len(of) > 1:  # of all of them, by what they hold and what passes
                    wait = sum(q["mean"] for q in of) / sum(q["mean"] / q["wait_us"] for q in of)
                pairs.append((packets, (after[1] - before[1]) / 1e3, packets * wait))
    if len(pairs) < 4 or unknown > len(pairs) / 10:
        print("no wait")
        return
    packets, truth, tool = (sum(p[i] for p in pairs) for i in range(3))
    ratio = tool / truth
    rests = [p[2] - ratio * p[1] for p in pairs]
    half = 2.1 * statistics.stdev(rests) * len(rests) ** 0.5 / truth
    print(ratio, ratio - half, ratio + half, "%.1f %.1f %d" % (tool / packets, truth / packets, packets))


main(*sys.argv[1:])
