"""What the tests of mqdgen share: where things are, a scratch directory, and a small spec with headers of its own."""
import contextlib
import io
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MQDGEN = os.path.join(ROOT, "gen", "mqdgen")
SPEC = os.path.join(ROOT, "layout", "openmpi.def")
SPECS = [SPEC, os.path.join(ROOT, "layout", "ucx.def")]
RUNTIME_SPECS = [os.path.join(ROOT, "layout", name) for name in ("gomp.def", "kmp.def")]
TABLES = os.path.join(ROOT, "layout", "tables", "openmpi")
UCX_TABLES = os.path.join(ROOT, "layout", "tables", "ucx")
sys.path.insert(0, os.path.join(ROOT, "gen"))

from mqdlib import cli, debuginfo, probe  # noqa: E402  (the path above comes first)

PAHOLE = os.environ.get("PAHOLE") or "pahole"
CC = os.environ.get("CC") or "cc"
COMPILE = shlex.split(CC)
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wvla", "-pedantic", "-Werror"]

needs_cc = unittest.skipUnless(shutil.which(COMPILE[0]), "no C compiler: set CC")
needs_pahole = unittest.skipUnless(shutil.which(PAHOLE) and shutil.which(COMPILE[0]) and struct.calcsize("PL") == 16,
                                   "pahole (package dwarves), a C compiler or an LP64 machine is missing")

DEMO_SPEC = """\
MQD_LIBRARY(openmpi, "Open MPI")
MQD_HEADER("demo.h", always)
MQD_CAPABILITY(things, "things")
MQD_TYPE(object_t, struct, exact, class)
MQD_STEP(object_t, type, ptr, always)
MQD_TYPE(item_t, struct, exact, class)
MQD_EMBED(item_t, super, object_t, always)
MQD_STEP(item_t, next, ptr, always)
MQD_STEP(item_t, length, size, always)
MQD_TYPE(either_t, union, exact, plain)
MQD_STEP(either_t, address, ptr, always)
MQD_STEP(either_t, value, u64, always)
MQD_TYPE(big_t, struct, at_least, plain)
MQD_EMBED(big_t, super, item_t, always)
MQD_EMBED(big_t, items, item_t, always)
MQD_STEP(big_t, name, chars, varies)
MQD_STEP(big_t, state, enum, always)
MQD_STEP(big_t, flag, bool, always)
MQD_STEP(big_t, half, u16, always)
MQD_STEP(big_t, tiny, i8, always)
MQD_STEP(big_t, in_union, i32, always)
MQD_EMBED(big_t, either, either_t, always)
MQD_STEP(big_t, newer, u32, optional)
MQD_PATH(big_item, root, big_t, items, part)
MQD_PATH(big_length, big_item, item_t, length, things)
MQD_PATH(big_name, root, big_t, name, extra)
MQD_CONSTANT(state_busy, busy, enum, always, things)
MQD_CONSTANT(wire_type, DEMO_WIRE_TYPE, u8, always, extra)
MQD_CONSTANT(none, DEMO_NONE, ptr, always, extra)
MQD_CONSTANT(least, DEMO_LEAST, i64, optional, extra)
"""

# The tags differ from the typedefs, object_t has none, and the last member has no size.
DEMO_HEADER = """\
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { const void *type; int references; } object_t;
struct list_item { object_t super; struct list_item *next; volatile size_t length; };
typedef struct list_item item_t;
typedef union { void *address; uint64_t value; } either_t;
enum state { idle, busy };
struct big {
    item_t super;
    item_t items[3];
    char name[20];
    enum state state;
    bool flag;
    const uint16_t half;
    signed char tiny;
    union { int32_t in_union; float other; };
    either_t either;
    int bits : 3;
    double tail[];
};
typedef struct big big_t;
#define DEMO_WIRE_TYPE (64 + 1)
#define DEMO_NONE ((void *) 1L)
"""

# The demo header's layout on LP64, written down from the C standard's rules; (offset, size, kind).
LP64_TYPES = {
    "object_t": (16, {"type": (0, 8, "ptr")}),
    "item_t": (32, {"super": (0, 16, "struct"), "next": (16, 8, "ptr"), "length": (24, 8, "size")}),
    "either_t": (8, {"address": (0, 8, "ptr"), "value": (0, 8, "u64")}),
    "big_t": (184, {
        "super": (0, 32, "struct"), "items": (32, 96, "struct"), "name": (128, 20, "chars"), "state": (148, 4, "enum"),
        "flag": (152, 1, "bool"), "half": (154, 2, "u16"), "tiny": (156, 1, "i8"), "in_union": (160, 4, "i32"),
        "either": (168, 8, "struct")}),
}

# The demo header's constants. It lacks the one that is optional.
CONSTANTS = {"state_busy": 1, "wire_type": 65, "none": 1}

# A second library. What is read of it lies in structs and unions that have no names.
DEMO_UCX_SPEC = """\
MQD_LIBRARY(ucx, "UCX")
MQD_HEADER("config.h", always)
MQD_HEADER("ucp/core/ucp_worker.h", always)
MQD_CAPABILITY(operations, "operations")
MQD_TYPE(link_t, struct, exact, plain)
MQD_STEP(link_t, next, ptr, always)
MQD_TYPE(operation_t, struct, exact, plain)
MQD_STEP(operation_t, status, i8, always)
MQD_STEP(operation_t, hidden, u32, always)
MQD_NESTED(operation_t, send_tag, "send.proto.tag.value send.proto.tag", u64, always)
MQD_NESTED(operation_t, send_length, "send.length", size, always)
MQD_NESTED(operation_t, send_other, "send.other[0]", u32, always)
MQD_NESTED(operation_t, recv_link, "recv.link", bytes, always)
MQD_NESTED(operation_t, recv_newer, "recv.newer", u32, optional)
MQD_TYPE(ucp_worker_t, struct, at_least, plain)
MQD_EMBED(ucp_worker_t, links, link_t, always)
MQD_NESTED(ucp_worker_t, mask, "config.mask", u64, always)
MQD_PATH(worker_link, root, ucp_worker_t, links, part)
MQD_PATH(worker_next, worker_link, link_t, next, operations)
MQD_CONSTANT(wire_kind, "UCP_FLAG_NEWER UCP_FLAG_OLDER", u32, always, operations)
MQD_CONSTANT(wire_rare, UCP_FLAG_RARE, u32, optional, extra)
"""

DEMO_UCX_HEADER = """\
#ifndef UCP_WORKER_H_
#define UCP_WORKER_H_
#include <stddef.h>
#include <stdint.h>
#include <ucp/api/ucp_version.h>
enum { UCP_FLAG_OLDER = 1 << 5 };
typedef enum { UCP_OK = 0, UCP_WAITS = 1, UCP_ERROR = -9 } __attribute__((packed)) status_t;
typedef struct link { struct link *next; } link_t;
typedef struct {
    status_t status;
    union { uint32_t hidden; float other; };
    union {
        struct {
            size_t length;
#ifdef ENABLE_ASSERT
            size_t count;
#endif
            union {
                struct { uint64_t id; uint64_t tag; } proto;
                uint32_t other[3];
            };
        } send;
        struct {
            uint32_t kind;
            link_t link;
#if ENABLE_DEBUG_DATA
            const char *name;
#endif
        } recv;
    };
} operation_t;
typedef struct {
    uint32_t flags;
    link_t links[2];
    struct { uint64_t mask; } config;
#if ENABLE_STATS
    void *stats;
#endif
} ucp_worker_t;
#endif
"""

# The layout of that header, for a release build.
UCX_TYPES = {
    "link_t": (8, {"next": (0, 8, "ptr")}),
    "operation_t": (32, {
        "status": (0, 1, "i8"), "hidden": (4, 4, "u32"), "send_tag": (24, 8, "u64"), "send_length": (8, 8, "size"),
        "send_other": (16, 4, "u32"), "recv_link": (16, 8, "bytes")}),
    "ucp_worker_t": (32, {"links": (8, 16, "struct"), "mask": (24, 8, "u64")}),
}
UCX_CONSTANTS = {"wire_kind": 32}

HEAD_OPTIONS = ["--first", "4.1.0", "--last", "4.1.8", "--variant", "release", "--openmpi", "4.1.4"]


def fields(table, name):
    """A type's fields as {member: (offset, size, kind)}."""
    return {member: (f["offset"], f["size"], f["kind"]) for member, f in table["types"][name]["fields"].items()}


def written_table(library, release, releases, types, constants, spec_digest):
    """The table that a correct extraction makes of what is written down here, as a value that tests may change."""
    first, last = releases
    return {
        "format": 1,
        "family": {"first": first, "last": last},
        "abi": {"arch": "x86_64", "pointer": 8, "long": 8, "endian": "little"},
        "variant": ["release"],
        "origin": {library: release, "pahole": "1.24", "spec": spec_digest, "checked": "none", "macros": {}},
        "types": {name: {"size": size, "fields": {member: dict(zip(("offset", "size", "kind"), field))
                                                  for member, field in members.items()}}
                  for name, (size, members) in types.items()},
        "constants": dict(constants),
    }


def demo_table(spec_digest):
    return written_table("openmpi", "4.1.4", ("4.1.0", "4.1.8"), LP64_TYPES, CONSTANTS, spec_digest)


def demo_ucx_table(spec_digest):
    value = written_table("ucx", "1.10.1", ("1.10.0", "1.10.1"), UCX_TYPES, UCX_CONSTANTS, spec_digest)
    value["types"]["operation_t"]["fields"]["send_tag"]["path"] = "send.proto.tag"
    return value


def sizes_and_fields(table):
    """All types as LP64_TYPES has them."""
    return {name: (facts["size"], fields(table, name)) for name, facts in table["types"].items()}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def texts_below(top):
    """All files below a directory, {path from there: text}."""
    return {os.path.relpath(os.path.join(directory, name), top): text_of(os.path.join(directory, name))
            for directory, _, names in os.walk(top) for name in names}


def own_tables(*tops):
    """The project's table files; of Open MPI, unless other directories are given."""
    return sorted(os.path.join(directory, name) for top in tops or (TABLES,)
                  for directory, _, names in os.walk(top) for name in names if name.endswith(".json"))


def compilers():
    """The C compilers that generated C is tried with."""
    return [name for name in ("gcc", "clang") if shutil.which(name)] or [CC]


def run(command, **options):
    """Runs a command and returns what came of it, output and errors as text."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False,
                          **options)


# What compilers and pahole have made, by what they made it from: {key: (what was done, bytes of the output file)}.
ANSWERS = {}


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def identity(argument):
    """Returns an argument of a command. What is in the file, or in the headers of the directory, takes its place."""
    path = argument[2:] if argument.startswith("-I") else argument
    if os.path.isfile(path):
        return contents(path)
    if not os.path.isabs(path) or not os.path.isdir(path):
        return argument
    found = [argument[:-len(path)]]
    for directory, below, names in os.walk(path):
        below.sort()
        for name in sorted(names):
            if name.endswith(".h"):
                header = os.path.join(directory, name)
                found.append((os.path.relpath(header, path), contents(header)))
    return tuple(found)


def remembering(work):
    """
    Returns a method that runs a command, as `work` does, but only once with the same arguments and contents of files.
    Programs that a test has written are always run.
    """
    def run(owner, arguments):
        command = getattr(owner, "command", None) or [owner.program]
        outputs = [one.partition("=")[2] or one for before, one in zip([""] + arguments, arguments)
                   if before == "-o" or one.startswith("--btf_encode_detached=")]
        if any(tempfile.gettempdir() in word for word in command):
            return work(owner, arguments)
        key = (*command, *(identity(one) for one in arguments if not one.endswith(tuple(outputs))))
        if key not in ANSWERS:
            done = work(owner, arguments)
            ANSWERS[key] = done, {path: contents(path) for path in outputs if os.path.exists(path)}
            return done
        done, made = ANSWERS[key]
        for path, data in zip(outputs, made.values()):
            with open(path, "wb") as file:
                file.write(data)
        return done
    return run


def damaged(data, lengths, places):
    """Yields (what was done, the bytes): cut off at some lengths, and with a wrong byte at some places."""
    yield from ((f"cut at {at}", data[:at]) for at in sorted(lengths))
    yield from ((f"{byte} at {at}", data[:at] + bytes([byte]) + data[at + 1:]) for byte in (0, 0x7F, 0xFF)
                for at in sorted(places))


class Scratch(unittest.TestCase):
    """A test with a directory of its own, in which the demo spec and header lie."""

    REPOSITORY = ""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="mqdgen-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.spec = self.write("openmpi.def", DEMO_SPEC)
        self.write("demo.h", DEMO_HEADER)

    def once(self, begin):
        """`begin` makes files for the first test of a class. The others get copies."""
        kept = vars(type(self)).get("kept")
        if kept is None:
            begin()
            type(self).kept = tempfile.TemporaryDirectory(prefix="mqdgen-test-")
            self.addClassCleanup(self.kept.cleanup)
            shutil.copytree(self.directory, self.kept.name, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copytree(kept.name, self.directory, symlinks=True, dirs_exist_ok=True)

    def git(self, *arguments):
        """Runs git in the repository that the class names, and nothing in the background."""
        done = run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "maintenance.auto=false",
                    "-c", "gc.auto=0", *arguments], cwd=self.path(self.REPOSITORY))
        self.assertEqual(done.returncode, 0, done.stderr)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text, executable=False):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if executable:
            os.chmod(path, 0o755)
        return path

    def read(self, name):
        return text_of(self.path(name))

    def write_bytes(self, name, data):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def change(self, name, old, new):
        """Replaces text that must be in a file exactly once."""
        text = self.read(name)
        self.assertEqual(text.count(old), 1, old)
        return self.write(name, text.replace(old, new))

    @staticmethod
    def mqdgen(*arguments):
        """Runs mqdgen in this process. What it has compiled before it does not compile again."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch.object(probe.Compiler, "run", remembering(probe.Compiler.run)), \
                mock.patch.object(debuginfo.Pahole, "run", remembering(debuginfo.Pahole.run)):
            status = cli.main(list(arguments))
        return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())

    def extract(self, *arguments):
        """Extracts the demo table into table.json."""
        return self.mqdgen("extract", "--spec", self.spec, *HEAD_OPTIONS, "--pahole", PAHOLE, "--cc", CC,
                           "-I", self.directory, "-o", self.path("table.json"), *arguments)

    def extract_files(self, *arguments):
        """The same from files with debug information, of which nothing is said but what the arguments say."""
        return self.mqdgen("extract", "--spec", self.spec, "--pahole", PAHOLE, "-o", self.path("table.json"),
                           *arguments)

    def read_table(self, name="table.json"):
        return json.loads(self.read(name))

    def extracted(self, *arguments):
        """Extracts the demo table, and returns it."""
        self.assertWorks(self.extract(*arguments))
        return self.read_table()

    def need(self, program, package):
        """Without this program a test is skipped, or has failed where all programs must be there."""
        if not shutil.which(program):
            complain = self.fail if os.environ.get("MQD_TEST_ALL") else self.skipTest
            complain(f"{program} is missing (Debian: {package})")

    def assertEnds(self, done, status, *texts):
        """With this status, no error, and all the texts on standard output. Returns what was done."""
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        for text in texts:
            self.assertIn(text, done.stdout)
        return done

    def assertWorks(self, done, *texts):
        return self.assertEnds(done, 0, *texts)

    def assertDiffers(self, done, *texts):
        """The answer is no, which is no error."""
        return self.assertEnds(done, 1, *texts)

    def assertFails(self, done, *texts):
        """Exit status 1, and a message with all the texts and no traceback."""
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stderr.startswith("mqdgen: "), done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        return done


def main():
    """Runs the tests of the program. That none was found is a failure, and so is a skip without a reason."""
    result = unittest.main(exit=False).result
    silent = [test.id() for test, reason in result.skipped if not reason.strip()]
    if not result.testsRun and not result.skipped:
        sys.exit("no test was run")
    if silent:
        sys.exit(f"skipped without a reason: {', '.join(silent)}")
    sys.exit(not result.wasSuccessful())
