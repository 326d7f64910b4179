"""What a compiler's types say about the steps of the spec: offsets, sizes and kinds."""
from .btf import ARRAY, ENUM, INT, INT_BOOL, INT_SIGNED, PTR, STRUCT, UNION
from .errors import MqdError
from .spec import MAY_LACK

HOW_TO_VARY = "if this family really differs, its rule in the spec must be `varies`"


class FactsReader:
    """Reads the facts of one Btf."""

    def __init__(self, spec, btf, abi):
        self.spec = spec
        self.btf = btf
        self.abi = abi

    def fail(self, what):
        raise MqdError(f"{self.btf.origin}: {what}")

    def spec_line(self, step):
        """Where the expectation comes from, for a message."""
        return f"the spec ({self.spec.path}:{step.line})"

    def type_facts(self, type_spec):
        """Returns {"size", "fields"} of a type, or None if it is not defined here."""
        definitions, _ = self.btf.definitions(type_spec.name)
        found = None
        for definition in definitions:
            facts = self.definition_facts(type_spec, definition)
            if found is not None and facts != found:
                self.fail(f"{type_spec.name}: defined twice, and the definitions differ: {difference(found, facts)}: "
                          "give files or headers that define it once")
            found = facts
        return found

    def definition_facts(self, type_spec, definition):
        form = "union" if type_spec.form == "union" else "struct"
        if definition.kind != {"struct": STRUCT, "union": UNION}[form]:
            self.fail(f"{type_spec.name}: is not a {form}, as the spec says")
        fields = {}
        for step in type_spec.steps.values():
            ways = {way: self.btf.find_way(definition, way) for way in step.ways}
            found = next((way for way in step.ways if ways[way] is not None), None)
            if found is not None:
                fields[step.member] = self.field(step, *ways[found])
                if len(step.ways) > 1:
                    fields[step.member]["path"] = found
            elif step.rule not in MAY_LACK:
                self.fail(f"{step.name}: there is no such member; {self.spec_line(step)} says that every family has "
                          "it: is this the right release?")
        return {"size": definition.size, "fields": fields}

    def field(self, step, member, bit_offset):
        if member.bits or bit_offset % 8:
            self.fail(f"{step.name}: is a bitfield, which has no offset in bytes")
        kind, size = self.kind_and_size(step, member.type_id)
        if kind != step.kind and step.rule != "varies":
            self.fail(f"{step.name}: is of kind {kind}, {self.spec_line(step)} says {step.kind}; {HOW_TO_VARY}")
        if kind == "struct" and step.inner is not None:
            self.check_inner(step, member.type_id)
        return {"offset": bit_offset // 8, "size": size, "kind": kind}

    def kind_and_size(self, step, type_id):
        type_, typedefs = self.btf.strip(type_id)
        count = None
        while type_ is not None and type_.kind == ARRAY:
            count = type_.count * (1 if count is None else count)
            type_, typedefs = self.btf.strip(type_.target)
        if type_ is None:
            self.fail(f"{step.name}: pahole cannot tell its type; {self.spec_line(step)} says {step.kind}")
        if count == 0:
            self.fail(f"{step.name}: is an array without elements, in which nothing can be read")
        kind = "bytes" if step.kind == "bytes" else self.scalar_kind(type_, typedefs)
        if count is not None and kind not in ("struct", "bytes"):
            kind = array_kind(type_)
        if kind is None:
            what = f"an array of {type_.name or 'unnamed type'}" if count else type_.name or "of an unnamed type"
            self.fail(f"{step.name}: is {what}, which no kind of the spec describes; {self.spec_line(step)} says "
                      f"{step.kind}")
        size = self.abi["pointer"] if type_.kind == PTR else type_.size
        return kind, size * (1 if count is None else count)

    def scalar_kind(self, type_, typedefs):
        if type_.kind == PTR:
            return "ptr"
        if type_.kind in (STRUCT, UNION):
            return "struct"
        if type_.kind == ENUM and type_.size in (1, 2):  # packed: gcc makes it the smallest type with all its values
            return f"{'i' if min(type_.values.values(), default=0) < 0 else 'u'}{type_.size * 8}"
        if type_.kind == ENUM:
            return "enum" if type_.size == 4 else None
        if type_.kind != INT or type_.bit_start or type_.bits != type_.size * 8:
            return None
        if type_.encoding & INT_BOOL:
            return "bool" if type_.size == 1 else None
        if "size_t" in typedefs and type_.size == self.abi["pointer"]:
            return "size"
        name = f"{'i' if type_.encoding & INT_SIGNED else 'u'}{type_.size * 8}"
        return name if type_.size in (1, 2, 4, 8) else None

    def check_inner(self, step, type_id):
        type_, _ = self.btf.strip(type_id)
        while type_.kind == ARRAY:
            type_, _ = self.btf.strip(type_.target)
        inner, _ = self.btf.definitions(step.inner)
        if type_.type_id not in [definition.type_id for definition in inner]:
            self.fail(f"{step.name}: is a {type_.name or 'struct without a tag'}, not the {step.inner} that "
                      f"{self.spec_line(step)} says")


def array_kind(type_):
    """The kind of an array of numbers of that type."""
    if type_.kind != INT or type_.size != 1:
        return None
    return "chars" if type_.name == "char" else "bytes"


def difference(old, new):
    """The first difference between two facts of one type, for a message."""
    if old["size"] != new["size"]:
        return f"size {old['size']} and {new['size']}"
    for member in sorted(set(old["fields"]) | set(new["fields"])):
        sides = [facts["fields"].get(member) for facts in (old, new)]
        if sides[0] != sides[1]:
            return f"{member} {describe(sides[0])} and {describe(sides[1])}"
    return "none"


def describe(field):
    """One field's facts, for a message."""
    if field is None:
        return "absent"
    return f"{field['kind']} at {field['offset']} size {field['size']}"


def collect(spec, readers):
    """
    Returns the "types" of a table, from one reader for each file, and the names of types that no file defines though
    every family has them. What several files define must agree.
    """
    types, missing = {}, []
    for type_spec in spec.types.values():
        found = [(reader, facts) for reader in readers for facts in [reader.type_facts(type_spec)] if facts is not None]
        for reader, facts in found[1:]:
            if facts != found[0][1]:
                reader.fail(f"{type_spec.name}: differs from the one in {found[0][0].btf.origin}: "
                            f"{difference(found[0][1], facts)}: give files of one build")
        if found:
            types[type_spec.name] = found[0][1]
        elif not type_spec.may_lack:
            missing.append(type_spec.name)
    return types, missing


def enumerators(spec, readers):
    """
    The constants that are enumerators of the types in debug information. It has no macros, and only the enumerations
    that are used. Two enumerations may have a name in common: what this name means is then not known.
    """
    found = {}
    for constant in spec.constants.values():
        values = next(filter(None, (set().union(*(reader.btf.enumerators.get(expression, ()) for reader in readers))
                                    for expression in constant.expressions)), ())
        if len(values) == 1:
            found[constant.name] = values.pop()
    return found
