#!/usr/bin/env python3
"""Jobs whose libraries call MPI: where people would say that they hang, in C++, Fortran and Python.

Each program is tested with debug information, with and without the compiler's optimisation, with symbols only, and
stripped. Whole stacks are tested with one of them, whose last rank is elsewhere than the others.
"""

import dataclasses
import json
import os
import re
import subprocess
import tempfile

import core_files
import job
import run
import verdicts
from cases import expect

RANKS = 4
# Compiler options, and what is done with the files. LLVM's compilers write no index of code.
FORMS = {"debug": (("-O0", "-g"), ()), "symbols": (("-O0",), ()), "stripped": (("-O0",), ("strip",)),
         "optimised": (("-O2", "-g"), ()),
         "unindexed": (("-O2", "-g"), ("objcopy", "--remove-section=.debug_aranges"))}


@dataclasses.dataclass(frozen=True)
class Chain:
    """What is said of rank 0, as regular expressions: each place of its call."""
    language: str
    form: str
    function: str
    places: tuple
    arguments: tuple = ()

    @property
    def name(self):
        return ", ".join((self.language, self.form, *self.arguments))


CHAINS = (
    Chain("c++", "debug", "MPI_Recv",
          (r"fluid::Halo<double>::receive chain_halo\.cpp:8", r"advance chain_flow\.cpp:6")),
    Chain("c++", "optimised", "MPI_Recv",
          (r"fluid::Halo<double>::receive chain_halo\.cpp:8", r"advance chain_flow\.cpp:6")),
    Chain("c++", "unindexed", "MPI_Recv",
          (r"fluid::Halo<double>::receive chain_halo\.cpp:8", r"advance chain_flow\.cpp:6")),
    Chain("c++", "symbols", "MPI_Recv",
          (r"fluid::Halo<double>::exchange in libhalo_cxx_symbols", r"advance\+0x[0-9a-f]+")),
    Chain("c++", "stripped", "MPI_Recv",
          (r"fluid::Halo<double>::exchange in libhalo_cxx_stripped", r"flow_cxx_stripped at 0x[0-9a-f]+")),
    Chain("c++", "debug", "MPI_Recv",
          (r"relax chain_flow\.cpp:18", r"fluid::Halo<double>::each chain_halo\.cpp:21",
           r"relax_all chain_flow\.cpp:24"),
          ("callback",)),
    Chain("c++", "symbols", "MPI_Recv",
          (r"relax\+0x[0-9a-f]+", r"fluid::Halo<double>::each in libhalo_cxx_symbols", r"relax_all\+0x[0-9a-f]+"),
          ("callback",)),
    Chain("fortran", "debug", "MPI_Recv", (r"halo::exchange chain_halo\.f90:9", r"step chain_flow\.f90:14")),
    Chain("fortran", "optimised", "MPI_Recv",
          (r"halo::exchange chain_halo\.f90:9", r"step chain_flow\.f90:14")),
    Chain("fortran", "symbols", "MPI_Recv", (r"advance_all in libhalo_fortran_symbols", r"step\+0x[0-9a-f]+")),
    Chain("fortran", "stripped", "MPI_Recv",
          (r"advance_all in libhalo_fortran_stripped", r"flow_fortran_stripped at 0x[0-9a-f]+")),
    Chain("python", "any", "MPI_M?[Pp]robe|MPI_M?[Rr]ecv", (r"mpi4py's MPI", r"Python")),
)


class Programs:
    """The programs, compiled as they are needed."""

    def __init__(self, mqdump, builder, arguments, scratch):
        self.mqdump = mqdump
        self.builder = builder
        self.arguments = arguments
        self.scratch = scratch
        self.jobs = verdicts.Jobs(mqdump, None, scratch)

    def compile(self, *command):
        subprocess.run([*self.builder.enter, *command], check=True)

    def compiler(self, language):
        """The command, with what it needs."""
        if language == "fortran":
            if not self.builder.run(self.arguments.fc, "--version"):
                raise run.Skip(f"no {self.arguments.fc} that works (Debian: gfortran)")
            # Of a module only one at a time can be written, or read.
            return [self.arguments.fc, "-J", tempfile.mkdtemp(dir=self.scratch)]
        if not self.builder.run("g++", "--version"):
            raise run.Skip("no g++ (Debian: g++)")
        return [self.arguments.cc, "-DOMPI_SKIP_MPICXX"]

    def build(self, language, form):
        """A library and a program that calls it."""
        options, finish = FORMS[form]
        command = [*self.compiler(language), *options]
        short, ending = ("cxx", "cpp") if language == "c++" else (language, "f90")
        name = f"libhalo_{short}_{form}.so"
        library, program = os.path.join(self.scratch, name), os.path.join(self.scratch, f"flow_{short}_{form}")
        if os.path.exists(program):
            return [program]
        self.compile(*command, "-fPIC", "-shared", f"-Wl,-soname,{name}",
                     os.path.join(run.HERE, f"chain_halo.{ending}"), "-o", library)
        self.compile(*command, os.path.join(run.HERE, f"chain_flow.{ending}"), library,
                     f"-Wl,-rpath,{self.scratch}", *(["-lstdc++"] if language == "c++" else []), "-o", program)
        for path in (library, program) if finish else ():
            self.compile(*finish, path)
        return [program]

    def python(self):
        """Python's interpreter with mpi4py, under the name that /proc has for it."""
        python = os.path.realpath("/usr/bin/python3")
        if self.mqdump.installation is not job.HERE:
            raise run.Skip("mpi4py is that of this machine")
        if subprocess.run([python, "-c", "import mpi4py"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            raise run.Skip("no mpi4py (Debian: python3-mpi4py)")
        return [python, os.path.join(run.HERE, "chain_flow.py")]

    def command(self, chain):
        if chain.language == "python":
            return self.python()
        return [*self.build(chain.language, chain.form), *chain.arguments]

    def start(self, name, command):
        return job.Job(os.path.join(self.scratch, name.replace(", ", "-")), command, RANKS, run.SHM, None, None,
                       self.mqdump.installation)

    def await_hang(self, running, program):
        """The ranks of a job that hangs, and a document that has its stacks."""
        pids = running.await_ranks(program)

        def all_in_mpi():
            result = self.mqdump.run(pids, "--json", recorded=False)
            return result.returncode == 0 and all(
                process.get("threads", [{}])[0].get("state") == "mpi"
                for process in json.loads(result.stdout)["processes"])

        running.await_that(all_in_mpi, "ranks in MPI")
        return pids, self.mqdump.document(pids, "--stacks")

    def run_chain(self, chain):
        command = self.command(chain)
        with self.start(chain.name, command) as running:
            pids, document = self.await_hang(running, command[0])
            thread = first_rank(document)["threads"][0]
            expect(re.fullmatch(chain.function, thread["function"]), f"rank 0 is in {thread['function']}")
            compare(chain.places, thread["chain"])
            self.check_text(chain, pids, thread)

    def check_text(self, chain, pids, thread):
        """A terminal has 80 columns. A record says the same."""
        record = os.path.join(self.scratch, f"{chain.name}.record")
        text = self.mqdump.run(pids, "--stacks", recorded=False).stdout
        self.mqdump.run(pids, "--stacks", "--save", record, recorded=False)
        kept = self.mqdump.run([record], "--stacks", recorded=False).stdout
        said = f"{thread['function']}, from {', from '.join(thread['chain'])}"
        for output in (text, kept):
            expect(max(map(len, output.splitlines())) <= 80, f"longer than 80 columns:\n{output}")
            expect(said in re.sub(r"\s+", " ", output), f"not \"{said}\" for {chain.name}:\n{output}")

    def run_stacks(self):
        """The last rank is told from the others, and nothing of what all do is told twice."""
        command = self.build("c++", "debug")
        with self.start("stacks", command) as running:
            pids, document = self.await_hang(running, command[0])
            lines = self.mqdump.run(pids, "--stacks", recorded=False).stdout.splitlines()
            wanted = ["Stacks", "  ranks 0-3:", "    ranks 0-2:", "      advance chain_flow.cpp:6",
                      "      fluid::Halo<double>::exchange chain_halo.cpp:14", "    rank 3 (odd):",
                      "      save_state chain_flow.cpp:12"]
            at = 0
            for line in wanted:
                expect(line in lines[at:], f"no \"{line}\" in its place:\n" + "\n".join(lines))
                at = lines.index(line, at) + 1
            for process in document["processes"]:
                check_stacks(process)
            if self.mqdump.installation is job.HERE:
                self.check_cores(running, pids, first_rank(document))

    def check_cores(self, running, pids, rank):
        """A core has the same stack of the program."""
        paths = core_files.take(pids, os.path.join(running.directory, "cores"))
        of_core = first_rank(self.mqdump.document(verdicts.cores(paths), "--stacks"))
        own = [own_frames(process) for process in (rank, of_core)]
        expect(own[0] == own[1], f"the core has {own[1]} in place of {own[0]}")


def first_rank(document):
    return min(document["processes"], key=lambda process: process["rank"])


def own_frames(process):
    """Frames of the program."""
    return [frame for stack in process["stacks"] if stack["main"] for frame in stack["frames"] if ".cpp:" in frame]


def check_stacks(process):
    """Each thread has one; the main one goes to the outermost frame."""
    main = [stack for stack in process["stacks"] if stack["main"]]
    if len(main) != 1 or not main[0]["ended"] or len(process["stacks"]) < len(process["threads"]):
        raise run.Failure(f"stacks are missing: {process['stacks']}")
    expect(main[0]["frames"][-1].startswith("_start"), f"the outermost frame is {main[0]['frames'][-1]}")


def compare(places, chain):
    expect(len(places) == len(chain) and all(map(re.fullmatch, places, chain)), f"the chain is {chain}, not {places}")


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with what they need compiled on another installation."""
    programs = Programs(mqdump, builder, arguments, scratch)
    return [*((chain.name, lambda chain=chain: programs.run_chain(chain)) for chain in CHAINS),
            ("stacks", programs.run_stacks)]


test = run.suite("chains", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
