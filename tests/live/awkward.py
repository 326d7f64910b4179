#!/usr/bin/env python3
"""Live tests on processes that are not as one would like them.

At every stage of a process's life, with libmpi loaded and linked in every way there is, several of them at once,
forked, or seen from outside of its root: mqdump either lists what the program says of itself, compared field by field,
or refuses for the right reason. With --root the processes are those of other releases of Open MPI, which releases.py
has unpacked.

$MQD_STATIC_OPENMPI may name the prefix of an Open MPI with static libraries, compiled with -flto -ffat-lto-objects.
"""

import argparse
import contextlib
import glob
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import cases
import compare
import job
import releases
import run
import schema
import script
import ucx_targets
from cases import expect
from run import Failure, Skip

HERE = run.HERE
# What a rank knew is what its copy has.
FORK = ("all: told_irecv world any 5 4 int a; fork {}; told_irecv world any 6 4 int b; rest; await_copy; "
        "told_cancel a b; told_finish")
STAGES = "all: told_irecv world any 5 4 int a; told_irecv world any 6 4 int b; rest; told_cancel a b; told_finish"
RECEIVES, UNEXPECTED = run.Case("receives", 2).command, run.Case("unexpected", 3).command
NO_TYPES = run.Setting("no types", "", ("table", "table+live", "mixed"))
STEPS = (0, 3, 10, 20, 40, 60, 80, 120, 160, 240)     # system calls of a program that has just been started
ORDER_TURNS = 8
CC = (os.environ.get("CC") or "cc").split()[0]
NOT_YET = "not initialised yet"
LOADING = "just loading its libraries"


def output_of(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Skip(f"{command[0]}: {error.strerror}") from error
    expect(result.returncode == 0, f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def mapped_files(pid):
    """The start of each mapped file, by its name without directories."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
        fields = [line.split(None, 5) for line in file]
    starts = {}
    for field in fields:
        if len(field) == 6 and field[5].startswith("/"):
            starts.setdefault(os.path.basename(field[5].rstrip("\n")), int(field[0].split("-")[0], 16))
    return starts


def libmpi_of(program):
    """The file that the dynamic linker finds."""
    found = re.search(r"libmpi\S* => (\S+)", output_of("ldd", program))
    if not found:
        raise Skip("the test programs are not linked with a shared libmpi")
    return os.path.realpath(found.group(1))


def soname_of(library):
    return re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "-dW", library)).group(1)


class Stages(job.Job):
    """A job of awkward_stages: its ranks stop at stages."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.next = [0] * self.n_ranks

    def hold_of(self, rank):
        return os.path.join(self.directory, f"hold.{rank}.{self.next[rank]}")

    def await_stage(self, rank):
        """The pid of the rank and the name of its next stage; None if it goes on to its truth without another."""
        path, truth = self.hold_of(rank), os.path.join(self.directory, f"{rank}.json")
        self.await_that(lambda: os.path.exists(path) or os.path.exists(truth), f"the next stage of rank {rank}")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            pid, stage = file.read().split(" ", 1)
        if int(pid) not in self.pids:
            self.pids.append(int(pid))
        return int(pid), stage

    def go_on(self, rank):
        with open(self.hold_of(rank) + ".go", "wb"):
            self.next[rank] += 1


class Suite:
    """The cases, and what they share. Each method whose name starts with case_ is one."""

    prefix = "case_"

    def __init__(self, mqdump, program, scratch, compiler):
        self.mqdump = mqdump
        self.program = program
        self.scratch = scratch
        self.compiler = compiler
        self.directories = itertools.count()

    def directory(self):
        return os.path.join(self.scratch, f"job.{os.getpid()}.{next(self.directories)}")

    def path(self, name):
        return os.path.join(self.scratch, name)

    def compile(self, name, *arguments, compiler=None):
        """A program or library; once in each process."""
        path = self.path(f"{os.getpid()}.{name}")
        if not os.path.exists(path):
            sources = [os.path.join(HERE, argument) if argument.endswith(".c") else argument for argument in arguments]
            output_of(compiler or self.compiler, "-std=gnu11", "-O1", "-o", path, *sources)
        return path

    def labelled(self):
        return [(name[len(self.prefix):].replace("_", " "), getattr(self, name))
                for name in sorted(name for name in dir(self) if name.startswith(self.prefix))]

    # What the cases do.

    def refused(self, pid, *reasons, mqdump=None):
        """mqdump shows nothing of the process, for one of these reasons; which one."""
        result = (mqdump or self.mqdump).run([pid])
        found = [reason for reason in reasons if re.search(f"process {pid}: .*{reason}", result.stderr)]
        expect(result.returncode == 1 and not result.stdout and found,
               f"status {result.returncode}, not a refusal like {reasons}: {result.stderr.strip()}{result.stdout}")
        return found[0]

    def listed(self, truths, executable, mqdump=None):
        """mqdump shows what the ranks say."""
        _, differences = run.list_until_settled(mqdump or self.mqdump, NO_TYPES, truths, executable)
        expect(not differences, "\n".join(f"{rank}: {difference}" for rank, found in differences.items()
                                          for difference in found))
        run.check_left_running([truth["pid"] for truth in truths])

    @contextlib.contextmanager
    def parked(self, command, n_ranks=2, environment=None, installation=job.HERE):
        """A job of a truthful program, and what it says; it ends well afterwards."""
        with job.Job(self.directory(), command, n_ranks, environment=environment,
                     installation=installation) as running:
            yield running, running.await_truths()
            running.release()

    def refused_as_static(self, enter=(), mqdump=None):
        """What is left of a statically linked Open MPI is the names of its classes; they are in the executable."""
        source = self.path("static.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\n'
                       '    puts("ompi_communicator_t");\n    fflush(stdout);\n    pause();\n}\n')
        program = self.compile("static", "-static", "-s", source, compiler=CC)
        with cases.ending(subprocess.Popen([*enter, program], stdout=subprocess.PIPE)) as process:
            process.stdout.readline()
            self.refused(process.pid, "statically linked Open MPI but no symbols", mqdump=mqdump)

    def refused_as_other(self, name, setting, *reasons):
        """Another MPI library has the functions of MPI, and if it is made of MPICH a setting of that."""
        source = self.path(f"{name}.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#include <stdio.h>\n#include <unistd.h>\nvoid PMPI_Recv(void)\n{{\n    puts("{setting}");\n'
                       '    fflush(stdout);\n    pause();\n}\n#ifdef MAIN\nint main(void)\n'
                       '{\n    PMPI_Recv();\n}\n#endif\n')
        library = self.compile(f"lib{name}.so.12", "-shared", "-fPIC", source, compiler=CC)
        main = self.path("other_main.c")
        with open(main, "w", encoding="utf-8") as file:
            file.write("void PMPI_Recv(void);\nint main(void)\n{\n    PMPI_Recv();\n}\n")
        for program in (self.compile(name, main, library, compiler=CC),
                        self.compile(f"{name}_static", "-DMAIN", source, compiler=CC)):
            with cases.ending(subprocess.Popen([program], stdout=subprocess.PIPE)) as process:
                process.stdout.readline()
                self.refused(process.pid, *reasons)

    def lists(self, command, executable=None, **more):
        with self.parked(command, **more) as (_, truths):
            self.listed(truths, executable or command[0])


class Nameless(job.Installation):
    """An Open MPI that does not tell its version."""
    version = None


class Here(Suite):
    """On this machine's Open MPI."""

    # A program as a library, and what loads it.

    def module(self, link=()):
        return self.compile(f"module{len(link)}.so", "-shared", "-fPIC", "-Dmain=program_main", *run.SCRIPT_SOURCES,
                            *link)

    def loader(self, linked=False):
        if linked:
            return self.compile("loader_linked", "awkward_loader.c", "-Wl,--no-as-needed", "-lmpi", "-ldl")
        return self.compile("loader", "awkward_loader.c", "-ldl", compiler=CC)

    def libmpi(self):
        return libmpi_of(self.program)

    def other_libmpi(self):
        """A copy with a name of its own, so that both can be in one process."""
        source, name = self.libmpi(), soname_of(self.libmpi())
        path = self.path(name.replace("mpi", "mpj"))
        if not os.path.exists(path):
            self.rename_inside(source, path, name)
            expect(soname_of(path) == os.path.basename(path), f"{path} is called {soname_of(path)}")
        return path

    @staticmethod
    def rename_inside(source, path, name):
        with open(source, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(content.replace(f"\0{name}\0".encode(), f"\0{name.replace('mpi', 'mpj')}\0".encode()))
        shutil.copymode(source, path)

    @staticmethod
    def plugins():
        """The files of this Open MPI's components; none if they are parts of its libraries."""
        source = job.HERE.run("ompi_info", "--path", "pkglibdir", "--parsable").strip().rsplit(":", 1)[-1]
        return glob.glob(os.path.join(source, "mca_*.so")) if source else []

    def other_plugins(self):
        """This Open MPI's plugins, but linked with the other libmpi."""
        directory = self.path("plugins")
        if not self.plugins():
            raise Skip("this Open MPI has no plugins")
        os.makedirs(directory, exist_ok=True)
        for plugin in self.plugins():
            self.rename_inside(plugin, os.path.join(directory, os.path.basename(plugin)), soname_of(self.libmpi()))
        return directory

    # Stages.

    def case_stopped_at_exec(self):
        """Before any library is mapped, in the middle of that, and after it; the process is still stopped then."""
        launcher = self.compile("awkward_exec", "awkward_exec.c", compiler=CC)
        program = self.compile("awkward_stages", "awkward_stages.c", *run.SCRIPT_SOURCES, "-ldl", "-pthread")
        directory = self.directory()
        os.makedirs(directory)
        environment = {**os.environ, "MQD_TRUTH_DIR": directory, "MQD_HOLD": "main"}
        reasons = []
        for n in STEPS:
            with subprocess.Popen([launcher, str(n), program], stdout=subprocess.PIPE, text=True,
                                  env=environment) as started:
                pid = int(started.stdout.readline() or 0)
                expect(pid, f"no process after {n} calls")
                try:
                    reasons.append(self.refused(pid, LOADING, NOT_YET))
                    expect(job.stopped_or_traced(pid) == "is stopped", "it is no longer stopped")
                finally:
                    os.kill(pid, signal.SIGKILL)
        expect(reasons[0] == LOADING and reasons[-1] == NOT_YET and reasons == sorted(reasons),
               f"refused in turn because of {reasons}")

    def case_stopped_at_exec_goes_on(self):
        """Each rank is listed right as soon as it is let go."""
        launcher = self.compile("awkward_exec", "awkward_exec.c", compiler=CC)
        program = self.program
        with job.Job(self.directory(), [launcher, "0", program, *RECEIVES], 2) as running:
            running.await_ranks(launcher)
            launchers, pids = running.pids, []
            running.await_that(lambda: all(map(job.children, launchers)), "the programs were started")
            pids = [job.children(pid)[0] for pid in launchers]
            running.pids = [*launchers, *pids]
            running.await_that(lambda: all(job.stopped_or_traced(pid) == "is stopped" for pid in pids), "they stopped")
            for pid in pids:
                self.refused(pid, LOADING)
                os.kill(pid, signal.SIGCONT)
            self.listed(running.await_truths(), program)
            running.release()

    def stages(self, n_ranks, hold):
        program = self.compile("awkward_stages", "awkward_stages.c", *run.SCRIPT_SOURCES, "-ldl", "-pthread")
        return program, Stages(self.directory(), [program, *script.command(STAGES, n_ranks, True)], n_ranks,
                               environment={"MQD_HOLD": hold})

    def case_from_start_to_finalize(self):
        program, running = self.stages(2, "constructor:main:finalized")
        with running:
            for stage in ("constructor", "main"):
                for rank in range(2):
                    pid, name = running.await_stage(rank)
                    expect(name == stage, f"rank {rank} is at {name}, not at {stage}")
                    self.refused(pid, NOT_YET)
                    running.go_on(rank)
            self.listed(running.await_truths(), program)
            with open(os.path.join(running.directory, "go"), "wb"):
                pass
            for rank in range(2):
                os.unlink(os.path.join(running.directory, f"{rank}.json"))
            for rank in range(2):
                pid, name = running.await_stage(rank)
                expect(name == "finalized", f"rank {rank} is at {name}")
                self.refused(pid, "MPI is finalized")
                running.go_on(rank)
            running.release()

    def case_waiting_inside_init(self):
        """One rank is late, and keeps all others inside MPI_Init."""
        program, running = self.stages(3, "main")
        with running:
            pids = [running.await_stage(rank)[0] for rank in range(3)]
            for rank in (1, 2):
                running.go_on(rank)
            if self.plugins():
                running.await_that(lambda: "mca_pml_ob1.so" in mapped_files(pids[1]), "rank 1 was inside MPI_Init")
            for _ in range(10):
                for pid in pids:
                    self.refused(pid, NOT_YET)
            expect(not os.path.exists(os.path.join(running.directory, "1.json")), "rank 1 has not waited for rank 0")
            running.go_on(0)
            self.listed(running.await_truths(), program)
            running.release()

    def case_each_plugin_before_it_is_opened(self):
        """The ob1 plugin is one of them. The other rank goes ahead as far as it can."""
        if not self.plugins():
            raise Skip("this Open MPI has no plugins")
        program, running = self.stages(2, "dlopen")
        seen = []
        with running:
            while (where := running.await_stage(0)) is not None:
                pid, stage = where
                seen.append("mca_pml_ob1" in stage)
                if any(seen):
                    expect(seen.index(True) < len(seen) - 1 or
                           not any("mca_pml_ob1" in name for name in mapped_files(pid)), "the plugin is there already")
                self.refused(pid, NOT_YET)
                running.go_on(0)
                while os.path.exists(running.hold_of(1)):
                    running.go_on(1)
            expect(len(seen) > 10 and any(seen), f"{len(seen)} plugins were opened, ob1 was not one of them")
            while running.await_stage(1) is not None:
                running.go_on(1)
            self.listed(running.await_truths(), program)
            running.release()

    # Where things are.

    def case_different_addresses(self):
        """Two processes of one position-independent program share no address."""
        with open("/proc/sys/kernel/randomize_va_space", encoding="ascii") as file:
            if file.read().strip() == "0":
                raise Skip("this system loads all programs at the same addresses")
        program, libmpi = self.program, os.path.basename(self.libmpi())
        if "DYN" not in output_of("readelf", "-hW", program):
            raise Skip("the compiler makes no position-independent programs")
        with self.parked([program, *RECEIVES]) as (_, truths):
            first, second = (mapped_files(truth["pid"]) for truth in truths)
            for name in (os.path.basename(program), libmpi):
                expect(first[name] != second[name], f"{name} is at {first[name]:#x} in both")
            self.listed(truths, program)

    def case_copies_of_predefined_objects(self):
        """A program at a fixed address takes MPI_COMM_WORLD and the datatypes out of libmpi."""
        program = self.compile("fixed", "-no-pie", "-fno-pic", "-fno-pie", *run.SCRIPT_SOURCES, "-pthread")
        relocations = output_of("readelf", "-rW", program)
        if not re.search(r"_COPY .* ompi_mpi_comm_world", relocations):
            raise Skip("the linker copies nothing into the program")
        expect("EXEC" in output_of("readelf", "-hW", program), f"{program} has no fixed address")
        for name in ("receives", "unexpected", "sends"):
            self.lists([program, *run.Case(name, 3).command], n_ranks=3)

    # libmpi comes late, or more than once.

    def case_libmpi_opened_for_all(self):
        self.lists([self.loader(), f"global={soname_of(self.libmpi())}", f"local={self.module()}", "--", *RECEIVES])

    def case_libmpi_opened_for_one(self):
        self.lists([self.loader(), f"local={soname_of(self.libmpi())}", f"local={self.module()}", "--", *RECEIVES])

    def case_libmpi_opened_with_the_program(self):
        self.lists([self.loader(), f"local={self.module()}", "--", *UNEXPECTED], n_ranks=3)

    def case_python_module(self):
        python = "/usr/bin/python3"
        result = subprocess.run([python, "-c", "import mpi4py.MPI"], capture_output=True, text=True, check=False,
                                env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "1"})
        if result.returncode != 0:
            raise Skip("mpi4py is not installed (Debian: python3-mpi4py)")
        command = [python, "-B", os.path.join(HERE, "awkward_module.py")]
        self.lists(command, executable=os.path.realpath(python))

    def both(self, pid):
        """The process has them both."""
        files = mapped_files(pid)
        for name in (self.libmpi(), self.other_libmpi()):
            expect(os.path.basename(name) in files, f"{name} is not mapped in process {pid}")
        return files

    def lists_with_both(self, command, environment=None):
        with self.parked(command, environment=environment) as (_, truths):
            orders = set()
            for truth in truths:
                files = self.both(truth["pid"])
                orders.add(files[os.path.basename(self.libmpi())] < files[os.path.basename(self.other_libmpi())])
            self.listed(truths, command[0])
        return orders

    def case_unused_libmpi_beside(self):
        self.lists_with_both([self.loader(linked=True), f"local={self.other_libmpi()}", f"local={self.module()}", "--",
                              *RECEIVES])

    def case_unused_libmpi_in_a_namespace_of_its_own(self):
        self.lists_with_both([self.loader(linked=True), f"apart={self.other_libmpi()}", f"local={self.module()}", "--",
                              *RECEIVES])

    def case_unused_libmpi_that_lends_its_variables(self):
        """The program calls the MPI_Init of a second libmpi, whose variables are those of the first."""
        program = self.compile("init_by_another", "-DMPI_Init_thread=init_by_another", *run.SCRIPT_SOURCES,
                               "awkward_init.c", "-ldl", "-pthread")
        self.lists_with_both([program, *RECEIVES], {"MQD_LIBMPI": self.other_libmpi()})

    def case_second_libmpi_is_the_one_in_use(self):
        """Neither knows of the other; whichever comes first in memory, the one that was initialised is shown."""
        other, plugins = self.other_libmpi(), self.other_plugins()
        module = f"local={self.module(link=(other, f'-Wl,-rpath,{self.scratch}'))}"
        unused = f"local={self.libmpi()}"
        environment = {"OMPI_MCA_mca_base_component_path": plugins}
        self.in_both_orders([unused, module], lambda libraries: self.lists_with_both(
            [self.loader(), *libraries, "--", *RECEIVES], environment))

    @staticmethod
    def in_both_orders(libraries, check):
        """Which library is the first in memory is the system's decision; loading the other first mostly changes it."""
        orders = set()
        for turn in range(ORDER_TURNS):
            orders |= check(libraries if turn % 2 == 0 else libraries[::-1])
            if len(orders) == 2:
                return
        raise Failure("the libraries always lie in the same order in memory")

    def case_two_libraries_in_use(self):
        """What looks like a second one is no reason to show nothing, or to be silent. The first in memory is shown."""
        source = self.path("second.c")
        with open(source, "w", encoding="utf-8") as file:
            # Too large for most gaps between other libraries, too small to be aligned, which would leave one.
            file.write("long ompi_mpi_communicators[15] = {1};\nint ompi_mpi_state = 2;\nchar room[1900000];\n")
        second, real = self.compile("second.so", "-shared", "-fPIC", source, compiler=CC), self.libmpi()

        def check(libraries):
            with self.parked([self.loader(), *libraries, "--", *RECEIVES]) as (_, truths):
                pid = truths[0]["pid"]
                files, result = mapped_files(pid), self.mqdump.run([pid])
            is_first = files[os.path.basename(second)] < files[os.path.basename(real)]
            names = (second, real) if is_first else (real, second)
            expect(result.returncode == 1 and "initialised in two libraries, {} and {}:".format(*names)
                   in re.sub(r"\s+", " ", result.stdout + result.stderr),
                   f"status {result.returncode}: {result.stderr}{result.stdout}")
            expect(("MPI_COMM_WORLD" in result.stdout) != is_first, f"not the first one: {result.stdout}")
            return {is_first}
        self.in_both_orders([f"local={second}", f"local={self.module()}"], check)

    # Static libraries.

    def case_static_and_stripped(self):
        self.refused_as_static()

    def static(self, *flags, strip=False):
        prefix = os.environ.get("MQD_STATIC_OPENMPI")
        if not prefix:
            raise Skip("MQD_STATIC_OPENMPI does not name a static Open MPI")
        installation = job.Installation()
        installation.mpirun = os.path.join(prefix, "bin", "mpirun")
        program = self.compile("static" + "".join(flags) + ("stripped" if strip else ""), *run.SCRIPT_SOURCES,
                               *flags, "-pthread", compiler=os.path.join(prefix, "bin", "mpicc"))
        if strip:
            output_of("strip", program)
        expect("libmpi" not in output_of("ldd", program), f"{program} is not static")
        return program, installation, run.Mqdump(self.mqdump.path, self.mqdump.dll, installation)

    def lists_static(self, *flags, version=True):
        program, installation, mqdump = self.static(*flags)
        if not version:
            mqdump.installation = Nameless()
        with self.parked([program, *RECEIVES], installation=installation) as (_, truths):
            self.listed(truths, program, mqdump)

    def case_mpich(self):
        self.refused_as_other("mpich", "MPIR_CVAR_ASYNC_PROGRESS", "it runs with MPICH or a library made of it")

    def case_another_mpi_library(self):
        self.refused_as_other("othermpi", "another", "it runs with another MPI library")

    def case_static_with_symbols(self):
        self.lists_static("-fno-lto")

    def case_static_with_link_time_optimisation(self):
        """The version string, which nothing in the program uses, is gone."""
        self.lists_static("-flto", version=False)

    def case_static_without_symbols(self):
        program, installation, mqdump = self.static("-fno-lto", strip=True)
        with self.parked([program, *RECEIVES], installation=installation) as (_, truths):
            for truth in truths:
                self.refused(truth["pid"], "statically linked Open MPI but no symbols", mqdump=mqdump)

    # More processes than ranks.

    def case_forked_copy(self):
        """It has the queues of the moment of the fork, and mqdump says so."""
        program = self.program
        with job.Job(self.directory(), [program, *script.command(FORK.format(""), 2, True)], 2) as running:
            truths = running.await_truths()
            paths = [os.path.join(running.directory, f"{rank + 2}.json") for rank in range(2)]
            running.await_that(lambda: all(map(os.path.exists, paths)), "the copies were parked")
            self.listed(truths, program)
            for truth, path in zip(truths, paths):
                with open(path, encoding="utf-8") as file:
                    copy = json.load(file)
                copy["rank"] -= 2
                result = self.mqdump.run([copy["pid"]], "--json")
                expect(f"process {copy['pid']} is a copy of process {truth['pid']}, made by fork" in result.stderr,
                       f"no warning of a copy: {result.stderr}")
                document = schema.load(result.stdout)
                expect(document["processes"][0]["copy_of"] == truth["pid"], f"not said to be a copy: {document}")
                differences = compare.compare_document([copy], document, job.memory_of)
                expect(result.returncode == 0 and not differences, f"{differences}")
                shown = document["processes"][0]["communicators"][0]["pending_receives"]
                expect(len(shown) == 1, f"{len(shown)} receives")
            running.release()

    def case_copy_that_runs_another_program(self):
        with self.parked([self.program, *script.command(FORK.format("sleep"), 2, True)]) as (running, truths):
            for truth in truths:
                running.await_that(lambda pid=truth["pid"]: job.children(pid) and "sleep" in os.readlink(
                    f"/proc/{job.children(pid)[0]}/exe"), "the other program ran")
                self.refused(job.children(truth["pid"])[0], "no Open MPI library is mapped", LOADING)
            self.listed(truths, self.program)


class Elsewhere(Suite):
    """On releases in other roots."""

    prefix = "root_"

    def __init__(self, mqdump, program, scratch, compiler, roots):
        super().__init__(mqdump, program, scratch, compiler)
        self.roots = roots

    def lists_there(self, root, path):
        mqdump = run.Mqdump(path, self.mqdump.dll, root)
        with self.parked([self.program, *RECEIVES], installation=root) as (_, truths):
            self.listed(truths, self.program, mqdump)

    def root_two_releases_at_once(self):
        """One mqdump, ranks of this machine's Open MPI and of each other one."""
        with contextlib.ExitStack() as stack:
            truths, wholes = [], []
            for installation in (job.HERE, *self.roots):
                _, found = stack.enter_context(self.parked([self.program, *UNEXPECTED], 3, installation=installation))
                wholes.append((installation, found))
                truths += found
            versions = {installation.version for installation, _ in wholes}
            expect(len(versions) == len(wholes), f"only {versions} for {len(wholes)} jobs")
            # Not job by job: one after the other of each.
            truths = [truth for rank in zip(*(found for _, found in wholes)) for truth in rank]
            document = self.mqdump.document([truth["pid"] for truth in truths])
            processes = {process["pid"]: process for process in document["processes"]}
            for installation, found in wholes:
                part = {**document, "processes": [processes[truth["pid"]] for truth in found]}
                mqdump = run.Mqdump("", None, installation)
                differences = compare.compare_document(found, part, job.memory_of) or run.compare_settings(
                    mqdump, NO_TYPES, part, self.program)
                expect(not differences, f"{installation.version}: {differences}")
            run.check_left_running(list(processes))

    def root_without_the_right_to_mapped_files(self):
        """As root in most containers: the kernel does not hand out the files that a process has mapped."""
        wrapper = self.path("mqdump")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec setpriv --bounding-set=-sys_admin,-checkpoint_restore "$MQD_MQDUMP" "$@"\n')
        os.chmod(wrapper, 0o755)
        os.environ["MQD_MQDUMP"] = self.mqdump.path
        first = os.listdir(f"/proc/{os.getpid()}/map_files")[0]
        result = subprocess.run(["setpriv", "--bounding-set=-sys_admin,-checkpoint_restore", "head", "-c", "0",
                                 f"/proc/{os.getpid()}/map_files/{first}"], capture_output=True, check=False)
        if result.returncode == 0 or not shutil.which("setpriv"):
            raise Skip("the right cannot be given up (Debian: util-linux)")
        for root in self.roots:
            for contained in (False, True):
                there = releases.Root(root.root, contained)
                there.shown = root.shown
                self.lists_there(there, wrapper)
                # Its executable lies where only processes in the root see it.
                self.refused_as_static(there.enter, run.Mqdump(wrapper, self.mqdump.dll, there))

    def root_symbols_in_another_library(self):
        """From 6.0 on libmpi has only the functions; the rest is in a library of another name."""
        found = 0
        for root in self.roots:
            library = glob.glob(f"{root.root}/usr/lib/*/libopen_mpi.so.[0-9]*")
            if not library:
                continue
            libmpi = os.path.join(os.path.dirname(library[0]), "libmpi.so.40")
            expect("ompi_mpi_communicators" not in output_of("nm", "-D", "--defined-only", libmpi),
                   f"{libmpi} has ompi_mpi_communicators")
            self.lists_there(root, self.mqdump.path)
            found += 1
        if not found:
            raise Skip("none of these releases has a libopen_mpi")

    def mpich_library(self, root):
        """The library of MPICH that has the ABI of MPI 5.0, of the release in a root."""
        suite, directory = os.path.basename(root.root), self.path("mpich")
        try:
            package, = ucx_targets.Apt(directory, suite, releases.mirror()).packages("libmpich12")
        except releases.Missing as reason:
            raise Skip(f"no MPICH of {suite}: {reason}") from reason
        output_of("dpkg-deb", "-x", package, directory)
        return glob.glob(f"{directory}/usr/lib/*/libmpi_abi*.so.*")[0]

    def root_program_of_the_abi_with_mpich(self):
        """What is compiled for the ABI of MPI 5.0 runs with MPICH's library too, here as a single process."""
        source = self.path("abi_main.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <mpi.h>\n#include <stdio.h>\nint main(void)\n{\n    MPI_Init(NULL, NULL);\n"
                       '    puts("ready");\n    fflush(stdout);\n'
                       "    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n")
        for root in self.roots:
            if releases.abi_header(root) is None:
                continue
            program, library = self.path("abi_main"), self.mpich_library(root)
            job.compile_program(self.compiler, [source], program, releases.Abi(root))
            with cases.ending(subprocess.Popen([*root.enter, "env", f"LD_PRELOAD={library}", program],
                                               stdout=subprocess.PIPE)) as process:
                process.stdout.readline()
                self.refused(process.pid, r"it runs with MPICH or a library made of it \(libmpi_abi\S+\)")
                result = self.mqdump.start(["--job", str(process.pid)])
                expect(result.returncode == 1 and "it belongs to a job of MPICH or another MPI library, and mqdump reads "
                       "Open MPI only" in result.stderr, result.stderr)
            return
        raise Skip("none of these releases has the ABI of MPI 5.0")


def usable_roots(directories):
    """Those in which programs can be run; why others cannot is printed."""
    roots = []
    for directory in directories:
        try:
            if not releases.is_unpacked(directory, ()):
                raise releases.Missing("it is not there: releases.py prepare unpacks it")
            root = releases.Root(directory)
            releases.require_entry(root)
            roots.append(root)
        except releases.Missing as reason:
            print(f"left out {directory}: {reason}")
    return roots


def make_suite(arguments, mqdump, scratch):
    if not arguments.root:
        program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"))
        return Here(mqdump, program, scratch, arguments.cc)
    roots = usable_roots(arguments.root)
    if not roots:
        return None
    builder = releases.compiling_root(os.path.dirname(roots[0].root))
    for place in (*roots, builder):
        place.show(scratch)
        place.show(run.TOP)
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder)
    return Elsewhere(mqdump, program, scratch, arguments.cc, roots)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", action="append", default=[], help="an unpacked release; may be repeated")
    cases.add_options(parser)
    arguments = parser.parse_args()

    def work(mqdump, scratch):
        suite = make_suite(arguments, mqdump, scratch)
        return cases.run(suite.labelled(), arguments, scratch) if suite else job.SKIPPED

    return run.test_suite("awkward", arguments, job.HERE, job.HERE, work)


if __name__ == "__main__":
    sys.exit(main())
