"""A table is one layout as JSON. `load` checks everything that can be checked without Open MPI."""
import json
import re

from .errors import MqdError
from .files import read_text
from .geometry import KINDS, Geometry
from .library import LIBRARIES
from .located import parse, place
from .spec import MAY_LACK

FORMAT = 1
MAX_COLUMNS = 100
MAX_CONSTANT = (1 << 63) - 1
MAX_BYTES = 65536  # MQD_MAX_TYPE_BYTES of layout/layout.h
MAX_TYPE_BYTES = 1 << 24  # UCX's worker has large arrays behind all that is read
RELEASE = re.compile(r"\d+\.\d+\.\d+", re.ASCII)
BUILD = re.compile(r"\d+\.\d+\.\d+[A-Za-z0-9.+~-]*", re.ASCII)
WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

TABLE_KEYS = ("format", "family", "abi", "variant", "origin", "types")
FAMILY_KEYS = ("first", "last")
ABI_KEYS = ("arch", "pointer", "long", "endian")
ORIGIN_KEYS = ("pahole", "spec", "checked", "macros")
TYPE_KEYS = ("size", "fields")
FIELD_KEYS = ("offset", "size", "kind")


def release_key(text):
    """Returns a key that sorts releases by number: 4.1.10 comes after 4.1.9."""
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)\.(\d+)", text).groups())


def library_of(table):
    """Returns the name of a table's library. Its origin has the release of this library by this name."""
    return next(name for name in LIBRARIES if name in table["origin"])


def made_from(table):
    """Returns the release that a table was made from."""
    return table["origin"][library_of(table)]


def variant_text(table):
    """
    Returns a table's variant as text, "assert debug-data". If it stands for several it is one word with all of them,
    "release/assert/assert+debug-data".
    """
    if "twins" not in table:
        return " ".join(table["variant"])
    return "/".join("+".join(words) for words in [table["variant"]] + table["twins"])


def identity(table):
    """Returns what identifies a table. No two tables of one program may have the same identity."""
    return (release_key(table["family"]["first"]), release_key(table["family"]["last"]), table["abi"]["arch"],
            table["abi"]["endian"], table["abi"]["pointer"], table["abi"]["long"], tuple(table["variant"]))


def to_text(table):
    """Returns a table as text: keys sorted, indented by two spaces, short objects of plain values on one line."""
    return render(table, "") + "\n"


def render(value, indent):
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    if not isinstance(value, dict) or not value:
        return text
    if len(text) <= MAX_COLUMNS and not any(isinstance(inner, dict) for inner in value.values()):
        return f"{{ {text[1:-1]} }}"
    deeper = indent + "  "
    lines = [f"{deeper}{json.dumps(key)}: {render(value[key], deeper)}" for key in sorted(value)]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


class Checker:
    """Checks the form of a parsed table, or of another JSON document of this project."""

    def __init__(self, path, document):
        self.path = path
        self.document = document

    def fail(self, where, what, key=None):
        """Raises MqdError. `where` is a sequence of keys joined by dots; `key` is the key in it with the error."""
        at = place(self.path, self.document, [name for name in where.split(".") + [key] if name])
        raise MqdError(f"{at}: {where}: {what}" if where else f"{at}: {what}")

    def object(self, where, value, keys=None, optional=()):
        if not isinstance(value, dict):
            self.fail(where, "must be an object")
        for key in keys or ():
            if key not in value:
                self.fail(where, f"the key \"{key}\" is missing")
        for key in value:
            if keys is not None and key not in keys and key not in optional:
                self.fail(where, f"the key \"{key}\" is unknown", key)

    def number(self, where, value, low, high):
        if type(value) is not int or not low <= value <= high:
            self.fail(where, f"must be a whole number from {low} to {high}, is {json.dumps(value)}")

    def text(self, where, value, pattern, what):
        if not isinstance(value, str) or not pattern.fullmatch(value):
            self.fail(where, f"must be {what}, is {json.dumps(value)}")

    def choice(self, where, value, allowed):
        if type(value) not in (str, int) or value not in allowed:
            self.fail(where, f"must be one of {', '.join(map(str, allowed))}, is {json.dumps(value)}")

    def table(self):
        table = self.document
        self.object("", table)
        version = table.get("format", FORMAT)
        if type(version) is not int or version != FORMAT:
            self.fail("format", f"is {json.dumps(version)}, this mqdgen knows only {FORMAT}")
        self.object("", table, TABLE_KEYS, ("constants", "twins"))
        self.head(table)
        self.object("constants", table.get("constants", {}))
        for name, value in table.get("constants", {}).items():
            self.number(f"constants.{name}", value, -MAX_CONSTANT - 1, MAX_CONSTANT)
        self.object("types", table["types"])
        for name, facts in table["types"].items():
            self.type(name, facts)

    def head(self, table):
        self.object("family", table["family"], FAMILY_KEYS)
        for key in FAMILY_KEYS:
            self.text(f"family.{key}", table["family"][key], RELEASE, 'a release like "4.1.0"')
        if release_key(table["family"]["first"]) > release_key(table["family"]["last"]):
            self.fail("family", "first is later than last")
        self.object("abi", table["abi"], ABI_KEYS)
        self.text("abi.arch", table["abi"]["arch"], WORD, "the name of an architecture")
        for key in ("pointer", "long"):
            self.choice(f"abi.{key}", table["abi"][key], (4, 8))
        self.choice("abi.endian", table["abi"]["endian"], ("little", "big"))
        self.variant("variant", table["variant"])
        if "twins" in table and (not isinstance(table["twins"], list) or not table["twins"]):
            self.fail("twins", "must be a list of variants")
        for twin in table.get("twins", ()):
            self.variant("twins", twin)
        self.origin(table["origin"])

    def variant(self, where, words):
        if not isinstance(words, list) or not words:
            self.fail(where, "must be a list of words")
        for word in words:
            self.text(where, word, WORD, "a word")

    def origin(self, origin):
        self.object("origin", origin)
        named = [name for name in LIBRARIES if name in origin] or ["openmpi"]
        # Types in C++ are stated by the compiler, without pahole.
        by_compiler = ("pahole",) if LIBRARIES[named[0]].language == "c++" else ()
        self.object("origin", origin, [named[0]] + [key for key in ORIGIN_KEYS if key not in by_compiler], by_compiler)
        self.text(f"origin.{named[0]}", origin[named[0]], BUILD, 'a release like "4.1.4"')
        if "pahole" in origin:
            self.text("origin.pahole", origin["pahole"], re.compile(r"\d+\.\d+"), 'a version like "1.24"')
        self.text("origin.spec", origin["spec"], re.compile(r"[0-9a-f]{16}"), "16 hexadecimal digits")
        self.choice("origin.checked", origin["checked"], ("offsetof", "none"))
        self.object("origin.macros", origin["macros"])
        for name, value in origin["macros"].items():
            if not IDENTIFIER.fullmatch(name) or type(value) not in (int, str):
                self.fail(f"origin.macros.{name}", "must be a macro with a number or a text")

    def type(self, name, facts):
        where = f"types.{name}"
        self.object(where, facts, TYPE_KEYS)
        self.number(f"{where}.size", facts["size"], 1, MAX_TYPE_BYTES)
        self.object(f"{where}.fields", facts["fields"])
        for member, field in facts["fields"].items():
            self.object(f"{where}.{member}", field, FIELD_KEYS, ("path",))
            self.number(f"{where}.{member}.offset", field["offset"], 0, MAX_BYTES)
            self.number(f"{where}.{member}.size", field["size"], 1, MAX_BYTES)
            self.choice(f"{where}.{member}.kind", field["kind"], KINDS)


def check_against_spec(path, table, spec):
    """
    Checks a table's types, steps and constants against the spec. One that the spec does not know is an error: otherwise
    a misspelled name would be taken for an absent one. A table that was made for another spec may lack some.
    """
    for name, facts in table["types"].items():
        if name not in spec.types:
            raise MqdError(f"{place(path, table, ['types', name])}: {name}: {spec.path} knows no such type: extract "
                           "the table again or remove it")
        for member, field in facts["fields"].items():
            step = spec.types[name].steps.get(member)
            where = place(path, table, ["types", name, member])
            if step is None:
                raise MqdError(f"{where}: {name}.{member}: {spec.path} knows no such step: extract the table again or "
                               "remove it")
            if step.rule != "varies" and field["kind"] != step.kind:
                raise MqdError(f"{where}: {step.name}: kind is {field['kind']}, {spec.path}:{step.line} says "
                               f"{step.kind}: extract the table again")
            if field.get("path", step.ways[0]) not in step.ways:
                raise MqdError(f"{where}: {step.name}: path is {json.dumps(field['path'])}, {spec.path}:{step.line} "
                               f"says {' or '.join(step.ways)}: extract the table again")
    for name, value in table.get("constants", {}).items():
        where = place(path, table, ["constants", name])
        if name not in spec.constants:
            raise MqdError(f"{where}: {name}: {spec.path} knows no such constant: extract the table again or remove it")
        constant = spec.constants[name]
        if not constant.fits(value):
            raise MqdError(f"{where}: {constant.title}: {value} is no {constant.kind}, as {spec.path}:{constant.line} "
                           "says")
    if table["origin"]["spec"] == spec.digest:
        check_complete(path, table, spec)


def check_complete(path, table, spec):
    """
    Checks that a table which was made for this spec has everything that every family has. From debug information it
    need not have all constants.
    """
    for type_spec in spec.types.values():
        if type_spec.name not in table["types"]:
            if not type_spec.may_lack:
                raise MqdError(f"{place(path, table, ['types'])}: {type_spec.name}: the type is missing: extract the "
                               "table again")
            continue
        for step in type_spec.steps.values():
            if step.rule not in MAY_LACK and step.member not in table["types"][type_spec.name]["fields"]:
                raise MqdError(f"{place(path, table, ['types', type_spec.name])}: {step.name}: the field is missing: "
                               "extract the table again")
    if table["origin"]["checked"] == "none":
        return
    for constant in spec.constants.values():
        if constant.rule == "always" and constant.name not in table.get("constants", {}):
            raise MqdError(f"{place(path, table, ['constants'])}: {constant.title}: the constant is missing: extract "
                           "the table again")


def validate(path, table, spec):
    """Raises MqdError if the table is malformed, contradicts the spec, or is impossible as a layout."""
    Checker(path, table).table()
    check_against_spec(path, table, spec)
    Geometry(path, table["abi"], table["types"], spec).check()


def spec_of(path, table, specs):
    """Returns the Spec of a table's library, from {name of the library: Spec}; or `specs`, if it is one Spec."""
    if not isinstance(specs, dict):
        specs = {specs.library.name: specs}
    origin = table.get("origin") if isinstance(table, dict) else None
    named = [name for name in LIBRARIES if isinstance(origin, dict) and name in origin]
    if named and named[0] not in specs:
        raise MqdError(f"{path}: is a table of {LIBRARIES[named[0]].title}: name the list of its types with --spec")
    return specs[named[0]] if named else next(iter(specs.values()))


def load(path, specs):
    """
    Returns (table, text) of a table file. Raises MqdError if the table is not valid for the list of its library.
    `specs` is {name of the library: Spec}, or the one Spec that all tables are of.
    """
    text = read_text(path)
    table = parse(path, text)
    validate(path, table, spec_of(path, table, specs))
    return table, text
