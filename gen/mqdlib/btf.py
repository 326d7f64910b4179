"""Reads BTF, the type format that pahole writes: what the linux documentation calls the .BTF section, either endian."""
import struct

from .errors import MqdError

MAGIC = 0xEB9F
INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT = range(1, 12)
FUNC, FUNC_PROTO, VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = range(12, 20)
QUALIFIERS = (VOLATILE, CONST, RESTRICT, TYPE_TAG)
INT_SIGNED, INT_CHAR, INT_BOOL = 1, 2, 4

# 32-bit words after the three of every type: so many, and so many more for each of its vlen entries.
WORDS = {
    INT: (1, 0), PTR: (0, 0), ARRAY: (3, 0), STRUCT: (0, 3), UNION: (0, 3), ENUM: (0, 2), FWD: (0, 0), TYPEDEF: (0, 0),
    VOLATILE: (0, 0), CONST: (0, 0), RESTRICT: (0, 0), FUNC: (0, 0), FUNC_PROTO: (0, 2), VAR: (1, 0), DATASEC: (0, 3),
    FLOAT: (0, 0), DECL_TAG: (1, 0), TYPE_TAG: (0, 0), ENUM64: (0, 3),
}


class Member:
    """A member of a struct or union. `bits` is the width of a bitfield, 0 for a whole object."""

    def __init__(self, name, type_id, bit_offset, bits):
        self.name = name
        self.type_id = type_id
        self.bit_offset = bit_offset
        self.bits = bits


class BtfType:
    """
    One type. `size` is in bytes where the kind has one; `target` is what a pointer, typedef, qualifier or array is of;
    `encoding`, `bits` and `bit_start` belong to INT, `count` to ARRAY, `members` to STRUCT and UNION, `values` by name
    to ENUM.
    """

    def __init__(self, type_id, kind, name):
        self.type_id = type_id
        self.kind = kind
        self.name = name
        self.size = None
        self.target = 0
        self.encoding = 0
        self.bits = 0
        self.bit_start = 0
        self.count = 0
        self.members = []
        self.values = {}


class Btf:
    """
    The types of one BTF file, by id from 1; 0 is void, and also what pahole writes for a type it does not know.
    `enumerators` has for each name the values that enumerations give it.
    """

    def __init__(self, data, origin):
        self.origin = origin
        self.types = {}
        self.by_name = {}
        self.enumerators = {}
        self.data = data
        self.read_header()
        self.read_types()
        self.check_references()

    def fail(self, what):
        raise MqdError(f"{self.origin}: pahole's BTF is damaged: {what}")

    def read_header(self):
        for order in "<>":
            if len(self.data) >= 24 and struct.unpack_from(order + "H", self.data)[0] == MAGIC:
                self.order = order
                break
        else:
            self.fail("it does not start with a BTF header")
        fields = struct.unpack_from(self.order + "HBBIIIII", self.data)
        _, version, _, header, type_off, type_len, str_off, str_len = fields
        if version != 1:
            self.fail(f"version {version} is unknown")
        self.types_at, self.types_end = header + type_off, header + type_off + type_len
        self.strings_at, self.strings_end = header + str_off, header + str_off + str_len
        if header < 24 or self.types_end > len(self.data) or self.strings_end > len(self.data):
            self.fail("a section lies outside the file")

    def string(self, offset):
        start = self.strings_at + offset
        end = self.data.find(b"\0", start, self.strings_end) if start < self.strings_end else -1
        if end < 0:
            self.fail(f"no string at {offset}")
        return self.data[start:end].decode("utf-8", "replace")

    def read_types(self):
        at, type_id = self.types_at, 1
        while at < self.types_end:
            if at + 12 > self.types_end:
                self.fail(f"type {type_id} is cut off")
            name_off, info, size_or_type = struct.unpack_from(self.order + "III", self.data, at)
            kind, vlen, flag = info >> 24 & 0x1F, info & 0xFFFF, info >> 31
            if kind not in WORDS:
                self.fail(f"type {type_id} is of the unknown kind {kind}")
            fixed, each = WORDS[kind]
            n_words = fixed + each * vlen
            at += 12
            if at + 4 * n_words > self.types_end:
                self.fail(f"type {type_id} is cut off")
            words = struct.unpack_from(f"{self.order}{n_words}I", self.data, at)
            at += 4 * n_words
            self.add(BtfType(type_id, kind, self.string(name_off)), size_or_type, words, flag)
            type_id += 1

    def add(self, type_, size_or_type, words, flag):
        if type_.kind in (INT, STRUCT, UNION, ENUM, ENUM64, FLOAT, DATASEC):
            type_.size = size_or_type
        else:
            type_.target = size_or_type
        if type_.kind == INT:
            type_.encoding = words[0] >> 24 & 0xF
            type_.bit_start = words[0] >> 16 & 0xFF
            type_.bits = words[0] & 0xFF
        elif type_.kind == ARRAY:
            type_.target, _, type_.count = words
        elif type_.kind == ENUM:
            type_.values = {self.string(name_off): value - (value >> 31 << 32)
                            for name_off, value in zip(words[::2], words[1::2])}
            for name, value in type_.values.items():
                self.enumerators.setdefault(name, set()).add(value)
        elif type_.kind in (STRUCT, UNION):
            for i in range(0, len(words), 3):
                name_off, type_id, offset = words[i:i + 3]
                bits, offset = (offset >> 24, offset & 0xFFFFFF) if flag else (0, offset)
                type_.members.append(Member(self.string(name_off), type_id, offset, bits))
        self.types[type_.type_id] = type_
        if type_.name:
            self.by_name.setdefault(type_.name, []).append(type_)

    def check_references(self):
        for type_ in self.types.values():
            named = [member.type_id for member in type_.members]
            if type_.kind in (PTR, ARRAY, TYPEDEF) + QUALIFIERS:
                named.append(type_.target)
            for type_id in named:
                if type_id and type_id not in self.types:
                    self.fail(f"type {type_.type_id} refers to type {type_id}, which is not there")

    def strip(self, type_id):
        """Follows typedefs and qualifiers. Returns the type (None: void or unknown) and the typedefs on the way."""
        typedefs = []
        for _ in range(len(self.types) + 1):
            type_ = self.types.get(type_id)
            if type_ is None or type_.kind not in (TYPEDEF,) + QUALIFIERS:
                return type_, typedefs
            if type_.kind == TYPEDEF:
                typedefs.append(type_.name)
            type_id = type_.target
        return self.fail(f"type {type_id} is a typedef of itself")

    def definitions(self, name):
        """Every struct or union that `name` can mean, as a typedef or as a tag, and whether it is declared at all."""
        found, declared = {}, False
        for candidate in self.by_name.get(name, []):
            if candidate.kind not in (TYPEDEF, STRUCT, UNION, FWD):
                continue
            declared = True
            type_, _ = self.strip(candidate.type_id)
            if type_ is not None and type_.kind in (STRUCT, UNION):
                found[type_.type_id] = type_
            elif type_ is not None and type_.kind == FWD:
                found.update((t.type_id, t) for t in self.by_name.get(type_.name, []) if t.kind in (STRUCT, UNION))
        return list(found.values()), declared

    def find_member(self, type_, name):
        """Returns a member and its offset in bits from the start of `type_`, looking into unnamed members; or None."""
        pending = [(type_, 0)]
        for _ in range(len(self.types) + 1):
            if not pending:
                return None
            holder, base = pending.pop()
            for member in holder.members:
                if member.name == name:
                    return member, base + member.bit_offset
                inner = None if member.name else self.strip(member.type_id)[0]
                if inner is not None and inner.kind in (STRUCT, UNION):
                    pending.append((inner, base + member.bit_offset))
        return None

    def find_way(self, type_, way):
        """
        The same along several members, "a.b.c", each of which but the last is a struct or union. Of a member "d[0]", an
        array, it is the first element.
        """
        base, member = 0, None
        for name in way.split("."):
            if member is not None:
                type_, _ = self.strip(member.type_id)
            if type_ is None or type_.kind not in (STRUCT, UNION):
                return None
            name, first_of, _ = name.partition("[0]")
            place = self.find_member(type_, name)
            member = self.first_element(place[0]) if place is not None and first_of else place and place[0]
            if member is None:
                return None
            base += place[1]
        return member, base

    def first_element(self, member):
        """Returns the first element of an array as a member; None if the member is no array."""
        array, _ = self.strip(member.type_id)
        is_array = array is not None and array.kind == ARRAY and array.count > 0
        return Member(member.name, array.target, member.bit_offset, 0) if is_array else None
