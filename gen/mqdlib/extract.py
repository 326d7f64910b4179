"""The way from headers, or from files with debug information, to a table."""
import os
import re
import tempfile

from . import debuginfo, facts, probe, table
from .errors import MqdError, NotAtHand
from .files import read_text

# (word, macro, what its value is in the builds that have the word, and only in them)
VARIANT_MACROS = (
    ("debug", "OPAL_ENABLE_DEBUG", lambda value: value == 1),
    ("release", "OPAL_ENABLE_DEBUG", lambda value: value == 0),
    ("cuda", "OPAL_CUDA_SUPPORT", lambda value: value == 1),
    ("heterogeneous", "OPAL_ENABLE_HETEROGENEOUS_SUPPORT", lambda value: value == 1),
    ("no-ft", "OPAL_ENABLE_FT_MPI", lambda value: value == 0),
    ("custom-matching", "MCA_PML_OB1_CUSTOM_MATCHING", lambda value: value != 0),
)
# 128-bit compare-and-swap, which only builds for x86_64 have without being told; the macro was renamed in 4.0.
CAS128_MACROS = ("OPAL_HAVE_ATOMIC_CMPSET_128", "OPAL_HAVE_ATOMIC_COMPARE_EXCHANGE_128")
CAS128_ARCH = "x86_64"
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


def variant_words(macros, arch):
    """Yields (word, whether the variant must have it, the macro that says so) for what the headers tell."""
    for word, macro, has_word in VARIANT_MACROS:
        if macro in macros:
            yield word, has_word(macros[macro]), macro
    for macro in CAS128_MACROS:
        if macro in macros:
            yield "no-cas128", macros[macro] == 0 and arch == CAS128_ARCH, macro


def check_variant(variant, macros, arch):
    """What a table says it is must be what the headers are configured for."""
    for word, needed, macro in variant_words(macros, arch):
        if needed != (word in variant):
            raise NotAtHand(f"--variant {' '.join(variant)}: {'has no' if needed else 'has'} word {word}, but the "
                            f"headers have {macro} {macros[macro]}: give the words of this build, or headers of the "
                            "other")


def check_release(option, expected, where, numbers):
    """Headers and sources are of the release that an option says; `numbers` are theirs, None if unknown."""
    release = ".".join(numbers) if all(numbers) else None
    if release is not None and table.release_key(expected) != table.release_key(release):
        raise NotAtHand(f"{option} {expected}: but {where} are those of {release}")


def check_source(openmpi, source):
    """A source tree has its release in the file VERSION."""
    path = os.path.join(source, "VERSION")
    if os.path.exists(path):
        numbers = dict(re.findall(r"^(major|minor|release)=(\d+)$", read_text(path), re.MULTILINE))
        check_release("--openmpi", openmpi, f"the sources in {source}",
                      [numbers.get(key) for key in ("major", "minor", "release")])


def check_configuration(head, macros, numbers):
    """
    The configured headers are those of the release, or of another one that the user names: this is then recorded with
    their macros.
    """
    if head.get("configured") is None:
        check_release("--openmpi", head["openmpi"], "the headers", numbers)
        return
    check_release("--configured", head["configured"], "the configured headers", numbers)
    if not all(numbers):
        raise MqdError(f"--configured {head['configured']}: the configured headers do not say their release "
                       f"({', '.join(probe.VERSION_MACROS)})")
    macros.update(zip(probe.VERSION_MACROS, map(int, numbers)))


def configured_release(macros):
    """The release of the configured headers that a table was made with, if it is recorded: another than its own."""
    numbers = [macros.get(name) for name in probe.VERSION_MACROS]
    return None if None in numbers else ".".join(map(str, numbers))


def check_configured_for(abi, others):
    """Headers that were configured for one ABI tell nothing about another."""
    for macro, key in probe.CONFIGURED_SIZES.items():
        if macro in others and others[macro] != str(abi[key]):
            raise NotAtHand(f"the headers are configured for {macro} {others[macro]}, the compiler's is {abi[key]}: "
                            f"{RECONFIGURE}")
    arch = arch_of(others.get(probe.CONFIGURED_ARCH, ""))
    if arch is not None and arch != {"x32": "x86_64"}.get(abi["arch"], abi["arch"]):
        raise NotAtHand(f"the headers are configured for {arch}, the compiler is for {abi['arch']}: {RECONFIGURE}")


def arch_of(triplet):
    """The architecture of a GNU system type, by its name in tables; None if it is unknown. x32 counts as x86_64."""
    processor = triplet.strip('"').split("-")[0]
    arch = re.sub(r"^powerpc", "ppc", re.sub(r"^i[3-6]86$", "i386", processor))
    return arch if arch in debuginfo.ARCHES else None


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
        check_configuration(head, macros, [others.get(name) for name in probe.VERSION_MACROS])
        check_configured_for(abi, others)
        check_variant(head["variant"], macros, abi["arch"])
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
    Returns a valid table. `head` has what only the user knows: first, last, openmpi and variant, and `configured` if
    the configured headers are those of another release. Raises NotAtHand if the sources are alright but not of this
    release, variant or (if `abi_wanted` is given) ABI.
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
