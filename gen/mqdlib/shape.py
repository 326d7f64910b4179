"""All members of the spec's types, also those that no step names, and the values of the enums that steps read."""
from .btf import ARRAY, ENUM, ENUM64, FWD, PTR, STRUCT, TYPEDEF, UNION

MAX_DEPTH = 16


class Shape:
    """
    `members` maps each type to {member: its type as text}, from all definitions of that name. `places` maps
    (type, member) to "at OFFSET". `enums` maps each step of kind enum to {name: value}.
    """

    def __init__(self, spec, btf):
        self.btf = btf
        self.members, self.places, self.enums = {}, {}, {}
        for type_spec in spec.types.values():
            for definition in btf.definitions(type_spec.name)[0]:
                self.read_members(type_spec.name, definition)
                for step in type_spec.steps.values():
                    if step.kind == "enum":
                        self.read_enum(step, definition)

    def read_members(self, name, definition):
        """Reads the members of one definition. Members of an unnamed member count as the type's own."""
        pending = [(definition, 0, 0)]
        while pending:
            holder, base, depth = pending.pop()
            for member in holder.members:
                inner = self.btf.strip(member.type_id)[0]
                at = base + member.bit_offset
                if member.name:
                    bits = f" : {member.bits}" if member.bits else ""
                    self.members.setdefault(name, {})[member.name] = self.text(member.type_id) + bits
                    self.places[name, member.name] = f"at {at // 8}"
                elif inner is not None and inner.kind in (STRUCT, UNION) and depth < MAX_DEPTH:
                    pending.append((inner, at, depth + 1))

    def read_enum(self, step, definition):
        place = self.btf.find_member(definition, step.member)
        type_ = self.btf.strip(place[0].type_id)[0] if place is not None else None
        if type_ is not None and type_.kind == ENUM:
            self.enums.setdefault(step.name, {}).update(type_.values)

    def text(self, type_id):
        """Returns a type roughly as C spells it. A struct without a name is described by its size."""
        after = ""
        for _ in range(MAX_DEPTH):
            type_ = self.btf.types.get(type_id)
            if type_ is None:
                return "void" + after
            if type_.kind == PTR:
                after = " *" + after
            elif type_.kind == ARRAY:
                after = f"{after}[{type_.count}]"
            elif type_.name:
                word = {STRUCT: "struct ", UNION: "union ", ENUM: "enum ", ENUM64: "enum ", FWD: "struct "}
                return word.get(type_.kind, "") + type_.name + after
            elif type_.kind in (STRUCT, UNION, ENUM):
                return f"unnamed of {type_.size} bytes" + after
            elif not type_.target or type_.kind == TYPEDEF:
                return "function" + after
            type_id = type_.target
        return "..." + after


def changes(old, new):
    """Yields (what, how) for each difference between the types of two releases."""
    for name in sorted(set(old.members) & set(new.members)):
        before, after = old.members[name], new.members[name]
        for member in sorted(set(before) | set(after)):
            if member not in before:
                yield f"{name}.{member}", f"new member, {after[member]} {new.places[name, member]}"
            elif member not in after:
                yield f"{name}.{member}", f"member is gone, was {before[member]} {old.places[name, member]}"
            elif before[member] != after[member]:
                yield f"{name}.{member}", f"was {before[member]}, is {after[member]}"
    for name in sorted(set(old.members) ^ set(new.members)):
        yield name, "new type" if name in new.members else "type is gone"
    for step in sorted(set(old.enums) & set(new.enums)):
        yield from ((f"{step}, {value}", how) for value, how in values(old.enums[step], new.enums[step]))


def values(before, after):
    """Yields (name, how) for each difference between two sets of named values."""
    for name in sorted(set(before) | set(after)):
        if name not in before:
            yield name, f"new, is {after[name]}"
        elif name not in after:
            yield name, f"is gone, was {before[name]}"
        elif before[name] != after[name]:
            yield name, f"was {before[name]}, is {after[name]}"
