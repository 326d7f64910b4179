"""Core files of ranks: the kernel's, of a job that ends; those of a writer of our own, of ranks that go on; gcore's."""

import contextlib
import ctypes
import dataclasses
import glob
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import cases
import job

# ptrace's requests, as <sys/ptrace.h> has them on all machines.
PTRACE_DETACH, PTRACE_GETREGSET, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4204, 0x4206, 0x4207
WALL = 0x40000000
# Notes of a core file, as <elf.h> has them.
NT_PRSTATUS, NT_PRFPREG, NT_PRPSINFO, NT_AUXV, NT_FILE = 1, 2, 3, 6, 0x46494C45
ET_CORE, PT_LOAD, PT_NOTE = 4, 1, 4
PAGE = os.sysconf("SC_PAGE_SIZE")
PIECE = 1 << 20
# Bits of /proc/PID/coredump_filter: private and shared memory without a file, that of files, and the headers of ELF files.
ANONYMOUS_PRIVATE, ANONYMOUS_SHARED, FILE_PRIVATE, FILE_SHARED, ELF_HEADERS = 1, 2, 4, 8, 16

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
libc.ptrace.restype = ctypes.c_long


class Vector(ctypes.Structure):
    """struct iovec"""
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def ptrace(request, thread, address=None, data=None):
    if libc.ptrace(request, thread, address, data) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace {request} of thread {thread}")


def registers(thread, kind):
    buffer = ctypes.create_string_buffer(4096)
    vector = Vector(ctypes.cast(buffer, ctypes.c_void_p), len(buffer))
    ptrace(PTRACE_GETREGSET, thread, kind, ctypes.addressof(vector))
    return buffer.raw[:vector.length]


@contextlib.contextmanager
def traced(pid):
    """Holds all threads of a process, of which new ones cannot come while it is stopped by a signal."""
    threads = sorted((int(name) for name in os.listdir(f"/proc/{pid}/task")), key=lambda thread: (thread != pid, thread))
    held = []
    try:
        for thread in threads:
            ptrace(PTRACE_SEIZE, thread)
            held.append(thread)
            ptrace(PTRACE_INTERRUPT, thread)
            os.waitpid(thread, WALL)
        yield threads
    finally:
        for thread in held:
            with contextlib.suppress(OSError):
                ptrace(PTRACE_DETACH, thread)


@dataclasses.dataclass
class Mapping:
    """
    A mapping of a process, whether it has pages that were written and are no file's, and how many of its bytes the core
    has.
    """
    start: int
    end: int
    permissions: str
    offset: int
    name: str
    written: bool = False
    kept: int = 0

    @property
    def flags(self):
        return sum(bit for letter, bit in (("r", 4), ("w", 2), ("x", 1)) if letter in self.permissions)


ROW = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ \d+ *(.*)\n")


def mappings(pid):
    """Those that a core has."""
    found = []
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            match = ROW.fullmatch(line)
            if match:
                start, end, permissions, offset, name = match.groups()
                found.append(Mapping(int(start, 16), int(end, 16), permissions, int(offset, 16), name))
            elif line.startswith("Anonymous:"):
                found[-1].written = int(line.split()[1]) > 0
    return [mapping for mapping in found if mapping.name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]")]


def choose(mapping, wanted, memory):
    """How many bytes of a mapping the kernel would keep, by the process's filter."""
    is_file = mapping.name.startswith("/") and not mapping.name.endswith(" (deleted)")
    if "s" in mapping.permissions:
        whole = wanted & (FILE_SHARED if is_file else ANONYMOUS_SHARED)
    else:
        whole = wanted & ANONYMOUS_PRIVATE and mapping.written or mapping.name == "[vdso]"
    if whole and "r" in mapping.permissions:
        return mapping.end - mapping.start
    if is_file and wanted & ELF_HEADERS and mapping.offset == 0 and os.pread(memory, 4, mapping.start) == b"\x7fELF":
        return PAGE
    return 0


def note(kind, content):
    return struct.pack("=III8s", 5, len(content), kind, b"CORE") + content + bytes(-len(content) % 4)


def status_note(pid, thread):
    """struct elf_prstatus: the registers come after a signal, process ids and times."""
    general = registers(thread, NT_PRSTATUS)
    head = struct.pack("=iiihhQQiiii64x", 0, 0, 0, 0, 0, 0, 0, thread, job.parent(pid), pid, pid)
    content = head + general + bytes(4)
    return note(NT_PRSTATUS, content + bytes(-len(content) % 8)) + note(NT_PRFPREG, registers(thread, NT_PRFPREG))


def notes(pid, threads, mapped):
    with open(f"/proc/{pid}/auxv", "rb") as file:
        auxiliary = file.read()
    with open(f"/proc/{pid}/comm", "rb") as file:
        name = file.read().strip()[:15]
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        arguments = file.read().replace(b"\0", b" ").strip()[:79]
    files = [mapping for mapping in mapped if mapping.name.startswith("/")]
    table = struct.pack("=QQ", len(files), PAGE)
    table += b"".join(struct.pack("=QQQ", one.start, one.end, one.offset // PAGE) for one in files)
    table += b"".join(os.fsencode(one.name) + b"\0" for one in files)
    about = struct.pack("=bcbb4xQIIiiii16s80s", 0, b"R", 0, 0, 0, os.getuid(), os.getgid(), pid, job.parent(pid), pid, pid,
                        name, arguments)
    first, *others = (status_note(pid, thread) for thread in threads)
    return b"".join([first, note(NT_PRPSINFO, about), note(NT_AUXV, auxiliary), note(NT_FILE, table), *others])


def copy_memory(memory, mapping, core):
    """Pages that cannot be read are left as holes."""
    for at in range(mapping.start, mapping.start + mapping.kept, PIECE):
        length = min(PIECE, mapping.start + mapping.kept - at)
        try:
            core.write(os.pread(memory, length, at).ljust(length, b"\0"))
        except OSError:
            core.seek(length, os.SEEK_CUR)


def write(pid, path):
    """Writes the core of a process that goes on."""
    with open(f"/proc/{pid}/coredump_filter", encoding="ascii") as file:
        wanted = int(file.read(), 16)
    with open("/proc/self/exe", "rb") as file:
        ident, machine = file.read(16), file.read(4)[2:]     # of this machine
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        with traced(pid) as threads, open(path, "wb") as core:
            mapped = mappings(pid)
            for mapping in mapped:
                mapping.kept = choose(mapping, wanted, memory)
            content = notes(pid, threads, mapped)
            at = 64 + 56 * (len(mapped) + 1)
            core.write(ident + struct.pack("=H2sIQQQIHHHHHH", ET_CORE, machine, 1, 0, 64, 0, 0, 64, 56, len(mapped) + 1,
                                           0, 0, 0))
            core.write(struct.pack("=IIQQQQQQ", PT_NOTE, 0, at, 0, 0, len(content), 0, 4))
            at = first = -(-(at + len(content)) // PAGE) * PAGE
            for mapping in mapped:
                core.write(struct.pack("=IIQQQQQQ", PT_LOAD, mapping.flags, at, mapping.start, 0, mapping.kept,
                                       mapping.end - mapping.start, PAGE))
                at += mapping.kept
            core.write(content)
            core.seek(first)
            for mapping in mapped:
                copy_memory(memory, mapping, core)
            core.truncate(at)
    finally:
        os.close(memory)


def take(pids, directory, together=True):
    """Cores of ranks that go on, all of the same moment if they are to be together. Returns their paths."""
    os.makedirs(directory, exist_ok=True)
    paths = [os.path.join(directory, f"core.{pid}") for pid in pids]
    with stopped(pids if together else []):
        for pid, path in zip(pids, paths):
            with stopped([] if together else [pid]):
                write(pid, path)
    return paths


@contextlib.contextmanager
def stopped(pids):
    """Stops processes by a signal. Those that were stopped before stay so."""
    before = [pid for pid in pids if job.is_stopped(pid)]
    stop = [pid for pid in pids if pid not in before]
    for pid in stop:
        os.kill(pid, signal.SIGSTOP)
    try:
        while not all(job.is_stopped(pid) for pid in stop):
            time.sleep(job.POLL_SECONDS)
        yield
    finally:
        for pid in stop:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def kernel_keeps():
    """Do cores of the kernel stay where the program runs?"""
    with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
        pattern = file.read().strip()
    return not pattern.startswith("|") and "/" not in pattern


def require_kernel():
    if not kernel_keeps():
        raise job.Unreachable("kernel.core_pattern: cores do not stay where the program runs")


def end(running, pids, number=signal.SIGQUIT, others=list):
    """
    Ends the ranks of a job by a signal, of which Open MPI has no handler by default, and returns the paths of their
    cores, all of the same moment, and of those that a function makes of other ranks while the launcher is held. Where
    the kernel does not leave cores in the directory of the program they are by our own writer, and the ranks go on.
    """
    directory = os.path.join(running.directory, "cores")
    if not kernel_keeps():
        return take(pids, directory) + others()
    os.makedirs(directory, exist_ok=True)
    with held_launchers(pids), stopped(pids):
        # One after another, since the kernel may give all cores one name.
        return [end_one(pid, running.directory, number) for pid in pids] + others()


def end_one(pid, begun, number):
    """Ends a process that may be stopped. Returns the path of the kernel's core."""
    resource.prlimit(pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    os.kill(pid, number)
    os.kill(pid, signal.SIGCONT)
    cases.await_that(lambda: not job.alive(pid), f"process {pid} had ended")
    found = [name for name in glob.glob(os.path.join(begun, "core*")) if os.path.isfile(name)]
    if len(found) != 1:
        raise job.JobError(f"process {pid} leaves {len(found)} cores in {begun}")
    path = os.path.join(begun, "cores", f"core.{pid}")
    os.rename(found[0], path)
    return path


@contextlib.contextmanager
def held_launchers(pids):
    """
    Holds what has started the ranks: it hears of a rank's end by a connection too, and would end the others while their
    cores are being written.
    """
    launchers = {job.parent(pid) for pid in pids}
    for launcher in launchers:
        os.kill(launcher, signal.SIGSTOP)
    try:
        yield
    finally:
        for launcher in launchers:
            os.kill(launcher, signal.SIGCONT)


def gcore(pid, prefix):
    """Makes the core of a process that goes on, PREFIX.PID. Returns its path."""
    command = shutil.which("gcore")
    if not command:
        raise job.Unreachable("no gcore (Debian: gdb)")
    subprocess.run([command, "-o", prefix, str(pid)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return f"{prefix}.{pid}"


def remove(paths):
    """All of a suite together would fill the disk."""
    for path in paths:
        os.unlink(path)
