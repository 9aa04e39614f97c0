"""header_filter.py HEADER: the header as Doxygen understands it, on stdout.

The first comment is about the file; its indented lines (equations, code) keep their form. Other comments on lines of their own belong to
what follows, those behind code to that code. A struct or enum and its typedef of the same name are one thing."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
head, text = text.split("*/", 1)
head = re.sub(r"((?:^ \*(?: {3,}.*)?\n)*^ \* {3,}.*\n)", r" * @verbatim\n\1 * @endverbatim\n", head, flags=re.M)
text = head.replace("/* ", "/** @file\n * ", 1) + "*/" + text
text = re.sub(r"^( *)/\* ", r"\1/** ", text, flags=re.M)
text = re.sub(r"([;,{}]|\bASP_\w+) */\* ", r"\1 /**< ", text)
text = re.sub(r"^typedef (struct|enum) (\w+) (\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}) \2;", r"\1 \2 \3;", text, flags=re.M)
for name in re.findall(r"^struct (\w+) \{", text, flags=re.M):
    text = re.sub(rf"^typedef struct {name} {name};", "", text, flags=re.M)
sys.stdout.write(text)
