"""The command line of mqdgen."""
import argparse
import os
import sys
import tempfile

from . import emit, fits, recipe, release, report, table
from .elf import ElfFile
from .errors import MqdError, NotAtHand
from .extract import Sources, configured_release, extract
from .files import write_whole
from .prefix import Prefix
from .library import LIBRARIES, of_source
from .separate import SYSTEM_DIRECTORY, Search
from .spec import read_specs

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

DEFAULT_SPECS = [os.path.join(TOP, "layout", f"{name}.def") for name in LIBRARIES]

DEFAULT_TABLES = os.path.join(TOP, "layout", "tables")

DEFAULT_RECIPES = {name: os.path.join(TOP, "gen", f"{'tables' if name == 'openmpi' else name}.json")
                   for name in LIBRARIES}

DESCRIPTION = """\
Makes the layout tables of ompi-mqd: where Open MPI keeps, in its own structures, what a debugger needs to show
message queues. A table holds for a family of releases, one ABI and one variant of configuration."""

EXTRACT = """\
Extracts one table, from debug information or from headers.

From debug information: of an installed Open MPI, or of files named one by one; together they must define all types:

  mqdgen extract --prefix PREFIX -o TABLE
  mqdgen extract libmpi.so.40 mca_pml_ob1.so -o TABLE

Where a file is stripped, its separate debug file is looked for by build-id and by its .gnu_debuglink, in each
--debug-directory, PREFIX/lib/debug and /usr/lib/debug; then at the servers of DEBUGINFOD_URLS, with debuginfod-find.
No compiler confirms these types. Of the constants there are only enumerators; `mqdgen emit` takes the others from the
tables of the same release, or from all where they agree.

From headers: compiles a probe with CC, reads its types through pahole, and has the compiler confirm every offset, size
and constant. Name the headers of one configured or installed Open MPI with -I, or let them be found with --prefix;
--source names a source tree of the same release, from which come the headers that are not installed:

  mqdgen extract -I PREFIX/include/openmpi -I PREFIX/include --source openmpi-4.1.4 -o TABLE

For another architecture name its compiler, --cc aarch64-linux-gnu-gcc, and headers configured for it.

What of --first, --last, --variant and --openmpi is not given is what the libraries or headers say: the table is then
for this one release. A variant that nothing tells is called "site"."""

EMIT = """\
Validates tables and writes them as the C file that defines mqd_tables of layout/layout.h. A table must be well-formed,
know only the types, fields and constants of the spec, and be possible: every field inside its type, aligned, and
overlapping no other. A table made for an older spec may lack what has been added since; one with more than the spec is
an error. Without tables the file defines none. The order of the arguments does not matter. Of tables that fit a process
equally well, and are for its release, those named with --site come first."""

CHECK = """\
Extracts tables again, with the options of `mqdgen extract`, and compares. A table for another release, ABI or variant
than the headers are of, or any table where pahole or the headers are not at hand, is skipped, with the reason; it is
still validated. Exit status 0: nothing differs; 1: something does, or a table or the headers are not usable."""

TABLES = """\
Makes all tables of this project again, those that have not changed byte for byte:

  mqdgen tables --source-repo ompi.git --headers UNPACKED -o layout/tables/openmpi

The recipe, gen/tables.json, says for each family of releases from which commit of Open MPI's repository its headers
come, which configured headers (opal_config.h, mpi.h) go with them, and with which macros changed. The configured
headers, and those of hwloc, libevent and PMIx, are found by their contents below the --headers directories: unpack
there, for example with dpkg-deb -x, the packages libopenmpi-dev of each release and architecture, and libhwloc-dev,
libevent-dev and libpmix-dev of one. Compilers are found in PATH by the names that the recipe has.

With --release one release more is added, a tag of the repository like v5.0.8. Where all types and constants are those
of the family before it, this family's range grows: in the recipe, in the folder's name and in each table. Where they
are not, the release begins a family; architectures on which only some differ part from the others. If one table cannot
be made, nothing is changed. Lines that begin with "look:" say what else is not as in the release before and wants a
person's eye: members of the types that are read, values of their enums, constants, macros, derived classes, symbols,
what probes rely on, and tables that the sizes of classes do not tell apart.

With --prove no table is written: all releases of a family must have the layout and the constants of its tables, also
with the configured headers of another release, and the family before it others."""

SHOW = """\
Lists a table: for each type its size, and for each field offset, size and kind; then the constants. With two tables:
what differs, lines of the first with -, of the second with +; the exit status is then 1 if anything does. With
--summary: how many tables, layouts and types there are among any number of tables, and which tables the class
descriptors alone do not tell apart.
"""

FITS = """\
Tells which tables fit an Open MPI, of whatever architecture, without running it:

  mqdgen fits --prefix PREFIX
  mqdgen fits libmpi.so.40 libopen-pal.so.40 mca_pml_ob1.so

Open MPI's libraries have class descriptors with the sizes of its types, also where they are stripped. A table fits if
it is for this size of pointers and this byte order and has these sizes: the debug DLL decides by the same in a process.
Of tables that fit the DLL takes the one that is named first, unless it knows more. If none fits, the nearest is named,
with the types that contradict it. Exit status 0: a table fits; 1: none does, or a file is not usable."""


class Usage(MqdError):
    """The command line is wrong."""


def parser():
    """Returns the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="mqdgen", description=DESCRIPTION,
                                  formatter_class=argparse.RawDescriptionHelpFormatter,
                                  epilog="Exit status: 0 done, 1 not done (or differences), 2 usage.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    one = command(commands, "extract", "make a table from debug information or headers", EXTRACT)
    one.add_argument("--first", metavar="RELEASE", help="first release of the family")
    one.add_argument("--last", metavar="RELEASE", help="last release of the family")
    one.add_argument("--variant", action="append", metavar="WORD",
                     help="what of its configuration changes layouts: release, debug, cuda, no-ft ...; may be repeated")
    for name, library in LIBRARIES.items():
        one.add_argument(f"--{name}", metavar="RELEASE",
                         help=f"the release of {library.title} that the table is made from")
    one.add_argument("--configured", metavar="RELEASE",
                     help="the release of opal_config.h and mpi.h, if it is another one than that of the other headers")
    add_library(one, "the one whose --source or release is named, or whose files they are; else openmpi")
    add_sources(one)
    one.add_argument("debug_info", nargs="*", metavar="FILE", help="libraries, programs, or their debug files")
    one.add_argument("-o", required=True, dest="output", metavar="TABLE", help="the table; - is standard output")
    one = command(commands, "emit", "turn tables into C", EMIT)
    one.add_argument("-o", required=True, dest="output", metavar="FILE", help="the C file; - is standard output")
    one.add_argument("--site", action="append", default=[], metavar="TABLE", dest="site_tables",
                     help="a table that is preferred where others fit as well; may be repeated")
    one.add_argument("tables", nargs="*", metavar="TABLE", help="JSON files")
    one = command(commands, "check", "extract tables again and compare", CHECK)
    add_sources(one)
    one.add_argument("--debug-info", nargs="+", action="extend", default=[], metavar="FILE",
                     help="the FILE... of `mqdgen extract`; ends at the next option or at --")
    one.add_argument("tables", nargs="+", metavar="TABLE", help="JSON files")
    one = command(commands, "show", "list a table, or what differs between two", SHOW)
    one.add_argument("--summary", action="store_true", help="count the tables and what they have in common")
    one.add_argument("tables", nargs="+", metavar="TABLE", help="JSON files, one or two unless --summary is given")
    one = command(commands, "fits", "tell which tables fit an Open MPI", FITS)
    one.add_argument("--prefix", metavar="DIR", help="an installed Open MPI")
    one.add_argument("--tables", action="append", default=[], metavar="PATH",
                     help="a table, or a directory with tables; may be repeated (default: those of ompi-mqd)")
    one.add_argument("--all", action="store_true", help="also name each table that does not fit, with the reason")
    one.add_argument("files", nargs="*", metavar="FILE", help="libraries of one Open MPI")
    one = command(commands, "tables", "make all tables of this project again", TABLES)
    add_library(one, "openmpi")
    one.add_argument("--recipe", metavar="FILE", help="the recipe (default: gen/tables.json, for another library "
                     "gen/LIBRARY.json)")
    one.add_argument("--source-repo", required=True, metavar="DIR", help="a clone of the library's git repository")
    one.add_argument("--headers", nargs="+", action="extend", default=[], metavar="DIR",
                     help="directories with installed or unpacked headers of Open MPI; ends at the next option")
    one.add_argument("--family", action="append", default=[], metavar="FIRST-LAST",
                     help="only this family, like 4.1.0-4.1.8; may be repeated")
    one.add_argument("--arch", action="append", default=[], metavar="ARCH",
                     help="only tables for this architecture, like aarch64; may be repeated")
    one.add_argument("--release", metavar="TAG",
                     help="add this release, a tag like v5.0.8, to the recipe and the tables")
    one.add_argument("--prove", action="store_true", help="prove the families' bounds instead of making tables")
    add_pahole(one)
    one.add_argument("-o", dest="output", metavar="DIR", help="the directory of the families' folders")
    return top


def command(commands, name, summary, description):
    """Adds one subcommand with the option that all of them have. Returns its parser."""
    one = commands.add_parser(name, help=summary, description=description,
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    one.add_argument("--spec", action="append", metavar="FILE", dest="specs",
                     help="the list of the types of one library; may be repeated (default: those of layout/, for "
                     "`emit` openmpi.def and ucx.def)")
    return one


def add_library(one, default):
    """Adds the option that names a library."""
    one.add_argument("--library", choices=list(LIBRARIES), help=f"which library it is about (default: {default})")


def add_pahole(one):
    """Adds the option that names pahole."""
    one.add_argument("--pahole", default=os.environ.get("PAHOLE") or "pahole", metavar="PROGRAM",
                     help="pahole 1.22 or later (default: $PAHOLE, or pahole)")


def add_sources(one):
    """Adds the options that say where layouts come from."""
    one.add_argument("--cc", default=os.environ.get("CC") or "cc", metavar="COMMAND",
                     help="C compiler, with options if need be (default: $CC, or cc)")
    add_pahole(one)
    one.add_argument("-I", action="append", default=[], dest="include_dirs", metavar="DIR",
                     help="directory of Open MPI's headers; may be repeated, the first one counts most")
    one.add_argument("-D", action="append", default=[], dest="macros", metavar="MACRO[=VALUE]",
                     help="macro to define before the headers; may be repeated")
    one.add_argument("--source", metavar="DIR", help="source tree of Open MPI, for headers that no -I directory has")
    one.add_argument("--prefix", metavar="DIR",
                     help="an installed Open MPI: its libraries, or with --source its headers")
    one.add_argument("--debug-directory", action="append", default=[], dest="debug_directories", metavar="DIR",
                     help="where separate debug files lie, before the usual places; may be repeated")


def sources_of(arguments):
    """Returns the Sources that the options name. Raises MqdError if they contradict each other or do not exist."""
    include_dirs, source, files = arguments.include_dirs, arguments.source, arguments.debug_info
    for path in include_dirs + ([source] if source else []) + arguments.debug_directories:
        if not os.path.isdir(path):
            raise MqdError(f"{path}: no such directory")
    if files and (include_dirs or source or arguments.macros):
        raise MqdError("either files with debug information, or headers (-I, -D, --source): not both")
    if files and arguments.prefix:
        raise MqdError("either files, or the --prefix of an installation: not both")
    installed = Prefix(arguments.prefix) if arguments.prefix else None
    search = Search(arguments.debug_directories + ([installed.debug_directory] if installed else []) +
                    [SYSTEM_DIRECTORY])
    if installed and source and not include_dirs and of_source(source) != "ucx":
        include_dirs = installed.include_dirs()
    return Sources(arguments.cc, arguments.pahole, include_dirs, arguments.macros, source, files, installed, search)


def run_extract(arguments):
    """Runs mqdgen extract. Returns the exit status."""
    for option in ("first", "last"):
        release = getattr(arguments, option)
        if release is not None and not table.RELEASE.fullmatch(release):
            raise MqdError(f"--{option} {release}: must be a release like 4.1.0")
    for option in (*LIBRARIES, "configured"):
        release = getattr(arguments, option)
        if release is not None and not table.BUILD.fullmatch(release):
            raise MqdError(f"--{option} {release}: must be a release like 4.1.4")
    for word in arguments.variant or []:
        if not table.WORD.fullmatch(word):
            raise MqdError(f"--variant {word}: must be a word of small letters, digits and -")
    specs, sources = specs_of(arguments), sources_of(arguments)
    if not sources.named:
        raise Usage("extract: name an installation (--prefix), files, or headers (-I, --source)")
    name = library_wanted(arguments, sources)
    if name not in specs:
        raise MqdError(f"{LIBRARIES[name].title}: name the list of its types with --spec")
    head = {"first": arguments.first, "last": arguments.last, "release": getattr(arguments, name),
            "variant": arguments.variant, "configured": arguments.configured}
    write_whole(arguments.output, table.to_text(extract(specs[name], sources, head)))
    for header in sources.left_out:
        complain(f"note: without the types of {header}: it does not compile, or the headers of another package that it "
                 "includes are missing: name their directory with -I if you need them")
    return 0


def specs_of(arguments):
    """Returns the Specs that the options name, {name of the library: Spec}."""
    return read_specs(arguments.specs or DEFAULT_SPECS)


def library_wanted(arguments, sources):
    """Returns the name of the library that `mqdgen extract` is about. Raises Usage if the options contradict it."""
    named = [name for name in LIBRARIES if getattr(arguments, name) is not None]
    if len(named) > 1:
        raise Usage(f"extract: {' and '.join(f'--{name}' for name in named)}: a table is of one library")
    told = [arguments.library] if arguments.library else []
    told += named + [name for name in [sources.library()] if name]
    if len(set(told)) > 1:
        raise Usage(f"extract: the options say {LIBRARIES[told[0]].title}, and {LIBRARIES[told[1]].title}")
    return told[0] if told else "openmpi"


def run_emit(arguments):
    """Runs mqdgen emit. Returns the exit status. A program has the lists of the debug DLL, or those of mqdump."""
    specs = specs_of(arguments)
    if arguments.specs is None:
        specs = {name: spec for name, spec in specs.items() if not spec.library.read_by_dump}
    tables, site_tables = ([(path, table.load(path, specs)[0]) for path in paths]
                           for paths in (arguments.tables, arguments.site_tables))
    write_whole(arguments.output, emit.emit(specs, tables, site_tables))
    return 0


def run_check(arguments):
    """Runs mqdgen check. Returns the exit status."""
    specs, sources = specs_of(arguments), sources_of(arguments)
    same = True
    for path in arguments.tables:
        try:
            old, text = table.load(path, specs)
            spec = specs[table.library_of(old)]
            of = sources.library()
            if of not in (None, spec.library.name):
                raise NotAtHand(f"is of {spec.title}, what is named is {LIBRARIES[of].title}")
            if not sources.named:
                raise NotAtHand("neither headers (-I, --source) nor debug information (--prefix, --debug-info) is "
                                "named")
            same = check_one(path, spec, sources, old, text) and same
        except NotAtHand as error:
            print(f"{path}: skipped: {error}")
        except MqdError as error:
            complain(error)
            same = False
    return 0 if same else 1


def check_one(path, spec, sources, old, text):
    """Extracts one table again and prints whether it is the same. Returns True if it is."""
    head = dict(old["family"], release=table.made_from(old), variant=old["variant"],
                configured=configured_release(old))
    new = extract(spec, sources, head, old["abi"])
    if "twins" in old:  # which variants have the same layout is known from the recipe's other tables
        new["twins"] = old["twins"]
    if table.to_text(new) == text:
        print(f"{path}: same")
        return True
    how = f"pahole {new['origin'].get('pahole', 'not used')}, checked by {new['origin']['checked']}"
    adopt_constants(new, old)
    adopt_method(new["origin"], old["origin"])
    adopt_tails(spec, new["types"], old["types"])
    if table.to_text(new) == text:
        print(f"{path}: same, by other means ({how})")
        return True
    print(f"{path}: differs")
    for line in report.differences(old, new) or ["  only in its spelling: write it with mqdgen extract"]:
        print(line)
    return False


def adopt_method(new, old):
    """
    Copies from the old table how it was made. The table records this, but another version of pahole with the same
    result is no difference. Debug information instead of headers is none either: it has no macros.
    """
    if "pahole" in old:
        new["pahole"] = old["pahole"]
    if new["checked"] != old["checked"]:
        new.update(checked=old["checked"], macros=old["macros"])


def adopt_constants(new, old):
    """Copies constants from the old table that debug information does not have. Their absence is no difference."""
    if new["origin"]["checked"] == "none" and old.get("constants"):
        new["constants"] = {**old["constants"], **new.get("constants", {})}


def adopt_tails(spec, new, old):
    """Copies the sizes of at_least types from the old table. The end of such a type depends on the build."""
    for name, type_spec in spec.types.items():
        if type_spec.size_rule == "at_least" and name in new and name in old:
            new[name]["size"] = old[name]["size"]


def run_show(arguments):
    """Runs mqdgen show. Returns the exit status."""
    specs = specs_of(arguments)
    if arguments.summary:
        print("\n".join(report.summaries(specs, [table.load(path, specs)[0] for path in arguments.tables])))
        return 0
    if len(arguments.tables) > 2:
        raise MqdError("show: one table, or two to compare")
    tables = [table.load(path, specs)[0] for path in arguments.tables]
    if len(tables) == 1:
        print("\n".join(report.listing(tables[0])))
        return 0
    lines = report.differences(*tables)
    for line in lines:
        print(line)
    return 1 if lines else 0


def table_files(paths):
    """Yields the tables that the paths name. A directory stands for all tables in and below it."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
        for directory, below, names in os.walk(path):
            below.sort()
            yield from (os.path.join(directory, name) for name in sorted(names) if name.endswith(".json"))


def run_fits(arguments):
    """Runs mqdgen fits. Returns the exit status."""
    if bool(arguments.files) == bool(arguments.prefix):
        raise Usage("fits: name either an installation (--prefix) or the files of one")
    specs = specs_of(arguments)
    paths = list(table_files(arguments.tables or [DEFAULT_TABLES]))
    if not paths:
        raise MqdError(f"{' '.join(arguments.tables) or DEFAULT_TABLES}: no tables there")
    files = [ElfFile(path) for path in arguments.files or Prefix(arguments.prefix).libraries()]
    tables = [one for one in (table.load(path, specs)[0] for path in paths) if table.library_of(one) == "openmpi"]
    if not tables:
        raise MqdError(f"{paths[0]}: {fits.ONLY_OPEN_MPI}")
    lines, any_fits = fits.report_lines(fits.Libraries(specs["openmpi"], files), tables, arguments.all)
    print("\n".join(lines))
    return 0 if any_fits else 1


def run_tables(arguments):
    """Runs mqdgen tables. Returns the exit status."""
    if not arguments.prove and (arguments.output is None or not os.path.isdir(arguments.output)):
        raise MqdError(f"-o {arguments.output}: must be the directory that has, or shall have, the families' folders")
    if arguments.release is not None and (arguments.prove or arguments.family):
        raise Usage("tables: --release goes with neither --prove nor --family")
    specs, library = specs_of(arguments), arguments.library or "openmpi"
    if library not in specs:
        raise MqdError(f"{LIBRARIES[library].title}: name the list of its types with --spec")
    path = arguments.recipe or DEFAULT_RECIPES[library]
    description = recipe.load(path, library)
    if bool(arguments.headers) != ("configured" in description):
        raise Usage(f"tables: {LIBRARIES[library].title} needs {'no --headers' if arguments.headers else '--headers'}")
    with tempfile.TemporaryDirectory(prefix="mqdgen-") as directory:
        maker = recipe.Maker(specs[library], description, arguments.source_repo, arguments.headers, arguments.pahole,
                             directory)
        if arguments.release is not None:
            return 0 if release.add(maker, path, arguments.output, arguments.release) else 1
        return 0 if recipe.make(maker, arguments.output, arguments.family, arguments.arch, arguments.prove) else 1


def complain(error):
    """Prints an error. Flushes standard output first, so that the order is right if both go to one file."""
    sys.stdout.flush()
    print(f"mqdgen: {error}", file=sys.stderr)


def main(argv):
    """Runs mqdgen with these arguments; returns its exit status."""
    arguments = parser().parse_args(argv)
    run = {"extract": run_extract, "emit": run_emit, "check": run_check, "show": run_show, "fits": run_fits,
           "tables": run_tables}[arguments.command]
    try:
        status = run(arguments)
        sys.stdout.flush()  # here a closed pipe is still handled
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MqdError as error:
        complain(error)
        return 2 if isinstance(error, Usage) else 1
    except KeyboardInterrupt:
        return 130
