"""Makes a table from headers, or from files with debug information."""
import os
import tempfile

from . import cplusplus, debuginfo, facts, handmade, probe, table
from .elf import ElfFile, arch_of
from .errors import MqdError, NotAtHand
from .library import LIBRARIES, of_file, of_source
from .prefix import PLUGIN, release_of, release_of_ucx
from .separate import DWZ, Search

RECONFIGURE = "give headers that were configured with this compiler"
# The variant of a table if nothing tells how the build was configured.
SITE = "site"

HOW_TO_GET_TYPES = """\
Any of these gives the types:
  - the debug packages of this {title}, installed, or unpacked and named with --debug-directory
  - a debuginfod server that has them, in DEBUGINFOD_URLS
  - this {title} built again as it was, but with -g in CFLAGS and not stripped: name its {files}
  - headers: --source with the source tree of the release, {headers}"""
ABOUT_DWZ = """\
pahole cannot read what dwz has compressed, and nothing turns it back. Debug files from before dwz ran are good, as of a
package that is built without it (Debian: with an empty override_dh_dwz in debian/rules)."""


class Sources:
    """
    Where the layouts come from, as the command line says: either headers and a compiler, or files with debug
    information. The files may be those of an installation (a Prefix); `search` finds their separate debug files. `btf`
    has the types of the headers after the extraction, `left_out` those headers that could not be included.
    """

    def __init__(self, cc, pahole, include_dirs=(), macros=(), source=None, debug_info=(), installed=None, search=None):
        self.cc = cc
        self.pahole = pahole
        self.include_dirs = list(include_dirs)
        self.macros = list(macros)
        self.source = source
        self.debug_info = list(debug_info)
        self.installed = installed
        self.search = search or Search([])
        self.btf = None
        self.left_out = ()

    @property
    def from_headers(self):
        return bool(self.include_dirs or self.source)

    def library(self):
        """Returns the name of the library that the sources or files are of; None if nothing tells."""
        if self.source:
            return of_source(self.source)
        names = {of_file(path) for path in self.debug_info} - {None}
        return names.pop() if len(names) == 1 else None

    @property
    def named(self):
        return bool(self.from_headers or self.debug_info or self.installed)


def check_variant(library, variant, macros, arch):
    """Raises NotAtHand if the variant's words contradict the configuration of the headers."""
    for word, needed, macro in library.variant_words(macros, arch):
        if needed != (word in variant):
            raise NotAtHand(f"--variant {' '.join(variant)}: {'has no' if needed else 'has'} word {word}, but the "
                            f"headers have {macro} {macros.get(macro, 'not defined')}: give the words of this build, "
                            "or headers of the other")


def check_release(option, expected, where, numbers):
    """
    Raises NotAtHand if an option names another release than the headers or sources have. `numbers` are the parts of
    their version; a part that is not known is None. A commit (5.0.11a1+b962e8a65c) that comes after a release may still
    state the number of that.
    """
    release = ".".join(numbers) if numbers and all(numbers) else None
    if release is None or "+" in expected and table.release_key(release) < table.release_key(expected):
        return
    if table.release_key(expected) != table.release_key(release):
        raise NotAtHand(f"{option} {expected}: but {where} are those of {release}")


def complete(library, head, release, macros, arch):
    """
    Completes a table's head where the command line says nothing. The table is then for the release of its source only,
    and for the variant that the macros of the configured headers tell, if these are known.
    """
    release = head["release"] or release
    if release is None:
        raise MqdError(f"nothing here says which release of {library.title} this is: give it with --{library.name}")
    if not table.BUILD.fullmatch(release):
        raise MqdError(f"the release is stated as {release}: give it with --{library.name}, like 4.1.4")
    this = ".".join(map(str, table.release_key(release)))
    words = [word for word, needed, _ in library.variant_words(macros, arch) if needed]
    head = dict(head, release=release, first=head["first"] or this, last=head["last"] or this,
                variant=head["variant"] or list(dict.fromkeys(words)) or [SITE])
    first, made_from, last = (table.release_key(head[key]) for key in ("first", "release", "last"))
    if not first <= made_from <= last:
        raise MqdError(f"--{library.name} {release}: must lie between --first and --last")
    return head


def check_configuration(library, head, macros, numbers):
    """
    Checks that the configured headers are those of the release, or of the other release that the user names. The
    table records that release with their macros.
    """
    if head.get("configured") is None:
        check_release(f"--{library.name}", head["release"], "the headers", numbers)
        return
    check_release("--configured", head["configured"], "the configured headers", numbers)
    if not numbers or not all(numbers):
        raise MqdError(f"--configured {head['configured']}: the configured headers do not say their release" +
                       (f" ({', '.join(library.version_macros)})" if numbers else ""))
    macros.update(zip(library.version_macros, map(int, numbers)))


def configured_release(table_):
    """Returns the release of a table's configured headers. A table records it only if it is not its own; else None."""
    numbers = [table_["origin"]["macros"].get(name) for name in LIBRARIES[table.library_of(table_)].version_macros]
    return None if None in numbers or not numbers else ".".join(map(str, numbers))


def check_configured_for(library, abi, others):
    """Raises NotAtHand if the headers are configured for another ABI than the compiler's."""
    for macro, key in library.sizes.items():
        if macro in others and others[macro] != str(abi[key]):
            raise NotAtHand(f"the headers are configured for {macro} {others[macro]}, the compiler's is {abi[key]}: "
                            f"{RECONFIGURE}")
    arch = arch_of(others.get(library.arch_macro, ""))
    if arch is not None and arch != {"x32": "x86_64"}.get(abi["arch"], abi["arch"]):
        raise NotAtHand(f"the headers are configured for {arch}, the compiler is for {abi['arch']}: {RECONFIGURE}")


def check_abi(expected, abi):
    """Raises NotAtHand if an ABI is wanted and the compiler, or the files, have another one."""
    if expected is not None and abi != expected:
        wanted, got = (" ".join(f"{key} {value}" for key, value in sorted(side.items())) for side in (expected, abi))
        raise NotAtHand(f"made for another ABI: {wanted}; this is {got}")


def include_dirs_of(library, sources, variant, numbers, directory):
    """
    Returns the directories that -I names. If none of them is of a configured build, the headers of most libraries are
    made by hand: then the words of the variant say how.
    """
    made, numbers = handmade.MADE.get(library.name), numbers or library.source_release(sources.source)
    handmade.write_added(library, directory)
    if made is not None and sources.source and None not in numbers and not any(
            os.path.exists(os.path.join(path, library.config_header))
            for path in sources.include_dirs + [sources.source]):
        handmade.write(library, sources.source, numbers, variant or [made.default], directory)
    return sources.include_dirs + ([directory] if made is not None else [])


def compiler_of(spec):
    """Returns the class of the compiler for a library's headers."""
    return cplusplus.Compiler if spec.library.language == "c++" else probe.Compiler


def types_of_headers(spec, sources, compiler, pahole, abi):
    """Returns (types, constants): by pahole from the compiler's debug information, or from the compiler itself."""
    if pahole is None:
        return compiler.state(abi)
    path, constants = compiler.probe_object()
    btf = sources.btf = pahole.btf(path, "the headers")
    types, missing = facts.collect(spec, [facts.FactsReader(spec, btf, abi)])
    if missing:
        raise MqdError(f"the headers: {', '.join(missing)}: the compiler has defined them, but pahole found "
                       "nothing: is this pahole sound?")
    return types, constants


def from_headers(spec, sources, head, abi_wanted):
    """Compiles a probe, reads its types, and lets the compiler confirm every row."""
    library = spec.library
    with tempfile.TemporaryDirectory(prefix="mqdgen-") as directory:
        numbers = library.source_release(sources.source) if sources.source else [None]
        include_dirs = include_dirs_of(library, sources, head["variant"], numbers, directory)
        compiler = compiler_of(spec)(spec, sources.cc, include_dirs, sources.macros, sources.source, directory)
        abi = compiler.abi()
        check_abi(abi_wanted, abi)
        pahole = debuginfo.Pahole(sources.pahole) if library.language == "c" else None
        if head["release"] and sources.source:
            check_release(f"--{library.name}", head["release"], f"the sources in {sources.source}", numbers)
        macros, others = compiler.headers_seen()
        configured = [others.get(name) for name in library.version_macros]
        if None in numbers and head["configured"] is None:
            numbers = configured
        head = complete(library, head, ".".join(numbers) if numbers and all(numbers) else None, macros, abi["arch"])
        check_configuration(library, head, macros, configured)
        check_configured_for(library, abi, others)
        check_variant(library, head["variant"], macros, abi["arch"])
        compiler.headers_of = f"the headers of {library.title} {head['release']}"
        types, constants = types_of_headers(spec, sources, compiler, pahole, abi)
        sources.left_out = sorted(compiler.not_includable)
        compiler.prove(types, constants)
    return head, abi, types, constants, macros, pahole and pahole.version, "offsetof"


def from_debug_info(spec, sources, head, abi_wanted):
    """Reads files with debug information. Together they must define every type, and they must agree."""
    if spec.library.language == "c++":
        raise MqdError(f"the debug information of {spec.library.title} is of C++, which pahole does not read: name its "
                       "source tree with --source")
    pahole = debuginfo.Pahole(sources.pahole)
    files = [ElfFile(path) for path in sources.debug_info or installed_libraries(spec.library, sources.installed)]
    for elf in files:
        if elf.abi != files[0].abi:
            raise MqdError(f"{elf.path}: is for another architecture than {files[0].path}")
    release, macros = what_files_say(spec.library, sources, files)
    if release is not None and head["release"] is not None:
        check_release(f"--{spec.library.name}", head["release"], "the files",
                      [str(number) for number in table.release_key(release)])
    abi, readers, tried = dict(files[0].abi, long=files[0].abi["pointer"]), [], []
    for elf in files:
        found, notes = sources.search.find(elf)
        if found is not None:
            btf = pahole.btf(found.path, elf.path if found is elf else f"{elf.path} ({found.path})")
            abi["long"] = debuginfo.long_size(btf, abi["pointer"])
            readers.append(facts.FactsReader(spec, btf, abi))
        tried.append((elf, notes, readers[-1] if found is not None else None))
    check_abi(abi_wanted, abi)
    head = complete(spec.library, head, release, macros, abi["arch"])
    check_variant(spec.library, head["variant"], macros, abi["arch"])
    types, missing = facts.collect(spec, readers)
    if missing:
        raise NotAtHand(without_types(spec, missing, tried, sources.installed))
    return head, abi, types, facts.enumerators(spec, readers), {}, pahole.version, "none"


def installed_libraries(library, installed):
    """Returns the paths of the files of an installation that know the types."""
    if library.read_by_dump:
        raise MqdError(f"--prefix: names an Open MPI or UCX: name the file of {library.title} itself")
    return [installed.libucp()] if library.name == "ucx" else installed.libraries()


def what_files_say(library, sources, files):
    """Returns the release that the files state, and the macros of an installed opal_config.h."""
    if library.name == "ucx":
        return release_of_ucx(files), {}
    if library.read_by_dump:
        return None, {}
    if not sources.installed:
        return release_of(files), {}
    release = sources.installed.release(files)
    return release, sources.installed.macros(release, [macro for _, macro, _ in library.variant_macros]) or {}


def without_types(spec, missing, tried, installed):
    """Returns an error text: which types are missing, what each file has, where else was searched, and what to do."""
    names = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    lines = [f"{names}: no debug information defines {'it' if len(missing) == 1 else 'them'}"]
    for elf, notes, reader in tried:
        lines.append(f"  {elf.path}" + (f" (build-id {elf.build_id})" if elf.build_id else "") + ":")
        lines += [f"    {note}" for note in notes + ([what_is_in(reader, spec, missing)] if reader else [])]
    if (spec.library.name == "openmpi" and installed and
            not any(os.path.basename(elf.path) == PLUGIN for elf, _, _ in tried)):
        lines.append(f"  no {PLUGIN} beside these, which releases before 5.0 have")
    if any(DWZ in note for _, notes, _ in tried for note in notes):
        lines.append(ABOUT_DWZ)
    library = spec.library
    return "\n".join(lines + [HOW_TO_GET_TYPES.format(title=library.title, files=library.files_with_types,
                                                      headers=library.headers_needed)])


def what_is_in(reader, spec, missing):
    """Says how many of the types one file defines. A default build compiles only a few source files with -g."""
    n_defined = sum(1 for type_spec in spec.types.values() if reader.type_facts(type_spec) is not None)
    declared = [name for name in missing if reader.btf.definitions(name)[1]]
    return (f"debug information that defines {n_defined} of the {len(spec.types)} types" +
            (f", and only declares {', '.join(declared)}" if declared else ""))


def extract(spec, sources, head, abi_wanted=None):
    """
    Returns a valid table. `head` has what the user says: first, last, release and variant, each None if the sources
    shall tell it, and `configured` if the configured headers are those of another release. Raises NotAtHand if the
    sources are good, but are of another release, variant or (if `abi_wanted` is given) ABI.
    """
    if sources.from_headers or not sources.named:
        found = from_headers(spec, sources, head, abi_wanted)
    else:
        found = from_debug_info(spec, sources, head, abi_wanted)
    head, abi, types, constants, macros, pahole_version, checked = found
    result = {
        "format": table.FORMAT,
        "family": {"first": head["first"], "last": head["last"]},
        "abi": abi,
        "variant": head["variant"],
        "origin": {spec.library.name: head["release"], "spec": spec.digest, "checked": checked, "macros": macros},
        "types": types,
    }
    if pahole_version is not None:
        result["origin"]["pahole"] = pahole_version
    if constants:
        result["constants"] = constants
    table.validate("the extracted table", result, spec)
    return result
