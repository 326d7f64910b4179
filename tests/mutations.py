"""Small changes to a C source that its tests should notice.

They are found in the tokens of functions. Whether a change is C is for the compiler to say.
"""
import collections
import re

BLANK = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*""", re.S | re.M)
FUNCTION = re.compile(r"\b(\w+)\((?:[^;{}()]|\([^;{}()]*\))*\)\n(\{\n.*?^\})", re.S | re.M)
TOKEN = re.compile(r"->|\+\+|--|<<=?|>>=?|[-+*/%&|^<>=!]=|&&|\|\||\w+|@+|\S")     # @ is a character of a string
NUMBER = re.compile(r"(0x[0-9a-fA-F]+|\d+)([uUlL]*)$")
COMPARISONS = {"<": (">=", "<="), "<=": (">", "<"), ">": ("<=", ">="), ">=": ("<", ">"), "==": ("!=",), "!=": ("==",)}
ENDS = {"(", "[", "{", "}", ")", "]", ",", ";", "?", ":", "=", "|=", "&=", "return", "||"}
OPERAND_ENDS = {"||": ENDS, "&&": ENDS | {"&&"}, ",": {",", "(", ")"}}
NO_FUNCTIONS = {"if", "while", "for", "switch", "return", "sizeof", "_Static_assert"}
# Functions of these names compare: they say the same in either order. An array is as large as well.
SYMMETRIC = re.compile(r"str(n|case)?cmp$|memcmp$|allocate_array$|(is|are|has)_same_|has_only_tested$|"
                       r"witness_has_(moved|changed)$|\w+_(are_same|are_together|agree)$")
# Valgrind and the sanitizers notice that nothing is given back, and that an array has another size.
GIVES_BACK = re.compile(r"(\w+_)?(free(_all)?|clear|close|fclose|munmap|deinit|decref|end)$|closedir|dlclose|freeaddrinfo")
SIZE = re.compile(r"\s+(?!return )\w+ \*?\w[^=]*\[$|.*\ballocate_array\(")

Mutant = collections.namedtuple("Mutant", "path line function operator start end text changed")


class Body:
    """The tokens of a function. For each bracket, which one is the other; for each comma, which bracket it is in."""

    def __init__(self, text, blank, start, end):
        self.text, self.blank = text, blank
        self.places = [match.span() for match in TOKEN.finditer(blank, start, end)]
        self.tokens = [blank[slice(*place)] for place in self.places]
        self.other, opened = {}, []
        for i, token in enumerate(self.tokens):
            if token in ("(", "[", "{"):
                opened.append(i)
            elif token in (")", "]", "}"):
                self.other[i] = opened.pop()
                self.other[self.other[i]] = i
            elif token == ",":
                self.other[i] = opened[-1]

    def string(self, first, last):
        return self.text[self.places[first][0]:self.places[last][1]]

    def before(self, i):
        """Returns what stands before a token in its line."""
        return self.blank[:self.places[i][0]].rpartition("\n")[2]

    def operand(self, i, step):
        """Returns the first and last token of the operand before (step -1) or after (1) the operator at i."""
        brackets, last = ("(", "[", "{") if step > 0 else (")", "]", "}"), i
        while (token := self.tokens[last + step]) in brackets or token not in OPERAND_ENDS[self.tokens[i]]:
            last = self.other[last + step] if token in brackets else last + step
        return (i + 1, last) if step > 0 else (last, i - 1)

    def is_call(self, i):
        """Is the bracket at i that of a call?"""
        name = self.tokens[i - 1]
        return self.tokens[i] == "(" and name.isidentifier() and name not in NO_FUNCTIONS

    def changes(self):
        """Yields (operator, first token, last token, the text instead)."""
        for i, token in enumerate(self.tokens):
            for operator, changed in zip(("comparison", "boundary"), COMPARISONS.get(token, ())):
                yield operator, i, i, changed
            if token in ("&&", "||"):
                for step in (-1, 1):
                    yield ("operand", *self.operand(i, step), "1" if token == "&&" else "0")
            if token == "," and self.is_call(self.other[i]) and not SYMMETRIC.match(self.tokens[self.other[i] - 1]):
                (first, end), (start, last) = self.operand(i, -1), self.operand(i, 1)
                yield "arguments", first, last, f"{self.string(start, last)}, {self.string(first, end)}"
            if token == "(" and self.is_call(i) and self.tokens[self.other[i] + 1] == ";":
                if self.before(i - 1).strip() in ("", "(void)") and not GIVES_BACK.match(self.tokens[i - 1]):
                    yield "call", i - 1, self.other[i], f"0 /* {self.string(i - 1, self.other[i])} */"
            if (match := NUMBER.match(token)) and self.tokens[i - 1] != "case" and not SIZE.match(self.before(i)):
                number, is_negative = int(match[1], 0), self.before(i).endswith("-")
                for value in [number - 1] * (number > 0) + [number + 1] * (not is_negative):    # -2 is as good as -1
                    yield "constant", i, i, f"{value}{match[2]}"


def mutants_of(path, text):
    """Returns all mutants of a source, by place."""
    blank = BLANK.sub(lambda match: re.sub(".", "@" if match[0][0] in "\"'" else " ", match[0]), text)
    found = {}
    for function in FUNCTION.finditer(blank):
        body = Body(text, blank, *function.span(2))
        for operator, first, last, changed in body.changes():
            start, end = body.places[first][0], body.places[last][1]
            line = text[:start].rpartition("\n")[2] + changed + text[end:].partition("\n")[0]
            found[start, end, changed] = Mutant(path, text.count("\n", 0, start) + 1, function[1], operator, start, end,
                                                changed, " ".join(line.split()))
    return [found[key] for key in sorted(found)]
