#!/usr/bin/env python3
"""Runs the live tests on other releases of Open MPI: those that other releases of Debian distribute.

    releases.py prepare DIRECTORY [SUITE...]
        unpacks each release into DIRECTORY/SUITE, from this machine's own mirror of Debian; all by default.
    releases.py run|cm|verdicts|... --root DIRECTORY/SUITE --mqdump FILE [OPTION...]
        runs tests/live/run.py, verdicts.py and so on with that release's Open MPI. The programs run in that root, mqdump
        and the debug DLL outside of it. The programs are compiled in the oldest of the releases in DIRECTORY that has a
        compiler, those with threads of OpenMP in the release itself. With run --source DIRECTORY also with its types made available: its headers are fetched into that
        directory.

Exit status as that of run.py; 77 also if nothing could be unpacked, or if the root is not there. Needs root's rights.
"""

import argparse
import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import cm
import collectives
import generated
import handles
import in_gdb
import job
import matrix
import more_tags
import mpihandles
import openmp
import points
import questions
import run
import states
import stuck_threads
import verdicts
import windows
import wrappers

# The suites that can be run with another release. Each has test, and argument_parser unless it has that of verdicts.py.
MODULES = (
    run,
    cm,
    verdicts,
    points,
    matrix,
    states,
    collectives,
    windows,
    wrappers,
    generated,
    handles,
    mpihandles,
    in_gdb,
    questions,
    more_tags,
    openmp,
    stuck_threads,
)

MARKER = "etc/ompi-mqd-unpacked"     # names the packages; written last

COMPILER = ("libopenmpi-dev", "gcc", "libc6-dev")
# Of programs with threads: each release runs what its own compilers have made, on its own runtimes of OpenMP.
THREADS = (*COMPILER, "clang", "libomp-dev")

# What a machine has on which jobs are started and mqdump runs, also from gdb.
MACHINE = ("openssh-server", "libdw1t64", "libjansson4", "libseccomp2", "liblzma5", "gdb")

# From the oldest to the newest. What is compiled in the oldest runs on all.
SUITES = {
    "bullseye": THREADS,             # Open MPI 4.1.0
    "trixie": (*MACHINE, *THREADS),  # 5.0.7
    "forky": THREADS,                # 6.0.0~rc2, with the ABI of MPI 5.0
}

# What is made once for all trees: unpacked roots as tarballs, and releases that are built.
CACHE = os.environ.get("MQD_TEST_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ompi-mqd-tests")

# What is mounted is gone when the command ends, however it ends.
PRIVATE = ("unshare", "--mount", "--propagation", "private")

# Unfinished releases are not signed anew every week.
MMDEBSTRAP = (*PRIVATE, "mmdebstrap", "--variant=essential", "--aptopt=Acquire::Check-Valid-Until \"false\"")

# enter ROOT HOW DIRECTORY... -- COMMAND...: in a mount namespace of its own, ROOT gets what a system has when it runs,
# and the directories, under the names that they have outside. HOW is chroot, or pivot as in containers.
ENTER = """
root=$1 how=$2
shift 2
mount --rbind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs tmpfs "$root/dev/shm"
: >>"$root/etc/hosts"
mount --bind /etc/hosts "$root/etc/hosts"
while [ "$1" != -- ]; do
    mkdir -p "$root$1"
    mount --bind "$1" "$root$1"
    shift
done
shift
cd "$root"
if [ "$how" = chroot ]; then
    exec chroot . "$@"
fi
pivot_root . mnt
exec "$@"
"""


class Root(job.Installation):
    """The Open MPI in another root."""

    def __init__(self, root, contained=False):
        self.root = os.path.realpath(root)
        self.contained = contained
        self.shown = []
        self.headers = None

    @property
    def enter(self):
        how = "pivot" if self.contained else "chroot"
        return [*PRIVATE, "sh", "-euc", ENTER, "enter", self.root, how, *self.shown, "--"]

    def show(self, directory):
        path = os.path.abspath(directory)
        if path not in self.shown:
            self.shown.append(path)

    @property
    def identity(self):
        with open(os.path.join(self.root, MARKER), encoding="utf-8") as file:
            return self.version, self.root, file.read()

    @property
    def source_tree(self):
        return self.headers and os.path.join(self.headers, "openmpi")

    def header_compiler(self, compiler):
        """None without headers. The root's other headers come last, so that they are not taken for this system's."""
        if not self.headers:
            return None
        openmpi = glob.glob(f"{self.headers}/root/usr/lib/*/openmpi/include")[0]
        pmix = glob.glob(f"{self.headers}/root/usr/lib/*/pmix*/include")
        others = [f"{self.headers}/root/usr/include", *glob.glob(f"{self.headers}/root/usr/include/*-linux-gnu*")]
        return [*(os.environ.get("CC") or "cc").split(), f"-I{openmpi}", f"-I{openmpi}/openmpi",
                *(f"-I{path}" for path in pmix),
                *(option for path in others for option in ("-idirafter", path))]

    def fetch_headers(self, directory):
        """Those of its packages and of their source; why there are none is the text of the exception."""
        suite = os.path.basename(self.root)
        try:
            version = subprocess.run(["dpkg-query", f"--admindir={self.root}/var/lib/dpkg", "-W", "-f",
                                      "${source:Version}", "openmpi-bin"], capture_output=True, text=True,
                                     check=True).stdout
            subprocess.run([os.path.join(run.TOP, "tests", "openmpi-source"), directory, suite, version, mirror()],
                           capture_output=True, text=True, check=True)
        except subprocess.CalledProcessError as error:
            raise run.Failure(error.stderr.strip()) from error
        except (OSError, Missing) as error:
            raise run.Failure(f"no headers of {suite}: {error}") from error
        self.headers = os.path.abspath(directory)

    def outside(self, path):
        return self.root + path

    def mapped(self, path):
        """A root that was pivoted to is the root of all names that the kernel tells of it."""
        return path if self.contained else self.root + path


def abi_header(root):
    """The directory of the header of the ABI of MPI 5.0 that a root has, or None."""
    return next(iter(glob.glob(f"{root.root}/usr/lib/*/openmpi/include/standard_abi")), None)


class Abi(job.Installation):
    """
    Compiles programs on this machine for the ABI that MPI 5.0 defines, by the header that a root has for it. They run
    there. The library that they are linked with here only has the names of that one's functions.
    """

    def __init__(self, root):
        self.include = abi_header(root)
        if self.include is None:
            raise run.Failure(f"{root.root}: its Open MPI has no header of the ABI")
        with open(os.path.join(self.include, "mpi.h"), encoding="utf-8") as header:
            names = set(re.findall(r"\b(P?MPI_\w+)\(", header.read()))
        self.libraries = [f"{root.root}-libmpi_abi.so"]
        subprocess.run([*self.compiler(), "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.1", "-xc", "-", "-o",
                        *self.libraries], input="".join(f"void {name}(void) {{}}\n" for name in sorted(names)),
                       text=True, check=True)

    def compiler(self, compiler="mpicc"):
        """The one that Open MPI's own stands for, with the other mpi.h."""
        return [*(os.environ.get("CC") or "cc").split(), f"-I{self.include}"]


class Missing(Exception):
    """A release cannot be had; the text says why."""


@functools.cache
def why_none():
    """Returns why no release can be unpacked and entered on this machine, or None."""
    if os.geteuid() != 0:
        return "only root can unpack and enter other releases"
    try:
        done = subprocess.run([*PRIVATE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return f"root may not mount here: {done.stderr.strip()}" if done.returncode else None


def mirror():
    """Where this machine's own release comes from."""
    with open("/etc/os-release", encoding="utf-8") as file:
        fields = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    command = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        raise Missing("apt-get does not tell this machine's mirror of Debian") from None
    for line in lines:
        release, _, uri = line.partition(" ")
        if fields.get("ID") == "debian" and release == fields.get("VERSION_CODENAME"):
            return uri
    raise Missing("no mirror of Debian's main archive is configured on this machine")


def reason_of(log):
    """The line of mmdebstrap's output that says best what went wrong."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for sign in ("NO_PUBKEY", "does not have a Release file", "E: Failed to fetch", "Unable to locate", "E:"):
        for line in lines:
            if sign in line:
                return f"this machine lacks its key (Debian: debian-archive-keyring): {line}" if "KEY" in sign else line
    return lines[-1] if lines else "mmdebstrap failed and says nothing"


def is_unpacked(root, packages):
    try:
        with open(os.path.join(root, MARKER), encoding="utf-8") as file:
            return set(file.read().split()) >= set(packages)
    except OSError:
        return False


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def kept_tarball(suite, packages, uri):
    """
    Returns the path of the tarball for these packages in the versions that the archive has now, which its signed index
    tells, and a pattern for the ones with other versions. Returns (None, None) if the index cannot be fetched.
    """
    with tempfile.TemporaryDirectory(prefix="ompi-mqd-releases-") as directory:
        index = os.path.join(directory, "InRelease")
        command = ["/usr/lib/apt/apt-helper", "download-file", f"{uri.rstrip('/')}/dists/{suite}/InRelease", index]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
            with open(index, "rb") as file:
                versions = digest(file.read())
        except (OSError, subprocess.CalledProcessError):
            return None, None
    stem = os.path.join(CACHE, "roots", f"{suite}-{digest(' '.join(sorted(packages)).encode())}")
    return f"{stem}-{versions}.tar.zst", f"{glob.escape(stem)}-*.tar.zst"


def tar(*arguments):
    return subprocess.run(["tar", "--zstd", "--numeric-owner", "--xattrs", "--xattrs-include=*", *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def keep(root, tarball, others):
    """Makes a root's tarball, in place of those with other versions. Whether that works does not matter."""
    os.makedirs(os.path.dirname(tarball), exist_ok=True)
    part = f"{tarball}.{os.getpid()}"
    if tar("-C", root, "-cf", part, "."):
        for other in glob.glob(others):
            os.unlink(other)
        os.rename(part, tarball)
    elif os.path.exists(part):
        os.unlink(part)


def install(root, suite, packages, uri):
    """Has mmdebstrap make a root. Raises Missing with the reason if it cannot."""
    try:
        result = subprocess.run([*MMDEBSTRAP, f"--include={','.join(packages)}", suite, root, uri],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Missing(f"{error.filename}: {error.strerror} (Debian: mmdebstrap)") from error
    if result.returncode != 0:
        shutil.rmtree(root, ignore_errors=True)
        raise Missing(reason_of(result.stderr))


def unpack(root, suite, packages, uri):
    """Leaves a whole root or, with the reason, none. A tarball has no marker: it is written last in any case."""
    if os.path.exists(root):
        shutil.rmtree(root)
    tarball, others = kept_tarball(suite, packages, uri)
    os.makedirs(root)
    if not (tarball and os.path.exists(tarball) and tar("-C", root, "-xf", tarball)):
        shutil.rmtree(root)
        install(root, suite, packages, uri)
        if tarball:
            keep(root, tarball, others)
    with open(os.path.join(root, MARKER), "w", encoding="utf-8") as file:
        file.write("\n".join(packages) + "\n")


def require_entry(root):
    """Programs can be run in the root; it needs rights that containers often lack."""
    try:
        result = subprocess.run([*root.enter, "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
    except OSError as error:
        raise Missing(f"{error.filename}: {error.strerror}") from error
    if result.returncode != 0:
        raise Missing(f"no program can be run in {root.root}: {result.stderr.strip()}")


def prepare_one(directory, suite, arguments):
    """Its version."""
    root = os.path.join(directory, suite)
    packages = ["openmpi-bin", *SUITES[suite]]
    if not is_unpacked(root, packages):
        if why_none():
            raise Missing(why_none())
        unpack(root, suite, packages, arguments.mirror or mirror())
    require_entry(Root(root))
    return Root(root).version


def prepare(arguments):
    """Unpacks what is not there yet; the exit status."""
    directory = os.path.abspath(arguments.directory)
    os.makedirs(directory, exist_ok=True)
    status = job.SKIPPED
    for suite in arguments.suite or SUITES:
        try:
            print(f"{suite}: Open MPI {prepare_one(directory, suite, arguments)}", flush=True)
            status = 0
        except Missing as reason:
            print(f"skipped {suite}: {reason}", flush=True)
    return status


def compiling_root(directory):
    """Where programs are compiled that run on all releases in the directory."""
    for suite in SUITES:
        root = os.path.join(directory, suite)
        if is_unpacked(root, COMPILER):
            return Root(root)
    return job.HERE


def named(root):
    """The installation of a root, this machine's if there is none, and the one on which programs for it are compiled."""
    if not root:
        return job.HERE, job.HERE
    installation = Root(root)
    return installation, compiling_root(os.path.dirname(installation.root))


def run_tests(arguments):
    if not is_unpacked(arguments.root, ()):
        print(f"skipped: {arguments.root} is not there: releases.py prepare unpacks it")
        return job.SKIPPED
    root = Root(arguments.root, arguments.contained)
    try:
        require_entry(root)
    except Missing as reason:
        print(f"skipped: {reason}")
        return job.SKIPPED
    if arguments.source:
        root.fetch_headers(arguments.source)
    builder = Abi(root) if arguments.abi else root if arguments.own else compiling_root(os.path.dirname(root.root))
    return arguments.test(arguments, root, builder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare", help="unpack releases")
    command.add_argument("directory", help="gets a directory for each release")
    command.add_argument("suite", nargs="*", help=f"of Debian: {', '.join(SUITES)}")
    command.add_argument("--mirror", help="another mirror than this machine's")
    for module in MODULES:
        name = module.__name__
        command = commands.add_parser(name, help=f"run tests/live/{name}.py there",
                                      parents=[getattr(module, "argument_parser", verdicts.argument_parser)(None, False)])
        command.add_argument("--root", required=True, help="an unpacked release")
        command.add_argument("--contained", action="store_true",
                             help="make it the root as containers do, not by chroot")
        command.add_argument("--abi", action="store_true", help="compile programs for the ABI of MPI 5.0")
        command.set_defaults(test=module.test, source=None, own=module in (openmp, stuck_threads))
    for name in "run", "more_tags":
        commands.choices[name].add_argument("--source", help="directory for its source and headers, fetched if they are "
                                            "not there")
    arguments = parser.parse_args()
    unknown = [suite for suite in getattr(arguments, "suite", []) if suite not in SUITES]
    if unknown:
        parser.error(f"no such suite: {', '.join(unknown)}; there are {', '.join(SUITES)}")
    try:
        return prepare(arguments) if arguments.command == "prepare" else run_tests(arguments)
    except run.Failure as error:
        return f"releases.py: {error}"


if __name__ == "__main__":
    sys.exit(main())
