"""Small changes of C code, one at a time: what a mistake looks like.

Only bodies of functions are changed; comments, texts, lines of the preprocessor, asserts and declarations without a
value are left alone. A change keeps the number of lines. What does not compile, or gives the same machine code, is
found by the compiler and does not count (mutation.py). Calls that give memory back are not removed: a leak is found by
the sanitizers (preset asan), not by a result.
"""
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
""", re.X | re.S | re.M)

COMPARISON = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
LOGIC = {"&&": ["||"], "||": ["&&"]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="]}
TYPES = {"void", "char", "int", "double", "float", "bool", "const", "unsigned", "long", "size_t", "struct", "FILE"}
WORDS = {"return", "if", "while", "for", "else", "do", "switch", "case", "goto", "sizeof", "break", "continue"}
GIVES_BACK = re.compile(r"\w*(free|destroy|release|fclose)$")
UNTOUCHED = {"assert", "static_assert", "_Static_assert", "sizeof", "ASP_ASSERT"}


class Token:
    def __init__(self, kind, text, at, line):
        self.kind, self.text, self.at, self.line = kind, text, at, line


def tokens_of(text):
    tokens, line, at = [], 1, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError("no token at line %d" % line)
        if match.lastgroup != "skip":
            tokens.append(Token(match.lastgroup, match.group(), at, line))
        line += match.group().count("\n")
        at = match.end()
    return tokens


def closing(tokens, i):
    """Index of the mark that closes the one at i."""
    pairs, depth = {"(": ")", "[": "]", "{": "}"}, 0
    for k in range(i, len(tokens)):
        depth += tokens[k].text in pairs
        depth -= tokens[k].text in pairs.values()
        if depth == 0:
            return k
    return len(tokens) - 1


def bodies_of(tokens):
    """Pairs (first, last) of tokens inside function bodies: a brace at the outer level that follows a parenthesis."""
    i = 0
    while i < len(tokens):
        if tokens[i].text == "{":
            end = closing(tokens, i)
            if i and tokens[i - 1].text == ")":
                yield i + 1, end
            i = end
        i += 1


def is_type(token):
    return token.text in TYPES or re.match(r"Asp[A-Z]|[A-Z][a-z]+[A-Z]?[a-z]*$|\w+_t$", token.text) is not None


def of_operator(tokens, i):
    token, before, after = tokens[i], tokens[i - 1], tokens[i + 1]
    value_before = before.kind == "number" or before.text in (")", "]") or (before.kind == "name" and before.text not in WORDS)
    if token.text in COMPARISON:
        return [("comparison", new) for new in COMPARISON[token.text]]
    if token.text in LOGIC:
        return [("logic", new) for new in LOGIC[token.text]]
    if token.text not in ARITHMETIC:
        return []
    if len(token.text) == 2:
        return [("arithmetic", new) for new in ARITHMETIC[token.text]]
    if not value_before:
        return [("sign", "")] if token.text == "-" and after.text != "1" else []
    if token.text == "*" and (is_type(before) or after.text in ("*", "const", ")")):
        return []
    return [("arithmetic", new) for new in ARITHMETIC[token.text]]


def of_number(tokens, i):
    text = tokens[i].text
    if tokens[i - 1].text == "[" and tokens[i + 1].text == "]":
        return []
    if re.fullmatch(r"\d+", text):
        return [("constant", str(int(text) + 1))]
    if re.fullmatch(r"[\d.eE+-]+", text):
        return [("constant", "1.0" if float(text) == 0 else "(2 * %s)" % text)]
    return []


def statement_end(tokens, i, last):
    """Index of the ';' that ends the expression statement at i, None when it is something else."""
    depth = 0
    for k in range(i, last):
        depth += tokens[k].text in "([{"
        depth -= tokens[k].text in ")]}"
        if depth < 0 or (depth == 0 and tokens[k].text in "{}"):
            return None
        if depth == 0 and tokens[k].text == ";":
            return k
    return None


def is_declaration(tokens, i):
    first, second = tokens[i], tokens[i + 1]
    return first.text in TYPES or first.text == "static" or second.kind == "name" or \
        (second.text == "*" and is_type(first))


def mutants_of(text):
    """All changes of a file: (at, length, new text, line, kind)."""
    tokens, found = tokens_of(text), []

    def change(first, last, new, kind):
        start, end = tokens[first].at, tokens[last].at + len(tokens[last].text)
        new += "\n" * (text[start:end].count("\n") - new.count("\n"))
        found.append((start, end - start, new, tokens[first].line, kind))

    for first, last in bodies_of(tokens):
        i, loop_head = first, 0
        while i < last:
            token, before = tokens[i], tokens[i - 1]
            if token.text in UNTOUCHED and tokens[i + 1].text == "(":
                i = closing(tokens, i + 1) + 1
                continue
            if token.text == "for":
                loop_head = closing(tokens, i + 1)
            if token.text in ("if", "while") and tokens[i + 1].text == "(":
                end = closing(tokens, i + 1)
                condition = text[tokens[i + 1].at:tokens[end].at + 1]
                change(i + 1, end, "(!%s)" % condition, "negated condition")
            elif token.text in ("continue", "break") and tokens[i + 1].text == ";":
                change(i, i, "", "removed statement")
            elif token.kind == "mark":
                for kind, new in of_operator(tokens, i):
                    change(i, i, new, kind)
            elif token.kind == "number":
                for kind, new in of_number(tokens, i):
                    change(i, i, new, kind)
            if i > loop_head and token.kind == "name" and token.text not in WORDS and not GIVES_BACK.match(token.text) and before.text in (";", "{", "}", ")", "else"):
                end = statement_end(tokens, i, last)
                if end is not None and not is_declaration(tokens, i):
                    change(i, end - 1, "", "removed statement")
            i += 1
    return found
