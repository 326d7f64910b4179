"""Tests whether a table's layout is possible, by the rules of layout/geometry.c; errors name type and field."""
from .errors import MqdError
from .located import place

FIXED_SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "enum": 4, "bool": 1}
KINDS = tuple(FIXED_SIZES) + ("ptr", "size", "chars", "bytes", "struct")


def kind_size(kind, abi):
    """Bytes of one value of a kind; None for chars, bytes and struct, whose size only a table knows."""
    if kind in ("ptr", "size"):
        return abi["pointer"]
    return FIXED_SIZES.get(kind)


def kind_alignment(kind, abi):
    """
    What every compiler of an ABI aligns a kind to. Some 32-bit ABIs (i386) align 8-byte numbers to 4 in a struct, so
    no 32-bit table is held to more.
    """
    return min(kind_size(kind, abi) or 1, 8 if abi["pointer"] == 8 else 4)


class Geometry:
    """Checks the types of one table; `inner_of` returns the type that a step embeds."""

    def __init__(self, path, abi, types, spec):
        self.path = path
        self.abi = abi
        self.types = types
        self.spec = spec
        self.alignments = {}

    def fail(self, name, what):
        raise MqdError(f"{place(self.path, self.types, name.split('.'))}: {name}: {what}")

    def check(self):
        """Checks in the spec's order, in which an embedded type comes before those that embed it."""
        for type_spec in self.spec.types.values():
            if type_spec.name in self.types:
                self.check_type(type_spec, self.types[type_spec.name])

    def check_type(self, type_spec, facts):
        alignment = 1
        for member, field in facts["fields"].items():
            alignment = max(alignment, self.check_field(type_spec, member, field, facts["size"]))
        self.alignments[type_spec.name] = alignment
        if facts["size"] % alignment and type_spec.size_rule == "exact":
            self.fail(type_spec.name, f"size {facts['size']} is no multiple of its alignment {alignment}")
        if type_spec.form != "union":
            self.check_overlap(type_spec, facts["fields"])

    def check_field(self, type_spec, member, field, type_size):
        """Checks a field and returns its alignment."""
        name = f"{type_spec.name}.{member}"
        expected = kind_size(field["kind"], self.abi)
        if field["size"] == 0 or expected not in (None, field["size"]):
            self.fail(name, f"size {field['size']} cannot be that of a {field['kind']}")
        if field["offset"] + field["size"] > type_size:
            self.fail(name, f"offset {field['offset']} and size {field['size']} exceed the type's size {type_size}")
        alignment = kind_alignment(field["kind"], self.abi)
        inner = type_spec.steps[member].inner
        if field["kind"] == "struct" and inner is not None:
            alignment = self.check_inner(name, inner, field["size"])
        if field["offset"] % alignment:
            self.fail(name, f"offset {field['offset']} is not aligned to {alignment}")
        return alignment

    def check_inner(self, name, inner, size):
        """Checks that the field has a whole number of embedded objects. Returns their alignment."""
        if inner not in self.types:
            self.fail(name, f"embeds {inner}, which the table does not have")
        if size % self.types[inner]["size"]:
            self.fail(name, f"size {size} is no multiple of {inner}'s size {self.types[inner]['size']}")
        return self.alignments[inner]

    def check_overlap(self, type_spec, fields):
        """Checks that no two fields share a byte, unless their ways lead through members that may be of one union."""
        placed = sorted(fields.items(), key=lambda item: (item[1]["offset"], item[0]))
        for number, (member, field) in enumerate(placed):
            for other, earlier in placed[:number]:
                end = earlier["offset"] + earlier["size"]
                if field["offset"] < end and not type_spec.steps[member].may_overlap(type_spec.steps[other]):
                    self.fail(f"{type_spec.name}.{member}",
                              f"offset {field['offset']} lies in {other}, which ends at {end}")
