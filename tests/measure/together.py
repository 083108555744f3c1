#!/usr/bin/env python3
"""together.py RUN LINES: by how many percent watch's ns per packet differ from record's, over the same stretches of time

RUN is of one variant that took turns, LINES what watch -f jsonl printed at the same time. A line counts when turns that lie in
its time have 30 % of its packets or more. See watch.sh for what is added and excluded. Prints the median over the lines, and its
95 % interval, which is one of order statistics, and which less than 6 lines do not have; then watch's ns per packet, packets per
poll, and what is added and excluded, in percent of these ns.
"""
import bisect
import json
import statistics
import sys


def read_turns(path):
    with open(path) as f:
        began = int(f.readline().split()[1])
        words = [line.split() for line in f]
    return [(began + int(w[4]), began + int(w[4]) + int(w[5]), float(w[6]), int(w[7])) for w in words]


def main(run, path):
    with open(run + "/run.json") as f:
        doc = json.load(f)
    stamp_ns = doc["turns"]["stamp_ns"] or 0
    turns = read_turns(run + "/turns")
    starts = [t[0] for t in turns]
    with open(path) as f:
        lines = [line for line in map(json.loads, f) if line.get("device") and line["ns_per_packet"] is not None]
    tail_ns = min((line["softirq_tail_ns"] for line in lines if line["softirq_tail_ns"] is not None), default=0)
    ratios, cost, fixed, in_poll = [], [], [], []
    for line in lines:
        first = bisect.bisect_left(starts, line["at_ns"] - line["seconds"] * 1e9)
        within = [t for t in turns[first:bisect.bisect_left(starts, line["at_ns"])] if t[1] <= line["at_ns"]]
        packets = sum(t[3] for t in within)
        if packets < 0.3 * line["packets"]:
            continue
        softirqs = line["polls"] * line["timed_softirqs"] / line["timed_polls"] if line["timed_polls"] else 0
        change = line["own_polls_ns"], softirqs * (stamp_ns + (line["softirq_tail_ns"] or tail_ns) - tail_ns)
        watch_ns = line["ns_per_packet"] * line["packets"] + change[0] - change[1]
        cost.append(line["ns_per_packet"])
        fixed.append(100 * sum(change) / line["packets"] / line["ns_per_packet"])
        in_poll.append(line["packets"] / line["polls"])
        record_ns = sum(t[2] for t in within) / packets
        ratios.append(watch_ns / line["packets"] / record_ns)
    ratios.sort()
    if not ratios:
        sys.exit("no line of watch has turns in its time")
    half = 0.98 * len(ratios) ** 0.5
    ends = [ratios[max(0, int(len(ratios) / 2 - half))], ratios[min(len(ratios) - 1, int(len(ratios) / 2 + half))]]
    if len(ratios) < 6:
        ends = [-1e9, 1e9]
    print(*[100 * (r - 1) for r in [statistics.median(ratios)] + ends], *[f"{statistics.median(v):.1f}" for v in (cost, in_poll, fixed)])


main(*sys.argv[1:])
