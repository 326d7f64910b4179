"""Compares two revisions of a library in what no table shows, and a person has to look at in a new release."""
import re

from .errors import MqdError
from .shape import values

DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*?)[ \t]*(?:/\*.*)?$", re.MULTILINE)
CLASS = re.compile(r"OBJ_CLASS_INSTANCE\s*\(\s*(\w+)\s*,\s*(\w+)")
# Classes of all kinds derive from these. The DLL draws no conclusion from such a class, so new subtypes do not matter.
GENERAL = "opal_"


def changes(spec, watched, repository, old, new):
    """Yields (what, how) for each difference between the sources of two revisions."""
    yield from changed_classes(spec, repository, old, new)
    for header, pattern in watched["macros"].items():
        sides = [macros(repository.text(revision, header), pattern) for revision in (old, new)]
        if sides[0] is not None and sides[1] is None:
            yield header, "is gone"
        yield from values(sides[0] or {}, sides[1] or {})
    files = spec.library.sources_and_headers
    there = [mentioned(repository, revision, watched["symbols"], files) for revision in (old, new)]
    for symbol in sorted(there[0] - there[1]):
        yield symbol, f"no source has this symbol any more, {old} had it"
    for source in watched["sources"]:
        if not holds(repository, new, source):
            yield source["file"], f"no longer shows that {source['text']}"


def macros(text, pattern):
    """Returns {macro: definition} for the macros of a header that match the pattern; None if there is no header."""
    if text is None:
        return None
    wanted = compiled(pattern)
    return {name: spelled(value) for name, value in DEFINED.findall(text.replace("\\\n", " "))
            if wanted.fullmatch(name) and value}


def spelled(value):
    """Returns a definition in one spelling: 0x20 becomes 32."""
    try:
        return str(int(value, 0))
    except ValueError:
        return " ".join(value.split())


def compiled(pattern):
    """Returns a compiled pattern of the recipe."""
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error as error:
        raise MqdError(f"the recipe's pattern {pattern}: {error}") from error


def mentioned(repository, revision, words, files):
    """Returns those of the words that some of the files has, as a set."""
    options = [part for word in words for part in ("-e", word)]
    return set(repository.grep(revision, ["-w", "-F", "-o"] + options, files).split()) if words else set()


def holds(repository, revision, source):
    """True if a file of a revision still has the text that a test of the DLL relies on."""
    text = repository.text(revision, source["file"])
    return text is not None and compiled(source["pattern"]).search(text) is not None


def classes(spec, repository, revision):
    """Returns the pairs (class, parent class) for which the sources make a class descriptor."""
    return set(CLASS.findall(repository.grep(revision, ["-A3", "-e", "OBJ_CLASS_INSTANCE"], spec.library.sources)))


def changed_classes(spec, repository, old, new):
    """Yields (what, how) for class descriptors that are gone, and for subtypes that are new or gone."""
    sides = [classes(spec, repository, revision) for revision in (old, new)]
    names = [{name for name, _ in side} for side in sides]
    for type_spec in spec.types.values():
        if type_spec.descriptor == "class" and type_spec.name in names[0] - names[1]:
            yield type_spec.name, "no source makes its class descriptor any more"
    for name, parent in sorted(sides[0] ^ sides[1]):
        if parent in spec.types and not parent.startswith(GENERAL):
            yield parent, f"{'new subtype' if (name, parent) in sides[1] else 'a subtype is gone:'} {name}"
