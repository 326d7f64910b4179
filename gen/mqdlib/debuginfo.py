"""From a file with debug information to its types: the ELF header, and pahole."""
import os
import re
import struct
import subprocess
import tempfile

from .btf import INT, Btf
from .errors import MqdError, NotAtHand
from .files import read_bytes

PAHOLE_NEEDED = (1, 22)
INSTALL_PAHOLE = "install the package dwarves (pahole 1.22 or later), or name another one with --pahole"

# e_machine and whether it is 64-bit, as the names that tables use; where there are two, little endian comes first.
ELF_MACHINES = {
    (3, False): ("i386",), (62, True): ("x86_64",), (62, False): ("x32",),
    (40, False): ("arm", "armeb"), (183, True): ("aarch64", "aarch64_be"),
    (20, False): ("ppcle", "ppc"), (21, True): ("ppc64le", "ppc64"),
    (22, True): ("s390x",), (22, False): ("s390",), (243, True): ("riscv64",), (243, False): ("riscv32",),
    (258, True): ("loongarch64",), (8, False): ("mipsel", "mips"), (8, True): ("mips64el", "mips64"),
    (2, False): ("sparc",), (43, True): ("sparc64",),
}
ARCHES = frozenset(name for names in ELF_MACHINES.values() for name in names)


def elf_abi(path):
    """Returns {arch, pointer, endian} of an ELF file."""
    head = read_bytes(path, 20)
    if len(head) < 20 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        raise MqdError(f"{path}: not an ELF file")
    wide, little = head[4] == 2, head[5] == 1
    machine = struct.unpack_from("<H" if little else ">H", head, 18)[0]
    names = ELF_MACHINES.get((machine, wide))
    if names is None:
        raise MqdError(f"{path}: ELF machine {machine} is unknown: name it in gen/mqdlib/debuginfo.py")
    return {"arch": names[0 if little else -1], "pointer": 8 if wide else 4, "endian": "little" if little else "big"}


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
            return self.encode(path, shown_as, os.path.join(directory, "types.btf"))

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


def abi_of(path, btf):
    """The ABI of a file, with what its header does not tell taken from its types."""
    abi = elf_abi(path)
    abi["long"] = long_size(btf, abi["pointer"])
    return abi
