"""mutate - the single changes that can be made to a C source

in:    the text of a file laid out by the tree's .clang-format: a function's braces stand alone in column 0, and a
       binary operator has blanks on both sides
out:   mutations(text): a list of Mutation, in the order of the text
law:   comments, strings, character constants, preprocessor lines, tables (static const initialisers), "= {0}", sizes of arrays
       and of allocations, and what only a failed allocation would show are left alone
"""
import re
from collections import namedtuple

# line counts from 0; old and new are the whole line, what names the kind of change
Mutation = namedtuple("Mutation", "line old new what")

OPERATORS = {
    "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "&": ["|"], "|": ["&"],
    "<<": [">>"], ">>": ["<<"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
}
WORDS = {"true": "false", "false": "true", "NAN": "0", "INFINITY": "0"}

HIDDEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
BINARY = re.compile(r"(?<= )(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/|&]=|[-+*/%&|<>])(?= |$)")
STEP = re.compile(r"\+\+|--")
NOT = re.compile(r"(?<![\w)\]])!(?=[\w(*])")
NUMBER = re.compile(r"(?<![\w.])(?!(?:(?<== \{)|(?<=\)\{))0\})(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)(?=[uUlL]*\b)")
WORD = re.compile(r"\b(?:%s)\b" % "|".join(WORDS))
CONDITION = re.compile(r"\b(?:if|while) \(")
TABLE = re.compile(r"^\t+static const .*= *\{|^\t+static const struct \{")
NO_MEMORY = re.compile(r"ENOMEM|no_memory|out of memory", re.I)
ALLOCATION = re.compile(r"alloc\(|reallocarray\(|strn?dup\(|array_(add|grow)\(|run_add_\w+\(|asprintf\(|fopencookie\(")


def hide(text):
    """The text with comments, strings and characters made blank; every position stays where it was."""
    return HIDDEN.sub(lambda m: re.sub(r"[^\n]", "\a", m.group()), text)


def body_lines(lines):
    """The numbers of the lines inside functions, tables in them left out."""
    inside, depth = False, 0
    for n, line in enumerate(lines):
        if line == "{":
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and not line.startswith("#"):
            if depth or TABLE.match(line):
                depth += line.count("{") - line.count("}")
            else:
                yield n


def closing(line, start):
    """The place of the parenthesis that closes the one before start, or -1."""
    depth = 1
    for i in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if not depth:
            return i
    return -1


def other_number(text):
    if text.startswith("0x"):
        return "0x%x" % (int(text, 16) ^ 1)
    if re.fullmatch(r"\d+", text):
        return str(int(text) + 1) if int(text) != 1 else "0"
    return "%r" % (float(text) * 1.5)


def is_array_size(line, start):
    """char text[64], path[4096 + 80]; but not row[1]: an array is declared, so the line has a type before the name."""
    before = line[:start]
    return re.match(r"\t+(?!return )(?:static |const |unsigned |struct )*\w+ (?:\**\w+(?:\[[^\]]*\])*, )*\**\w+"
                    r"(?:\[[^\]]*\])*\[[^\]]*$", before) is not None


def changes(line):
    """(start, end, new text, what) of each change to one line whose strings are hidden."""
    for m in BINARY.finditer(line):
        for new in [] if is_array_size(line, m.start()) else OPERATORS.get(m.group(), []):
            yield m.start(), m.end(), new, "operator"
    for m in STEP.finditer(line):
        yield m.start(), m.end(), "--" if m.group() == "++" else "++", "operator"
    for m in NOT.finditer(line):
        yield m.start(), m.end(), "", "operator"
    for m in NUMBER.finditer(line):
        if not is_array_size(line, m.start()):
            yield m.start(), m.end(), other_number(m.group()), "constant"
    for m in WORD.finditer(line):
        yield m.start(), m.end(), WORDS[m.group()], "constant"
    for m in CONDITION.finditer(line):
        end = closing(line, m.end())
        if end < 0:
            continue
        inner = line[m.end():end]
        yield m.end(), end, "0 && (%s)" % inner, "condition"
        if m.group().startswith("if"):
            yield m.end(), end, "1 || (%s)" % inner, "condition"


def is_about_memory(lines, n):
    """Whether line n allocates, asks if that failed, or is what follows then."""
    if NO_MEMORY.search(lines[n]) or ALLOCATION.search(lines[n]):
        return True
    if re.match(r"\s*if \(", lines[n - 1]) and is_about_memory(lines, n - 1):
        return True
    return re.match(r"\s*if \(", lines[n]) and (
        NO_MEMORY.search(lines[n + 1]) or "(!" in lines[n] and ALLOCATION.search("".join(lines[n - 3:n])))


def mutations(text):
    lines, hidden = text.split("\n"), hide(text).split("\n")
    found = []
    for n in body_lines(hidden):
        line = lines[n]
        if is_about_memory(lines, n):
            continue
        for start, end, new, what in changes(hidden[n]):
            if what == "condition":
                new = new[:6] + line[start:end] + ")"
            found.append(Mutation(n, line, line[:start] + new + line[end:], what))
    return found
