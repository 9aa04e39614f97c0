#!/usr/bin/env python3
"""Lists calls of the C library's elementary functions in src/: their last bits depend on the processor and on the version
of the library. base/elementary.h has the same with equal bits everywhere.

  elementary.py SOURCE            list; exit 1 when there is one
  elementary.py SOURCE --update   put our functions in their place, and the header among the includes
"""
import pathlib
import re
import sys

OWN = {name: "asp_" + name for name in ("exp", "exp2", "log2", "log10", "pow", "sinh", "cosh", "tanh", "sin", "cos", "tan",
                                        "asin", "acos", "atan", "atan2", "cbrt", "hypot")}
OWN["log"] = "asp_ln"
# what base/elementary.h does not have
FOREIGN = ["expm1", "log1p", "exp10", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "lgamma", "sincos", "fma"]
FOREIGN += [name + ending for name in [*OWN, "fma"] for ending in "fl"]
CALL = re.compile(r"(?<![\w.>])(%s)(?=\s*\()" % "|".join(sorted([*OWN, *FOREIGN], key=len, reverse=True)))
SKIP = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'", re.S)
INCLUDE = '#include "base/elementary.h"\n'


def code_parts(text):
    """The text in pieces: (is code, piece)."""
    at = 0
    for match in SKIP.finditer(text):
        yield True, text[at:match.start()]
        yield False, match.group()
        at = match.end()
    yield True, text[at:]


def with_include(text):
    """The header at its place in the alphabet among those of quotes, but behind the file's own, which comes first."""
    if INCLUDE in text:
        return text
    lines = text.split("\n")
    quoted = [i for i, line in enumerate(lines) if re.match(r'#include "', line)]
    if not quoted:
        place = next(i for i, line in enumerate(lines) if line.startswith("#include"))
        return "\n".join(lines[:place] + [INCLUDE.rstrip(), ""] + lines[place:])
    block = [i for i in quoted if i - quoted[0] == quoted.index(i)]
    place = next((i for i in block if lines[i] > INCLUDE.rstrip()), block[-1] + 1)
    return "\n".join(lines[:place] + [INCLUDE.rstrip()] + lines[place:])


def main():
    source, update, found = pathlib.Path(sys.argv[1]), "--update" in sys.argv, 0
    for path in sorted([*source.glob("src/**/*.c"), *source.glob("src/**/*.h")]):
        text, line, out, changed = path.read_text(), 1, [], False
        for is_code, piece in code_parts(text):
            for match in CALL.finditer(piece) if is_code else ():
                at = line + piece.count("\n", 0, match.start())
                if not update:
                    print("%s:%d: %s: call %s of base/elementary.h" % (path.relative_to(source), at, match.group(),
                                                                      OWN.get(match.group(), "a function")))
                found += 1
                changed |= match.group() in OWN
            line += piece.count("\n")
            out.append(CALL.sub(lambda m: OWN.get(m.group(), m.group()), piece) if is_code else piece)
        if update and changed:
            path.write_text(with_include("".join(out)))
    print("%d calls %s" % (found, "replaced" if update else "of the C library's elementary functions in src/"))
    return 1 if found and not update else 0


sys.exit(main())
