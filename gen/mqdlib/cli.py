"""The command line of mqdgen."""
import argparse
import os
import sys

from . import emit, report, table
from .errors import MqdError, NotAtHand
from .extract import Sources, extract
from .files import write_whole
from .spec import read_spec

DEFAULT_SPEC = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../layout/spec.def"))

DESCRIPTION = """\
Makes the layout tables of ompi-mqd: where Open MPI keeps, in its own structures, what a debugger needs to show
message queues. A table holds for a family of releases, one ABI and one variant of configuration."""

EXTRACT = """\
Extracts one table, from headers or from debug information.

From headers (the default): compiles a probe with CC, reads its types through pahole, and has the compiler confirm
every offset and size. Name the headers of one configured or installed Open MPI with -I; --source names a source tree
of the same release, from which come the headers that are not installed:

  mqdgen extract --first 4.1.0 --last 4.1.8 --variant release --openmpi 4.1.4 \\
      -I PREFIX/include/openmpi -I PREFIX/include --source openmpi-4.1.4 -o x86_64-release.json

For another architecture name its compiler, --cc aarch64-linux-gnu-gcc, and headers configured for it.

From debug information: with --debug-info, the types come from files built with -g, together, as they were compiled;
no compiler confirms them:

  mqdgen extract --first 4.1.0 --last 4.1.8 --variant release --openmpi 4.1.4 \\
      --debug-info libopen-pal.so.40 libmpi.so.40 mca_pml_ob1.so -o x86_64-release.json"""

EMIT = """\
Validates tables and writes them as the C file that defines mqd_tables of layout/layout.h. A table must be well-formed,
know only the types and fields of the spec, and be possible: every field inside its type, aligned, and overlapping no
other. A table made for an older spec may lack what has been added since; one with more than the spec is an error.
Without tables the file defines none. The order of the arguments does not matter."""

CHECK = """\
Extracts tables again, with the options of `mqdgen extract`, and compares. A table for another release, ABI or variant
than the headers are of, or any table where pahole or the headers are not at hand, is skipped, with the reason; it is
still validated. Exit status 0: nothing differs; 1: something does, or a table or the headers are not usable."""

SHOW = """\
Lists a table: for each type its size, and for each field offset, size and kind. With two tables: what differs, lines of
the first with -, of the second with +; the exit status is then 1 if anything does."""


def parser():
    """The whole command line."""
    top = argparse.ArgumentParser(prog="mqdgen", description=DESCRIPTION,
                                  formatter_class=argparse.RawDescriptionHelpFormatter,
                                  epilog="Exit status: 0 done, 1 not done (or differences), 2 usage.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    one = command(commands, "extract", "make a table from headers or debug information", EXTRACT)
    one.add_argument("--first", required=True, metavar="RELEASE", help="first release of the family")
    one.add_argument("--last", required=True, metavar="RELEASE", help="last release of the family")
    one.add_argument("--variant", required=True, action="append", metavar="WORD",
                     help="what of its configuration changes layouts: release, debug, cuda, no-ft ...; may be repeated")
    one.add_argument("--openmpi", required=True, metavar="RELEASE", help="the release that the table is made from")
    add_sources(one)
    one.add_argument("-o", required=True, dest="output", metavar="FILE", help="the table; - is standard output")
    one = command(commands, "emit", "turn tables into C", EMIT)
    one.add_argument("-o", required=True, dest="output", metavar="FILE", help="the C file; - is standard output")
    one.add_argument("tables", nargs="*", metavar="TABLE", help="JSON files")
    one = command(commands, "check", "extract tables again and compare", CHECK)
    add_sources(one)
    one.add_argument("tables", nargs="+", metavar="TABLE", help="JSON files")
    one = command(commands, "show", "list a table, or what differs between two", SHOW)
    one.add_argument("tables", nargs="+", metavar="TABLE", help="JSON files, one or two")
    return top


def command(commands, name, summary, description):
    """Adds one subcommand, with the option that all have."""
    one = commands.add_parser(name, help=summary, description=description,
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    one.add_argument("--spec", default=DEFAULT_SPEC, metavar="FILE", help="the spec (default: layout/spec.def)")
    return one


def add_sources(one):
    """The options that say where layouts come from."""
    one.add_argument("--cc", default=os.environ.get("CC") or "cc", metavar="COMMAND",
                     help="C compiler, with options if need be (default: $CC, or cc)")
    one.add_argument("--pahole", default=os.environ.get("PAHOLE") or "pahole", metavar="PROGRAM",
                     help="pahole 1.22 or later (default: $PAHOLE, or pahole)")
    one.add_argument("-I", action="append", default=[], dest="include_dirs", metavar="DIR",
                     help="directory of Open MPI's headers; may be repeated, the first one counts most")
    one.add_argument("-D", action="append", default=[], dest="macros", metavar="MACRO[=VALUE]",
                     help="macro to define before the headers; may be repeated")
    one.add_argument("--source", metavar="DIR", help="source tree of Open MPI, for headers that no -I directory has")
    one.add_argument("--debug-info", nargs="+", action="extend", default=[], metavar="FILE",
                     help="files with debug information, instead of headers; ends at the next option or at --")


def sources_of(arguments):
    """The Sources that the options name, which must be there."""
    for path in arguments.include_dirs + ([arguments.source] if arguments.source else []):
        if not os.path.isdir(path):
            raise MqdError(f"{path}: no such directory")
    return Sources(arguments.cc, arguments.pahole, arguments.include_dirs, arguments.macros, arguments.source,
                   arguments.debug_info)


def run_extract(arguments):
    """mqdgen extract"""
    for option in ("first", "last"):
        if not table.RELEASE.fullmatch(getattr(arguments, option)):
            raise MqdError(f"--{option} {getattr(arguments, option)}: must be a release like 4.1.0")
    if not table.BUILD.fullmatch(arguments.openmpi):
        raise MqdError(f"--openmpi {arguments.openmpi}: must be a release like 4.1.4")
    first, made_from, last = map(table.release_key, (arguments.first, arguments.openmpi, arguments.last))
    if not first <= made_from <= last:
        raise MqdError(f"--openmpi {arguments.openmpi}: must lie between --first and --last")
    for word in arguments.variant:
        if not table.WORD.fullmatch(word):
            raise MqdError(f"--variant {word}: must be a word of small letters, digits and -")
    head = {"first": arguments.first, "last": arguments.last, "openmpi": arguments.openmpi,
            "variant": arguments.variant}
    spec = read_spec(arguments.spec)
    write_whole(arguments.output, table.to_text(extract(spec, sources_of(arguments), head)))
    return 0


def run_emit(arguments):
    """mqdgen emit"""
    spec = read_spec(arguments.spec)
    tables = [(path, table.load(path, spec)[0]) for path in arguments.tables]
    write_whole(arguments.output, emit.emit(spec, tables))
    return 0


def run_check(arguments):
    """mqdgen check"""
    spec, sources = read_spec(arguments.spec), sources_of(arguments)
    same = True
    for path in arguments.tables:
        try:
            old, text = table.load(path, spec)
            if not sources.named:
                raise NotAtHand("neither headers (-I, --source) nor debug information (--debug-info) is named")
            same = check_one(path, spec, sources, old, text) and same
        except NotAtHand as error:
            print(f"{path}: skipped: {error}")
        except MqdError as error:
            complain(error)
            same = False
    return 0 if same else 1


def check_one(path, spec, sources, old, text):
    """Extracts one table again; returns whether it is the same."""
    head = dict(old["family"], openmpi=old["origin"]["openmpi"], variant=old["variant"])
    new = extract(spec, sources, head, old["abi"])
    if table.to_text(new) == text:
        print(f"{path}: same")
        return True
    how = f"pahole {new['origin']['pahole']}, checked by {new['origin']['checked']}"
    adopt_method(new["origin"], old["origin"])
    if table.to_text(new) == text:
        print(f"{path}: same, by other means ({how})")
        return True
    print(f"{path}: differs")
    for line in report.differences(old, new) or ["  only in its spelling: write it with mqdgen extract"]:
        print(line)
    return False


def adopt_method(new, old):
    """
    How a table was found is recorded, but another version of pahole that finds the same is no difference. Nor is
    another source: debug information has no macros.
    """
    new["pahole"] = old["pahole"]
    if new["checked"] != old["checked"]:
        new.update(checked=old["checked"], macros=old["macros"])


def run_show(arguments):
    """mqdgen show"""
    if len(arguments.tables) > 2:
        raise MqdError("show: one table, or two to compare")
    spec = read_spec(arguments.spec)
    tables = [table.load(path, spec)[0] for path in arguments.tables]
    if len(tables) == 1:
        print("\n".join(report.listing(tables[0])))
        return 0
    lines = report.differences(*tables)
    for line in lines:
        print(line)
    return 1 if lines else 0


def complain(error):
    """What was printed so far comes before the complaint, also where both go to one file."""
    sys.stdout.flush()
    print(f"mqdgen: {error}", file=sys.stderr)


def main(argv):
    """Runs mqdgen with these arguments; returns its exit status."""
    arguments = parser().parse_args(argv)
    run = {"extract": run_extract, "emit": run_emit, "check": run_check, "show": run_show}[arguments.command]
    try:
        return run(arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MqdError as error:
        complain(error)
        return 1
    except KeyboardInterrupt:
        return 130
