"""Finds the libraries, the release and the headers of an installed Open MPI, or the library of an installed UCX."""
import glob
import os
import re

from .configured import macro
from .elf import ElfFile
from .errors import MqdError
from .files import read_text
from .library import LIBRARIES
from .table import BUILD, release_key

LIBRARY_DIRS = ("lib", "lib64", "lib/*-linux-gnu*", "lib/openmpi/lib", "lib64/openmpi/lib",
                "lib/*-linux-gnu*/openmpi/lib")
PLUGIN_DIRS = ("openmpi*", "openmpi/lib/openmpi*")
INCLUDE_DIRS = ("include", "include/openmpi", "include/openmpi-*", "lib*/openmpi/include",
                "lib/*-linux-gnu*/openmpi/include")
# The link by which programs find the library: libmpi.so.40.30.4 itself may have older ones beside it, and libmpi.so
# may lead to another MPI, or, in a directory that will be a root, out of it.
LIBMPI = (re.compile(r"libmpi\.so\.\d+"), re.compile(r"libmpi\.so"))
PLUGIN = "mca_pml_ob1.so"
COMPANIONS = ("libopen_mpi", "libopen-pal")
VERSION_SYMBOL = "ompi_version_string"
LIBUCP = re.compile(r"libucp\.so\.\d+")
# UCX has no symbol for the text that ucp_get_version_string() returns: it is the only one of this form in libucp.
VERSION_TEXT = re.compile(rb"(?<![0-9.])(\d+\.\d+\.\d+)\0")


def release_of(files):
    """The release that libraries (ElfFiles) state, as "4.1.4" or "6.0.0rc2"; None if none of them does."""
    for elf in files:
        text = elf.initial_string(VERSION_SYMBOL) or b""
        match = BUILD.search(text.decode("utf-8", "replace"))
        if match:
            return match[0]
    return None


def release_of_ucx(files):
    """The release that one of these libraries of UCX states, as "1.18.1"; None if none does, or not clearly."""
    for elf in files:
        stated = set(VERSION_TEXT.findall(elf.bytes_of(".rodata")))
        if len(stated) == 1:
            return stated.pop().decode("ascii")
    return None


class Prefix:
    """The directory of an installation, as in configure's --prefix."""

    def __init__(self, directory):
        if not os.path.isdir(directory):
            raise MqdError(f"--prefix {directory}: no such directory")
        self.directory = directory

    def expand(self, patterns):
        """Returns the directories or files that exist, each once, in the order of the patterns."""
        found = [path for pattern in patterns
                 for path in sorted(glob.glob(os.path.join(glob.escape(self.directory), pattern)))]
        return list({os.path.realpath(path): path for path in reversed(found)}.values())[::-1]

    @property
    def debug_directory(self):
        """Where debug packages that are unpacked or installed with the prefix put their files."""
        return os.path.join(self.directory, "lib", "debug")

    def libucp(self):
        """The library of UCX that programs find; it knows all types."""
        paths = [path for directory in self.expand(LIBRARY_DIRS)
                 for path in sorted(glob.glob(os.path.join(glob.escape(directory), "libucp.so*")))
                 if LIBUCP.fullmatch(os.path.basename(path))]
        found = {os.path.realpath(path): path for path in reversed(paths)}
        if not found:
            raise MqdError(f"--prefix {self.directory}: no libucp.so of UCX in {', '.join(LIBRARY_DIRS)} below it: "
                           "name the directory that UCX was configured with, or the file itself")
        if len(found) > 1:
            raise MqdError(f"--prefix {self.directory}: has several, {', '.join(found.values())}: name the file")
        return next(iter(found.values()))

    def libraries(self):
        """The files that together know all types: libmpi, what it needs of Open MPI's own, and the plugin of ob1."""
        libmpi, directories = self.libmpi()
        files, pending = [], [libmpi]
        while pending:
            path = pending.pop(0)
            files.append(path)
            for name in ElfFile(path).needed():
                known = {os.path.realpath(other) for other in files + pending}
                found = [os.path.join(directory, name) for directory in directories
                         if name.startswith(COMPANIONS) and os.path.exists(os.path.join(directory, name))]
                if found and os.path.realpath(found[0]) not in known:
                    pending.append(found[0])
        return files + self.plugin(directories)

    def libmpi(self):
        """Open MPI's libmpi, and the directories in which it lies: that of the link, and that of the file."""
        found = {}
        for pattern in LIBMPI:
            paths = [path for directory in self.expand(LIBRARY_DIRS)
                     for path in sorted(glob.glob(os.path.join(glob.escape(directory), "libmpi.so*")))
                     if pattern.fullmatch(os.path.basename(path))]
            for path in filter(is_open_mpi, paths if not found else []):
                found.setdefault(os.path.realpath(path), path)
        if not found:
            raise MqdError(f"--prefix {self.directory}: no libmpi.so of Open MPI in {', '.join(LIBRARY_DIRS)} below "
                           "it: name the directory that Open MPI was configured with, or the files themselves")
        if len(found) > 1:
            raise MqdError(f"--prefix {self.directory}: has several, {', '.join(found.values())}: name the files of "
                           "one")
        (real, link), = found.items()
        return link, list(dict.fromkeys([os.path.dirname(link), os.path.dirname(real)]))

    def plugin(self, directories):
        """The plugin, if there is one: since 5.0 what it has is part of the library."""
        found = [path for directory in directories for pattern in PLUGIN_DIRS
                 for path in sorted(glob.glob(os.path.join(glob.escape(directory), pattern, PLUGIN)))]
        found = {os.path.realpath(path): path for path in reversed(found)}
        if len(found) > 1:
            raise MqdError(f"--prefix {self.directory}: has several plugins, {', '.join(sorted(found.values()))}: name "
                           "libmpi and the plugin of one")
        return list(found.values())

    def release(self, files):
        """The release that the libraries state, else the one of mpi.h; None if neither does, or several differ."""
        stated = {self.header_release(os.path.join(directory, "mpi.h")) for directory in self.expand(INCLUDE_DIRS)}
        stated.discard(None)
        return release_of(files) or (stated.pop() if len(stated) == 1 else None)

    @staticmethod
    def header_release(path):
        text = read_text(path) if os.path.exists(path) else ""
        numbers = [macro(text, name) for name in LIBRARIES["openmpi"].version_macros]
        return None if None in numbers else ".".join(numbers)

    def configured(self, release):
        """The directory that has mpi.h and openmpi/opal_config.h of that release; None if they are not installed."""
        for directory in self.expand(INCLUDE_DIRS):
            path = os.path.join(directory, "openmpi", "opal_config.h")
            stated = self.header_release(path)
            if stated is not None and (release is None or release_key(release) == release_key(stated)):
                return directory
        return None

    def include_dirs(self):
        """What -I needs for the installed headers."""
        directory = self.configured(None)
        if directory is None:
            raise MqdError(f"--prefix {self.directory}: has no mpi.h with openmpi/opal_config.h, which an Open MPI has "
                           "that was configured with --with-devel-headers: name those of its build directory with -I")
        return [os.path.join(directory, "openmpi"), directory]

    def macros(self, release, names):
        """Those macros of the installed opal_config.h that are numbers; None if it is not installed."""
        directory = self.configured(release)
        if directory is None:
            return None
        text = read_text(os.path.join(directory, "openmpi", "opal_config.h"))
        found = {name: macro(text, name) for name in names}
        return {name: int(value) for name, value in found.items() if value and re.fullmatch(r"\d+", value)}


def is_open_mpi(path):
    """Is the file a library of Open MPI's? MPICH's has the same name; some are scripts for the linker."""
    try:
        elf = ElfFile(path)
        return elf.initial_string(VERSION_SYMBOL) is not None or any(
            name.startswith(COMPANIONS) for name in elf.needed())
    except MqdError:
        return False
