#!/usr/bin/env python3
"""Our DLL at the place of a real Open MPI's own: jobs still start, and who follows MPIR_dll_name finds ours.

That Open MPI is not touched. Its component directory is copied, our DLL is installed in the copy, and the jobs run in a
mount namespace of their own in which the copy lies over the directory.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys

import cases
import job
import releases
import run
from cases import expect

SCRIPT = os.path.join(run.TOP, "mqd", "dll", "install-openmpi")
COVER = ["unshare", "--mount", "--propagation", "private", "sh", "-euc",
         'mount --bind "$1" "$2"; shift 2; exec "$@"', "cover"]


class Covered(job.Installation):
    """An Open MPI with one directory replaced, for the commands that run there."""

    def __init__(self, inner, directory, original):
        self.inner = inner
        self.enter = [*COVER, directory, inner.outside(original), *inner.enter]
        self.mapped = inner.mapped
        self.version = inner.version    # which this one may be too broken to tell
        self.outside = inner.outside


def library_of(pid):
    """The mapped library that defines MPIR_dll_name: a file to read, its path, and the variable's address."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(maxsplit=5) for line in file]
    for row in rows:
        path = row[5] if len(row) == 6 else ""
        if row[2] == "00000000" and os.path.basename(path).startswith(("libmpi.so", "libopen_mpi.so")):
            file = f"/proc/{pid}/map_files/{row[0]}"
            listed = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True)
            for line in listed.stdout.splitlines():
                if line.split()[-1] == "MPIR_dll_name":
                    return file, path, int(row[0].split("-")[0], 16) + int(line.split()[0], 16)
    raise run.Failure(f"process {pid} has no library with MPIR_dll_name")


def name_in(pid):
    """What a debugger reads from the process."""
    memory = job.memory_of(pid)(library_of(pid)[2], 1024)
    expect(memory is not None, f"MPIR_dll_name of process {pid} cannot be read")
    return os.fsdecode(memory.split(b"\0", 1)[0])


class Alongside:
    """A copy of what matters of one Open MPI, and jobs that see it."""

    def __init__(self, arguments, installation, executable, scratch):
        self.arguments = arguments
        self.installation = installation
        self.executable = executable
        self.scratch = scratch
        self.stage = os.path.join(scratch, "stage")
        self.prefix = installation.run("ompi_info", "--path", "prefix", "--parsable").strip().rsplit(":", 1)[-1]
        expect(self.prefix, "ompi_info does not tell the prefix")
        self.n_jobs = 0

    @contextlib.contextmanager
    def job(self, installation):
        self.n_jobs += 1
        directory = os.path.join(self.scratch, f"job{self.n_jobs}")
        with job.Job(directory, [self.executable, *run.Case("receives", 2).command], 2, installation=installation) as running:
            truths = running.await_truths()
            yield truths
            running.release()

    def copy(self):
        """From a job as it is: which library it has, and what that names."""
        with self.job(self.installation) as truths:
            pid = truths[0]["pid"]
            file, path, _ = library_of(pid)
            self.name = name_in(pid)
            inside = path.removeprefix(self.installation.outside(""))
            os.makedirs(self.stage + os.path.dirname(inside))
            shutil.copy(file, self.stage + inside)
        directory = os.path.dirname(self.name)
        self.components = self.stage + directory
        shutil.copytree(self.installation.outside(directory), self.components, symlinks=True)
        # Some distributions leave the file out.
        self.dll = self.stage + self.name
        self.stock = read(self.dll) if os.path.exists(self.dll) else None
        self.covered = Covered(self.installation, self.components, directory)

    def call(self, command):
        done = subprocess.run([sys.executable, "-B", SCRIPT, command, "--prefix", self.prefix, "--destdir", self.stage,
                               "--dll", self.arguments.dll], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"install-openmpi {command}: {done.stderr.strip()}")

    def check(self, expected):
        """A job starts and ends, and finds the expected file where it names one; if that is ours, it lists rightly."""
        with self.job(self.covered) as truths:
            file = f"/proc/{truths[0]['pid']}/root{name_in(truths[0]['pid'])}"
            found = read(file) if os.path.exists(file) else None
            expect(found == expected, f"MPIR_dll_name leads to another file than expected: {file}")
            if expected == read(self.arguments.dll):
                copy = os.path.join(self.scratch, "found.so")     # that file has no name outside of the job's root
                with open(copy, "wb") as output:
                    output.write(found)
                mqdump = run.Mqdump(self.arguments.mqdump, copy, self.covered)
                document, differences = run.list_until_settled(mqdump, run.Setting("", "", ("table",)), truths,
                                                               self.executable)
                if differences:
                    raise run.Failure(run.report(self.scratch, document, differences))

    def check_installed(self):
        self.call("install")
        expect(self.stock is None or read(self.dll + ".openmpi") == self.stock, "the stock file was not kept")
        self.check(read(self.arguments.dll))

    def check_link(self):
        """Why it is a copy; and that a job sees the directory that is tested here."""
        if int(self.installation.version.split(".", maxsplit=1)[0]) >= 5:
            raise run.Skip("mpirun has no components in this directory from 5.0 on")
        link = os.path.join(self.components, "link.so")
        os.symlink("nowhere", link)
        try:
            with self.job(self.covered):
                raise run.Failure("a job starts although a link in the component directory leads nowhere")
        except job.JobError:
            pass
        finally:
            os.unlink(link)

    def check_uninstalled(self):
        before = sorted(os.listdir(self.installation.outside(os.path.dirname(self.name))))
        self.call("uninstall")
        expect(sorted(os.listdir(self.components)) == before, f"{self.components} is not as it was")
        self.check(self.stock)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases.add_options(parser, 1, own_dll=False)
    parser.add_argument("--root", help="an unpacked release; this machine's Open MPI by default")
    arguments = parser.parse_args()
    arguments.mqdump, arguments.dll = os.path.abspath(arguments.mqdump), os.path.abspath(arguments.dll)
    installation, builder = releases.named(arguments.root)
    if subprocess.run([*COVER, "/", "/mnt", "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: no right to mount")
        return job.SKIPPED

    def work(_, scratch):
        executable = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder)
        alongside = Alongside(arguments, installation, executable, scratch)
        arguments.jobs = 1      # each goes on where the one before has ended
        return cases.run([(f"alongside {installation.version}, {name}", getattr(alongside, name)) for name in
                          ("copy", "check_installed", "check_link", "check_uninstalled")], arguments, scratch)

    return run.test_suite("alongside", arguments, installation, builder, work)


if __name__ == "__main__":
    sys.exit(main())
