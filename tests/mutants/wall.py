"""wall - run a program that can change the files of one folder and nothing else of the machine

in:    root, or a user who may make namespaces
out:   behind(): the command that runs a program so; possible(): whether this machine can do it
law:   inside, everything but the folder is read-only, /tmp is the folder too (tmpfile() knows no other), and no other processes exist. A program that removes every file
       it finds, or signals every process, harms nobody outside
exit:  that of the program; 77 and a sentence if there is no wall
"""
import ctypes
import os
import subprocess
import sys

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_RELATIME = (
    1, 2, 4, 8, 32, 1024, 2048, 4096, 16384, 1 << 21)
KEPT = {"nosuid": MS_NOSUID, "nodev": MS_NODEV, "noexec": MS_NOEXEC, "noatime": MS_NOATIME,
        "nodiratime": MS_NODIRATIME, "relatime": MS_RELATIME}
MS_PRIVATE, CLONE_NEWNS, MNT_DETACH = 1 << 18, 0x20000, 2
NONE = 77
libc = ctypes.CDLL(None, use_errno=True)


def behind(folder, *words):
    """The command that runs words so that they can change the folder alone."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return ["unshare", *user, "--mount", "--pid", "--mount-proc", "--kill-child", "--", sys.executable,
            os.path.abspath(__file__), folder, *words]


def possible(folder):
    return subprocess.run(behind(folder, "true"), stderr=subprocess.DEVNULL).returncode == 0


def mount(source, target, flags):
    """Whether it could be done."""
    return libc.mount(source and source.encode(), target.encode(), None, ctypes.c_ulong(flags), None) == 0


def mount_in_memory(folder):
    """For this process, which is root's and has one thread, and its children."""
    if libc.unshare(CLONE_NEWNS) == 0 and mount(None, "/", MS_REC | MS_PRIVATE):
        libc.mount(b"tmpfs", folder.encode(), b"tmpfs", ctypes.c_ulong(0), None)


def mounts():
    """(path, flags to keep) of each mount."""
    with open("/proc/self/mountinfo") as f:
        for line in f:
            fields = line.split(" ")
            path = fields[4].encode().decode("unicode_escape")
            yield path, sum(KEPT.get(option, 0) for option in fields[5].split(","))


def build(folder, apart=()):
    """Makes all but the folder, and what is mounted at or below those apart, read-only. Paths that can still be written."""
    if not mount(folder, folder, MS_BIND) or not mount(folder, "/tmp", MS_BIND):
        return [folder]
    others = [(path, kept) for path, kept in mounts() if path not in (folder, "/tmp") and
              not (path + "/").startswith(tuple(a + "/" for a in apart))]
    for path, kept in others:
        mount(None, path, MS_REMOUNT | MS_BIND | MS_RDONLY | kept)
    return [path for path, kept in others if os.access(path, os.W_OK)]


def main():
    folder, words = os.path.realpath(sys.argv[1]), sys.argv[2:]
    open_paths = build(folder) if os.getpid() == 1 else ["everything"]
    if open_paths:
        print("no wall here: %s can still be written" % ", ".join(open_paths), file=sys.stderr)
        return NONE
    return subprocess.run(words).returncode


if __name__ == "__main__":
    sys.exit(main())
