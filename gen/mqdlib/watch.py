"""What of a new release a person has to look at, because no table says it: from two revisions of Open MPI's sources."""
import re

from .errors import MqdError
from .shape import values

DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*?)[ \t]*(?:/\*.*)?$", re.MULTILINE)
CLASS = re.compile(r"OBJ_CLASS_INSTANCE\s*\(\s*(\w+)\s*,\s*(\w+)")
SOURCES = ["ompi/*.c", "opal/*.c", "orte/*.c"]
SOURCES_AND_HEADERS = SOURCES + ["ompi/*.h", "opal/*.h", "orte/*.h"]
# Classes of all kinds derive from these; nothing is concluded from an object's being one of them.
GENERAL = "opal_"


def changes(spec, watched, repository, old, new):
    """Yields (what, how) for what the sources of two revisions have otherwise."""
    yield from changed_classes(spec, repository, old, new)
    for header, pattern in watched["macros"].items():
        sides = [macros(repository.text(revision, header), pattern) for revision in (old, new)]
        if sides[0] is not None and sides[1] is None:
            yield header, "is gone"
        yield from values(sides[0] or {}, sides[1] or {})
    there = [mentioned(repository, revision, watched["symbols"]) for revision in (old, new)]
    for symbol in sorted(there[0] - there[1]):
        yield symbol, f"no source has this symbol any more, {old} had it"
    for source in watched["sources"]:
        if not holds(repository, new, source):
            yield source["file"], f"no longer shows that {source['text']}"


def macros(text, pattern):
    """The macros of a header that match, each with its definition as it is written there; None without a header."""
    if text is None:
        return None
    wanted = compiled(pattern)
    return {name: spelled(value) for name, value in DEFINED.findall(text.replace("\\\n", " "))
            if wanted.fullmatch(name) and value}


def spelled(value):
    """A definition in one spelling: 0x20 is 32."""
    try:
        return str(int(value, 0))
    except ValueError:
        return " ".join(value.split())


def compiled(pattern):
    """A pattern of the recipe."""
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error as error:
        raise MqdError(f"the recipe's pattern {pattern}: {error}") from error


def mentioned(repository, revision, words):
    """Those of some words that a source has."""
    options = [part for word in words for part in ("-e", word)]
    return set(repository.grep(revision, ["-w", "-F", "-o"] + options, SOURCES_AND_HEADERS).split()) if words else set()


def holds(repository, revision, source):
    """Whether a file of a revision shows what a probe relies on."""
    text = repository.text(revision, source["file"])
    return text is not None and compiled(source["pattern"]).search(text) is not None


def classes(repository, revision):
    """The pairs (class, class that it derives from) of which sources make a descriptor."""
    return set(CLASS.findall(repository.grep(revision, ["-A3", "-e", "OBJ_CLASS_INSTANCE"], SOURCES)))


def changed_classes(spec, repository, old, new):
    """Descriptors that are gone, and subtypes, except of those classes from which everything derives."""
    sides = [classes(repository, revision) for revision in (old, new)]
    names = [{name for name, _ in side} for side in sides]
    for type_spec in spec.types.values():
        if type_spec.descriptor == "class" and type_spec.name in names[0] - names[1]:
            yield type_spec.name, "no source makes its class descriptor any more"
    for name, parent in sorted(sides[0] ^ sides[1]):
        if parent in spec.types and not parent.startswith(GENERAL):
            yield parent, f"{'new subtype' if (name, parent) in sides[1] else 'a subtype is gone:'} {name}"
