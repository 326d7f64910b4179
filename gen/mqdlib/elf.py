"""Reads as much of an ELF file as it takes to find debug information, and what a library says of itself."""
import collections
import mmap
import os
import re
import struct
import zlib

from .errors import MqdError

# e_machine and whether it is 64-bit, as the names that tables use; where there are two, little endian comes first.
MACHINES = {
    (3, False): ("i386",), (62, True): ("x86_64",), (62, False): ("x32",),
    (40, False): ("arm", "armeb"), (183, True): ("aarch64", "aarch64_be"),
    (20, False): ("ppcle", "ppc"), (21, True): ("ppc64le", "ppc64"),
    (22, True): ("s390x",), (22, False): ("s390",), (243, True): ("riscv64",), (243, False): ("riscv32",),
    (258, True): ("loongarch64",), (8, False): ("mipsel", "mips"), (8, True): ("mips64el", "mips64"),
    (2, False): ("sparc",), (43, True): ("sparc64",),
}
ARCHES = frozenset(name for names in MACHINES.values() for name in names)

ET_REL, SHT_NOTE, SHT_NOBITS, SHF_ALLOC, SHF_COMPRESSED, COMPRESS_ZLIB = 1, 7, 8, 2, 0x800, 1
SHN_UNDEF = 0
DT_NEEDED, NT_GNU_BUILD_ID = 1, 3
MAX_SECTIONS = 1 << 20
MAX_SECTION_BYTES = 1 << 32  # debug information of the largest programs is a few GiB
MAX_TEXT = 256  # longer than any version or file name that is of interest here
MAX_SYMBOL = 1 << 16  # names of C++ have no length that is too much

Section = collections.namedtuple("Section", "name kind flags address offset size link header")
Symbol = collections.namedtuple("Symbol", "address size")


def arch_of(triplet):
    """The architecture of a GNU system type, by its name in tables; None if it is unknown. x32 counts as x86_64."""
    processor = triplet.strip('"').split("-")[0]
    arch = re.sub(r"^powerpc", "ppc", re.sub(r"^i[3-6]86$", "i386", processor))
    return arch if arch in ARCHES else None


class ElfFile:
    """An ELF file, mapped. Everything that it says is checked before it is used."""

    def __init__(self, path):
        self.path = path
        self.data = self.map(path)
        head = self.data[:20]
        if len(head) < 20 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
            raise MqdError(f"{path}: not an ELF file")
        self.wide, self.little = head[4] == 2, head[5] == 1
        self.order = "<" if self.little else ">"
        self.kind, self.machine = struct.unpack_from(self.order + "HH", head, 16)
        self.sections = self.read_sections()
        self.symbols = None

    @staticmethod
    def map(path):
        try:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_size == 0:
                    return b""
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise MqdError(f"{path}: cannot read it: {getattr(error, 'strerror', None) or error}") from error

    def fail(self, what):
        raise MqdError(f"{self.path}: the ELF file is damaged: {what}")

    def unpack(self, form, at, data=None):
        """Numbers in the file's byte order."""
        data = self.data if data is None else data
        if at < 0 or at + struct.calcsize(self.order + form) > len(data):
            self.fail(f"it ends before offset {at}")
        return struct.unpack_from(self.order + form, data, at)

    @property
    def abi(self):
        """{arch, pointer, endian}"""
        names = MACHINES.get((self.machine, self.wide))
        if names is None:
            raise MqdError(f"{self.path}: ELF machine {self.machine} is unknown: name it in mqdlib/elf.py")
        return {"arch": names[0 if self.little else -1], "pointer": 8 if self.wide else 4,
                "endian": "little" if self.little else "big"}

    def header(self, at, number):
        """A section header, still without its name's text."""
        return Section(*self.unpack("IIQQQQI" if self.wide else "IIIIIII", at + number * (64 if self.wide else 40)),
                       header=at + number * (64 if self.wide else 40))

    def read_sections(self):
        """The sections by name; of several with one name the first. A file may have none."""
        table, = self.unpack("Q", 0x28) if self.wide else self.unpack("I", 0x20)
        n_sections, names_at = self.unpack("HH", 0x3C if self.wide else 0x30)
        if table == 0:
            return {}
        first = self.header(table, 0)
        n_sections = n_sections or first.size
        if n_sections > MAX_SECTIONS:
            self.fail(f"it has {n_sections} sections")
        names = self.header(table, first.link if names_at == 0xFFFF else names_at)
        sections = {}
        for number in range(1, n_sections):
            section = self.header(table, number)
            name = self.text(self.data, names.offset + section.name)
            sections.setdefault(name, section._replace(name=name))
        return sections

    def string(self, data, at, limit=MAX_TEXT):
        """The bytes before the NUL that ends the text at an offset."""
        end = data.find(b"\0", at, at + limit) if at < len(data) else -1
        if end < 0:
            self.fail(f"no text at offset {at}")
        return data[at:end]

    def text(self, data, at):
        return self.string(data, at).decode("utf-8", "replace")

    def has(self, name):
        """Is there such a section, with contents?"""
        section = self.sections.get(name)
        return section is not None and section.kind != SHT_NOBITS and section.size > 0

    @property
    def has_debug_info(self):
        return self.has(".debug_info") or self.has(".zdebug_info")

    def contents(self, name):
        """
        A section's bytes, decompressed, and how it was compressed: None, or a word. Empty if there is no such section;
        None where this Python cannot decompress it.
        """
        if not self.has(name):
            return b"", None
        section = self.sections[name]
        if section.size > MAX_SECTION_BYTES or section.offset + section.size > len(self.data):
            self.fail(f"section {name} lies outside the file")
        raw = self.data[section.offset:section.offset + section.size]
        if not section.flags & SHF_COMPRESSED:
            return raw, None
        method, size = self.unpack("I4xQ" if self.wide else "II", 0, raw)
        if method != COMPRESS_ZLIB:
            return None, "zstd" if method == 2 else f"method {method}"
        if not 0 < size <= MAX_SECTION_BYTES:
            self.fail(f"section {name} wants to be {size} bytes")
        try:
            return zlib.decompressobj().decompress(raw[24 if self.wide else 12:], size), "zlib"
        except zlib.error as error:
            return self.fail(f"section {name}: {error}")

    def bytes_of(self, name):
        """The same without the word; empty where it cannot be decompressed. What a loader reads is never compressed."""
        return self.contents(name)[0] or b""

    @property
    def build_id(self):
        """The build-id in hexadecimal digits, None if there is none."""
        for section in self.sections.values():
            if section.kind == SHT_NOTE and self.has(section.name):
                found = self.build_id_in(self.bytes_of(section.name))
                if found:
                    return found
        return None

    def build_id_in(self, notes):
        at = 0
        while at + 12 <= len(notes):
            name_size, size, kind = self.unpack("III", at, notes)
            start = at + 12 + (name_size + 3 & ~3)
            if kind == NT_GNU_BUILD_ID and notes[at + 12:at + 12 + name_size] == b"GNU\0":
                return notes[start:start + size].hex()
            at = start + (size + 3 & ~3)
        return None

    @property
    def debug_link(self):
        """(name, CRC) of the separate debug file that a stripped one names, or None."""
        data = self.bytes_of(".gnu_debuglink")
        end = data.find(b"\0")
        at = end + 4 & ~3
        if end <= 0 or at + 4 > len(data):
            return None
        return data[:end].decode("utf-8", "replace"), self.unpack("I", at, data)[0]

    def needed(self):
        """The names of the libraries that the file asks for."""
        dynamic, strings = self.bytes_of(".dynamic"), self.bytes_of(".dynstr")
        form, size = ("QQ", 16) if self.wide else ("II", 8)
        for at in range(0, len(dynamic) - size + 1, size):
            tag, value = self.unpack(form, at, dynamic)
            if tag == DT_NEEDED:
                yield self.text(strings, value)

    def read_symbols(self):
        """What the file defines, {name: Symbol}: all of its dynamic symbols, then what only the full table has."""
        symbols = {}
        for table, names in ((".dynsym", ".dynstr"), (".symtab", ".strtab")):
            entries, strings = self.bytes_of(table), self.bytes_of(names)
            size = 24 if self.wide else 16
            for at in range(0, len(entries) - size + 1, size):
                if self.wide:
                    name, index, address, length = self.unpack("I2xHQQ", at, entries)
                else:
                    name, address, length, index = self.unpack("III2xH", at, entries)
                if index != SHN_UNDEF:
                    symbols.setdefault(self.string(strings, name, MAX_SYMBOL), Symbol(address, length))
        return symbols

    def symbol(self, name):
        """What the file defines by a name; None if it does not."""
        if self.symbols is None:
            self.symbols = self.read_symbols()
        return self.symbols.get(name.encode())

    def place_of(self, address, size):
        """Where in the file that part of a loaded section lies; None if its contents are not in the file."""
        for section in self.sections.values():
            if (section.flags & SHF_ALLOC and section.kind != SHT_NOBITS and
                    section.address <= address <= address + size <= section.address + section.size):
                return section.offset + address - section.address
        return None

    def initial_string(self, wanted, limit=MAX_TEXT):
        """What a variable of text begins with, as bytes; None if there is no such variable, or it has no content."""
        symbol = self.symbol(wanted)
        place = self.place_of(symbol.address, 1) if symbol is not None else None
        return None if place is None else self.string(self.data, place, limit)

    def initial_number(self, address, size):
        """The number of so many bytes that the file has at an address; None if it has none there."""
        place = self.place_of(address, size)
        return None if place is None else self.unpack({4: "I", 8: "Q"}[size], place)[0]
