"""Commands of gdb that ask mqdump about the Open MPI program in gdb: "help mqd".

gdb reads this file with "source", from an init file, or by its auto-load: see ompi-mqd(7). Nothing else needs it.
"""
import os
import re
import shutil
import subprocess

import gdb

# PREFIX/share/ompi-mqd/gdb/ompi-mqd.py, whatever links lead here.
PREFIX = os.path.abspath(os.path.join(os.path.realpath(__file__), *[os.pardir] * 4))


def find_mqdump():
    own = os.path.join(PREFIX, "bin", "mqdump")
    found = own if os.access(own, os.X_OK) else shutil.which("mqdump")
    if not found:
        raise gdb.GdbError(f"mqdump is not there: neither as {own}, nor in PATH")
    return found


def core_file():
    """The core that gdb has opened, or None. Its Python does not tell."""
    found = re.search(r"core dump file:\s+[`'](.*)', file type", gdb.execute("info files", to_string=True))
    return os.path.abspath(found[1]) if found else None


def target(live):
    """The arguments by which mqdump finds the current inferior; before its process id come these."""
    inferior = gdb.selected_inferior()
    core = core_file()
    if core:
        root = gdb.parameter("sysroot")
        return [*(["--sysroot", root] if os.path.isdir(root) and root != "/" else []), "--core", core]
    if not inferior.pid:
        raise gdb.GdbError("The program is not being run: run it, attach to it, or open a core.")
    connection = getattr(inferior, "connection", None)      # since gdb 11
    if connection is not None and connection.type != "native":
        raise gdb.GdbError(f"The program is not gdb's own, but behind a connection ({connection.type}): use mqdump on "
                           "its machine.")
    return [*live, str(inferior.pid)]


def run_mqdump(*arguments):
    """What mqdump says goes the way of all that gdb prints."""
    try:
        result = subprocess.run([find_mqdump(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise gdb.GdbError(f"mqdump cannot be run: {error}") from error
    gdb.write(result.stdout)
    if result.stderr and not result.stdout:
        raise gdb.GdbError(result.stderr.rstrip())
    gdb.write(result.stderr)
    if result.returncode < 0:
        raise gdb.GdbError(f"mqdump was ended by signal {-result.returncode}")


def evaluated(text):
    """MPI's predefined handles are macros, which gdb rarely knows: their objects have these names in Open MPI."""
    try:
        return gdb.parse_and_eval(text)
    except gdb.error as error:
        if not re.fullmatch(r"MPI_\w+", text):
            raise gdb.GdbError(str(error)) from error
    for name in (f"ompi_{text.lower()}", f"ompi_{text[4:].lower()}"):
        try:
            return gdb.parse_and_eval(f"(void *) &{name}")
        except gdb.error:
            continue
    raise gdb.GdbError(f"{text} is neither known to gdb nor an object of Open MPI.")


def handle_of(text):
    """
    What mqdump takes for a handle: of a pointer in C the address; the number of an INTEGER in Fortran, which is a type
    with one in its module mpi_f08.
    """
    value = evaluated(text)
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", -1)):
        value = value.referenced_value()
        kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT:
        inner = [field for field in kind.fields() if field.name and field.name.lower() == "mpi_val"]
        value = value[inner[0]] if inner else value.address
    kind = value.type.strip_typedefs()
    if kind.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_INT):
        raise gdb.GdbError(f"{text} is no handle, but of type {value.type}")
    try:
        number = int(value)
        is_fortran = kind.code == gdb.TYPE_CODE_INT and 0 <= number < 1 << 31 and not text.lower().startswith("0x")
        return str(number) if is_fortran else hex(number & (1 << 64) - 1)
    except gdb.error as error:      # as if it is optimized out
        raise gdb.GdbError(f"{text}: {error}") from error


class Mqd(gdb.Command):
    """Ask mqdump about the Open MPI program in gdb, or in the core that gdb has opened.

The program stays as gdb has it. See mqdump(1) for what is said."""

    def __init__(self):
        super().__init__("mqd", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class Why(gdb.Command):
    """Say why the job of the current inferior does not get on.
Usage: mqd why [OPTION-OF-MQDUMP]...

All ranks of the job are looked at, wherever they are: those in this gdb too. Of a core, only this one is; name others
with --core FILE."""

    def __init__(self):
        super().__init__("mqd why", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        run_mqdump(*gdb.string_to_argv(argument), *target(["--job"]))


class Queues(gdb.Command):
    """Show the message queues of the current inferior.
Usage: mqd queues [OPTION-OF-MQDUMP]..."""

    def __init__(self):
        super().__init__("mqd queues", gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        run_mqdump("--no-why", *gdb.string_to_argv(argument), *target([]))


class Handle(gdb.Command):
    """What all commands about a handle have in common."""

    def __init__(self, name, what, example):
        self.name = name
        self.__doc__ = (f"Describe {what}.\nUsage: mqd {name} EXPRESSION\n\n"
                        f"The expression is a handle, in C or in Fortran: mqd {name} {example}")
        super().__init__(f"mqd {name}", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError(f"Usage: mqd {self.name} EXPRESSION")
        where = target([])
        run_mqdump("--handle", f"{handle_of(argument.strip())}:{self.name}", *where)


Mqd()
Why()
Queues()
for words in (("comm", "a communicator", "MPI_COMM_WORLD"), ("request", "a request", "requests[0]"),
              ("type", "a datatype", "MPI_INT"), ("win", "a window", "window")):
    Handle(*words)
