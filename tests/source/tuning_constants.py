#!/usr/bin/env python3
"""Lists the numeric tuning constants of src/ that stand outside tables, and the tables as a page.

A table is a header src/LAYER/tuning/NAME.h whose rows read

    #define NAME VALUE /* unit | what it is and trades | where it was measured, or what guards it */

Everything else that is a number in src/ is counted, unless one of the exemptions below holds; they are printed with
how often each was used. Comments and texts are not looked at.

  tuning_constants.py SOURCE            count; exit 1 when a constant stands outside the tables
  tuning_constants.py SOURCE --list     the same, with every place
  tuning_constants.py SOURCE --page     docs/reference/tuning.md on standard output
  tuning_constants.py SOURCE --check F  exit 1 when the file F is not that page, or pages that show a table differ from it
  tuning_constants.py SOURCE --update   write the tables into pages between '<!-- table PATH -->' and '<!-- end -->', and numbers
                                        before their name in a comment: 1,200<!--LARGE_NEAR_LIMIT-->
"""
import collections
import pathlib
import re
import sys

# Whole numbers of the formulas themselves: signs, halves, squares, cubes, the rows of a contact (3), the velocities of
# a body (6, 3), both bodies (12), matrices of these (9, 36, 144), and pairs of them.
SMALL = {str(n) for n in range(0, 8)} | {"9", "12", "36", "144"}
# Halves, and whole numbers written as doubles.
PLAIN = {"0.0", "0.5", "1.0", "2.0", "3.0", "4.0", "6.0", "0.25", "1.5", "0.", "1.", "2.", "0.f", "0.0f", "1.0f", "0.5f", "1.f"}
# Folders where numbers are formats and layouts of files and of text, not of methods.
FORMATS = {"io": "layouts of files and of text: HDF5, JSON, glTF, VTK, SVG, STL"}

EXEMPT = collections.OrderedDict([
    ("small", "whole numbers of formulas and geometry: 0 .. 7, 9, 12, 36, 144"),
    ("plain", "0, 1/4, 1/2, 1, 3/2, 2, 3, 4, 6 as floating-point numbers"),
    ("index", "index or size in brackets: entries of matrices, rows, room for a text"),
    ("shift", "bits: shifts, masks and hexadecimal numbers"),
    ("case", "a case label, or the place of an entry in an enumeration"),
    ("layout", "alignment of memory and size of vector types"),
    ("template", "parameters of kernel templates, defined once per instruction set"),
    ("exact", "marked 'exact: REASON': a coefficient of a formula, or what a format or type prescribes"),
    ("options", "a row of an option table (name, default, least, most): documented with the option"),
])

NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[fFuUlL]*)")
NAMED = re.compile(r"#\s*define\s+\w+\s+\(*(\(size_t\))?-?[\d.][\w.+-]*\)*\s*$|\s*(static\s+)?const\s+(double|int|float|size_t)\s+\w+\s*=\s*-?[\d.]+[\w.+-]*\s*;|\s*enum\s*\{\s*\w+\s*=\s*\d+\s*\}")
ROW = re.compile(r"^#define (\w+)\s+(\(?-?[\w.+*/ ()-]+?\)?)\s+/\* (.*?) \| (.*?) \| (.*?) \*/$")


def strip(text):
    """Comments and literals replaced by blanks, lines kept; the lines that a comment 'exact: REASON' above them exempts."""
    exact, out, i, line = set(), [], 0, 1
    while i < len(text):
        two = text[i:i + 2]
        if two in ("/*", "//"):
            end = text.find("*/" if two == "/*" else "\n", i + 2)
            end = len(text) if end < 0 else end + (2 if two == "/*" else 0)
            comment = text[i:end]
            if "exact:" in comment:
                exact.add(line + comment.count("\n") + 1)
            out.append(re.sub(r"[^\n]", " ", comment))
            line += comment.count("\n")
            i = end
        elif text[i] in "\"'":
            end = i + 1
            while end < len(text) and text[end] != text[i]:
                end += 2 if text[end] == "\\" else 1
            out.append(text[i] + " " * (end - i - 1) + text[i])
            i = end + 1
        else:
            line += text[i] == "\n"
            out.append(text[i])
            i += 1
    code = "".join(out)
    return code, spread(code.split("\n"), exact)


def spread(lines, exact):
    """A mark holds for the statement, the initializer or the definition that follows it."""
    marked = set()
    for number in exact:
        while number <= len(lines):
            marked.add(number)
            text = lines[number - 1].rstrip()
            if lines[number - 1].startswith("#") or text.endswith((";", "}")) or re.search(r"[^=] \{$", text):
                break
            number += 1
    return marked


def exemption(code, at, token, exact, number):
    """Why a literal does not count; None: it does."""
    before, after = code[:at], code[at + len(token):]
    bare = re.sub(r"[uUlL]+$", "", token)
    if number in exact:
        return "exact"
    chosen = NAMED.match(code)  # what has a name was chosen, however small
    if bare in SMALL and not chosen:
        return "small"
    if bare in PLAIN and not chosen:
        return "plain"
    if token[:2] in ("0x", "0X") or re.search(r"(<<|>>)\s*$", before) or re.match(r"\s*(<<|>>)", after):
        return "shift"
    depth = 0
    for c in reversed(before):
        depth += (c == "]") - (c == "[")
        if depth < 0:
            return "index"
    if re.match(r"\s*case\b", code):
        return "case"
    if re.search(r"(aligned|_Alignas|vector_size)\s*\(\s*$", before):
        return "layout"
    if "ASP_FIELD_" in code:
        return "options"
    return None


def count(root):
    used, found = collections.Counter(), []
    for path in sorted((root / "src").rglob("*.[ch]")):
        layer = path.relative_to(root / "src").parts[0]
        if "tuning" in path.parts or layer in FORMATS:
            continue
        code, exact = strip(path.read_text())
        lines = code.split("\n")
        names = collections.Counter(re.findall(r"^#define (\w+)\b", code, re.M))
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*#\s*(if|elif|include|line|pragma)", line):
                continue
            define = re.match(r"#define (\w+)\b", line)
            for match in NUMBER.finditer(line):
                if define and names[define.group(1)] > 1:
                    used["template"] += 1
                    continue
                why = exemption(line, match.start(1), match.group(1), exact, number)
                if why:
                    used[why] += 1
                    continue
                found.append((path.relative_to(root), number, match.group(1), path.read_text().split("\n")[number - 1].strip()))
    return used, found


def tables(root):
    for path in sorted((root / "src").rglob("tuning/*.h")):
        head, rows, wrong = "", [], []
        text = path.read_text()
        head = re.match(r"/\* (.*?) ?\*/", text, re.S)
        for line in text.split("\n"):
            row = ROW.match(line)
            if row:
                rows.append(row.groups())
            elif line.startswith("#define") and not line.endswith("_H"):
                wrong.append(line)
        yield path.relative_to(root), re.sub(r"\s*\n \* ?", " ", head.group(1)) if head else "", rows, wrong


def lines_of(rows):
    return ["| name | value | unit | what it is and trades | measured or guarded by |", "|---|---|---|---|---|"] + [
        "| `%s` | %s | %s | %s | %s |" % tuple(field.replace("|", "\\|") for field in row) for row in rows]


def page(root):
    out = ["# Tuning numbers", "",
           "Every number that was chosen rather than derived, by layer and method: its unit, what it trades, and where it was measured",
           "or what guards it. Made from the tables `src/*/tuning/*.h` by `tests/source/tuning_constants.py --page`; a test compares.", ""]
    for path, head, rows, _ in tables(root):
        out += ["## `%s`" % path, "", head, ""] + lines_of(rows) + [""]
    return "\n".join(out)


def in_prose(value):
    """A value as sentences write it: thousands with commas."""
    return "{:,}".format(int(value)) if re.fullmatch(r"\d{4,}", value) else value


def shown(root):
    """Pages of docs/ that show a table, or a number with its name behind it (1,200<!--LARGE_NEAR_LIMIT-->): path, text as it
    stands, text as it should be."""
    rows = {str(path): good for path, _, good, _ in tables(root)}
    value = {row[0]: row[1] for good in rows.values() for row in good}
    for path in sorted((root / "docs").rglob("*.md")):
        text = path.read_text()
        right = re.sub(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)",
                       lambda m: m.group(1) + "\n".join(lines_of(rows[m.group(2)])) + "\n" + m.group(3), text, flags=re.S)
        right = re.sub(r"[^\s(<>]*<!--([A-Z]\w+)-->", lambda m: "%s<!--%s-->" % (in_prose(value[m.group(1)]), m.group(1)), right)
        if right != text or "<!-- table " in text:
            yield path, text, right


def main():
    root = pathlib.Path(sys.argv[1])
    if "--page" in sys.argv:
        print(page(root), end="")
        return 0
    if "--check" in sys.argv:
        file = pathlib.Path(sys.argv[sys.argv.index("--check") + 1])
        if file.read_text() != page(root):
            print("%s is not in step with the tables: tests/source/tuning_constants.py . --page > %s" % (file, file))
            return 1
        wrong = [path for path, text, right in shown(root) if text != right]
        for path in wrong:
            print("%s shows a table or a number that has changed: tests/source/tuning_constants.py . --update" % path)
        return 1 if wrong else 0
    if "--update" in sys.argv:
        for path, text, right in shown(root):
            path.write_text(right)
        return 0
    used, found = count(root)
    rows = broken = 0
    for path, _, good, wrong in tables(root):
        rows += len(good)
        for line in wrong:
            broken += 1
            print("%s: not 'unit | text | source': %s" % (path, line))
    for layer, why in FORMATS.items():
        print("not counted: src/%s: %s" % (layer, why))
    for name, why in EXEMPT.items():
        if used[name]:
            print("exempt %6d: %s" % (used[name], why))
    layers = collections.Counter(str(place[0]).split("/")[1] for place in found)
    if "--list" in sys.argv:
        for place in found:
            print("%s:%d: %s in: %s" % place)
    print("in tables: %d" % rows)
    print("outside tables: %d (%s)" % (len(found), ", ".join("%s %d" % pair for pair in sorted(layers.items()))))
    return 1 if found or broken else 0


sys.exit(main())
