"""Makes random topologies below namespaces xzm*, and compares what xdpzoom map finds of them, edge by edge.

usage: topology.py XDPZOOM BPF-OBJECT SEED COUNT
"""
import json, os, random, struct, subprocess, sys, tempfile

X, OBJECT = sys.argv[1:3]
PREFIX = "xzm%d-" % os.getpid()


def run(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


within = lambda ns, *args: run("nsenter", "--net=/run/netns/" + ns, *args)  # ip netns exec would hide the bpffs


class Topology:
    def __init__(self, seed, namespaces, devices):
        self.random = random.Random(seed)
        self.spaces = [PREFIX + str(i) for i in range(namespaces)]
        self.devices, self.edges, self.attached, self.count = [], set(), set(), 0
        self.batch = []
        for ns in self.spaces:
            run("ip", "netns", "add", ns)
        self.make(devices)

    def name(self, kind):
        self.count += 1
        # names that repeat from one namespace to the next, as "eth0" does, are the usual case
        return "%s%d" % (kind, self.count % 7 if kind == "eth" else self.count)

    def add(self, ns, kind):
        while True:
            name = self.name(kind)
            if (ns, name) not in self.devices:
                self.devices.append((ns, name))
                return name

    def id(self, ns, name):
        return ns + "/" + name

    def make(self, devices):
        bridges = []
        for ns in self.spaces:
            if self.random.random() < 0.5:
                name = self.add(ns, "br")
                self.batch.append("link add %s netns %s type bridge" % (name, ns))
                bridges.append((ns, name))
        pairs = []
        while len(self.devices) < devices:
            ends = [self.random.choice(self.spaces) for _ in range(2)]
            names = [self.add(ns, "eth" if self.random.random() < 0.3 and ends[0] != ends[1] else "v") for ns in ends]
            self.batch.append("link add %s netns %s type veth peer name %s netns %s" % (names[0], ends[0], names[1], ends[1]))
            ids = sorted(self.id(ns, name) for ns, name in zip(ends, names))
            self.edges.add(("peer", ids[0], ids[1]))
            pairs += zip(ends, names)
        run("ip", "-batch", "-", input="\n".join(self.batch) + "\n")
        for ns in self.spaces:
            self.within(ns, bridges, [name for space, name in pairs if space == ns])

    def within(self, ns, bridges, names):
        """Ports of bridges, and macvlans: both stand upon another device of their namespace, or another one's."""
        batch = []
        for bridge in [b for space, b in bridges if space == ns]:
            for name in self.random.sample(names, len(names) // 3):
                names.remove(name)
                batch.append("link set %s master %s" % (name, bridge))
                self.edges.add(("port", self.id(ns, name), self.id(ns, bridge)))
        for name in names:
            if self.random.random() < 0.2:
                to = self.random.choice(self.spaces)
                above = self.add(to, "mv")
                batch.append("link add link %s name %s netns %s type macvlan" % (name, above, to))
                self.edges.add(("upon", self.id(to, above), self.id(ns, name)))
        if batch:
            run("ip", "-n", ns, "-batch", "-", input="\n".join(batch) + "\n")

    def attach(self, pins):
        """A program that redirects, and where to, on some of the pairs."""
        peers = sorted(e for e in self.edges if e[0] == "peer")
        for kind, one, two in self.random.sample(peers, min(2, len(peers))):
            (ns, name), number = one.split("/"), len(self.attached)
            out = self.random.choice([d for d in self.devices if d[0] == ns])[1]
            mode = self.random.choice(["native", "skb"])
            where = "%s/%d" % (pins, number)
            run("bpftool", "prog", "loadall", OBJECT, where, "pinmaps", where)
            index = self.index(ns, out)
            within(ns, "bpftool", "map", "update", "pinned", where + "/out_device", "key", "0", "0", "0", "0", "value",
                   *(str(b) for b in struct.pack("=II", index, 0)))
            within(ns, "bpftool", "net", "attach", "xdpdrv" if mode == "native" else "xdpgeneric", "pinned",
                   where + "/xdp_to_device", "dev", name)
            self.attached.add((one, "xdp-" + mode))
            self.edges.add(("devmap", "xdp_to_device@" + where + "/xdp_to_device", self.id(ns, out)))

    def index(self, ns, name):
        return json.loads(run("ip", "-n", ns, "-j", "link", "show", name))[0]["ifindex"]

    def remove(self):
        for ns in self.spaces:
            subprocess.run(["ip", "netns", "del", ns], capture_output=True)


def found(m):
    """The same of a map: what has nothing to do with these namespaces is not looked at."""
    programs = {p["program"]: "%s@%s" % (p["name"], "".join(p["pinned"])) for p in m["programs"]}
    ours = lambda id: id.startswith(PREFIX)
    devices = {d["device"] for d in m["devices"] if ours(d["device"]) and d["name"] != "lo"}
    attached = {(a["device"], a["hook"]) for a in m["attachments"] if ours(a["device"])}
    edges = {(e["kind"], programs.get(e["from"], e["from"]), e["to"]) for e in m["edges"] if ours(e["to"])}
    return devices, attached, edges


def main():
    seed, count = int(sys.argv[3]), int(sys.argv[4])
    status = 0
    for i in range(count):
        choose = random.Random(seed + i)
        t = Topology(seed + i, choose.randint(2, 8), choose.randint(8, 40))
        try:
            with tempfile.TemporaryDirectory(dir="/sys/fs/bpf") as pins:
                t.attach(pins)
                m = json.loads(run(X, "map", "-f", "json"))
                run("rm", "-rf", *[os.path.join(pins, p) for p in os.listdir(pins)])
        finally:
            t.remove()
        want = ({t.id(*d) for d in t.devices}, t.attached, t.edges)
        for what, a, b in zip(("devices", "attachments", "edges"), want, found(m)):
            if a != b:
                status = 1
                print("# seed %d: %s: not found %s, found %s" % (seed + i, what, sorted(a - b), sorted(b - a)))
    return status


sys.exit(main())
