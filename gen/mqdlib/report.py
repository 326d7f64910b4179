"""Tables for people: a listing, and what differs between two."""
from .facts import describe
from .library import LIBRARIES
from .table import identity, library_of, made_from, variant_text


def title(table):
    """One line that says what a table is of."""
    abi = table["abi"]
    return (f"{LIBRARIES[library_of(table)].title} {table['family']['first']} to {table['family']['last']}, "
            f"{abi['arch']}, {variant_text(table)}")


def listing(table):
    """A table's types by name, their fields by offset."""
    abi, origin = table["abi"], table["origin"]
    lines = [title(table),
             f"  ABI: pointer {abi['pointer']}, long {abi['long']}, {abi['endian']} endian",
             f"  from: {LIBRARIES[library_of(table)].title} {made_from(table)} by "
             f"{'pahole ' + origin['pahole'] if 'pahole' in origin else 'the compiler'}, "
             f"checked by {origin['checked']}, spec {origin['spec']}"]
    lines += [f"  macro: {name} = {value}" for name, value in sorted(origin["macros"].items())]
    for name, facts in sorted(table["types"].items()):
        lines += ["", f"{name}, {facts['size']} bytes"]
        fields = sorted(facts["fields"].items(), key=lambda item: (item[1]["offset"], item[0]))
        lines += [f"{field['offset']:8} {field['size']:6}  {field['kind']:<7} {member}" for member, field in fields]
    if table.get("constants"):
        lines += ["", "constants"]
        lines += [f"{value:>15}  {name}" for name, value in sorted(table["constants"].items())]
    return lines


def rows(table):
    """Everything in a table as {what: value}, both texts, so that two tables can be compared row by row."""
    result = {}
    for key in ("family", "abi", "origin"):
        for name, value in table[key].items():
            if name == "macros":
                result.update((f"origin.macros.{macro}", str(inner)) for macro, inner in value.items())
            else:
                result[f"{key}.{name}"] = str(value)
    result["variant"] = variant_text(table)
    for name, facts in table["types"].items():
        result[name] = f"size {facts['size']}"
        result.update((f"{name}.{member}", describe(field)) for member, field in facts["fields"].items())
    result.update((f"constant {name}", str(value)) for name, value in table.get("constants", {}).items())
    return result


def differences(old, new):
    """Lines "- what: value" of what `old` has otherwise, each followed by the "+" line of what `new` has there."""
    old_rows, new_rows = rows(old), rows(new)
    lines = []
    for what in sorted(set(old_rows) | set(new_rows)):
        if old_rows.get(what) != new_rows.get(what):
            lines += [f"{sign} {what}: {side[what]}" for sign, side in (("-", old_rows), ("+", new_rows))
                      if what in side]
    return lines


def summaries(specs, tables):
    """The summary of each library's tables."""
    lines = []
    for name, spec in specs.items():
        of_library = [one for one in tables if library_of(one) == name]
        if of_library:
            lines += ([""] if lines else []) + ([f"{spec.title}:"] if len(of_library) < len(tables) else [])
            lines += summary(spec, of_library)
    return lines


def summary(spec, tables):
    """
    How many tables, layouts and types there are, and which layouts have the same class sizes for one ABI: a process
    without debug information does not tell those apart by its class descriptors.
    """
    layouts, types, prints = {}, set(), {}
    for one in sorted(tables, key=identity):
        abi = (one["abi"]["endian"], one["abi"]["pointer"], one["abi"]["long"])
        layout = (abi, frozenset(layout_rows(spec, one)))
        layouts.setdefault(layout, []).append(one)
        types.update((name, facts["size"], frozenset((member, *field.values()) for member, field in
                                                     facts["fields"].items())) for name, facts in one["types"].items())
        prints.setdefault((abi, class_sizes(spec, one)), {}).setdefault(layout, []).append(one)
    lines = [f"{len(tables)} tables, {len(layouts)} distinct layouts, {len(types)} distinct types, "
             f"{len(prints)} distinct sets of class sizes"]
    for same in layouts.values():
        if len(same) > 1:
            lines += ["", "one layout:"] + [f"  {title(one)}" for one in same]
    for alike in prints.values():
        if len(alike) > 1:
            lines += ["", "different layouts with the same class sizes:"]
            lines += [f"  {title(one)}" for same in alike.values() for one in same]
    return lines


def likeness(spec, old, new):
    """How alike two tables of one architecture are to who has only the sizes of classes; None if these tell them."""
    if old["abi"] != new["abi"]:
        return None
    if dict(layout_rows(spec, old)) == dict(layout_rows(spec, new)):
        return "has the layout of"
    return "the class descriptors do not tell it from" if class_sizes(spec, old) == class_sizes(spec, new) else None


def layout_rows(spec, one):
    """
    Yields (what, value): all that counts in a process; of a type that is only known at least, not its size, and no
    member in which the releases of a family may differ.
    """
    for name, facts in one["types"].items():
        yield name, None if spec.types[name].size_rule == "at_least" else facts["size"]
        for member, field in facts["fields"].items():
            if spec.types[name].steps[member].rule != "by_release":
                yield f"{name}.{member}", describe(field)
    for name, value in one.get("constants", {}).items():
        yield f"constant {name}", value


def class_sizes(spec, one):
    """What the class descriptors of a process say."""
    return tuple((name, facts["size"]) for name, facts in sorted(one["types"].items())
                 if spec.types[name].descriptor == "class" and spec.types[name].size_rule == "exact")
