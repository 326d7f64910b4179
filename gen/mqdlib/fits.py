"""
Tells which tables fit the libraries of an Open MPI. Nothing is run, so they may be for any architecture.

Open MPI has a class descriptor, `struct opal_class_t TYPE_class`, for most of its types. The descriptor lies in .data
and holds the type's size as a plain number. Its symbol is in the dynamic symbol table, which stripping leaves in place.
The DLL compares these sizes in a process; this module compares them by the same rules.
"""
from . import report
from .errors import MqdError
from .library import of_file
from .prefix import release_of
from .table import identity, release_key

ONLY_OPEN_MPI = ("only tables of Open MPI can be compared with files: no library of UCX states the sizes of its types, "
                 "so that its layout is proved in a process")
CLASS = "opal_class_t"
SIZE_MEMBER = "cls_sizeof"
SYMBOL = "{}_class"
# Maps an architecture without tables of its own to one with the same types.
SAME_TYPES = {"loongarch64": "riscv64"}


class Libraries:
    """The libraries of one Open MPI, as ElfFiles: their ABI, release and class descriptors."""

    def __init__(self, spec, files):
        for elf in files:
            if elf.abi != files[0].abi:
                raise MqdError(f"{elf.path}: is for another architecture than {files[0].path}")
        self.spec = spec
        self.arch = files[0].abi["arch"]
        # An ELF file does not state the size of a long. On Linux it is that of a pointer on all architectures.
        self.abi = dict(files[0].abi, long=files[0].abi["pointer"])
        self.release = release_of(files)
        self.descriptors = {}
        for name, type_spec in spec.types.items():
            for elf in files if type_spec.descriptor == "class" else ():
                symbol = elf.symbol(SYMBOL.format(name))
                if symbol is not None and elf.place_of(symbol.address, 1) is not None:
                    self.descriptors.setdefault(name, (elf, symbol))
        if not any(spec.types[name].size_rule == "exact" for name in self.descriptors):
            if all(of_file(elf.path) == "ucx" for elf in files):
                raise MqdError(f"{files[0].path}: {ONLY_OPEN_MPI}")
            raise MqdError(f"{', '.join(elf.path for elf in files)}: no class descriptor of Open MPI's there: give its "
                           "libmpi and libopen-pal, and of releases before 5.0 mca_pml_ob1.so")

    def of_abi(self, tables):
        """Returns the tables for the ABI of these files. The name of the architecture does not matter."""
        return [one for one in tables if all(one["abi"][key] == self.abi[key] for key in ("pointer", "long", "endian"))]

    def contradictions(self, one):
        """Yields (type, size here, what the table says) for each descriptor that contradicts a table of this ABI."""
        descriptor = one["types"].get(CLASS, {"fields": {}})
        member = descriptor["fields"].get(SIZE_MEMBER)
        if member is None:
            raise MqdError(f"{report.title(one)}: has no {CLASS}.{SIZE_MEMBER}: extract the table again")
        for name, (elf, symbol) in self.descriptors.items():
            size = elf.initial_number(symbol.address + member["offset"], member["size"])
            if symbol.size != descriptor["size"] or size is None:
                yield CLASS, symbol.size, f"{descriptor['size']}"
            elif name not in one["types"]:
                yield name, size, "no such type"
            elif self.spec.types[name].size_rule == "exact" and size != one["types"][name]["size"]:
                yield name, size, f"{one['types'][name]['size']}"
            elif size < prefix_of(one["types"][name]):
                yield name, size, f"at least {prefix_of(one['types'][name])}"

    def preference(self, one):
        """
        Returns a key that sorts tables by preference, if several fit: first tables for this release, then tables for
        this architecture.
        """
        first, last = (release_key(one["family"][key]) for key in ("first", "last"))
        of_release = self.release is not None and first <= release_key(self.release) <= last
        return not of_release, one["abi"]["arch"] != SAME_TYPES.get(self.arch, self.arch), identity(one)

    def title(self):
        """Returns one line that describes the libraries."""
        return (f"Open MPI {self.release or 'of unknown release'}, {self.arch}: pointer {self.abi['pointer']}, "
                f"{self.abi['endian']} endian, {len(self.descriptors)} class descriptors")


def prefix_of(facts):
    """Returns the number of bytes up to the end of the last member that is read."""
    return max((field["offset"] + field["size"] for field in facts["fields"].values()), default=0)


def explained(contradictions):
    """Returns contradictions as lines."""
    return [f"  {name}: {size} bytes, in the table {expected}" for name, size, expected in
            dict.fromkeys(contradictions)]


def compare(libraries, tables):
    """
    Returns (fitting, others). `fitting` are the tables that fit; the one that the DLL takes comes first. `others` are
    the other tables of the ABI, as pairs (table, contradictions); those with the fewest contradictions come first.
    """
    fitting, others = [], []
    for one in sorted(libraries.of_abi(tables), key=libraries.preference):
        contradictions = list(libraries.contradictions(one))
        if contradictions:
            others.append((one, contradictions))
        else:
            fitting.append(one)
    return fitting, sorted(others, key=lambda pair: len(pair[1]))


def report_lines(libraries, tables, tell_all):
    """Returns (lines, whether any table fits)."""
    fitting, others = compare(libraries, tables)
    lines = [libraries.title()]
    lines += [f"fits: {report.title(one)}" for one in fitting]
    if not fitting and not others:
        lines.append(f"no table is for pointer {libraries.abi['pointer']}, long {libraries.abi['long']}, "
                     f"{libraries.abi['endian']} endian")
    elif not fitting:
        lines.append(f"none of {len(others)} tables fits; the nearest:" if not tell_all else
                     f"none of {len(others)} tables fits")
    for one, contradictions in others if tell_all else others[:0 if fitting else 1]:
        lines += [f"does not fit: {report.title(one)}"] + explained(contradictions)
    return lines, bool(fitting)
