"""equivalent - the mutants that a person looked at and found to change nothing that anybody can see

in:    a file of entries: the source, "-" and the line, "+" and the line as it was changed, the reason in one sentence;
       an empty line between two entries, and lines that begin with "#" are comments
law:   an entry is found by the texts of its lines, without the blanks before them, so it moves with the line
"""


class Known:
    def __init__(self, path):
        self.entries = {}
        with open(path) as f:
            text = "\n".join(line for line in f.read().split("\n") if not line.startswith("#"))
        for entry in text.strip().split("\n\n"):
            if not entry.strip():
                continue
            lines = entry.strip().split("\n")
            if len(lines) < 4 or lines[1][0] != "-" or lines[2][0] != "+":
                raise SystemExit("%s: an entry is a file, a line with -, one with + and a reason:\n%s" % (path, entry))
            self.entries[lines[0], lines[1][1:].strip(), lines[2][1:].strip()] = " ".join(lines[3:])

    def holds(self, file, m):
        return (file, m.old.strip(), m.new.strip()) in self.entries

    def stale(self):
        """(file, line) of the entries whose line is in the file no more."""
        for file, old, _ in self.entries:
            try:
                with open(file) as f:
                    there = old in (line.strip() for line in f)
            except FileNotFoundError:
                there = False
            if not there:
                yield file, old
