"""Records in which one text after the other is hostile: each text that the schema of records knows."""

import copy
import json

import whole_lines

# What would be an element between tags, and an attribute within one; and a control of the direction of text. The
# shortest texts of a record have 15 bytes.
HOSTILE = "'\"<img a=b>\u202e"
# What parts of lines must have.
NEEDED = {"missing": {"job": "1", "fate": "has ended"}}
KINDS = ("header", "layout", "place", "frame", "communicator", "operations", "window", "rank", "warning")


def resolved(schema, definitions):
    while "$ref" in schema:
        schema = definitions[schema["$ref"].split("/")[-1]]
    return schema


def is_text(schema):
    return schema.get("$ref", "").endswith("/text") or (schema.get("type") == "string" and "pattern" not in schema)


def paths_of(schema, definitions):
    """Where there are texts in a line or a part of it: names, and "*" for each element of a list."""
    for name, part in resolved(schema, definitions).get("properties", {}).items():
        whole = resolved(part, definitions)
        if is_text(part):
            yield (name,)
        elif whole.get("type") == "object":
            yield from ((name, *rest) for rest in paths_of(whole, definitions))
        elif whole.get("type") == "array":
            found = [()] if is_text(whole["items"]) else paths_of(whole["items"], definitions)
            yield from ((name, "*", *rest) for rest in found)


def put(value, path, text):
    """Makes a text the hostile one. What the path leads through is made if it is not there."""
    name, *rest = path
    if name == "*":
        return [put(part, rest, text) if rest else text for part in value]
    if not rest:
        value[name] = text
    elif name not in value or value[name] == []:
        value[name] = put([{}] if rest[0] == "*" else dict(NEEDED.get(name, {})), rest, text)
    else:
        value[name] = put(value[name], rest, text)
    return value


def completed(lines):
    """With the kinds of lines that a small job does not have."""
    window = {}
    for line in lines:
        if line["line"] == "communicator":
            window = {"line": "window", "group": line["group"], "size": line["size"], "peers": [], "description": {}}
        if line["line"] == "rank":
            yield window
        if line["line"] == "layout":
            line = {**line, "libraries": [{"summary": {"name": "libucp"}}]}
        if line["line"] == "end":
            yield {"line": "warning", "text": "none"}
        yield line


def variants(record, schema):
    """Yields names of texts, each with the lines of a record in which this text is hostile."""
    with open(schema, encoding="utf-8") as file:
        definitions = json.load(file)["$defs"]
    with open(record, encoding="utf-8") as file:
        lines = list(completed(whole_lines.whole_lines(json.loads(line) for line in file)))
    lines[-1]["lines"] = len(lines)
    for kind in KINDS:
        for path in paths_of(definitions[kind], definitions):
            changed = copy.deepcopy(lines)
            for line in changed:
                # A process with an error is one that tells nothing: the first one.
                if line["line"] == kind and (path != ("error",) or line.get("rank", 0) == 0):
                    put(line, path, HOSTILE)
            yield ".".join((kind, *path)), changed
