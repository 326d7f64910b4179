"""
Reads a list of layout/, like openmpi.def, whose head comment states the grammar. All else is an error that names
the line.
"""
import hashlib
import re

from .errors import MqdError
from .files import read_text
from .library import LIBRARIES

INT_KINDS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
CONSTANT_KINDS = INT_KINDS + ("enum", "ptr")
STEP_KINDS = INT_KINDS + ("ptr", "size", "enum", "bool", "chars", "bytes")
RULES = ("always", "varies", "optional", "by_release")
MAY_LACK = ("optional", "by_release")
HEADER_RULES = ("always", "optional", "foreign")
CONSTANT_RULES = ("always", "optional")
NOT_A_CAPABILITY = ("part", "extra")

WORD = r"([A-Za-z_][A-Za-z0-9_]*)"
MEMBERS = r"[A-Za-z_][A-Za-z0-9_]*(?:\[0\])?(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[0\])?)*"
WAYS = rf'"({MEMBERS}(?: {MEMBERS})*)"'
FORMS = {
    "MQD_LIBRARY": WORD + r', "([^"\\%]+)"',
    "MQD_HEADER": r'"([A-Za-z0-9_][A-Za-z0-9_./-]*\.(?:h|inl|c))", ' + WORD,
    "MQD_TYPE": ", ".join([WORD] * 4),
    "MQD_STEP": ", ".join([WORD] * 4),
    "MQD_FIELD": ", ".join([WORD] * 6),
    "MQD_EMBED": ", ".join([WORD] * 4),
    "MQD_NESTED": ", ".join([WORD, WORD, WAYS, WORD, WORD]),
    "MQD_PATH": ", ".join([WORD] * 5),
    "MQD_CONSTANT": f'{WORD}, (?:{WORD}|"({WORD[1:-1]}(?: {WORD[1:-1]})+)"), {WORD}, {WORD}, {WORD}',
    "MQD_CAPABILITY": WORD + r', "([^"\\%]+)"',
}
LINES = {name: re.compile(rf"{name}\({arguments}\)") for name, arguments in FORMS.items()}


class Step:
    """
    A member of a type: a number of some kind, or (kind "struct") the embedded type `inner`, or an array of it. `ways`
    are the members that lead to it; more than one member in a way, or more than one way, has only a nested step.
    """

    def __init__(self, type_name, member, kind, inner, rule, line, ways=None):
        self.type_name = type_name
        self.member = member
        self.kind = kind
        self.inner = inner
        self.rule = rule
        self.line = line
        self.nested = ways is not None
        self.ways = ways or (member,)

    @property
    def name(self):
        return f"{self.type_name}.{self.member}"

    def may_overlap(self, other):
        """
        True if the text of two steps allows that they lie in the same bytes: two nested steps whose ways part before
        the last member of both lie in different structs, which may be members of one union.
        """
        return self.nested and other.nested and any(part_early(one.split("."), two.split("."))
                                                    for one in self.ways for two in other.ways)


def part_early(one, two):
    """True if two lists of members differ somewhere before the last member of each."""
    return any(a != b for a, b in zip(one[:-1], two[:-1]))


class Type:
    """A C type. `form` is struct, union or tag; `size_rule` is exact or at_least; `steps` maps members to Steps."""

    def __init__(self, name, form, size_rule, descriptor, line):
        self.name = name
        self.form = form
        self.size_rule = size_rule
        self.descriptor = descriptor
        self.line = line
        self.steps = {}

    @property
    def c_name(self):
        """Its name in C."""
        return f"struct {self.name}" if self.form == "tag" else self.name

    @property
    def may_lack(self):
        """True if a family may lack the type: it may then lack each of its steps."""
        return bool(self.steps) and all(step.rule in MAY_LACK for step in self.steps.values())


class Path:
    """A place in an object. `step` is its last step; the root has None."""

    def __init__(self, name, parent, step, need, line):
        self.name = name
        self.parent = parent
        self.step = step
        self.need = need
        self.line = line


class Constant:
    """
    A constant of the library. `expressions` are its names in C: of those that a release knows the first one counts.
    """

    def __init__(self, name, expressions, kind, rule, need, line):
        self.name = name
        self.expressions = expressions
        self.kind = kind
        self.rule = rule
        self.need = need
        self.line = line

    @property
    def title(self):
        """Its name in messages."""
        return f"constant {self.name} ({' or '.join(self.expressions)})"

    def fits(self, value):
        """True if a member of this constant's kind can hold the value."""
        kind = {"enum": "i32", "ptr": "u64"}.get(self.kind, self.kind)
        bits = int(kind[1:])
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
        return low <= value <= min(high, (1 << 63) - 1)


class Spec:
    """
    The whole list. `headers` maps each header's path to its line. `optional_headers` has the paths of the headers that
    a family may lack, `foreign_headers` those of them that include headers of another package. The other dictionaries
    map names to objects. All keep the order of the file.
    """

    def __init__(self, path):
        self.path = path
        self.library = None
        self.headers = {}
        self.optional_headers = set()
        self.foreign_headers = set()
        self.types = {}
        self.paths = {"root": Path("root", None, None, None, 0)}
        self.constants = {}
        self.capabilities = {}

    @property
    def title(self):
        """What people call the library."""
        return self.library.title

    def steps(self):
        """Every step of every type, in order."""
        for type_ in self.types.values():
            yield from type_.steps.values()

    def c_files(self):
        """Returns the .c files among the headers: types that no header has are defined there."""
        return [path for path in self.headers if path.endswith(".c")]

    @property
    def digest(self):
        """A hash of what a table depends on: types, steps and constants. Order, comments and paths do not change it."""
        lines = [f"type {t.name} {t.form} {t.size_rule} {t.descriptor}" for t in self.types.values()]
        lines += [f"step {s.name} {s.kind} {s.inner or '-'} {s.rule}" + "".join(f" {way}" for way in s.ways if s.nested)
                  for s in self.steps()]
        lines += [f"constant {c.name} {' '.join(c.expressions)} {c.kind} {c.rule}" for c in self.constants.values()]
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


class Reader:
    """Reads the lines in one pass. What depends on the whole list is checked at the end."""

    def __init__(self, path):
        self.spec = Spec(path)
        self.line = 0
        self.open_type = None
        self.enumerators = {}

    def fail(self, what, line=None):
        raise MqdError(f"{self.spec.path}:{self.line if line is None else line}: {what}")

    def one_of(self, what, word, allowed):
        if word not in allowed:
            self.fail(f"{what} {word}: must be {', '.join(allowed[:-1])} or {allowed[-1]}")

    def read(self, text):
        in_comment_since = 0
        for self.line, line in enumerate(text.split("\n"), 1):
            if in_comment_since:
                if "*/" in line:
                    self.comment_ends(line)
                    in_comment_since = 0
            elif line.startswith("/*"):
                if "*/" in line[2:]:
                    self.comment_ends(line)
                else:
                    in_comment_since = self.line
            elif line:
                self.entry(line)
        if in_comment_since:
            self.fail("this comment never ends", in_comment_since)
        if self.spec.library is None:
            self.fail("there is no MQD_LIBRARY, which must be the first row")
        self.check_needs()
        return self.spec

    def comment_ends(self, line):
        if not line.endswith("*/") or line.count("*/") != 1:
            self.fail("something follows a comment on its line")

    def entry(self, line):
        name = line.split("(", 1)[0]
        if name not in LINES:
            self.fail(f"neither a comment nor one of {', '.join(LINES)} at the start of a line: {line[:60]!r}")
        match = LINES[name].fullmatch(line)
        if match is None:
            self.fail(f"not the form of {name} that the head of the file gives: {line[:60]!r}")
        if self.spec.library is None and name != "MQD_LIBRARY":
            self.fail(f"{name}: the first row must be MQD_LIBRARY")
        if name not in ("MQD_STEP", "MQD_FIELD", "MQD_EMBED", "MQD_NESTED"):
            self.open_type = None
        getattr(self, name)(*match.groups())

    def MQD_LIBRARY(self, name, title):
        if self.spec.library is not None:
            self.fail("a list is of one library, which its first row names")
        self.one_of("library", name, tuple(LIBRARIES))
        if title != LIBRARIES[name].title:
            self.fail(f"library {name}: its title is {LIBRARIES[name].title}")
        self.spec.library = LIBRARIES[name]

    def MQD_HEADER(self, path, rule):
        self.one_of("rule", rule, HEADER_RULES)
        if ".." in path.split("/"):
            self.fail(f"header {path}: must not climb with ..")
        if path in self.spec.headers:
            self.fail(f"header {path} is already in line {self.spec.headers[path]}")
        self.spec.headers[path] = self.line
        if rule != "always":
            self.spec.optional_headers.add(path)
        if rule == "foreign":
            self.spec.foreign_headers.add(path)

    def MQD_TYPE(self, name, form, size_rule, descriptor):
        if name in self.spec.types:
            self.fail(f"type {name} is already in line {self.spec.types[name].line}")
        self.one_of("form", form, ("struct", "union", "tag"))
        self.one_of("size rule", size_rule, ("exact", "at_least"))
        self.one_of("descriptor", descriptor, ("class", "plain"))
        self.open_type = Type(name, form, size_rule, descriptor, self.line)
        self.spec.types[name] = self.open_type

    def MQD_STEP(self, type_name, member, kind, rule):
        self.one_of("kind", kind, STEP_KINDS)
        self.add_step(Step(type_name, member, kind, None, rule, self.line))

    def MQD_FIELD(self, type_name, member, kind, rule, path, need):
        self.MQD_STEP(type_name, member, kind, rule)
        self.MQD_PATH(path, "root", type_name, member, need)

    def MQD_EMBED(self, type_name, member, inner, rule):
        if inner not in self.spec.types or inner == type_name:
            self.fail(f"{type_name}.{member}: type {inner} must come before the type that embeds it")
        self.add_step(Step(type_name, member, "struct", inner, rule, self.line))

    def MQD_NESTED(self, type_name, member, ways, kind, rule):
        self.one_of("kind", kind, STEP_KINDS)
        ways = tuple(ways.split(" "))
        if len(set(ways)) != len(ways):
            self.fail(f"step {type_name}.{member}: one way is there twice")
        self.add_step(Step(type_name, member, kind, None, rule, self.line, ways))

    def add_step(self, step):
        self.one_of("rule", step.rule, RULES)
        if self.open_type is None or self.open_type.name != step.type_name:
            self.fail(f"step {step.name} does not follow its MQD_TYPE({step.type_name}, ...) directly")
        if step.member in self.open_type.steps:
            self.fail(f"step {step.name} is already in line {self.open_type.steps[step.member].line}")
        enumerator = f"{step.type_name}__{step.member}"
        if enumerator in self.enumerators:
            self.fail(f"step {step.name} has the same identifier, {enumerator}, as {self.enumerators[enumerator]}")
        self.enumerators[enumerator] = step.name
        self.open_type.steps[step.member] = step

    def MQD_PATH(self, name, parent, type_name, member, need):
        spec = self.spec
        if name == "root":
            self.fail("path root is the object itself and is not listed")
        if name in spec.paths:
            self.fail(f"path {name} is already in line {spec.paths[name].line}")
        if parent not in spec.paths:
            self.fail(f"path {name}: its parent {parent} does not come before it")
        if type_name not in spec.types or member not in spec.types[type_name].steps:
            self.fail(f"path {name}: there is no step {type_name}.{member} before it")
        last = spec.paths[parent].step
        if last is not None and last.inner != type_name:
            what = f"embeds {last.inner}" if last.inner else f"is a {last.kind}, not an MQD_EMBED"
            self.fail(f"path {name}: a step of {type_name} cannot follow {parent}: {last.name} {what}")
        spec.paths[name] = Path(name, parent, spec.types[type_name].steps[member], need, self.line)

    def MQD_CONSTANT(self, name, expression, alternatives, kind, rule, need):
        if name in self.spec.constants:
            self.fail(f"constant {name} is already in line {self.spec.constants[name].line}")
        self.one_of("kind", kind, CONSTANT_KINDS)
        self.one_of("rule", rule, CONSTANT_RULES)
        if need == "part" or (rule == "optional" and need != "extra"):
            self.fail(f"constant {name}: need {need}: must be a capability or extra, and extra if the rule is optional")
        expressions = (expression,) if expression else tuple(alternatives.split(" "))
        if len(set(expressions)) != len(expressions):
            self.fail(f"constant {name}: one name is there twice")
        self.spec.constants[name] = Constant(name, expressions, kind, rule, need, self.line)

    def MQD_CAPABILITY(self, name, text):
        if name in NOT_A_CAPABILITY:
            self.fail(f"capability {name}: the word has a meaning of its own as a path's need")
        if name in self.spec.capabilities:
            self.fail(f"capability {name} is there twice")
        self.spec.capabilities[name] = text

    def check_needs(self):
        for path in self.spec.paths.values():
            if path.need is not None and path.need not in self.spec.capabilities and path.need not in NOT_A_CAPABILITY:
                self.fail(f"path {path.name}: there is no capability {path.need}", path.line)
        for constant in self.spec.constants.values():
            if constant.need not in self.spec.capabilities and constant.need not in NOT_A_CAPABILITY:
                self.fail(f"constant {constant.name}: there is no capability {constant.need}", constant.line)


def read_specs(paths):
    """
    Returns {name of the library: Spec} of several lists, in their order. Their names share one space of identifiers in
    C: none may be in two lists.
    """
    specs = {}
    for path in paths:
        spec = read_spec(path)
        if spec.library.name in specs:
            raise MqdError(f"{path}: is a list of {spec.title}, as {specs[spec.library.name].path} is")
        for other in specs.values():
            for what in ("types", "paths", "constants", "capabilities"):
                both = sorted(set(getattr(spec, what)) & set(getattr(other, what)) - {"root"})
                if both:
                    raise MqdError(f"{path}: {both[0]} is also in {other.path}: choose another name")
        specs[spec.library.name] = spec
    return specs


def read_spec(path):
    """Returns the Spec in a file. Raises MqdError with the text "file:line: what is wrong"."""
    return Reader(path).read(read_text(path))
