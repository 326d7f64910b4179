"""The lines of a record as whole ones: those that are told as differences to earlier lines of their kind are completed.

mqd/dump/record/like.h says what a difference is.
"""


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


def whole_lines(lines):
    """Yields each line of a record, all of which are objects, as a whole one."""
    known = {}
    for line in lines:
        of_kind = known.setdefault(line["line"], [])
        if "like" in line:
            line = apply(of_kind[-line["like"]], line)
            del line["like"]
        of_kind.append(line)
        yield line
