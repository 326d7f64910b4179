#!/usr/bin/env python3
"""Compares the DLL for handles with the header of Open MPI's sources, and what it says with what MPI's functions say.

mpihandles.c is compiled with that header, and is its own debugger. No package has the header and no archive of a
release, only Open MPI's repository: MQD_OMPI_SOURCE may be a checkout of it, MQD_OMPI_REPOSITORY a clone.
"""
import ctypes
import os
import subprocess

import handles
import job
import run
import verdicts

LEAST_FACTS = 150
FOLDER = os.path.join("ompi", "debuggers")
NAMES = ("mpihandles_interface.h", "msgq_interface.h")
DLL_NAME = "libompi_dbg_mpihandles.so"


def commits(version):
    """Where a repository has a release: its tag; of a candidate, for which there may be none, the branch."""
    return f"v{version}", f"v{'.'.join(version.split('.')[:2])}.x"


def headers(installation, scratch):
    """Where the headers of this Open MPI are; None if they are not at hand."""
    source, repository = installation.source_tree, os.environ.get("MQD_OMPI_REPOSITORY")
    if source and os.path.exists(os.path.join(source, FOLDER, NAMES[0])):
        return source
    directory = os.path.join(scratch, "headers")
    os.makedirs(os.path.join(directory, FOLDER), exist_ok=True)
    for name in NAMES:
        for commit in commits(installation.version):
            shown = subprocess.run(["git", "-C", repository or "/nonexistent", "show", f"{commit}:{FOLDER}/{name}"],
                                   capture_output=True, check=False)
            if shown.returncode == 0:
                break
        else:
            return None
        with open(os.path.join(directory, FOLDER, name), "wb") as file:
            file.write(shown.stdout)
    return directory


def dll_of(mqdump):
    return os.path.join(os.path.dirname(mqdump.dll), DLL_NAME)


def check_loads(mqdump):
    """Without the header: a debugger can load it, beside the DLL for queues, and ask what it is."""
    ctypes.CDLL(mqdump.dll)
    dll = ctypes.CDLL(dll_of(mqdump))
    dll.mpidbg_version_string.restype = ctypes.c_char_p
    said = (dll.mpidbg_interface_version_compatibility(), ctypes.c_char.in_dll(dll, "mpidbg_dll_bitness").value[0],
            dll.mpidbg_dll_taddr_width(), dll.mpidbg_version_string().split(b", ")[1:], hasattr(dll, "mqs_setup_image"))
    width = ctypes.sizeof(ctypes.c_long)
    run.expect(said == (1, 8 * width, width, [b"handles of Open MPI"], False), f"it says {said}")


def required(directory):
    if directory is None:
        raise run.Skip(f"no {NAMES[0]} of this release (MQD_OMPI_REPOSITORY: a clone of Open MPI's)")
    return [f"-I{run.TOP}", f"-I{directory}", "-std=gnu11"]


def check_header(builder, arguments, directory, scratch):
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "mpihandles_check.c")],
                        os.path.join(scratch, "mpihandles_check.o"), builder,
                        [*required(directory), "-c"])


def check_job(mqdump, builder, arguments, directory, scratch):
    program = os.path.join(scratch, "prog_mpihandles")
    # -O0: MPI_UNWEIGHTED is an address from which nothing can be read, and gcc warns of that.
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "mpihandles.c")], program, builder,
                        [*required(directory), "-O0"])
    handles.check_facts(mqdump, os.path.join(scratch, "mpihandles"), [program, dll_of(mqdump)], LEAST_FACTS)


def labelled(arguments, mqdump, builder, scratch):
    directory = headers(mqdump.installation, scratch)
    return [("loads", lambda: check_loads(mqdump)),
            ("header", lambda: check_header(builder, arguments, directory, scratch)),
            ("job", lambda: check_job(mqdump, builder, arguments, directory, scratch))]


test = run.suite("mpihandles", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
