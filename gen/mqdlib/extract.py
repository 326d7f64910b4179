"""The way from headers, or from files with debug information, to a table."""
import os
import re
import tempfile

from . import debuginfo, facts, probe, table
from .errors import MqdError, NotAtHand
from .files import read_text

# (macro, its value, the word that a variant must have if the macro has that value, and only then)
VARIANT_MACROS = (
    ("OPAL_ENABLE_DEBUG", 1, "debug"),
    ("OPAL_ENABLE_DEBUG", 0, "release"),
    ("OPAL_CUDA_SUPPORT", 1, "cuda"),
    ("OPAL_ENABLE_HETEROGENEOUS_SUPPORT", 1, "heterogeneous"),
    ("OPAL_ENABLE_FT_MPI", 0, "no-ft"),
)
RECONFIGURE = "give headers that were configured with this compiler"


class Sources:
    """Where the layouts come from, as the command line says it: headers and a compiler, or files."""

    def __init__(self, cc, pahole, include_dirs, macros, source, debug_info):
        self.cc = cc
        self.pahole = pahole
        self.include_dirs = include_dirs
        self.macros = macros
        self.source = source
        self.debug_info = debug_info

    @property
    def named(self):
        return bool(self.include_dirs or self.source or self.debug_info)


def check_variant(variant, macros):
    """What a table says it is must be what the headers are configured for."""
    for macro, value, word in VARIANT_MACROS:
        if macro in macros and (macros[macro] == value) != (word in variant):
            negation = "has no" if macros[macro] == value else "has"
            raise NotAtHand(f"--variant {' '.join(variant)}: {negation} word {word}, but the headers have {macro} "
                            f"{macros[macro]}: give the words of this build, or headers of the other")


def check_release(openmpi, where, numbers):
    """Headers and sources are of the release that the table says it is from; `numbers` are theirs, None if unknown."""
    release = ".".join(numbers) if all(numbers) else None
    if release is not None and table.release_key(openmpi) != table.release_key(release):
        raise NotAtHand(f"--openmpi {openmpi}: but {where} are those of {release}")


def check_source(openmpi, source):
    """A source tree has its release in the file VERSION."""
    path = os.path.join(source, "VERSION")
    if os.path.exists(path):
        numbers = dict(re.findall(r"^(major|minor|release)=(\d+)$", read_text(path), re.MULTILINE))
        check_release(openmpi, f"the sources in {source}", [numbers.get(key) for key in ("major", "minor", "release")])


def check_configured_for(abi, others):
    """Headers that were configured for one ABI tell nothing about another."""
    for macro, key in probe.CONFIGURED_SIZES.items():
        if macro in others and others[macro] != str(abi[key]):
            raise NotAtHand(f"the headers are configured for {macro} {others[macro]}, the compiler's is {abi[key]}: "
                            f"{RECONFIGURE}")
    processor = others.get(probe.CONFIGURED_ARCH, "").strip('"').split("-")[0]
    arch = re.sub(r"^powerpc", "ppc", re.sub(r"^i[3-6]86$", "i386", processor))
    if arch in debuginfo.ARCHES and arch != {"x32": "x86_64"}.get(abi["arch"], abi["arch"]):
        raise NotAtHand(f"the headers are configured for {processor}, the compiler is for {abi['arch']}: {RECONFIGURE}")


def check_abi(expected, abi):
    """The compiler, or the files, are those of the wanted ABI, if one is wanted."""
    if expected is not None and abi != expected:
        wanted, got = (" ".join(f"{key} {value}" for key, value in sorted(side.items())) for side in (expected, abi))
        raise NotAtHand(f"made for another ABI: {wanted}; this is {got}")


def from_headers(spec, sources, head, abi_wanted):
    """Compiles a probe, reads it through pahole, and has the compiler confirm every row."""
    with tempfile.TemporaryDirectory(prefix="mqdgen-") as directory:
        compiler = probe.Compiler(spec, sources.cc, sources.include_dirs, sources.macros, sources.source, directory)
        abi = compiler.abi()
        check_abi(abi_wanted, abi)
        pahole = debuginfo.Pahole(sources.pahole)
        if sources.source:
            check_source(head["openmpi"], sources.source)
        macros, others = compiler.headers_seen()
        check_release(head["openmpi"], "the headers", [others.get(name) for name in probe.VERSION_MACROS])
        check_configured_for(abi, others)
        check_variant(head["variant"], macros)
        btf = pahole.btf(compiler.probe_object(), "the headers")
        types = facts.collect(spec, [facts.FactsReader(spec, btf, abi, believe_spec=True)])
        compiler.prove(types)
    return abi, types, macros, pahole.version, "offsetof"


def from_debug_info(spec, sources, abi_wanted):
    """Reads files that have debug information; together they must define every type, and agree."""
    pahole = debuginfo.Pahole(sources.pahole)
    readers, abi = [], None
    for path in sources.debug_info:
        debuginfo.elf_abi(path)
        btf = pahole.btf(path)
        found = debuginfo.abi_of(path, btf)
        if abi is not None and found != abi:
            raise MqdError(f"{path}: is for another architecture than {sources.debug_info[0]}")
        abi = found
        readers.append(facts.FactsReader(spec, btf, abi, believe_spec=False))
    check_abi(abi_wanted, abi)
    return abi, facts.collect(spec, readers), {}, pahole.version, "none"


def extract(spec, sources, head, abi_wanted=None):
    """
    Returns a valid table. `head` has what only the user knows: first, last, openmpi and variant. Raises NotAtHand if
    the sources are alright but not of this release, variant or (if `abi_wanted` is given) ABI.
    """
    if sources.debug_info:
        found = from_debug_info(spec, sources, abi_wanted)
    else:
        found = from_headers(spec, sources, head, abi_wanted)
    abi, types, macros, pahole_version, checked = found
    result = {
        "format": table.FORMAT,
        "family": {"first": head["first"], "last": head["last"]},
        "abi": abi,
        "variant": head["variant"],
        "origin": {"openmpi": head["openmpi"], "pahole": pahole_version, "spec": spec.digest, "checked": checked,
                   "macros": macros},
        "types": types,
    }
    table.validate("the extracted table", result, spec)
    return result
