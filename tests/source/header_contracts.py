#!/usr/bin/env python3
"""Checks that every function of the public headers says from which threads it may be called and who owns what.

The comment above a declaration, or behind it, has a mark in brackets (explained in include/asperity/base.h):

    [any thread] | [many readers] | [one thread], then , yours: asp_X_destroy | , lent | , keeps ARGUMENT | , ends it

What a mark must say follows from the declaration where it can, and is checked:

  one thread    a call that can fail, ends an object, or takes one (an opaque type) as not const
  many readers  takes objects as const alone
  any thread    takes none
  ends it       asp_..._destroy, asp_..._close
  lent          returns a pointer to const, or gives one through an argument
  yours         returns a pointer, or gives an object through an argument; the named function is declared, and every
                destroy function is named by one at least

  header_contracts.py SOURCE
"""
import pathlib
import re
import sys

MARK = re.compile(r"\[((?:any|one) thread|many readers)((?:, [^\],]+)*)\]")
PARTS = re.compile(r"yours: (asp_\w+)|lent|keeps [a-z_]+(?: and [a-z_]+)*|ends it")


def declarations(text):
    """Pairs (declaration on one line, its comment) of everything that ASP_API marks."""
    for match in re.finditer(r"^(?:extern )?ASP_API\b([^;]*);([^\n]*)", text, re.M):
        start = text.rfind("/*", 0, match.start()) if text.endswith("*/\n", 0, match.start()) else 0
        above = text[start:match.start()] if start > 0 and text[start - 1] == "\n" else ""
        yield " ".join(match.group(1).split()), above + match.group(2)


def expected(declaration, opaque):
    """What the mark must have: the threads, and the words of ownership."""
    name = re.search(r"\basp_\w+", declaration).group(0)
    returns, _, rest = declaration.partition(name)
    arguments = rest.strip("()[] ").split(", ") if "(" in rest else []
    objects = [a for a in arguments if any(re.search(r"\b%s \*" % type, a) for type in opaque)]
    ends = name.endswith(("_destroy", "_close"))
    owns = set()
    if ends:
        owns.add("ends it")
    if re.match(r"const .*\*", returns) or any(re.match(r"const \w+ \*\*", a) for a in arguments):
        owns.add("lent")
    elif "*" in returns or any(re.match(r"(unsigned )?\w+ \*\*", a) and "(*" not in a for a in arguments):
        owns.add("yours")
    changes = any(not a.startswith("const ") for a in objects)
    threads = "one thread" if ends or changes or returns.strip() == "AspError" else "many readers" if objects else "any thread"
    return name, threads, owns


def main(source):
    headers = sorted(pathlib.Path(source, "include/asperity").glob("*.h"))
    texts = {path: path.read_text() for path in headers}
    together = "\n".join(texts.values())
    named = set(re.findall(r"^typedef struct (Asp\w+) \1;", together, re.M))
    opaque = named - set(re.findall(r"^struct (Asp\w+) \{", together, re.M))
    names, ended, bad, count = set(), set(), [], 0
    for path, text in texts.items():
        for declaration, comment in declarations(text):
            count += 1
            name, threads, owns = expected(declaration, opaque)
            names.add(name)
            marks = MARK.findall(comment)
            wanted = ", ".join([threads] + sorted(owns))
            if len(marks) != 1:
                bad.append(f"{path.name}: {name}: write one mark in its comment, like [{wanted}]")
                continue
            parts = [part for part in marks[0][1].split(", ") if part]
            for part in parts:
                if not PARTS.fullmatch(part):
                    bad.append(f"{path.name}: {name}: unknown words '{part}'")
            have = {part.split(":")[0] for part in parts if not part.startswith("keeps")}
            ended |= {part.split(": ")[1] for part in parts if part.startswith("yours")}
            if marks[0][0] != threads:
                bad.append(f"{path.name}: {name}: [{marks[0][0]}] must be [{threads}]")
            if not owns <= have or not have <= owns | {"yours"}:
                bad.append(f"{path.name}: {name}: owns {sorted(have)}, its declaration says {sorted(owns)}")
    destroys = {name for name in names if name.endswith("_destroy")}
    bad += [f"{name}: named by 'yours', not declared" for name in sorted(ended - names)]
    bad += [f"{name}: no function is marked 'yours: {name}'" for name in sorted(destroys - ended)]
    print("\n".join(bad + [f"{count} declarations, {len(bad)} mistakes"]))
    return bool(bad) or count < 200


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
