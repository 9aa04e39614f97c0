"""check_api.py HEADERS SITE: the page of every public header has its functions and its constants, and no scraps of markup."""

import html
import os
import re
import sys


def main(headers, site):
    missing, count = [], 0
    for name in sorted(os.listdir(headers)):
        with open(os.path.join(headers, name), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        with open(os.path.join(site, "docs/api", name.removesuffix(".h") + ".html"), encoding="utf-8") as file:
            source = file.read()
        page = html.unescape(re.sub(r"<[^>]*>", "", source))
        wanted = re.findall(r"^ASP_API [^;]*?\b(asp_\w+)\(", text, flags=re.M) + re.findall(r"^ *X\((ASP_\w+),", text, flags=re.M)
        for enum in re.findall(r"^typedef enum \w+ \{(.*?)\}", text, flags=re.M | re.S):
            wanted += re.findall(r"\b(ASP_\w+)\b(?=[ ,=\n])(?! *\()", re.sub(r"^#.*$", "", enum, flags=re.M))
        count += len(wanted)
        missing += [f"{name}: {word} is not on its page" for word in wanted if not re.search(rf"\b{word}\b", page)]
        missing += [f"{name}: its page shows {scrap}" for scrap in sorted(set(re.findall(r"&#?\w+;|@\w*verbatim", page)))]
    print("\n".join(missing), end="\n" if missing else "")
    print(f"{count} functions and constants of the C API, {len(missing)} mistakes on their pages")
    return 1 if missing or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
