"""Small changes to a C source that its tests should notice.

They are found in the tokens. A change that is no C, or changes nothing, is for the compiler to find. Calls that only
give something back are not dropped, because that is for valgrind and the sanitizers to notice.
"""
import collections
import re

TOKEN = re.compile(r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\.|[^\n\\])*)|
                   "(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|
                   \d+\.\d*|(?P<number>0[xX][0-9a-fA-F]+|\d+)[uUlL]*|(?P<name>[A-Za-z_]\w*)|->|\+\+|--|
                   <<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\S""", re.S | re.M | re.X)
COMPARISONS = {"<": (">=", "<="), "<=": (">", "<"), ">": ("<=", ">="), ">=": ("<", ">"), "==": ("!=",), "!=": ("==",)}
# What ends an operand, at its depth.
ENDS = {"(", "[", "{", "}", ")", "]", ",", ";", "?", ":", "=", "|=", "&=", "return", "||"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "do", "else", "case", "_Static_assert", "defined"}
GIVES_BACK = re.compile(r"(\w+_)?(free|close|fclose|munmap|deinit|decref|end)$|va_end|closedir|dlclose|freeaddrinfo")
SYMMETRIC = {"strcmp", "strncmp", "memcmp", "strcasecmp"}

Token = collections.namedtuple("Token", "text start end number name")
Mutant = collections.namedtuple("Mutant", "path line last operator start end text changed")


class Source:
    """The tokens of a file. For each: which one is the other bracket, and is it within a function or an initialiser?"""

    def __init__(self, text):
        self.text = text
        self.tokens = [Token(match.group(), *match.span(), match.group("number"), match.group("name"))
                       for match in TOKEN.finditer(text) if not match.group("skip")]
        self.pair, self.where = {}, []
        opened, kinds = [], [None]
        for i, token in enumerate(self.tokens):
            self.where.append(kinds[-1])
            if token.text in ("(", "[", "{"):
                opened.append(i)
                kinds.append(self.kind(i, kinds[-1]) if token.text == "{" else kinds[-1])
            elif token.text in (")", "]", "}"):
                self.pair[i] = opened.pop()
                self.pair[self.pair[i]] = i
                kinds.pop()

    def __getitem__(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def kind(self, i, outer):
        """What the bracket { begins: code, the values of an initialiser, or a type (None)."""
        before = self[i - 1]
        if outer is None:
            return "code" if before == ")" else None
        if outer == "values" or before in ("=", ",", "("):
            return "values"
        if before == ")":     # after a cast it is a compound literal
            name = self.tokens[self.pair[i - 1] - 1].name
            return "code" if name and name not in ("return", "sizeof") else "values"
        return "code" if before in (";", "{", "}", "else", "do", ":") else None

    def operand(self, i, step):
        """Returns the first and last token of the operand before (step -1) or after (1) the operator at i."""
        ends = ENDS | ({"&&"} if self[i] == "&&" else set())
        last = i
        while self[last + step] not in ends | {""} or (self[last + step] in ("([{" if step > 0 else ")]}") and
                                                       last + step in self.pair):
            last += step
            last = self.pair[last] if self[last] in ("([{" if step > 0 else ")]}") else last
        return (i + 1, last) if step > 0 else (last, i - 1)

    def arguments(self, i):
        """Returns the first and last tokens of the arguments of the call at i."""
        found, first, j = [], i + 2, i + 2
        while j < self.pair[i + 1]:
            if self[j] == ",":
                found.append((first, j - 1))
                first = j + 1
            j = self.pair[j] + 1 if self[j] in ("(", "[", "{") else j + 1
        return found + [(first, j - 1)] if j > i + 2 else []

    def in_declaration(self, i):
        while self[i - 1] not in (";", "{", "}", "(", ""):
            i -= 1
        name = self.tokens[i].name
        return bool(name) and name not in KEYWORDS and (self[i + 1] == "*" or bool(self.tokens[i + 1].name))

    def string(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def changes(self):
        """Yields (operator, first token, last token, the text instead)."""
        for i, token in enumerate(self.tokens):
            if self.where[i] is None:
                continue
            text = token.text
            for name, changed in zip(("comparison", "boundary"), COMPARISONS.get(text, ())):
                yield name, i, i, changed
            if text in ("&&", "||"):
                for step in (-1, 1):
                    if step > 0 or self[self.operand(i, -1)[0] - 1] != text:   # it is the right one of the other
                        yield ("operand", *self.operand(i, step), "1" if text == "&&" else "0")
            if token.number and self.is_constant(i):
                number, is_negative = int(token.number, 0), self[i - 1] == "-" and not self.tokens[i - 2].name
                for value in [number + 1] * (not is_negative) + [number - 1] * (number > 0):
                    yield "constant", i, i, str(value) + text[len(token.number):]
            if token.name and token.name not in KEYWORDS and self[i + 1] == "(":
                yield from self.changed_calls(i)

    def is_constant(self, i):
        return not (self.where[i] == "values" or self[i - 1] == "case" or
                    (self[i - 1] in ("[", "=") and self[i + 1] in ("]", ",", ";") and self.in_declaration(i)))

    def begins_statement(self, i):
        if self[i - 1] == ")":
            return self[self.pair[i - 1] - 1] in ("if", "while", "for", "switch")
        return self[i - 1] in (";", "{", "}", "else", "do")

    def changed_calls(self, i):
        end = self.pair[i + 1]
        first = i - 3 if self[i - 3] + self[i - 2] + self[i - 1] == "(void)" else i
        if self.begins_statement(first) and self[end + 1] == ";" and not GIVES_BACK.match(self[i]):
            yield "call", first, end, f"/* {self.string(first, end)} */"
        arguments = self.arguments(i)
        for (first, last), (second, end) in zip(arguments, arguments[1:]):
            one, other = self.string(first, last), self.string(second, end)
            if one != other and self[i] not in SYMMETRIC:
                yield "arguments", first, end, other + self.text[self.tokens[last].end:self.tokens[second].start] + one


def mutants_of(path, text):
    """Returns all mutants of a source, by place."""
    found = []
    for operator, first, last, changed in (source := Source(text)).changes():
        start, end = source.tokens[first].start, source.tokens[last].end
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line = text[line_start:start] + changed + text[end:line_end]
        found.append(Mutant(path, text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1, operator, start, end,
                            changed, " ".join(line.split())))
    return sorted(set(found), key=lambda mutant: (mutant.start, mutant.operator, mutant.changed))
