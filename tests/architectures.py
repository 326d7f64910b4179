#!/usr/bin/env python3
"""Compares the tables with Debian's packages of Open MPI, for all architectures that this machine's mirror has.

    architectures.py DIRECTORY [--suite SUITE]... [--arch ARCH]... [--mirror URI]

Downloads each suite's package into DIRECTORY, unpacks it and compares the sizes in its class descriptors with the
tables, as `mqdgen fits` does. Nothing of the package is run. architectures.txt says for each release and architecture
which tables must fit. A release that it does not have is reported, and fails only if no table fits it. The package
lists and sources of apt are in DIRECTORY too: those of this machine do not change, and no rights of root are needed.

Exit status 0: nothing failed; 1: something failed; 77: nothing could be compared.
"""

import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(TOP, "gen"), os.path.join(TOP, "tests", "live")]

from mqdlib import fits, table  # noqa: E402  (the path above comes first)
from mqdlib.elf import ElfFile  # noqa: E402
from mqdlib.errors import MqdError  # noqa: E402
from mqdlib.prefix import Prefix  # noqa: E402
from mqdlib.spec import read_spec  # noqa: E402
from releases import Missing, mirror, reason_of  # noqa: E402

EXPECTED = os.path.join(TOP, "tests", "architectures.txt")
SPEC = os.path.join(TOP, "layout", "openmpi.def")
TABLES = os.path.join(TOP, "layout", "tables", "openmpi")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

SUITES = ("bullseye", "bookworm", "trixie", "forky")
ARCHES = ("amd64", "arm64", "armel", "armhf", "i386", "loong64", "mips64el", "ppc64el", "riscv64", "s390x")
PACKAGES = ("libopenmpi40", "libopenmpi3t64", "libopenmpi3")
NONE = "none:"
SKIPPED = 77


def expectations():
    """
    Reads architectures.txt. Returns {(release, architecture): (tables, reason)}: the tables that fit, the preferred one
    first, or the reason why none fits.
    """
    rows = {}
    with open(EXPECTED, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                release, arch, *tables = words
                rows[release, arch] = ([], " ".join(tables[1:])) if tables[0] == NONE else (tables, None)
    return rows


class Package:
    """The package with Open MPI's libraries of one suite, for one architecture."""

    def __init__(self, suite, arch, directory, uri):
        self.suite, self.arch, self.uri = suite, arch, uri
        self.directory = os.path.join(os.path.abspath(directory), f"{suite}-{arch}")

    def apt_get(self, *arguments):
        """Runs apt-get with lists and sources of its own. Returns (True if it succeeded, its output)."""
        options = {"Dir::Etc::SourceList": self.path("sources.list"), "Dir::Etc::SourceParts": "/dev/null",
                   "Dir::Etc::PreferencesParts": "/dev/null", "Dir::Etc::Preferences": "/dev/null",
                   "Dir::State": self.path("state"), "Dir::State::Lists": self.path("lists"),
                   "Dir::State::status": self.path("status"), "Dir::Cache": self.path("cache"),
                   "APT::Architecture": self.arch, "APT::Architectures": self.arch, "APT::Sandbox::User": "",
                   "Acquire::Languages": "none", "Acquire::Check-Valid-Until": "false", "Debug::NoLocking": "true"}
        command = ["apt-get", "-q"] + [f"-o{name}={value}" for name, value in options.items()] + list(arguments)
        done = subprocess.run(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                              env=dict(os.environ, LC_ALL="C"), check=False)
        return done.returncode == 0, done.stdout

    def path(self, name):
        return os.path.join(self.directory, name)

    def arches_of_suite(self):
        """Returns the architectures in the suite's Release file, which apt-get has fetched."""
        for path in glob.glob(self.path("lists/*Release")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.startswith("Architectures:"):
                        return [word for word in line.split()[1:] if word != "all"]
        return [self.arch]

    def prefix(self):
        """Downloads and unpacks the package. Returns the directory of its files."""
        shutil.rmtree(self.directory, ignore_errors=True)
        for name in ("lists/partial", "cache/archives/partial", "state", "root"):
            os.makedirs(self.path(name))
        signed = f"[signed-by={KEYRING}] " if os.path.exists(KEYRING) else ""
        for name, text in (("sources.list", f"deb {signed}{self.uri} {self.suite} main\n"), ("status", "")):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        try:
            done, said = self.apt_get("update")
            if not done or "W: Failed to fetch" in said:
                raise Missing(reason_of(said.replace("W: Failed to fetch", "E: Failed to fetch")))
            if self.arch not in self.arches_of_suite():
                raise Missing(f"the mirror has the suite for {', '.join(self.arches_of_suite())}")
            if not any(self.apt_get("download", name)[0] for name in PACKAGES):
                raise Missing(f"none of {', '.join(PACKAGES)} is there")
        finally:
            for name in ("lists", "cache", "state"):
                shutil.rmtree(self.path(name))
        for package in glob.glob(self.path("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, self.path("root")], check=True)
            os.unlink(package)
        return self.path("root/usr")


def judge(expected, arch, libraries, tables):
    """Returns (True if the result is as expected, a text about it). `tables` are pairs (name, table)."""
    names = {id(one): name for name, one in tables}
    fitting, others = fits.compare(libraries, [one for _, one in tables])
    found = [names[id(one)] for one in fitting]
    text = f"Open MPI {libraries.release}: {' '.join(found) or 'no table fits'}"
    if (libraries.release, arch) not in expected:
        text += ": not in architectures.txt"
        good = bool(found)
    else:
        wanted, reason = expected[libraries.release, arch]
        good = found == wanted
        if not good:
            text += f": expected {' '.join(wanted) or 'none'}"
        elif reason:
            text += f": {reason}"
    if not good and not found and others:
        text += f"\n  {names[id(others[0][0])]}:\n  " + "\n  ".join(fits.explained(others[0][1]))
    return good, text


def main():
    """Downloads the packages at the same time, and reports them in order. Returns the exit status."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("directory")
    command.add_argument("--suite", action="append", choices=SUITES)
    command.add_argument("--arch", action="append", choices=ARCHES)
    command.add_argument("--mirror")
    arguments = command.parse_args()
    spec, expected = read_spec(SPEC), expectations()
    tables = [(os.path.relpath(path, TABLES)[:-len(".json")], table.load(path, spec)[0])
              for path in sorted(glob.glob(os.path.join(TABLES, "*", "*.json")))]
    counts, seen = {"ok": 0, "FAILED": 0, "skipped": 0}, set()

    def tell(what, where, text):
        counts[what] += 1
        print(f"{what:<8}{where}: {text}", flush=True)

    def prefix_of(package):
        try:
            return package.prefix(), None
        except (Missing, OSError, subprocess.CalledProcessError) as error:
            return None, str(error)

    try:
        uri = arguments.mirror or mirror()
    except (Missing, OSError) as error:
        print(f"skipped: {error}")
        return SKIPPED
    packages = [Package(suite, arch, arguments.directory, uri) for suite in arguments.suite or SUITES
                for arch in arguments.arch or ARCHES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for package, (prefix, reason) in zip(packages, pool.map(prefix_of, packages)):
            where = f"{package.suite} {package.arch}"
            if prefix is None:
                tell("skipped", where, reason)
                continue
            try:
                libraries = fits.Libraries(spec, [ElfFile(path) for path in Prefix(prefix).libraries()])
            except MqdError as error:
                tell("FAILED", where, str(error))
                continue
            seen.add((libraries.release, package.arch))
            good, text = judge(expected, package.arch, libraries, tables)
            tell("ok" if good else "FAILED", where, text)
    if not arguments.suite and not arguments.arch:
        for release, arch in sorted(set(expected).difference(seen)):
            tell("skipped", f"{release} {arch}", "expected, but no suite has it now")
    print(f"{counts['ok']} passed, {counts['FAILED']} failed, {counts['skipped']} skipped")
    if counts["FAILED"]:
        return 1
    return 0 if counts["ok"] else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
