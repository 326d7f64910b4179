"""Checks the documents of mqdump --json, and records, against their JSON Schemas, which are beside mqdump's source.

It knows the keywords that this schema uses, and refuses any other: what is not understood would be passed over.
"""
import functools
import json
import os
import re

import whole_lines

FOLDER = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../mqd/dump"))
DOCUMENT, RECORD = "mqdump.schema.json", "mqdump-record.schema.json"

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
         "number": (int, float)}
REMARKS = {"$schema", "title", "description", "$defs"}


class Invalid(ValueError):
    """A document is not as the schema has it: the path to the place, and what is wrong there."""


def is_type(value, name):
    """JSON knows no truth values that are numbers, as Python does."""
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def same(value, other):
    """Equal, and of one type."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)


class Schema:
    """A schema whose references are to its own definitions."""

    def __init__(self, schema):
        self.whole = schema
        self.examine(schema, "#")

    def examine(self, schema, path):
        """The schema itself: every keyword is known, and every reference leads somewhere."""
        for keyword, argument in schema.items():
            if keyword not in REMARKS and not hasattr(self, method_of(keyword)):
                raise ValueError(f"{path}: the keyword {keyword} is not known here")
            if keyword in ("properties", "$defs"):
                for name, part in argument.items():
                    self.examine(part, f"{path}/{keyword}/{name}")
            elif keyword == "items":
                self.examine(argument, f"{path}/{keyword}")
            elif keyword == "anyOf":
                for number, part in enumerate(argument):
                    self.examine(part, f"{path}/{keyword}/{number}")
            elif keyword == "$ref":
                self.definition(argument)
            elif keyword == "type" and not set(types_of(argument)) <= set(TYPES):
                raise ValueError(f"{path}: type {argument} is not known here")
            elif keyword == "additionalProperties" and argument is not False:
                raise ValueError(f"{path}: additionalProperties may be false only")

    def definition(self, reference):
        start, _, name = reference.rpartition("/")
        if start != "#/$defs" or name not in self.whole["$defs"]:
            raise ValueError(f"{reference} leads nowhere")
        return self.whole["$defs"][name]

    def check(self, document):
        """Raises Invalid unless the document is valid."""
        self.check_part(document, self.whole, "")

    def check_part(self, value, schema, path):
        for keyword, argument in schema.items():
            if keyword not in REMARKS:
                getattr(self, method_of(keyword))(value, argument, schema, path)

    def check_ref(self, value, reference, _, path):
        self.check_part(value, self.definition(reference), path)

    def check_any_of(self, value, schemas, _, path):
        complaints = []
        for schema in schemas:
            try:
                self.check_part(value, schema, path)
                return
            except Invalid as error:
                complaints.append(str(error))
        raise Invalid(" and ".join(complaints))

    def check_type(self, value, names, _, path):
        if not any(is_type(value, name) for name in types_of(names)):
            raise Invalid(f"{path}: {short(value)} is not of type {' or '.join(types_of(names))}")

    def check_const(self, value, constant, _, path):
        if not same(value, constant):
            raise Invalid(f"{path}: {short(value)} is not {constant}")

    def check_enum(self, value, values, _, path):
        if not any(same(value, one) for one in values):
            raise Invalid(f"{path}: {short(value)} is none of {values}")

    def check_minimum(self, value, least, _, path):
        if is_type(value, "integer") and value < least:
            raise Invalid(f"{path}: {value} is less than {least}")

    def check_min_length(self, value, least, _, path):
        if isinstance(value, str) and len(value) < least:
            raise Invalid(f"{path}: {short(value)} is shorter than {least}")

    def check_pattern(self, value, pattern, _, path):
        # Where the end of a line counts as that of the string, Python differs from JSON Schema.
        if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
            raise Invalid(f"{path}: {short(value)} does not match {pattern}")

    def check_items(self, value, schema, _, path):
        for number, item in enumerate(value if isinstance(value, list) else []):
            self.check_part(item, schema, f"{path}/{number}")

    def check_max_items(self, value, most, _, path):
        if isinstance(value, list) and len(value) > most:
            raise Invalid(f"{path}: {len(value)} items are more than {most}")

    def check_properties(self, value, schemas, _, path):
        for name in schemas.keys() & (value.keys() if isinstance(value, dict) else ()):
            self.check_part(value[name], schemas[name], f"{path}/{name}")

    def check_required(self, value, names, _, path):
        missing = [name for name in names if isinstance(value, dict) and name not in value]
        if missing:
            raise Invalid(f"{path}: {', '.join(missing)} is missing")

    def check_dependent_required(self, value, dependent, schema, path):
        for name, names in dependent.items():
            if isinstance(value, dict) and name in value:
                self.check_required(value, names, schema, path)

    def check_min_properties(self, value, least, _, path):
        if isinstance(value, dict) and len(value) < least:
            raise Invalid(f"{path}: has fewer than {least} members")

    def check_additional_properties(self, value, _, schema, path):
        unknown = sorted(value.keys() - schema.get("properties", {}).keys()) if isinstance(value, dict) else []
        if unknown:
            raise Invalid(f"{path}: {', '.join(unknown)} is not in the schema")


def method_of(keyword):
    """check_any_of for anyOf."""
    return "check_" + re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), keyword.lstrip("$"))


def types_of(names):
    return [names] if isinstance(names, str) else names


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


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


def load(text):
    """The document that mqdump --json has printed; a ValueError if it is no JSON, or not as the schema has it."""
    document = json.loads(text, object_pairs_hook=unique)
    installed(DOCUMENT).check(document)
    return document


def load_record(text):
    """The lines of a record, as whole ones; a ValueError if one is no JSON, or not as the schema has it."""
    lines = [json.loads(line, object_pairs_hook=unique) for line in text.splitlines()]
    kinds = installed(RECORD).whole["$defs"]
    for line in lines:
        if "like" in line:
            installed(RECORD).check_part(line, kinds["like"], line["line"])
    lines = list(whole_lines.whole_lines(lines))
    for line in lines:
        if f"#/$defs/{line['line']}" not in [one["$ref"] for one in installed(RECORD).whole["anyOf"]]:
            raise Invalid(f"{line['line']}: there are no such lines")
        installed(RECORD).check_part(line, kinds[line["line"]], line["line"])
    return lines
