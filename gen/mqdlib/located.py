"""Reads JSON into objects that know the lines of their keys, so that an error in a value can name its line."""
import bisect
import json
import re

from .errors import MqdError

SPACE = re.compile(r"[ \t\r\n]*")


class Object(dict):
    """A JSON object: a dict that also has the line in which it begins, and those of its keys."""

    def __init__(self, line):
        super().__init__()
        self.line = line
        self.lines = {}


class Reader:
    """Reads a text once. Errors of syntax are those of the json module, which name the line."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.ends = [match.start() for match in re.finditer("\n", text)]
        self.decoder = json.JSONDecoder()

    def line(self, at):
        return bisect.bisect_left(self.ends, at) + 1

    def skip(self, at):
        return SPACE.match(self.text, at).end()

    def expect(self, at, allowed):
        """Returns the position of one of these characters, which only space may precede."""
        at = self.skip(at)
        if at >= len(self.text) or self.text[at] not in allowed:
            raise json.JSONDecodeError(f"Expecting {' or '.join(map(repr, allowed))}", self.text, at)
        return at

    def whole(self):
        """Returns the value that the whole text is."""
        value, at = self.value(0)
        if self.skip(at) != len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, self.skip(at))
        return value

    def value(self, at):
        """Returns a value and where it ends."""
        at = self.skip(at)
        if self.text.startswith("{", at):
            return self.object(at)
        if self.text.startswith("[", at):
            return self.list(at)
        return self.decoder.raw_decode(self.text, at)

    def object(self, start):
        found, at = Object(self.line(start)), self.skip(start + 1)
        if self.text.startswith("}", at):
            return found, at + 1
        while True:
            key_at = self.expect(at, '"')
            key, at = self.decoder.raw_decode(self.text, key_at)
            if key in found:
                raise MqdError(f"{self.path}:{self.line(key_at)}: the key \"{key}\" is there twice in one object")
            found.lines[key] = self.line(key_at)
            found[key], at = self.value(self.expect(at, ":") + 1)
            at = self.expect(at, ",}")
            if self.text[at] == "}":
                return found, at + 1
            at += 1

    def list(self, start):
        found, at = [], self.skip(start + 1)
        if self.text.startswith("]", at):
            return found, at + 1
        while True:
            value, at = self.value(at)
            found.append(value)
            at = self.expect(at, ",]")
            if self.text[at] == "]":
                return found, at + 1
            at += 1


def parse(path, text):
    """Returns the JSON value in a text."""
    try:
        return Reader(path, text).whole()
    except json.JSONDecodeError as error:
        raise MqdError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except ValueError as error:
        raise MqdError(f"{path}: not a table: {error}") from error
    except RecursionError as error:
        raise MqdError(f"{path}: not a table: nested too deeply") from error


def place(path, value, names):
    """
    "path:line" of what is found on the way along these keys, as far as it leads; the key "fields" need not be named.
    Only the path for a value that was not read from a text.
    """
    line = getattr(value, "line", None)
    for name in names:
        if isinstance(value, Object) and name not in value and name in (value.get("fields") or ()):
            value = value["fields"]
        if not isinstance(value, Object) or name not in value:
            break
        line, value = value.lines[name], value[name]
    return path if line is None else f"{path}:{line}"
