"""header_filter.py HEADER: the header as Doxygen understands it, on stdout.

The first comment is about the file; its indented lines (equations, code) keep their form. Other comments on lines of their own belong to
what follows, those behind code to that code, titles of sections (---- title ----) to nothing. Enums that are made from a list have the
values of the list. A struct or enum and its typedef of the same name are one thing."""

import re
import sys


def keep_form(match):
    return " * @verbatim\n" + re.sub(r"^ \*", "", match[1], flags=re.M).strip("\n") + "\n@endverbatim\n"


def expand_lists(text):
    """enum { LIST(ENUM) } with the entries X(CODE, "name", ...) of LIST; the list itself is left out."""
    define = r"(?:^/\*[^\n]*\*/\n)?(?:^//[^\n]*\n)?^#define (ASP_\w+_LIST)\(X\) *\\\n((?:.*\\\n)*.*\n)(?:^//[^\n]*\n)?"
    for name, body in re.findall(define, text, flags=re.M):
        values = ""
        for code, word, comment in re.findall(r'X\((\w+), ("[^"]*").*?\) *(?:/\* (.*?) \*/)? *\\?\n', body):
            values += f"  {code}, /* {word}{': ' + comment if comment else ''} */\n"
        text = re.sub(rf"^#define \w+_ENUM\(.*\n *{name}\(\w+\)\n#undef .*\n", lambda _, values=values: values, text, flags=re.M)
    return re.sub(define, "", text, flags=re.M)


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, text = text.split("*/", 1)
    head = re.sub(r"((?:^ \*(?: {3,}.*)?\n)*^ \* {3,}.*\n)", keep_form, head, flags=re.M)
    text = head.replace("/* ", "/** @file\n * ", 1) + "*/" + expand_lists(text)
    text = re.sub(r"^( *)/\* (?!----)", r"\1/** ", text, flags=re.M)
    text = re.sub(r"([;,{}]|\bASP_\w+) */\* ", r"\1 /**< ", text)
    text = re.sub(r"^typedef (struct|enum) (\w+) (\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}) \2;", r"\1 \2 \3;", text, flags=re.M)
    for name in re.findall(r"^struct (\w+) \{", text, flags=re.M):
        text = re.sub(rf"^typedef struct {name} {name};", "", text, flags=re.M)
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
