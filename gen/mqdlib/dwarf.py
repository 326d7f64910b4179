"""
Changes DWARF where pahole needs help with it. pahole writes BTF, which has no complex numbers and no _Atomic types.
What pahole does with them depends on its version. Up to 1.24 at least, a file with one complex number in it gives no
types. An _Atomic member is void with 1.24; 1.30 ends with an error. So pahole reads a copy of the file without them. In
the copy _Atomic types are volatile types, which have the same layout. Complex numbers, which this project never reads,
are integers.
"""
import struct

from .elf import ET_REL, SHF_COMPRESSED
from .errors import MqdError

TAG_BASE, TAG_VOLATILE, TAG_PARTIAL_UNIT, TAG_ATOMIC = 0x24, 0x35, 0x3C, 0x47
AT_BYTE_SIZE, AT_ENCODING = 0x0B, 0x3E
ATE_COMPLEX_FLOAT, ATE_UNSIGNED = 0x03, 0x07
FORM_DATA1, FORM_IMPLICIT_CONST, FORM_INDIRECT = 0x0B, 0x21, 0x16
BTF_MAX_INT = 16
MAX_LEB_BITS = 140  # a number has at most 64 bits; padding may make it longer

# References into the common file that dwz -m makes: GNU's forms in DWARF 4, and the forms of DWARF 5.
FORMS_OF_DWZ = (0x1F20, 0x1F21, 0x1C, 0x1D, 0x24)

# The sizes in bytes of the forms that have a fixed size; "a" is the size of an address, "o" that of an offset.
FIXED = {0x01: "a", 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: "o", 0x10: "o", 0x11: 1, 0x12: 2, 0x13: 4,
         0x14: 8, 0x17: "o", 0x19: 0, 0x1C: 4, 0x1D: "o", 0x1E: 16, 0x1F: "o", 0x20: 8, 0x21: 0, 0x24: 8, 0x25: 1,
         0x26: 2, 0x27: 3, 0x28: 4, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4, 0x1F20: "o", 0x1F21: "o"}
BLOCKS = {0x0A: "B", 0x03: "H", 0x04: "I"}
NUMBERS = (0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02)
SIZED = (0x09, 0x18)
STRING = 0x08

DECOMPRESS = "undo that with objcopy --decompress-debug-sections"


class Damaged(Exception):
    """The DWARF violates the standard, or is of a newer version than this module knows."""


def uleb(data, at):
    """Returns (value, end) of an unsigned LEB128 number. The end is right for a signed one too."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > MAX_LEB_BITS:
            raise Damaged(f"a number at {at} never ends")


class Abbreviation:
    """The form of the entries with one code. `tag_at` is the place of the code's tag in the section."""

    def __init__(self, tag, tag_at, attributes):
        self.tag = tag
        self.tag_at = tag_at
        self.attributes = attributes
        self.sizes = {}

    def fixed_size(self, address, offset):
        """Returns the size of every such entry in a unit with these sizes of address and offset; None if it varies."""
        key = address, offset
        if key not in self.sizes:
            sizes = [{"a": address, "o": offset}.get(FIXED.get(form), FIXED.get(form)) for _, form in self.attributes]
            self.sizes[key] = None if None in sizes else sum(sizes)
        return self.sizes[key]


def abbreviations(data, at):
    """Returns (table, end) of one table of .debug_abbrev: {code: Abbreviation}."""
    table = {}
    while at < len(data):
        code, at = uleb(data, at)
        if code == 0:
            break
        tag_at = at
        tag, at = uleb(data, at)
        at += 1
        attributes = []
        while True:
            name, at = uleb(data, at)
            form, at = uleb(data, at)
            if form == FORM_IMPLICIT_CONST:
                _, at = uleb(data, at)
            if name == form == 0:
                break
            attributes.append((name, form))
        table[code] = Abbreviation(tag, tag_at, attributes)
    return table, at


def all_abbreviations(data):
    """Yields every abbreviation of the section."""
    at = 0
    while at < len(data):
        table, at = abbreviations(data, at)
        yield from table.values()


def section_of(elf, name):
    """Returns the contents of a debug section. Raises Damaged if they are compressed in an unknown way."""
    if elf.has(f".z{name[1:]}"):
        raise Damaged(f"section {name} is compressed in the old way of GNU: {DECOMPRESS}")
    data, how = elf.contents(name)
    if data is None:
        raise Damaged(f"section {name} is compressed by {how}: {DECOMPRESS}")
    return data


def uses_dwz(elf):
    """
    True if dwz has rewritten this file. dwz leaves references to another file (-m), or partial units, which compilers
    do not make.
    """
    try:
        return any(one.tag == TAG_PARTIAL_UNIT or any(form in FORMS_OF_DWZ for _, form in one.attributes)
                   for one in all_abbreviations(section_of(elf, ".debug_abbrev")))
    except (Damaged, IndexError):
        return False


class Units:
    """Walks all entries of .debug_info and finds those that pahole cannot read."""

    def __init__(self, elf):
        self.elf = elf
        self.info = section_of(elf, ".debug_info")
        self.abbrev = section_of(elf, ".debug_abbrev")
        self.tables = {}

    def number(self, form, at):
        return struct.unpack_from(self.elf.order + form, self.info, at)[0]

    def changes(self):
        """Yields (offset in .debug_info, new byte) for complex numbers."""
        at = 0
        while at < len(self.info):
            offset, length, start = 4, self.number("I", at), at + 4
            if length == 0xFFFFFFFF:
                offset, length, start = 8, self.number("Q", at + 4), at + 12
            end = start + length
            if not start < end <= len(self.info):
                raise Damaged(f"the unit at {at} exceeds its section")
            yield from self.unit(start, end, offset)
            at = end

    def unit(self, at, end, offset):
        version = self.number("H", at)
        form = "I" if offset == 4 else "Q"
        if version in (2, 3, 4):
            table_at, address, at = self.number(form, at + 2), self.info[at + 2 + offset], at + 3 + offset
        elif version == 5:
            kind, address, table_at = self.info[at + 2], self.info[at + 3], self.number(form, at + 4)
            # A skeleton unit has an id after the header. A type unit has a signature and an offset there.
            at += 4 + offset + {0x04: 8, 0x05: 8, 0x02: 8 + offset, 0x06: 8 + offset}.get(kind, 0)
        else:
            raise Damaged(f"it is DWARF {version}")
        if table_at not in self.tables:
            self.tables[table_at], _ = abbreviations(self.abbrev, table_at)
        yield from self.entries(self.tables[table_at], at, end, address, address if version == 2 else offset, offset)

    def entries(self, table, at, end, address, reference, offset):
        """
        Yields changes for the entries from `at` to `end`. `reference` is the size of DW_FORM_ref_addr: in DWARF 2 that
        of an address, later that of an offset.
        """
        info = self.info
        while at < end:
            code = info[at]
            if code < 0x80:
                at += 1
            else:
                code, at = uleb(info, at)
            if code == 0:
                continue
            one = table.get(code)
            if one is None:
                raise Damaged(f"there is no abbreviation {code}")
            size = one.fixed_size(address, offset) if reference == offset else None
            if size is not None and one.tag != TAG_BASE:
                at += size
                continue
            places = {}
            for name, form in one.attributes:
                places[name] = form, at
                at = self.skip(form, at, address, reference, offset)
            if one.tag == TAG_BASE:
                yield from self.base_type(places)

    def skip(self, form, at, address, reference, offset):
        """Returns the place where an attribute's value ends."""
        while form == FORM_INDIRECT:
            form, at = uleb(self.info, at)
        if form == 0x10:
            return at + reference
        if form in FIXED:
            return at + {"a": address, "o": offset}.get(FIXED[form], FIXED[form])
        if form in NUMBERS:
            return uleb(self.info, at)[1]
        if form == STRING:
            return self.info.index(b"\0", at) + 1
        if form in SIZED:
            size, at = uleb(self.info, at)
            return at + size
        if form in BLOCKS:
            return at + struct.calcsize("=" + BLOCKS[form]) + self.number(BLOCKS[form], at)
        raise Damaged(f"form {form:#x} is unknown")

    def base_type(self, places):
        """Yields the changes that make a complex number an unsigned integer, of a size that BTF allows."""
        form, at = places.get(AT_ENCODING, (None, 0))
        if form != FORM_DATA1 or self.info[at] != ATE_COMPLEX_FLOAT:
            return
        yield at, ATE_UNSIGNED
        form, at = places.get(AT_BYTE_SIZE, (None, 0))
        if form == FORM_DATA1 and self.info[at] > BTF_MAX_INT:
            yield at, BTF_MAX_INT


def copy_for_pahole(elf, copy):
    """
    Writes a copy that pahole can read, if one is needed. Returns the path of the copy, or that of the file itself.
    Complex numbers in an unlinked object file stay as they are, because its .debug_info is not relocated yet.
    .debug_abbrev needs no relocation.
    """
    try:
        units = Units(elf)
        changes = {".debug_info": list(units.changes()) if elf.kind != ET_REL else [],
                   ".debug_abbrev": [(one.tag_at, TAG_VOLATILE) for one in all_abbreviations(units.abbrev)
                                     if one.tag == TAG_ATOMIC]}
    except Damaged as error:
        raise MqdError(f"{elf.path}: cannot read its debug information: {error}") from error
    except (IndexError, ValueError, struct.error) as error:
        raise MqdError(f"{elf.path}: its debug information is damaged") from error
    if not any(changes.values()):
        return elf.path
    try:
        with open(copy, "wb") as file:
            file.write(elf.data)
            for name, data in ((".debug_info", units.info), (".debug_abbrev", units.abbrev)):
                if changes[name]:
                    replace_section(elf, file, name, changed(data, changes[name]))
    except OSError as error:
        raise MqdError(f"{copy}: cannot write a copy of {elf.path} for pahole: {error.strerror}: set TMPDIR to a "
                       "directory with more room") from error
    return copy


def changed(data, changes):
    data = bytearray(data)
    for at, byte in changes:
        data[at] = byte
    return data


def replace_section(elf, file, name, data):
    """Writes new contents of a section: in place or, if the old ones are compressed, at the end of the file."""
    section = elf.sections[name]
    at = section.offset
    if section.flags & SHF_COMPRESSED:
        at = (file.seek(0, 2) + 15) & ~15
        form = elf.order + ("QQQQ" if elf.wide else "IIII")
        file.seek(section.header + 8)
        file.write(struct.pack(form, section.flags & ~SHF_COMPRESSED, section.address, at, len(data)))
    file.seek(at)
    file.write(data)
