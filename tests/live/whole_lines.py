"""The lines of a record as whole ones: differences to earlier lines of their kind are completed, columns of operations are
objects.

mqd/dump/record/like.h says what a difference is, and column.h what a column is.
"""
import re


def apply(before, difference):
    """What the difference makes of an earlier value."""
    if isinstance(difference, dict) and isinstance(before, dict):
        changed = dict(before)
        for name, part in difference.items():
            if part is None:
                changed.pop(name, None)
            else:
                changed[name] = apply(before.get(name), part)
        return changed
    if isinstance(difference, dict) and isinstance(before, list):
        changed = list(before)
        for position, part in difference.items():
            changed[int(position)] = apply(before[int(position)], part)
        return changed
    return difference


def grown(value, distance):
    """Returns a value that is larger; of a text its last number."""
    if distance == 0:
        return value
    if not isinstance(value, str):
        return value + distance
    text, number = re.fullmatch("(.*)0x([0-9a-f]+)", value, re.S).groups()
    return f"{text}{int(number, 16) + distance:#x}"


def values(runs):
    return [grown(value, i * sum(step)) for value, count, *step in runs for i in range(count)]


def with_objects(columns, n):
    """Returns an object for each of n operations, with the members whose columns there are."""
    objects = [{} for _ in range(n)]
    for key, column in columns.items():
        parts = with_objects(column, n) if isinstance(column, dict) else values(column)
        if len(parts) != n:
            raise ValueError(f"{key} has not {n} values")
        for whole, part in zip(objects, parts):
            whole[key] = list(part.values()) if key == "extra_text" else part
    return objects


def whole_lines(lines):
    """Yields each line of a record, all of which are objects, as a whole one."""
    known = {}
    for line in lines:
        of_kind = known.setdefault(line["line"], [])
        if "like" in line:
            line = apply(of_kind[-line["like"]], line)
            del line["like"]
        of_kind.append(line)
        if "columns" in line:
            parts = "items" if line["line"] == "handle" else "operations"
            line = {**line, parts: with_objects(line["columns"], line["n"])}
            del line["columns"], line["n"]
        yield line
