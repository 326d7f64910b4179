#!/usr/bin/env python3
"""Jobs under wrappers of MPI, as profilers are, and jobs whose libraries take their time.

What hangs is found through every kind of wrapper, linked and preloaded, with and without what is needed to unwind it.
Jobs that do not hang are looked at many times while wrappers, threads and functions inside of MPI_Finalize take their
time: nothing certain may be found.
"""

import dataclasses
import itertools
import json
import os
import subprocess

import core_files
import job
import run
import schema
import script
import verdicts
from cases import expect

ALL = (0, 1, 2, 3)
LOOKS = 12          # at least, and as many as it takes until what is expected was seen
MAX_LOOKS = 1000
FRAMES = {
    "frames": ("-O1", "-g", "-fno-omit-frame-pointer"),
    "optimised": ("-O2", "-fomit-frame-pointer"),
    "blind": ("-O2", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"),
}
# What ranks do. The first hangs, and the second one where MPI_Send waits for its receiver.
SCRIPTS = {
    "recv": verdicts.RING,
    "send": "all: send world next 7; recv world prev 7",
    "exchange": "; ".join(["all: mark", *(f"irecv world prev {i} 1 a; isend world next {i} 1 b; wait a; wait b; "
                                          f"gather world 1 {i}" for i in range(4)), "again world"]),
    # All are in the same barrier: rank 1 inside of MPI_Finalize, rank 0 later.
    "meet": "1: late barrier world; 0: await_file go; 0,2,3: barrier world",
    # The message comes from inside of MPI_Finalize.
    "farewell": "1: late send_slowly world 0 7 1; 0: recv world 1 7 1",
    # Both wait for each other, but for a thread, which is still asleep.
    "thread": "0: thread send_slowly world 1 7 1; all: recv world pair 7 1; 1: send world 0 7 1; 0: join",
}


@dataclasses.dataclass(frozen=True)
class Wrapper:
    """How it is compiled; it is linked with the program, or preloaded."""
    way: str
    frames: str
    preloaded: bool = False

    @property
    def library(self):
        return f"libwrap_{self.way}_{self.frames}.so"

    @property
    def name(self):
        return f"{self.way}, {self.frames}, {'preloaded' if self.preloaded else 'linked'}"


@dataclasses.dataclass(frozen=True)
class Hang:
    """A job that hangs, in a function of MPI."""
    wrapper: Wrapper
    program_case: str
    function: str
    visible: bool = True    # the wrapper is on the stack
    cores: bool = False

    @property
    def says(self):
        """Who has called a function that tells nothing of its frame is not known."""
        through = rf" through {self.wrapper.library}" if self.visible else ""
        blind = self.visible and self.wrapper.frames == "blind"
        place = "" if blind else rf" \(called from step_{self.program_case}\+0x"
        return rf"in {self.function}{through}{place}"


HANGS = [
    *[Hang(Wrapper("pass", frames, preloaded), "recv", "MPI_Recv", cores=preloaded and frames == "blind")
      for frames in FRAMES for preloaded in (False, True)],
    Hang(Wrapper("tail", "optimised"), "recv", "MPI_Recv", False),
    Hang(Wrapper("tail", "blind", True), "recv", "MPI_Recv", False),
    Hang(Wrapper("map", "frames"), "send", "MPI_Ssend", cores=True),
    Hang(Wrapper("map", "optimised", True), "send", "MPI_Ssend"),
]

# What some thread is seen to do, by the fields of a thread: without it nothing would have been tested.
SLOW = [(Wrapper("sleep", frames, preloaded), "exchange",
         {"state": "outside", "function": "MPI_Wait", "through": f"libwrap_sleep_{frames}.so"})
        for frames, preloaded in (("frames", False), ("optimised", True), ("blind", True))]
SLOW += [
    (None, "meet", {"state": "mpi", "function": "MPI_Barrier", "outer": "MPI_Finalize"}),
    (None, "farewell", {"state": "mpi", "function": "MPI_Finalize"}),
    (None, "thread", {"main": False, "state": "outside", "function": "sleep_ms"}),
]


class Wrapped:
    """The jobs of prog_script on one installation, and what they are compiled from."""

    def __init__(self, mqdump, builder, arguments, scratch):
        self.mqdump = mqdump
        self.builder = builder
        self.arguments = arguments
        self.scratch = scratch
        self.jobs = verdicts.Jobs(mqdump, None, scratch)

    def compile_library(self, name, source, options):
        path = os.path.join(self.scratch, name)
        if not os.path.exists(path):
            job.compile_program(self.arguments.cc, [os.path.join(run.HERE, source)], path, self.builder,
                                (*options, "-fPIC", "-shared", f"-Wl,-soname,{name}"))
        return path

    def compile_wrapper(self, wrapper):
        return self.compile_library(wrapper.library, "wrap_mpi.c",
                                    (*FRAMES[wrapper.frames], f"-DWRAP_{wrapper.way.upper()}"))

    def compile_program(self, wrapper):
        """The program, with the wrapper before MPI if it is linked."""
        linked = [self.compile_wrapper(wrapper)] if wrapper and not wrapper.preloaded else []
        name = "prog_script" if not linked else f"prog_script_{wrapper.way}_{wrapper.frames}"
        path = os.path.join(self.scratch, name)
        if not os.path.exists(path):
            # The linker is to keep a library whose functions are all MPI's too.
            sources = [os.path.join(run.HERE, source) for source in run.SCRIPT_SOURCES]
            job.compile_program(self.arguments.cc, [*sources, "-Wl,--no-as-needed", *linked], path, self.builder,
                                (f"-Wl,-rpath,{self.scratch}",))
        return path

    def start(self, name, command, wrapper, ranks=4):
        environment = {"LD_PRELOAD": self.compile_wrapper(wrapper)} if wrapper and wrapper.preloaded else {}
        environment |= {"MQD_THREADS": "multiple"} if name.startswith("thread") else {}
        return job.Job(os.path.join(self.scratch, name.replace(", ", "-")), command, ranks, run.SHM, None, environment,
                       self.mqdump.installation)

    @property
    def can_use_cores(self):
        """A library that is shown in another root cannot be found from the core alone."""
        return self.mqdump.installation is job.HERE

    def run_hang(self, hang):
        program = self.jobs.program = self.compile_program(hang.wrapper)
        case = verdicts.Case(hang.wrapper.name, (verdicts.Finding("deadlock", ALL, says=hang.says),),
                             calls={rank: hang.function for rank in ALL})
        with self.start(f"{hang.program_case}, {hang.wrapper.name}", 
                        [program, *script.command(SCRIPTS[hang.program_case], 4)], hang.wrapper) as running:
            pids = running.await_ranks(program)
            self.jobs.await_document(case, pids)
            if hang.cores and self.can_use_cores:
                core_files.remove(self.jobs.check_cores(case, running, pids)[1])

    def run_slow(self, wrapper, program_case, expected):
        """It ends well, so that nothing certain may be said of it; some look has to see what takes its time."""
        program = self.jobs.program = self.compile_program(wrapper)
        ranks = 2 if program_case == "thread" else 4
        with self.start(f"{program_case}, {wrapper.name if wrapper else 'none'}",
                        [program, *script.command(SCRIPTS[program_case], ranks)], wrapper, ranks) as running:
            pids = running.await_ranks(program)
            seen = False
            for looks in itertools.count(1):
                document = self.look(pids)
                seen |= any(all(thread.get(key) == value for key, value in expected.items())
                            for process in document["processes"] for thread in process.get("threads", []))
                if looks == LOOKS // 2 and wrapper and wrapper.frames == "blind" and self.can_use_cores:
                    self.look(verdicts.cores(core_files.take(pids, os.path.join(running.directory, "cores"))))
                if seen and looks >= LOOKS:
                    break
                expect(looks != MAX_LOOKS, f"in {looks} looks there was no thread like {expected}")
            running.release()

    def look(self, pids):
        """What mqdump says of a job that goes on."""
        document = schema.load(self.mqdump.run(pids, "--json", recorded=False).stdout)
        certain = [finding for finding in document.get("findings", []) if finding["certainty"] == verdicts.CERTAIN]
        expect(not certain, f"a job that gets on: {json.dumps(certain, indent=1)}")
        return document

    def run_fortran(self, sleeps):
        """A wrapper of Fortran's functions stands before Open MPI's."""
        if not self.builder.run(self.arguments.fc, "--version"):
            raise run.Skip(f"no {self.arguments.fc} that works (Debian: gfortran)")
        way = "sleep" if sleeps else "pass"
        library = f"libwrap_fortran_{way}.so"
        wrapper = self.compile_library(library, "wrap_fortran.c",
                                       (*FRAMES["optimised"], *(("-DWRAP_SLEEP",) if sleeps else ())))
        program = os.path.join(self.scratch, f"prog_fortran_{way}")
        subprocess.run([*self.builder.enter, self.arguments.fc, "-O1", "-g", os.path.join(run.HERE, "prog_hang.f90"),
                        wrapper, f"-Wl,-rpath,{self.scratch}", "-o", program], check=True)
        with self.start(f"fortran, {way}", [program], None, 2) as running:
            pids = running.await_ranks(program)
            if not sleeps:
                finding = verdicts.Finding("deadlock", (0, 1),
                                           says=rf"in MPI_Recv through {library} \(prog_hang.f90:\d+\)")
                self.jobs.await_document(verdicts.Case("fortran", (finding,), calls={0: "MPI_Recv"}), pids)
                return
            case = verdicts.Case("fortran", (), calls={0: None, 1: None})
            document = self.jobs.await_document(case, pids)
            threads = [process["threads"][0] for process in document["processes"]]
            if any(thread["through"] != library or thread["function"] != "MPI_Recv" or
                   not thread["place"].startswith("prog_hang.f90:") for thread in threads):
                raise run.Failure(f"not in the wrapper: {threads}")


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with what they need compiled on another installation."""
    wrapped = Wrapped(mqdump, builder, arguments, scratch)
    return [*((f"{hang.program_case}, {hang.wrapper.name}", lambda hang=hang: wrapped.run_hang(hang))
              for hang in HANGS),
            *((f"{program_case}, {wrapper.name if wrapper else 'no wrapper'}",
               lambda slow=(wrapper, program_case, expected): wrapped.run_slow(*slow))
              for wrapper, program_case, expected in SLOW),
            # Other releases' roots have no gfortran.
            *(((f"fortran, {'sleep' if sleeps else 'pass'}", lambda sleeps=sleeps: wrapped.run_fortran(sleeps))
               for sleeps in (False, True)) if builder is job.HERE else ())]


test = run.suite("wrappers", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
