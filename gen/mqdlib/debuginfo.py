"""From a file with debug information to its types, by pahole."""
import os
import re
import subprocess
import tempfile

from . import dwarf
from .btf import INT, Btf
from .elf import ElfFile
from .errors import MqdError, NotAtHand
from .files import read_bytes

PAHOLE_NEEDED = (1, 22)
INSTALL_PAHOLE = "install the package dwarves (pahole 1.22 or later), or name another one with --pahole"

class Pahole:
    """A pahole program that is there and recent enough."""

    def __init__(self, program):
        self.program = program
        done = self.run(["--version"])
        match = re.fullmatch(r"v?(\d+)\.(\d+)", done.stdout.strip())
        if done.returncode != 0 or match is None:
            raise NotAtHand(f"{program}: does not say its version as pahole does: {INSTALL_PAHOLE}")
        self.version = f"{match[1]}.{match[2]}"
        if (int(match[1]), int(match[2])) < PAHOLE_NEEDED:
            raise NotAtHand(f"{program}: version {self.version} is too old: {INSTALL_PAHOLE}")

    def run(self, arguments):
        try:
            return subprocess.run([self.program] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
        except OSError as error:
            raise NotAtHand(f"{self.program}: cannot run it: {error.strerror}: {INSTALL_PAHOLE}") from error

    def btf(self, path, shown_as=None):
        """Returns the Btf of a file with debug information."""
        shown_as = shown_as or path
        with tempfile.TemporaryDirectory(prefix="mqdgen-") as directory:
            readable = dwarf.copy_for_pahole(ElfFile(path), os.path.join(directory, "readable"))
            return self.encode(readable, shown_as, os.path.join(directory, "types.btf"))

    def encode(self, path, shown_as, out):
        """
        A pahole that fails leaves an older output file as it was: `out` is removed first. Unless it is told to write
        floating point types, it writes integers of their size.
        """
        if os.path.exists(out):
            os.unlink(out)
        done = self.run(["--btf_gen_floats", f"--btf_encode_detached={out}", path])
        said = done.stderr.strip().splitlines()
        said = f": {said[-1]}" if said else ""
        if done.returncode != 0:
            raise MqdError(f"{shown_as}: {self.program} failed with status {done.returncode}{said}: has the file DWARF "
                           "debug information (built with -g and not stripped)?")
        if not os.path.exists(out):
            raise MqdError(f"{shown_as}: {self.program} succeeded but wrote nothing{said}: has the file DWARF debug "
                           "information (built with -g, not stripped, not compressed by dwz)?")
        return Btf(read_bytes(out), shown_as)


def long_size(btf, pointer):
    """The size of `long`: the pointer's, unless the types say otherwise."""
    sizes = {type_.size for name in ("long int", "long") for type_ in btf.by_name.get(name, []) if type_.kind == INT}
    return sizes.pop() if len(sizes) == 1 else pointer
