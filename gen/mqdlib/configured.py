"""Finds configured headers, those that Open MPI's configure makes, among unpacked packages or installations."""
import os
import re
import shutil

from .elf import arch_of
from .errors import MqdError, NotAtHand
from .files import read_bytes, read_text
from .library import LIBRARIES

LIBRARY = LIBRARIES["openmpi"]
CONFIG = "openmpi/opal_config.h"
DEFINED = r'^[ \t]*#[ \t]*define[ \t]+{}[ \t]+("[^"\n]*"|\S+)'


def macro(text, name):
    """A macro's value in a header, None if it is not defined there."""
    match = re.search(DEFINED.format(name), text, re.MULTILINE)
    return match[1] if match else None


class Installed:
    """Everything below some directories, searched once."""

    def __init__(self, directories):
        self.directories = directories
        self.files = []
        for top in directories:
            if not os.path.isdir(top):
                raise MqdError(f"{top}: no such directory")
            for directory, below, names in os.walk(top):
                below.sort()
                self.files += [os.path.join(directory, name) for name in sorted(names) if name.endswith(".h")]
        self.configurations = {}
        for path in self.files:
            if path.endswith("/" + CONFIG) and os.path.exists(os.path.join(path[:-len(CONFIG)], "mpi.h")):
                text = read_text(path)
                numbers = [macro(text, name) for name in LIBRARY.version_macros]
                arch = arch_of(macro(text, LIBRARY.arch_macro) or "")
                if arch is not None and None not in numbers:
                    self.configurations.setdefault((".".join(numbers), arch), []).append(path[:-len(CONFIG) - 1])

    def configuration(self, release, arch, names):
        """Returns the include directory of a release configured for an architecture. Copies of it must be the same."""
        found = self.configurations.get((release, arch))
        if not found:
            raise NotAtHand(f"no opal_config.h of Open MPI {release} for {arch} below {', '.join(self.directories)}: "
                            "unpack such a package (Debian's libopenmpi-dev) there")
        for other in found[1:]:
            for name in names:
                if contents(found[0], name) != contents(other, name):
                    raise MqdError(f"{found[0]} and {other}: both are Open MPI {release} for {arch}, and {name} "
                                   "differs: name only one of them")
        return found[0]

    def directory_of(self, header, near):
        """The directory from which a header can be included, the one closest to a path; None if there is none."""
        found = [path[:-len(header) - 1] for path in self.files if path.endswith("/" + header)]
        return min(found, key=lambda path: (-len(os.path.commonpath([path, near])), path)) if found else None


def contents(directory, name):
    """A file's bytes, None if there is none."""
    path = os.path.join(directory, name)
    return read_bytes(path) if os.path.exists(path) else None


def copy(installed, names, edits, defaults, directory):
    """
    Copies the configured headers of one include directory, as -I wants them, with macros of opal_config.h changed, and
    those of `defaults` defined that are not. Headers that this release does not have are left out.
    """
    for name in names:
        source = os.path.join(installed, name)
        if os.path.exists(source):
            path = os.path.join(directory, name[len("openmpi/"):] if name.startswith("openmpi/") else name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(source, path)
    path = os.path.join(directory, os.path.basename(CONFIG))
    text = read_text(path)
    for name, value in edits.items():
        text, n_lines = re.subn(rf"^(#[ \t]*define {name}|/\* #undef {name} \*/)(?!\w).*$", f"#define {name} {value}",
                                text, flags=re.MULTILINE)
        if n_lines == 0:
            raise MqdError(f"{os.path.join(installed, CONFIG)}: {name}: is neither defined nor undefined there, so "
                           "that it cannot be changed: is it a macro of this release?")
    for name, value in defaults.items():
        text = re.sub(rf"^/\* #undef {name} \*/$", f"#define {name} {value}", text, flags=re.MULTILINE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
