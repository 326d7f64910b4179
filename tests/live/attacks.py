#!/usr/bin/env python3
"""What one user can do to root's look at the jobs of others: nothing.

Each check starts a rank of a user that has what has harmed, or could harm, whoever reads it: files, pages, or deeds.
Root looks at it, and at a job of another user that hangs for a known reason. The report comes, names the rank and what
is wrong with it, and has the other job in full; all go on. strace says that what the rank has mapped or named was
opened by processes only that were its owner by then.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zlib

import cases
import job
from mqdump_errors import (Checks, Failed, HERE, ROOT, Result, Skipped, expect, run_checks, status_of,
                           tracer_of, wait_until)

ATTACKER, OTHER = 54321, 54322   # neither root nor anybody who has files
ENOUGH = ("--limit", "time=none", "--limit", "cpu=30", "--limit", "memory=1G")
# What hangs is given up then. The other look ends before, however busy the machine is.
HANGS = ("--limit", "time=10")
N_LIBRARIES = 1100
DEAD = "waits in the kernel|did not stop within|left behind|does not answer|too long|longer than"
MIB = 1 << 20
EXIT_NOT_STARTED = 127           # of a program whose libraries find no memory
CAP_SYS_PTRACE = 1 << 19
ELFCOMPRESS_ZLIB = 1
SHF_COMPRESSED = 1 << 11
UNIT_ABBREVIATIONS = bytes([1, 0x11, 1, 0, 0, 2, 0x24, 0, 0, 0, 0])      # a unit with children, and a base type

OPENED = re.compile(r"^(?:open|openat|openat2|creat)\(.* = \d+<(.*?)>(?:\(deleted\))?$")
STARTED = re.compile(r"^(?:clone|clone3|fork|vfork)\(.* = (\d+)$")
BECAME = re.compile(r"^setres?uid\(((?:-?\d+(?:, )?)+)\) += 0$")


class User(job.Installation):
    """This machine, as a user without rights sees it, who has a directory."""

    def __init__(self, user, directory):
        self.user, self.directory = user, directory
        os.makedirs(directory)
        self.own(directory)
        self.enter = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env", f"HOME={directory}",
                      f"TMPDIR={directory}", "nice"]

    def own(self, path):
        os.chown(path, self.user, self.user, follow_symlinks=False)


class Trace:
    """What strace has seen of mqdump's processes: which files each has opened, and who it was then."""

    def __init__(self, prefix, first):
        self.prefix = prefix
        self.opened = []        # (effective user, path)
        self._follow(first, 0)

    def _follow(self, pid, user):
        try:
            with open(f"{self.prefix}.{pid}", encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            if found := OPENED.match(line):
                self.opened.append((user, found[1]))
            elif found := STARTED.match(line):
                self._follow(int(found[1]), user)
            elif found := BECAME.match(line):
                ids = found[1].split(", ")
                user = int(ids[len(ids) > 1]) if ids[len(ids) > 1] != "-1" else user

    def by_root(self, below):
        return [path for user, path in self.opened if user == 0 and path.startswith(below + "/")]

    def by_anybody(self, path):
        return [user for user, opened in self.opened if opened == path]


def packed(start, byte, n_mib):
    """What zlib makes of a short start and then of so many MiB of one byte, of which each takes the same bytes."""
    pieces = [start + byte * (MIB - len(start))] + [byte * MIB] * (n_mib - 1)
    packer, results, total = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS), [], 1
    for piece in pieces[:3]:
        results.append(packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH))
    for piece in pieces:
        total = zlib.adler32(piece, total)
    return b"\x78\xda" + b"".join(results[:2]) + results[2] * (n_mib - 2) + b"\x03\x00" + struct.pack(">I", total)


# A file of attack_files.c, how often it is mapped, what is said of it, and whether something is lost.
FILES = (
    ("structure inside of itself", ("structure", "ompi_communicator_t"), 1, None, False),
    ("claims of size", ("claims",), 1, "makes 8589934592 bytes", False),
    ("names that are parts of one string", ("suffixes", 300000), 1, None, False),
    ("many parts of many files", ("parts", 8000), 8000, "more than 128 parts", True),
    ("file that is mapped often", ("parts", 100), 8000, None, False),
)


class Attacks(Checks):
    """All checks; each method whose name starts with check_ is one."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.n = 0
        self.others = None
        self.other_pids = []
        self.attacker = None
        os.chmod(self.directory, 0o755)

    def labelled(self):
        files = [(label, lambda row=row: self.map_file(*row)) for label, *row in FILES]
        return [(label, lambda check=check: self.run_prepared(check)) for label, check in super().labelled() + files]

    def run_prepared(self, check):
        self.prepare()
        check()

    def end(self):
        if self.others is not None:
            self.others.end()

    # Programs and files.

    def new_path(self, name):
        """A path that nothing has, below a directory of the attacker's for one check."""
        self.n += 1
        directory = os.path.join(self.attacker.directory, str(self.n))
        os.mkdir(directory)
        self.attacker.own(directory)
        return os.path.join(directory, name)

    def file_maker(self):
        """The program that writes the attacker's files."""
        units = os.path.join(ROOT, "tests", "unit")
        return self.built("attack_files", "-std=c11", "-D_GNU_SOURCE", "-I", ROOT, os.path.join(HERE, "attack_files.c"),
                          os.path.join(units, "made_elf.c"), "-lcmocka")

    def file(self, what, *arguments, path=None):
        """A file of the attacker's, of some kind that attack_files.c has."""
        path = path or self.new_path("libhostile.so")
        status = subprocess.run([self.file_maker(), what, path, *map(str, arguments)], check=False).returncode
        expect(status == 0, f"attack_files {what} ended with {status}")
        self.attacker.own(path)
        return path

    def debug_path(self, library, name="libhostile.debug"):
        """Where the debug information of a library is looked for, in a directory that is made."""
        directory = os.path.join(os.path.dirname(library), ".debug")
        os.makedirs(directory, exist_ok=True)
        self.attacker.own(directory)
        return os.path.join(directory, name)

    def secret(self):
        """A file that nobody but root may open, and that would do for debug information."""
        self.n += 1
        path = self.path(f"secret{self.n}")
        self.file("debug", path=path)
        os.chown(path, 0, 0)
        os.chmod(path, 0o600)
        return path

    # Processes.

    def prepare(self):
        """Both users, and the other's job that hangs."""
        if os.geteuid() != 0:
            raise Skipped("only root can be several users")
        if job.mpirun_problem():
            raise Skipped(job.mpirun_problem())
        if self.attacker is None:
            self.attacker = User(ATTACKER, self.path("attacker"))
        if self.others is None:
            program = self.mpi_program("prog_deadlock")
            self.n += 1
            with cases.lasting():
                self.others = job.Job(self.path(f"others{self.n}"), [program], 2,
                                      installation=User(OTHER, self.path(f"other{self.n}")))
            try:
                self.others.await_ranks(program)
                wait_until(lambda: self.hangs(self.look("--json", *self.others.pids)), "the other job hangs")
            except BaseException:
                # The next case may start it.
                self.others.end()
                self.others = None
                raise
            self.other_pids = list(self.others.pids)

    @contextlib.contextmanager
    def rank(self, *way, user=None, enter=(), environment=None, alone=True):
        """A rank of the attacker's, which is there as long as the context and must not be held then."""
        launch = job.HERE.launch
        settings = {f"OMPI_MCA_{name}": value for name, value in {**launch.always, "btl": "self"}.items()}
        settings["OMPI_MCA_ess_singleton_isolated"] = "1"
        command = [*enter, *(user or self.attacker).enter, self.mpi_program("attack"), *map(str, way)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **(settings if alone else {}), **(environment or {})})
        try:
            if process.stdout.readline() != b"ready\n":
                raise Failed(f"attack {' '.join(map(str, way[:2]))}: {process.stderr.read().decode()}")
            yield process
            expect(process.poll() is None, "the attacker's rank has ended")
            self.goes_on(process.pid)
        finally:
            process.kill()
            # One that waits for a dead file server ends with that.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)

    @contextlib.contextmanager
    def dying_server(self, *names):
        """A file server that has libraries of these names: where it is mounted, and a function that lets it die."""
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            raise Skipped("no /dev/fuse")
        source, mountpoint = os.path.dirname(self.new_path("")), os.path.dirname(self.new_path(""))
        for name in names:
            self.file("linked", "libhostile.debug", path=os.path.join(source, name))
        command = [sys.executable, os.path.join(HERE, "dead_server.py"), source, mountpoint, str(ATTACKER)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
            try:
                if server.stdout.readline() != b"ready\n":
                    raise Skipped(f"no file server: {server.stderr.read().decode().strip()[-200:]}")
                yield mountpoint, lambda: server.send_signal(signal.SIGUSR1)
            finally:
                server.kill()
                server.wait()
                subprocess.run(["umount", "-l", mountpoint], stderr=subprocess.DEVNULL, check=False)

    # Looks.

    def look(self, *arguments, before=()):
        """One run of mqdump, which must end."""
        command = [*before, self.mqdump, "--dll", self.dll, *map(str, arguments)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                out, err = process.communicate(timeout=cases.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Failed(f"mqdump {' '.join(map(str, arguments))} did not end within {cases.PATIENCE} s") from None
            self.last_pid = process.pid
        return Result(command[1:], process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def traced_look(self, *arguments):
        """The same under strace: (result, trace)."""
        if shutil.which("strace") is None:
            raise Skipped("no strace")
        prefix = os.path.join(self.directory, f"trace{self.n}")
        calls = "open,openat,openat2,creat,clone,clone3,fork,vfork,setresuid,setreuid,setuid"
        result = self.look(*arguments, before=["strace", "-D", "-ff", "-qqq", "-y", "-o", prefix, "-e", "signal=none",
                                               "-e", f"trace={calls}"])
        return result, Trace(prefix, self.last_pid)

    def hangs(self, result):
        """Does the report have the other job in full?"""
        try:
            document = json.loads(result.out)
        except ValueError:
            return False
        found = {process["pid"]: process for process in document["processes"]}
        return (all(found.get(pid, {}).get("communicators") for pid in self.others.pids) and
                {(finding["kind"], tuple(finding["ranks"])) for finding in document["findings"]} >=
                {("tag_mismatch", (1,)), ("deadlock", (0, 1))})

    def others_go_on(self):
        """The other job alone, and in the list, as if the attacker were not there; its ranks go on."""
        ticks = [job.processor_ticks(pid) for pid in self.other_pids]
        result = self.look("--json", "--job", self.others.process.pid)
        expect(result.status == 0 and self.hangs(result), f"the other job is shown\n{result}")
        result = self.look("--list", "--json")
        ranks = {found["launcher"]: found["ranks"] for found in json.loads(result.out)["jobs"]}
        expect(len(ranks.get(self.others.process.pid, ())) == 2, f"the other job is listed\n{result}")
        for pid in self.other_pids:
            self.goes_on(pid)
        wait_until(lambda: all(job.processor_ticks(pid) > before for pid, before in zip(self.other_pids, ticks)),
                   "the other job goes on")

    def attacked(self, process, reason=None, about=None, loses=False, opens=True, secret=None, limits=ENOUGH):
        """
        What is common to all attacks: the report names the process, or what `about` matches, with a reason if there is
        one to be told. It has the process in full if nothing is lost. No file of the attacker's is opened by root.
        """
        result, trace = self.traced_look("--json", *limits, process.pid, *self.other_pids)
        self.judge(result, process.pid, reason, about, loses)
        found = trace.by_root(self.attacker.directory)
        expect(not found, f"root has opened {sorted(set(found))[:5]}")
        expect(secret is None or not trace.by_anybody(secret), f"{secret} was opened")
        expect(not opens or any(path.startswith(self.attacker.directory) for _, path in trace.opened),
               "the files are opened by their owner")
        self.others_go_on()

    def hung(self, process):
        """The same where the kernel does not come back to who reads the process."""
        self.judge(self.look("--json", *HANGS, process.pid, *self.other_pids), process.pid, DEAD)
        self.others_go_on()

    def judge(self, result, pid, reason, about=None, loses=True):
        expect(self.hangs(result), f"the other job is shown in full\n{result}")
        expect(result.status == loses, f"status {int(loses)} expected\n{result}")
        shown = [found for found in json.loads(result.out)["processes"] if found["pid"] == pid]
        expect(loses or (shown and shown[0].get("communicators")), f"the rank is shown in full\n{result}")
        lines = result.err.splitlines() + [f"process {pid}: {found['error']}" for found in shown if found.get("error")]
        told = [line for line in lines if re.search(about or rf"process(es)? ([\d, ]*)\b{pid}\b", line)]
        expect(reason is None or any(re.search(reason, line) for line in told), f"no '{reason}' of it\n{result}")
        wait_until(lambda: tracer_of(pid) == 0, "the attacker's rank is let go")

    # Files.

    def check_pipe_in_place_of_debug_information(self):
        library = self.file("linked", "libhostile.debug")
        os.mkfifo(self.debug_path(library), 0o666)
        with self.rank("map", library) as process:
            self.attacked(process)

    def check_link_to_a_pipe_in_place_of_debug_information(self):
        library = self.file("linked", "libhostile.debug")
        debug = self.debug_path(library)
        os.mkfifo(f"{debug}.pipe", 0o666)
        os.symlink(f"{debug}.pipe", debug)
        with self.rank("map", library) as process:
            self.attacked(process)

    def check_link_to_a_file_of_root(self):
        """The file itself, its directory, and the library that is mapped."""
        library, other = self.file("linked", "libhostile.debug"), self.file("linked", "libhostile.debug")
        secret = self.secret()
        os.symlink(secret, self.debug_path(library))
        os.symlink(os.path.dirname(secret), os.path.join(os.path.dirname(other), ".debug"))
        with self.rank("map", library, other) as process:
            self.attacked(process, secret=secret)

    def check_mapped_file_that_is_replaced_by_a_link(self):
        library, secret = self.file("linked", "libhostile.debug"), self.secret()
        with self.rank("map", library) as process:
            os.unlink(library)
            os.symlink(secret, library)
            self.attacked(process, opens=False, secret=secret)

    def check_debug_link_that_leads_elsewhere(self):
        secret = self.secret()
        libraries = [self.file(what, f"{'../' * 40}{name}") for what in ("linked", "bare")
                     for name in (secret[1:], "etc/shadow")]
        with self.rank("map", *libraries) as process:
            self.attacked(process, secret=secret)
            self.attacked(process, secret="/etc/shadow")

    def check_devices_and_giants_in_place_of_debug_information(self):
        libraries = [self.file("linked", "libhostile.debug") for _ in range(3)]
        os.symlink("/dev/zero", self.debug_path(libraries[0]))
        self.file("debug", path=self.debug_path(libraries[1]))
        try:
            os.truncate(self.debug_path(libraries[1]), 2 << 40)
            os.truncate(libraries[2], 2 << 40)
        except OSError as error:
            raise Skipped(f"no file system for 2 TiB: {error}") from None
        with self.rank("map", *libraries) as process:
            self.attacked(process, "more than any program", "libhostile", loses=True)

    def check_other_files_that_debug_information_names(self):
        """Split and alternate files: a pipe, and a file of root's."""
        secret = self.secret()
        pipe = self.new_path("pipe")
        os.mkfifo(pipe, 0o666)
        libraries = [self.file(what, path) for what in ("split", "alternate") for path in (secret, pipe)]
        with self.rank("map", *libraries) as process:
            self.attacked(process, secret=secret)

    def map_file(self, what, n, reason, loses):
        with self.rank("again", n, self.file(*what)) as process:
            self.attacked(process, reason, "libhostile" if reason else None, loses)

    def packed_library(self, n_mib):
        """A library that has a unit of so many types without a name."""
        abbreviations, content = self.new_path("abbreviations"), self.new_path("content")
        with open(abbreviations, "wb") as file:
            file.write(UNIT_ABBREVIATIONS)
        start = struct.pack("<IHIB", n_mib * MIB - 4, 4, 0, 8) + b"\1"
        with open(content, "wb") as file:
            file.write(struct.pack("<IIQQ", ELFCOMPRESS_ZLIB, 0, n_mib * MIB, 1) + packed(start, b"\2", n_mib))
        return self.file("sections", ".debug_info", SHF_COMPRESSED, content, ".debug_abbrev", 0, abbreviations)

    def check_debug_information_that_is_inflated(self):
        """Each of the libraries is within what one may have."""
        libraries = [self.packed_library(1900) for _ in range(4)]
        with self.rank("map", *libraries) as process:
            self.attacked(process, "memory", loses=True)

    def check_debug_information_that_takes_long(self):
        with self.rank("map", self.packed_library(300)) as process:
            self.attacked(process, "processor", loses=True, limits=("--limit", "time=none", "--limit", "cpu=2"))

    def check_many_libraries(self):
        template = self.file("linked", "libhostile.debug")
        paths = [f"{template}.{n}" for n in range(N_LIBRARIES)]
        for path in paths:
            shutil.copy(template, path)
        with self.rank("map", *paths) as process:
            self.attacked(process)

    def check_library_that_is_changed_all_the_time(self):
        library = self.file("linked", "libhostile.debug")
        os.truncate(library, MIB)
        with self.rank("restore", library) as process:
            for _ in range(20 if self.thorough else 4):
                result = self.look("--json", process.pid, *self.other_pids)
                lost = result.status != 0
                self.judge(result, process.pid, "changed|shorter" if lost else None, "libhostile", lost)
            self.others_go_on()

    # Pages and file servers.

    def check_library_environment_and_page_on_a_dead_file_server(self):
        for way in (("map",), ("cover", "environment"), ("cover", "communicators")):
            with self.dying_server("libdead.so") as (mountpoint, die):
                with self.rank(*way, os.path.join(mountpoint, "libdead.so")) as process:
                    die()
                    self.hung(process)

    # Deeds.

    def check_library_that_is_mapped_when_it_is_noticed(self):
        libraries = [self.file("linked", "libhostile.debug") for _ in range(8)]
        for library in libraries:
            os.mkfifo(self.debug_path(library), 0o666)
        with self.rank("stops", *libraries) as process:
            self.attacked(process, opens=False)

    def check_library_of_a_dead_file_server_that_is_mapped_when_it_is_noticed(self):
        names = [f"libdead{n}.so" for n in range(8)]
        with self.dying_server(*names) as (mountpoint, die):
            with self.rank("stops", *[os.path.join(mountpoint, name) for name in names]) as process:
                die()
                # It is met in the first look if the file was mapped before the program was asked what it has.
                for _ in range(2):
                    result = self.look("--json", *HANGS, process.pid, *self.other_pids)
                    self.judge(result, process.pid, DEAD if result.status else None, loses=result.status != 0)
                self.others_go_on()

    def check_threads_that_call_exec(self):
        with self.rank("exec", 5) as process:
            for _ in range(10 if self.thorough else 3):
                result = self.look("--json", process.pid, *self.other_pids)
                self.judge(result, process.pid, "")
            self.others_go_on()

    @contextlib.contextmanager
    def collector(self, *arguments, **options):
        """mqdump and the process of its own that has become the attacker, before that holds anybody: (steps, pid)."""
        with self.steps("trace", 1, *arguments, stdin=subprocess.DEVNULL, **options) as steps:
            def found():
                return [pid for pid in job.descendants(steps.mqdump) if self.is_attacker(pid)]
            expect(steps.go_on(found), "a process of mqdump's has become the attacker")
            # The others have been started by it.
            yield steps, found()[0]

    @staticmethod
    def is_attacker(pid):
        return status_of(pid).get("Uid", "").split()[1:2] == [str(ATTACKER)]

    def signal_as_attacker(self, number, pid):
        command = [*self.attacker.enter, "sh", "-c", f"kill -{int(number)} {pid}"]
        expect(subprocess.run(command, check=False).returncode == 0, "the attacker may do it")

    def check_collector_that_its_owner_stops_or_kills(self):
        """He may send signals to it, also when it holds his processes."""
        for number, held in ((signal.SIGSTOP, False), (signal.SIGKILL, False), (signal.SIGSEGV, False),
                             (signal.SIGSTOP, True), (signal.SIGKILL, True)):
            with self.rank("map") as process, tempfile.TemporaryFile() as out:
                with self.collector("--json", *HANGS, process.pid, *self.other_pids, stdout=out) as (steps, collector):
                    if held:
                        expect(steps.go_on(lambda process=process: tracer_of(process.pid)), "the rank is held")
                        # The one may end with the other.
                        for pid in (collector, tracer_of(process.pid)):
                            with contextlib.suppress(ProcessLookupError):
                                os.kill(pid, number)
                    else:
                        self.signal_as_attacker(number, collector)
                    result = self.finish_steps(steps)
                    out.seek(0)
                    result.out = out.read().decode()
                self.judge(result, process.pid, "longer than|signal")
                self.goes_on(process.pid)
        self.others_go_on()

    def check_what_the_collector_has_of_root(self):
        """No descriptor, no environment that its owner can read, and no rights but the one to trace."""
        secret = self.secret()
        with self.rank("map") as process, open(secret, "r+b") as inherited, tempfile.TemporaryFile() as out:
            with self.collector(*HANGS, process.pid, stdout=out, pass_fds=[inherited.fileno()],
                                environment={"MQD_SECRET": "of root"}) as (_, collector):
                status = status_of(collector)
                expect(set(status["Uid"].split()) == set(status["Gid"].split()) == {str(ATTACKER)} and
                       not status["Groups"].split(), f"it is the attacker: {status}")
                expect(int(status["CapEff"], 16) | int(status["CapPrm"], 16) == CAP_SYS_PTRACE and
                       not int(status["CapInh"], 16) | int(status["CapAmb"], 16), f"one right: {status}")
                expect(status["NoNewPrivs"] == "1", f"no rights to come: {status}")
                for number in os.listdir(f"/proc/{collector}/fd"):
                    found = os.readlink(f"/proc/{collector}/fd/{number}")
                    expect(re.match(r"(pipe|socket|anon_inode):|/dev/null$|/proc/", found) or
                           os.stat(f"/proc/{collector}/fd/{number}").st_mode & 0o004, f"{number} is {found}")
                for name in ("environ", "maps", "mem", "fd/0"):
                    reading = subprocess.run([*self.attacker.enter, "head", "-c1", f"/proc/{collector}/{name}"],
                                             capture_output=True, check=False)
                    expect(b"ermission denied" in reading.stderr, f"the attacker can read its {name}")

    def check_library_in_a_container(self):
        """
        Below its own root there is a link to a file of root's in the system's directory of debug information. The
        host's files of the same names are not the container's.
        """
        directory = os.path.dirname(self.new_path(""))
        library = self.file("linked", "libhostile.debug", path=os.path.join(directory, "libhostile.so"))
        self.file("debug", path=self.debug_path(library))
        hosts = [library, self.debug_path(library)]
        secret = self.secret()
        debug = f"/usr/lib/debug{directory}"
        script = (f'mount -t tmpfs none /usr/lib/debug && mkdir -p {debug} && ln -s "$0" {debug}/libhostile.debug && '
                  f'cp "$1" {debug} && mount -t tmpfs none {directory} && cp {debug}/libhostile.so "$1" && '
                  'shift && exec "$@"')
        os.makedirs("/usr/lib/debug", exist_ok=True)
        with self.rank("map", library, enter=["unshare", "-m", "sh", "-c", script, secret, library]) as process:
            for path in hosts:
                os.utime(path, (0, os.stat(path).st_mtime))
            self.attacked(process, secret=secret)
            for path in hosts:
                expect(os.stat(path).st_atime == 0, f"the host's {path} was read")

    def check_name_of_the_job_of_somebody_else(self):
        names = job.environment_of(self.other_pids[0])
        claims = {name: names[name] for name in ("PMIX_NAMESPACE", "PMIX_RANK")}
        with self.rank("claim", environment=claims) as process:
            result = self.look("--json", "--job", claims["PMIX_NAMESPACE"])
            expect(result.status == 1 and "several users" in result.err and str(ATTACKER) in result.err,
                   f"it is told that there are two\n{result}")
            self.attacked(process, "not initialised", loses=True, opens=False)

    # What mqdump itself lacks.

    def check_memory_and_descriptors_that_run_out(self):
        """Never is there nothing suspicious."""
        shown = 0
        tries = [((), (f"--limit=memory={n}M",)) for n in (8, 16, 32, 64, 256)]
        tries += [(("prlimit", f"--as={n * MIB}"), ()) for n in (16, 24, 32, 64, 256)]
        tries += [(("prlimit", f"--nofile={n}"), ()) for n in (*range(4, 16), 24, 64)]
        for before, options in tries:
            result = self.look(*options, *self.other_pids, before=before)
            what = f"{before} {options}\n{result}"
            expect("Nothing suspicious" not in result.out and result.status in (0, 1, EXIT_NOT_STARTED), what)
            expect("Deadlock" in result.out if result.status == 0 else result.err, what)
            shown += result.status == 0
        expect(shown >= 3, f"with enough all is shown, here {shown} times")


if __name__ == "__main__":
    sys.exit(run_checks(Attacks, __doc__, ("thorough",)))
