#!/usr/bin/env python3
"""speeds - variants that take turns on a machine whose speed moves: is the truth within the intervals that diff prints?

usage: speeds.py XDPZOOM [RUNS]     RUNS of each model, half of them of two variants that are alike (20)
A run: two variants in Thue-Morse order, 24 rounds of 0.8 s without and 0.8 s with samples, 20 ns and 82 ns of the receiver, and
20 ns of the generator. A turn is 65536 frames. A round scatters by 0.3 % (each program is loaded at another address), the device
that a variant is on in this round by 0.2 %, a turn by 6 %, and the generator's part of it by 6 %. The machine's speed moves the
generator's part, and with a power k of it the receiver's. Samples come at 700 Hz, and each hits a function by its part; the turns
they are taken in are 3 % slower. From round to round the parts of both variants scatter together by 20 %.
A coverage is too small where chance makes it so small in one of 1000 tries of intervals that hold the truth in 95 %; of
functions, whose rows are no tries of their own, it may be 91 %.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ROUNDS, FRAMES, REFERENCE_NS, HZ, OVERHEAD, TILT, TID = 24, 65536, 20, 700.0, 1.03, 0.2, 4711
IDS = ("drop/no-touch@native", "drop/read-data@native")
PARTS = ((0.3, 0.22, 0.15, 0.13, 0.1, 0.055, 0.045), (0.2, 0.2, 0.1, 0.12, 0.05, 0.15, 0.18))  # of 20 ns, of 82 ns
# name: lengths of both states in s; drift and its memory in s (0: a walk); powers; scatter of turns; parts of the turns with a
# stall, 1.6 times as dear, slower by some 100 us; rounds; how wide the interval of the difference may be in ns
MODELS = {
    "a steady machine": dict(widest=0.35),
    "two speeds, x1.3 to x1.9": dict(states=(12, 6), widest=0.4),
    "slow for three fifths of the time": dict(states=(8, 12), widest=0.5),
    "two speeds, felt with powers 0.9 and 1.15": dict(states=(12, 6), k=(0.9, 1.15), widest=0.6),
    "drift, 5 % in 5 s": dict(drift=(0.05, 5), widest=0.4),
    "a walk, 5 % in a second, powers 1.15 and 0.95": dict(drift=(0.05, 0), k=(1.15, 0.95), widest=0.5),
    "drift, 15 % in 0.5 s, powers 1.1 and 1": dict(drift=(0.15, 0.5), k=(1.1, 1), widest=0.5),
    "drift, 2 % in 20 s, and two speeds": dict(states=(12, 6), drift=(0.02, 20), widest=0.4),
    "drift, 5 % in 5 s, and one variant that scatters more": dict(drift=(0.05, 5), noise=(0.03, 0.2), widest=1),
    "one turn in 200 is far slower, and drift": dict(drift=(0.03, 5), stalls=0.005, widest=1),
    "one turn in ten is slower by some 100 us, and drift": dict(drift=(0.1, 1), tails=0.1, widest=1),
    "one turn in ten is 1.6 times as dear": dict(noise=(0.02, 0.02), bursts=0.1, widest=0.8),
    "eight rounds of a steady machine": dict(rounds=8, widest=0.7),
}


class Machine:
    def __init__(self, dice, model, same):
        self.dice, self.m, self.now_s, self.level = dice, model, 1000.0, (20, 20 if same else 82)
        self.factor, self.ou, self.left_s, self.slow = dice.uniform(1.3, 1.9), 0.0, 0.0, False
        self.k = (model.get("k", (1, 1))[0],) * 2 if same else model.get("k", (1, 1))
        if "states" in model:
            fast, slow = model["states"]
            self.slow = dice.random() * (fast + slow) < slow
            self.left_s = dice.expovariate(1 / (slow if self.slow else fast))
        if model.get("drift", (0, 0))[1]:
            self.ou = model["drift"][0] * dice.gauss(0, 1)

    def advance(self, seconds):
        self.now_s += seconds
        self.left_s -= seconds
        while "states" in self.m and self.left_s < 0:
            self.slow = not self.slow
            self.left_s += self.dice.expovariate(1 / self.m["states"][self.slow])
        drift, memory = self.m.get("drift", (0, 0))
        keep = math.exp(-seconds / memory) if memory else 1
        self.ou = keep * self.ou + drift * math.sqrt(1 - keep * keep if memory else seconds) * self.dice.gauss(0, 1)

    def cost(self, v, reference_ns):
        """The truth: what a packet of v takes where the generator takes so much for a frame."""
        return (self.level[v] * (reference_ns / REFERENCE_NS) ** self.k[v] * (1 + 0.6 * self.m.get("bursts", 0))
                + self.m.get("tails", 0) * 1e5 / FRAMES)

    def turn(self, v, profile, round_factor):
        """(own, wall) ns of one turn."""
        dice, slowness = self.dice, self.ou + (math.log(self.factor) if self.slow else 0)
        own = self.level[v] * round_factor * math.exp(self.k[v] * slowness) * (1 + self.m.get("noise", (0.06, 0.06))[v] * dice.gauss(0, 1))
        rest = REFERENCE_NS * math.exp(slowness + 0.06 * dice.gauss(0, 1)) * (OVERHEAD if profile else 1)
        if dice.random() < self.m.get("bursts", 0):
            own *= 1.6
        if dice.random() < self.m.get("stalls", 0):
            own += 1e7 / FRAMES * (1 + dice.expovariate(1))
        if dice.random() < self.m.get("tails", 0):
            own += dice.expovariate(1 / 1e5) / FRAMES
        own *= OVERHEAD if profile else 1
        return int(own * FRAMES), int((own + rest) * FRAMES)


def parts_of(dice, tilt, v_level):
    part = [p * t for p, t in zip(PARTS[v_level > 20], tilt)]
    return [p / sum(part) for p in part]


def mean_parts():
    """The parts that many rounds have on average."""
    dice, sums = random.Random(0), ([0.0] * len(PARTS[0]), [0.0] * len(PARTS[0]))
    for _ in range(4000):
        tilt = [math.exp(TILT * dice.gauss(0, 1)) for _ in PARTS[0]]
        for k, level in enumerate((20, 82)):
            for i, part in enumerate(parts_of(dice, tilt, level)):
                sums[k][i] += part / 4000
    return sums


def samples(dice, f, start_ns, own_ns, wall_ns, part):
    for n in range(int(own_ns * HZ / 1e9 + dice.random())):
        at = start_ns + int(wall_ns * dice.random())
        name = dice.choices("abcdefg", part)[0]
        f.append((at, "napi/veth0-7 %d [001] %d.%09d: %d cpu-clock: \n\tffffffff81001000 part_%s ([kernel.kallsyms])\n"
                      "\tffffffff81002000 veth_poll ([kernel.kallsyms])\n\n" % (TID, at // 10**9, at % 10**9, 1e9 / HZ, name)))


def make_run(folder, dice, model, same):
    machine, rounds = Machine(dice, model, same), model.get("rounds", ROUNDS)
    os.makedirs(folder + "/blocks")
    turns, blocks = ["xdpzoom.turns/1 0 0\n"], []
    for r in range(rounds):
        begin_s, scripts, windows = machine.now_s, ([], []), ({}, {})
        tilt = [math.exp(TILT * dice.gauss(0, 1)) for _ in PARTS[0]]
        factor = [math.exp(0.003 * dice.gauss(0, 1)) * (1.001 if (v + r) % 2 else 0.999) for v in (0, 1)]
        for half in (0, 1):
            profile, end_s, place = half != r % 2, machine.now_s + 0.8, 0
            while machine.now_s < end_s or place % 4:
                v = bin(place).count("1") % 2
                start_ns = int(machine.now_s * 1e9)
                own, wall = machine.turn(v, profile, factor[v])
                turns.append("%d %d %d %s %d %d %d %d 0\n" % (r, v, (v + r) % 2, "p" if profile else "b", start_ns, wall, own, FRAMES))
                w = windows[v].setdefault(profile, {"from_ns": start_ns, "busy_ns": 0, "packets": 0})
                w["to_ns"] = start_ns + wall
                w["busy_ns"] += own
                w["packets"] += FRAMES
                if profile:
                    samples(dice, scripts[v], start_ns, own, wall, parts_of(dice, tilt, machine.level[v]))
                machine.advance(wall / 1e9 + 1e-6)
                place += 1
        machine.advance(max(0, begin_s + 2.5 - machine.now_s))
        for v in (0, 1):
            name = "blocks/%03d.script" % len(blocks)
            with open(folder + "/" + name, "w") as f:
                f.write("".join(text for _, text in sorted(scripts[v])))
            seen = sum(w["packets"] for w in windows[v].values())
            blocks.append({
                "index": len(blocks), "round": r, "variant": v, "prog_id": 1, "prog_tag": "000000000000000%d" % v, "prog_name": "x",
                "mode_found": "native", "placement_ns": [None, None], "script": name,
                "windows": [{"kind": "profile" if p else "base", "from_ns": w["from_ns"], "to_ns": w["to_ns"], "busy_ns": w["busy_ns"],
                             "own_ns": w["busy_ns"], "waits_ns": None, "steal_ns": 0, "freq_khz": None, "softirq_ns": None, "polls": None,
                             "cpus": [{"cpu": 1, "verdicts": {"drop": w["packets"]}}]}
                            for p, w in sorted(windows[v].items(), key=lambda pw: pw[1]["from_ns"])],
                "totals": dict(gen_sent=seen, gen_errors=0, rx_seen=seen, rx_named_drops=0, tx_verdicts=0, tx_errors=0, sink_frames=0,
                               stray=0, perf_lost=0)})
    variants = [dict(id=i, action="drop", operation=i[5:-7], mode="native", inject=None, injected_ns=0, consumer=None) for i in IDS]
    with open(folder + "/run.json", "w") as f:
        json.dump({"schema": "xdpzoom.run/1", "version": "0.1.0", "started": "2026-01-02T03:04:05Z", "command": [], "environment": {},
                   "device": {}, "load": {}, "event": "cpu-clock", "sample_hz": int(HZ), "sample_cost_ns": 1, "overhead_budget_pct": 3,
                   "napi_threaded": True, "napi_tids": [TID], "rx_cpus": [1], "view": "work", "order": "shuffle", "seed": "0",
                   "variants": variants, "ended": "complete", "blocks": blocks}, f)
    with open(folder + "/turns", "w") as f:
        f.write("".join(turns))
    return machine


def asked(xdpzoom, *words):
    return json.loads(subprocess.run([xdpzoom, *words, "-f", "json"], stdout=subprocess.PIPE, check=True).stdout)


def held(model, runs, xdpzoom):
    """{what: [covered, all, sum of half-widths]} over some runs of a model."""
    dice, counts, parts = random.Random(1 + list(MODELS).index(model)), {}, mean_parts()

    def count(what, value, ci, truth):
        if ci[0] is None:
            return
        c = counts.setdefault(what, [0, 0, 0.0])
        c[0] += ci[0] <= truth <= ci[1]
        c[1] += 1
        c[2] += (ci[1] - ci[0]) / 2

    for n in range(runs):
        with tempfile.TemporaryDirectory() as tmp:
            same = n % 2 == 1
            machine = make_run(tmp + "/run", dice, MODELS[model], same)
            report, diff = asked(xdpzoom, "report", tmp + "/run"), asked(xdpzoom, "diff", tmp + "/run:" + IDS[0], IDS[1])
            reference = math.sqrt(math.prod(v["speed"]["reference_ns"] for v in report["variants"]))
            truth = [machine.cost(v, reference) for v in (0, 1)]
            count("difference of like ones" if same else "difference", diff["delta_ns"], diff["ci95_ns"], truth[1] - truth[0])
            if not same:
                v = report["variants"][0]
                count("base", v["base_ns"], v["ci95_ns"], machine.cost(0, v["speed"]["reference_ns"]))
            for row in diff["symbols"]:
                part = row["name"].startswith("part_") and "abcdefg".index(row["name"][5])
                if part is not False:
                    count("row's difference", row["delta_ns"], row["ci95_ns"],
                          parts[machine.level[1] > 20][part] * truth[1] - parts[0][part] * truth[0])
    return counts


def chance_of(covered, n):
    """That no more than so many of n intervals hold the truth, if each does in 95 %."""
    return sum(math.comb(n, i) * 0.95 ** i * 0.05 ** (n - i) for i in range(covered + 1))


def main():
    xdpzoom, runs, number = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20, 0
    for model in MODELS:
        number += 1
        bad, lines = False, []
        for what, (covered, n, half) in held(model, runs, xdpzoom).items():
            pct = 100 * covered / n
            few = pct < 91 if what.startswith("row") else chance_of(covered, n) < 0.001
            wrong = few or what == "difference" and half / n > MODELS[model]["widest"]
            bad |= wrong
            lines.append("# %s%s: %.1f %% of %d, +- %.3f ns" % ("wrong: " if wrong else "", what, pct, n, half / n))
        print("%s %d - %s" % ("not ok" if bad else "ok", number, model), *lines, sep="\n", flush=True)
    print("1..%d" % number)


if __name__ == "__main__":
    main()
