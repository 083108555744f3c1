#!/bin/sh
# Text on a terminal: colour there alone and not with NO_COLOR, no line wider than it, names whole with --width 0.
cd "$(dirname "$0")/../.." || exit 1
exec python3 - <<'END'
import fcntl, os, pty, re, struct, subprocess, termios

run = "build/runs/recorded:drop/no-touch@native"
cut = "…"
n = 0


def result(ok, name):
    global n
    n += 1
    print("%sok %d - %s" % ("" if ok else "not ", n, name))


def on_terminal(columns, *args, **env):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    p = subprocess.Popen(["build/xdpzoom", "diff", run, "drop/no-touch@skb", "--full", *args], stdout=theirs, env={**plain, **env})
    os.close(theirs)
    out = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    p.wait()
    os.close(ours)
    text = out.decode().replace("\r", "")
    return "\033" in text, max(len(line) for line in re.sub("\033\\[[0-9;]*m", "", text).split("\n")), cut in text


def piped(*args):
    text = subprocess.run(["build/xdpzoom", "diff", run, "drop/no-touch@skb", "--full", *args], capture_output=True, text=True).stdout
    return "\033" in text, max(len(line) for line in text.split("\n")), cut in text


colour, width, shortened = on_terminal(80)
result(colour and width <= 80 and shortened, "80 columns: coloured, and fits")
for columns in (44, 50, 60, 120):
    result(on_terminal(columns)[1] <= columns, "%d columns: fits" % columns)
colour, width, shortened = on_terminal(200)
result(width <= 200 and not shortened, "200 columns: names are whole")
result(not on_terminal(80, NO_COLOR="1")[0], "NO_COLOR: no colour")
result(on_terminal(80, NO_COLOR="")[0], "an empty NO_COLOR says nothing")
result(not on_terminal(80, "--width", "0")[2], "--width 0: names are whole")
result(not on_terminal(80, "--format", "csv")[0], "CSV has no colour, on a terminal either")
colour, width, shortened = piped()
result(not colour and not shortened, "no terminal: no colour, names are whole")
result(piped("--width", "80")[1] <= 80, "no terminal: --width 80 fits 80")


def widest(*args):
    text = subprocess.run(["build/xdpzoom", *args], capture_output=True, text=True, check=True).stdout
    return max(len(line) for line in text.split("\n"))


exact, recorded, first = "build/runs/", "build/runs/recorded", "build/runs/run1"
native, skb = ":drop/no-touch@native", "drop/no-touch@skb"
for args in (("report", exact + "counted"), ("report", exact + "memory"), ("report", exact + "device"),
             ("report", recorded), ("report", first), ("report", "build/runs/fw3"),
             ("diff", exact + "counted" + native, skb), ("diff", exact + "memory" + native, skb),
             ("diff", exact + "device" + native, "drop/read-data@native"), ("report", first, "--exact", exact + "counted"),
             ("report", first, "--exact", exact + "memory")):
    result(widest(*args, "--full", "--width", "80") <= 80, "%s --full --width 80 fits 80" % " ".join(args))
    text = subprocess.run(["build/xdpzoom", *args], capture_output=True, text=True, check=True).stdout
    result(widest(*args) <= 80 and 3 < text.count("\n") <= 24, "%s: 24 lines of 80 columns" % " ".join(args))
    result("checks: " in text, "... with the checks in a line")
    for columns in ("40", "60", "100") if os.environ.get("CHECK_ALL") else ("40",):
        result(widest(*args, "--width", columns) <= int(columns), "%s --width %s fits" % (" ".join(args), columns))
result(subprocess.run(["build/xdpzoom", "report", first, "--width", "20"], capture_output=True).returncode == 2, "--width 20 is refused")
result(widest("--help") <= 80, "the help fits 80")
result(widest("report", exact + "memory", "--full", "--width", "0") > 80, "--width 0: columns are not left out")
binary = subprocess.Popen(["build/xdpzoom", "report", run, "-f", "pprof"], stdout=(fds := pty.openpty())[1], stderr=subprocess.PIPE)
said = binary.communicate()[1]
result(binary.returncode == 1 and said.count(b"\n") == 1 and b"-o FILE" in said, "pprof does not go to a terminal")
print("1..%d" % n)
END
