#!/usr/bin/env python3
"""Other builds of UCX under the Open MPI that is installed here: those of Debian's other releases, and release builds.

    ucx_targets.py DIRECTORY [TARGET...]
        brings each target into DIRECTORY/TARGET; all that can be had by default. Needs no rights of root.

All of Debian's packages are builds with assertions, whose layouts differ from those of release builds. So "release" is
built here, once, from the source of Debian's UCX for this machine. A tag of UCX ("v1.18.1") is built in the same way
from a clone of its repository, which MQD_UCX_REPOSITORY names.

A target is UCX's four libraries without its modules: shared memory and TCP need none. Exit status 0 if one target is
there, else 77 with the reasons.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import job
import releases
from pml_ucx import MARKER, SUITES, Target, upstream

LIBRARIES = ("ucm", "ucs", "uct", "ucp")     # in the order in which they are built
TAGS = ("v1.18.1", "v1.22.0")                # their release builds have other layouts than the packages of Debian

# What contrib/configure-release of UCX does, without what is not needed.
CONFIGURE = ("--disable-logging", "--disable-debug", "--disable-assertions", "--disable-params-check",
             "--disable-static", "--disable-doxygen-doc", "--without-java", "--without-go", "--without-cuda",
             "--without-rocm", "--without-verbs", "--without-rdmacm", "--without-knem", "--without-xpmem",
             "--without-gdrcopy", "--without-ugni")


class Apt:
    """apt-get with lists of its own, of one suite."""

    def __init__(self, directory, suite, mirror):
        self.directory = directory
        os.makedirs(os.path.join(directory, "lists", "partial"), exist_ok=True)
        sources = os.path.join(directory, "sources.list")
        with open(sources, "w", encoding="utf-8") as file:
            file.write(f"deb {mirror} {suite} main\ndeb-src {mirror} {suite} main\n")
        settings = {"Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "/dev/null",
                    "Dir::State::lists": f"{directory}/lists", "Dir::State::status": "/dev/null",
                    "Dir::Cache": directory, "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "",
                    "Acquire::Check-Valid-Until": "false", "APT::Sandbox::User": "root"}
        self.options = ["-q", *(option for name, value in settings.items() for option in ("-o", f"{name}={value}"))]
        self.get("update")

    def get(self, *command):
        run(["apt-get", *self.options, *command], self.directory, "E:")

    def packages(self, *names):
        """The files of the newest packages."""
        for name in names:
            self.get("download", name)
        return [glob.glob(os.path.join(self.directory, f"{name}_*.deb"))[0] for name in names]


def run(command, directory, sign="", environment=None):
    """Runs a command that may fail: its output; the reason is the last of its lines that have a sign."""
    try:
        result = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                                env={**os.environ, **(environment or {})})
    except OSError as error:
        raise releases.Missing(f"{command[0]}: {error.strerror}") from error
    if result.returncode != 0:
        lines = [line for line in result.stdout.splitlines() if sign in line] or result.stdout.splitlines() or [""]
        raise releases.Missing(f"{os.path.basename(command[0])}: {lines[-1].strip()}")
    return result.stdout


def own_suite():
    """Returns the name of this machine's release of Debian."""
    with open("/etc/os-release", encoding="utf-8") as file:
        return re.search(r"^VERSION_CODENAME=(.*)$", file.read(), re.MULTILINE).group(1)


def copy_libraries(patterns, directory):
    os.makedirs(directory)
    for pattern in patterns:
        for path in glob.glob(pattern):
            shutil.copy2(path, directory, follow_symlinks=False)


def glibc_here():
    return tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))


def unpack_suite(suite, work, new):
    """The package of a suite, and its C library if that is newer than this machine's."""
    apt = Apt(work, suite, releases.mirror())
    files = apt.packages("libucx0", "libc6")
    for path in files:
        run(["dpkg-deb", "-x", path, os.path.join(work, "root")], work)
    libraries = f"{work}/root/usr/lib/*-linux-gnu*"
    copy_libraries([f"{libraries}/lib{name}.so.0*" for name in (*LIBRARIES, "ucs_signal")], f"{new}/ucx")
    version = os.path.basename(files[1]).split("_")[1]
    if tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", version).groups()) > glibc_here():
        copy_libraries([f"{libraries}/*.so.*"], f"{new}/libc")
        for path in glob.glob(f"{new}/libc/libuc*"):
            os.unlink(path)
    return upstream(os.path.basename(files[0]).split("_")[1])


def build(source, work, new):
    """Builds a release in a source tree, of which only the libraries are taken."""
    if not os.path.exists(f"{source}/debian"):
        os.rename(f"{source}/debian.upstream", f"{source}/debian")
    run(["./autogen.sh"], source)
    tree = os.path.join(work, "build")
    os.makedirs(tree)
    run([f"{source}/configure", *CONFIGURE], tree, "error")
    for name in LIBRARIES:
        # UCX's own flags make an error of each warning: those of a newer compiler say nothing here.
        run(["make", f"-j{len(os.sched_getaffinity(0))}", "-C", f"src/{name}", "BASE_CFLAGS=-O3 -g"], tree, "rror")
    copy_libraries([f"{tree}/src/{name}/.libs/lib{name}.so.0*" for name in LIBRARIES], f"{new}/ucx")


def build_package(_, work, new):
    """The version that is installed; its source is where the package is from."""
    version = run(["dpkg-query", "-W", "-f", "${source:Version}", "libucx0"], work).strip()
    Apt(work, own_suite(), releases.mirror()).get("source", "--download-only", f"ucx={version}")
    source = os.path.join(work, "source")
    os.makedirs(source)
    run(["tar", "-xf", glob.glob(f"{work}/ucx_*.orig.tar.*")[0], "-C", source, "--strip-components=1"], work)
    build(source, work, new)
    return upstream(version)


def build_tag(tag, work, new):
    repository = os.environ.get("MQD_UCX_REPOSITORY")
    if not repository:
        raise releases.Missing("MQD_UCX_REPOSITORY names no clone of UCX's repository")
    source = os.path.join(work, "source")
    os.makedirs(source)
    archive = os.path.join(work, "source.tar")
    run(["git", "-c", "safe.directory=*", "--git-dir", git_directory(repository), "archive", "-o", archive, tag], work)
    run(["tar", "-xf", archive, "-C", source], work)
    build(source, work, new)
    return tag[1:]


def git_directory(repository):
    inner = os.path.join(repository, ".git")
    return inner if os.path.exists(inner) else repository


def targets():
    """The names of all, with how each comes into being."""
    return {**{suite: unpack_suite for suite in SUITES}, "release": build_package, **{tag: build_tag for tag in TAGS}}


def prepare(directory, name):
    """Brings a target into the directory, whole or not at all."""
    directory = os.path.abspath(directory)
    target = Target(os.path.join(directory, name))
    if target.is_ready:
        return target
    work = tempfile.mkdtemp(prefix=f"{name}.", dir=directory)
    try:
        new = os.path.join(work, "new")
        os.makedirs(new)
        version = targets()[name](name, work, new)
        with open(os.path.join(new, MARKER), "w", encoding="utf-8") as file:
            file.write(version + "\n")
        shutil.rmtree(target.directory, ignore_errors=True)
        os.rename(new, target.directory)
    finally:
        shutil.rmtree(work)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="gets a directory for each target")
    parser.add_argument("target", nargs="*", help=f"{', '.join(targets())}")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.target if name not in targets()]
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}; there are {', '.join(targets())}")
    os.makedirs(arguments.directory, exist_ok=True)
    status = job.SKIPPED
    for name in arguments.target or targets():
        try:
            print(f"{name}: UCX {prepare(arguments.directory, name).version}", flush=True)
            status = 0
        except releases.Missing as reason:
            print(f"skipped {name}: {reason}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
