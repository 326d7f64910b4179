"""Checks the documents of mqdump --json, and records, against their JSON Schemas, which are beside mqdump's source."""
import functools
import json
import os
import re
import sys

import whole_lines

sys.path.append("/usr/lib/python3/dist-packages")   # where Debian has it, whichever Python this is
try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../mqd/dump"))
DOCUMENT, RECORD = "mqdump.schema.json", "mqdump-record.schema.json"
REMARKS = {"$schema", "title", "description", "$defs"}
DRAFT = jsonschema.Draft202012Validator


class Invalid(ValueError):
    """A document is not as the schema has it: the path to the place, and what is wrong there."""


def is_integer(_, value):
    """For JSON Schema 1.0 is one, too. mqdump writes none so."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_pattern(_, pattern, value, __):
    """For Python the end of a line counts as that of the string."""
    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def check_items(validator, items, value, _):
    """Of a long array some items are enough: mqdump writes all in one way, and a flood has 11,000 messages."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            if i < MANY or i % MANY == 0 or i == len(value) - 1:
                yield from validator.descend(item, items, path=i)


MANY = 100
Validator = jsonschema.validators.extend(DRAFT, {"pattern": check_pattern, "items": check_items},
                                         type_checker=DRAFT.TYPE_CHECKER.redefine("integer", is_integer))


def parts_of(schema):
    """Yields a schema and all those in it."""
    yield schema
    for part in (*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ()),
                 *([schema["items"]] if "items" in schema else ())):
        yield from parts_of(part)


def complaints(errors):
    """Yields the errors, but those of the alternatives in place of one that none of these is valid."""
    for error in errors:
        yield from complaints(error.context) if error.context else [error]


class Schema:
    """A schema of which nothing is passed over: all keywords are known, and all references lead to its definitions."""

    def __init__(self, schema):
        self.definitions = schema.get("$defs", {})
        try:
            Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            raise ValueError(f"it is no schema: {error.message}") from error
        for part in parts_of(schema):
            unknown = part.keys() - REMARKS - Validator.VALIDATORS.keys()
            reference = part.get("$ref", "")
            if unknown or (reference and reference not in map("#/$defs/{}".format, self.definitions)):
                raise ValueError(f"{unknown or reference} is not known here")
        self.whole = Validator(schema)
        self.parts = {name: Validator({"$ref": f"#/$defs/{name}", "$defs": self.definitions})
                      for name in self.definitions}

    def check(self, document, part=None):
        """Raises Invalid unless the document, or the part of this name, is valid."""
        errors = list(complaints((self.parts[part] if part else self.whole).iter_errors(document)))
        if errors:
            raise Invalid(" and ".join(f"{part or ''}{error.json_path}: {short(error.message)}" for error in errors[:8]))


def short(text):
    return text if len(text) <= 300 else f"{text[:100]} ... {text[-200:]}"


def unique(pairs):
    """The members of an object, none of which may be there twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Invalid(f"members of one name: {[name for name, _ in pairs]}")
    return members


@functools.lru_cache
def installed(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return Schema(json.load(file))


def kinds():
    """The kinds of lines of a record."""
    return [one["$ref"].rpartition("/")[2] for one in installed(RECORD).whole.schema["anyOf"]]


def load(text):
    """The document that mqdump --json has printed; a ValueError if it is no JSON, or not as the schema has it."""
    document = json.loads(text, object_pairs_hook=unique)
    installed(DOCUMENT).check(document)
    return document


def load_record(text):
    """The lines of a record, as whole ones; a ValueError if one is no JSON, or not as the schema has it."""
    lines = [json.loads(line, object_pairs_hook=unique) for line in text.splitlines()]
    for line in lines:
        if "like" in line:
            installed(RECORD).check(line, "like")
    lines = list(whole_lines.whole_lines(lines))
    for line in lines:
        if line["line"] not in kinds():
            raise Invalid(f"{line['line']}: there are no such lines")
        installed(RECORD).check(line, line["line"])
    return lines
