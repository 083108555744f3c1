"""rig_wall - run a test of the rig so that it harms nothing of the machine

in:    root, and the seccomp module of the distribution's python3 (python3-seccomp)
       WALL_CACHE: the folder of virtual machines; what is written there is in the folder
out:   behind(): the command that runs a program so; possible(): whether this machine can do it
law:   a device's NAPI thread is a thread of the kernel, which no PID namespace shows: the test sees all processes. A filter of
       system calls refuses it signals to those that ran before it, and what changes the whole machine. Files are read-only but
       for the folder, /sys, /proc/sys/net and a /run of its own; what the test writes into SETTINGS is put back. All that it starts ends with it
exit:  that of the program; 77 and a sentence if there is no wall
"""
import errno
import glob
import os
import signal
import subprocess
import sys
import time

import wall

PYTHON = "/usr/bin/python3"
MOST_PROCESSES = 400
SETTINGS = ("/sys/devices/system/cpu/cpu*/online", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
            "/sys/devices/system/cpu/smt/control", "/sys/devices/system/clocksource/*/current_clocksource",
            "/sys/kernel/mm/ksm/run", "/sys/kernel/mm/transparent_hugepage/enabled")
# Where a call names the process that it is for.
REACHES = (("kill", 0), ("tkill", 0), ("tgkill", 0), ("rt_sigqueueinfo", 0), ("rt_tgsigqueueinfo", 0), ("pidfd_open", 0), ("ptrace", 1))
REFUSED = ("reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "settimeofday",
           "clock_settime", "swapon", "swapoff")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def behind(folder, *words):
    return ["unshare", "--mount", "--net", "--", PYTHON, os.path.abspath(__file__), folder, *words]


def possible(folder):
    return os.geteuid() == 0 and subprocess.run(behind(folder, "true"), stderr=subprocess.DEVNULL).returncode == 0


def processes():
    """{pid: (its parent, its group)}."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(path.split("/")[2])] = int(fields[1]), int(fields[2])
    return found


def started():
    """The processes that this one has started, and those that they have."""
    known, found, level = processes(), set(), {os.getpid()}
    while level:
        level = {pid for pid, (parent, _) in known.items() if parent in level}
        found |= level
    return found


def end_all():
    """Also what is forked meanwhile."""
    while left := started():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.01)


def read_settings():
    found = {}
    for path in (p for pattern in SETTINGS for p in glob.glob(pattern)):
        with open(path) as f:
            text = f.read()
        found[path] = text.partition("[")[2].partition("]")[0] or text.strip()
    return found


def put_back(before):
    for path, value in read_settings().items():
        if before[path] != value:
            print("put back: %s was %s" % (path, value), file=sys.stderr)
            with open(path, "w") as f:
                f.write(before[path])


def build(folder):
    """Paths that can still be written."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    os.mkdir("/run/netns")
    cache = os.environ.get("WALL_CACHE", "")
    if os.path.isdir(cache):
        upper, work = folder + "/cache", folder + "/cache.work"
        os.makedirs(upper, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        subprocess.run(["mount", "-t", "overlay", "-o", "lowerdir=%s,upperdir=%s,workdir=%s" % (cache, upper, work), "overlay", cache],
                       check=True)
    left = wall.build(folder, apart=("/proc", "/sys", "/run", cache or "/proc"))
    wall.mount("/proc/sys/net", "/proc/sys/net", wall.MS_BIND)
    for path in filter(os.path.exists, ("/proc/sys", "/proc/irq", "/proc/sysrq-trigger")):
        wall.mount(path, path, wall.MS_BIND | wall.MS_REC)
        if not wall.mount(None, path, wall.MS_REMOUNT | wall.MS_BIND | wall.MS_RDONLY):
            left.append(path)
    return left


def call_filter(seccomp):
    """It refuses signals to the processes and groups that run now. The kernel's threads (children of 2) hear none anyway."""
    made = seccomp.SyscallFilter(seccomp.ALLOW)
    made.set_attr(seccomp.Attr.CTL_NNP, 0)
    now = {pid: group for pid, (parent, group) in processes().items() if 2 not in (pid, parent)}
    for call, place in REACHES:
        for who in {*now, *(-group for group in now.values() if group), -1} if call == "kill" else now:
            made.add_rule(seccomp.ERRNO(errno.EPERM), call,
                          seccomp.Arg(place, seccomp.MASKED_EQ, 0xffffffff, who & 0xffffffff))
    for call in REFUSED:
        made.add_rule(seccomp.ERRNO(errno.EPERM), call)
    return made


def run(words, seccomp):
    """The exit status. SIGTERM ends it and all that it has started, and so does the end of who asked for it."""
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    wall.libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    p = subprocess.Popen(words, preexec_fn=call_filter(seccomp).load, start_new_session=True)
    while p.poll() is None and not stop:
        if len(started()) > MOST_PROCESSES:
            break
        try:
            p.wait(0.5)
        except subprocess.TimeoutExpired:
            pass
    status = p.poll()
    end_all()
    return 1 if status is None else status


def main():
    folder, words = os.path.realpath(sys.argv[1]), sys.argv[2:]
    try:
        import seccomp
        open_paths = build(folder)
    except ImportError:
        open_paths = ["other processes (no python3-seccomp)"]
    if open_paths or wall.libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        print("no wall here: %s can still be reached" % ", ".join(open_paths), file=sys.stderr)
        return wall.NONE
    before = read_settings()
    try:
        return run(words, seccomp)
    finally:
        put_back(before)


if __name__ == "__main__":
    sys.exit(main())
