"""Finds a library's debug information: in itself, in a separate file, or on a debuginfod server."""
import os
import subprocess
import zlib

from . import dwarf
from .elf import ElfFile
from .errors import MqdError

SYSTEM_DIRECTORY = "/usr/lib/debug"
DEBUGINFOD_FIND = "debuginfod-find"
INSTALL_DEBUGINFOD = "install the package debuginfod (elsewhere called elfutils-debuginfod-client)"
NO_DEBUG_INFO = "no debug information"
DWZ = "compressed by dwz"


class Search:
    """The places to look: directories of separate debug files, as debuggers have them, then DEBUGINFOD_URLS."""

    def __init__(self, directories):
        self.directories = list(dict.fromkeys(map(os.path.realpath, directories)))

    def find(self, elf):
        """Returns (an ElfFile with debug information that pahole can read, or None; what was tried in vain)."""
        notes = []
        if elf.has_debug_info and not dwarf.uses_dwz(elf):
            return elf, notes
        notes.append(DWZ if elf.has_debug_info else f"{NO_DEBUG_INFO} of its own" +
                     (f"; its debug file has been {DWZ}" if elf.has(".gnu_debugaltlink") else ""))
        there = [candidate for candidate in self.candidates(elf) if os.path.exists(candidate[0])]
        for path, crc in there:
            found, why = examine(elf, path, crc)
            if found is not None:
                return found, notes
            notes.append(f"{path}: {why}")
        if not there:
            notes.append("no separate file by its build-id or .gnu_debuglink, neither beside it nor below "
                         f"{', '.join(self.directories)}")
        found, why = ask_debuginfod(elf)
        if found is None:
            notes.append(why)
        return found, notes

    def candidates(self, elf):
        """Yields (path, CRC that it must have, or None if its build-id tells) of separate files, there or not."""
        build_id = elf.build_id
        if build_id:
            for directory in self.directories:
                yield os.path.join(directory, ".build-id", build_id[:2], build_id[2:] + ".debug"), None
        name, crc = elf.debug_link or (None, None)
        if name and os.path.basename(name) == name:
            here = os.path.dirname(os.path.realpath(elf.path))
            for directory in [here, os.path.join(here, ".debug")] + [top + here for top in self.directories]:
                yield os.path.join(directory, name), crc


def examine(elf, path, crc):
    """Returns (ElfFile, None) if a file has this library's debug information, else (None, why not)."""
    try:
        found = ElfFile(path)
        if elf.build_id and found.build_id and found.build_id != elf.build_id:
            return None, f"of another build, {found.build_id}"
        if crc is not None and zlib.crc32(found.data) != crc:
            return None, "of another build, by its checksum"
        if not found.has_debug_info:
            return None, NO_DEBUG_INFO
        return (None, DWZ) if dwarf.uses_dwz(found) else (found, None)
    except MqdError as error:
        return None, str(error)


def ask_debuginfod(elf):
    """Asks the servers that DEBUGINFOD_URLS names for the same."""
    if not os.environ.get("DEBUGINFOD_URLS", "").strip():
        return None, "DEBUGINFOD_URLS names no server"
    if not elf.build_id:
        return None, "no build-id, by which a debuginfod server could be asked"
    try:
        done = subprocess.run([DEBUGINFOD_FIND, "debuginfo", elf.build_id], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                              check=False)
    except OSError as error:
        return None, f"{DEBUGINFOD_FIND}: cannot run it: {error.strerror}: {INSTALL_DEBUGINFOD}"
    said = done.stderr.strip().splitlines()
    if done.returncode != 0:
        return None, f"debuginfod has none: {said[-1] if said else 'no reason given'}"
    path = done.stdout.strip()
    found, why = examine(elf, path, None)
    return found, f"from debuginfod, {path}: {why}"
