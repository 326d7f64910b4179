"""Makes small changes (mutants) to the C sources, one at a time, and says which of them no unit test notices.

A mutant is compiled to a shared object that is loaded before the library, so that its functions are taken. Its tests
are those that execute the changed lines; which these are is traced once. tests/mutants.txt lists mutants that no test
can notice, as a survivor's line without its number, and the reason below. Calls that only give something back are not
dropped, because valgrind and the sanitizers notice that. `make mutants MUTANTS='--only mqd/dll/tag.c'` starts this.
"""
import argparse
import collections
import concurrent.futures
import filecmp
import glob
import json
import os
import queue
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mutations  # noqa: E402  (the path above comes first)

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = {"layout": "layout", "dll": "mqd/dll", "verdict": "mqd/dump/verdict", "record": "mqd/dump/record",
           "target": "mqd/dump/collect/target"}
LIMITS = {"target": 90}     # the lowest score of a folder, in percent
USUAL_LIMIT = 95
WATCHDOG = 300              # seconds that a test may take in all; PROCESSOR of them, and some times more than it needs
PROCESSOR = 20
SCRATCH = os.path.abspath("mutants")    # in the build directory, where this runs
COMPILE = [*shlex.split(os.environ.get("CC", "gcc")), "-fPIC"]
FLAGS = [*shlex.split(os.environ.get("MUTANTS_FLAGS", "")), "-w", "-Werror=incompatible-pointer-types",
         "-Werror=int-conversion"]
LIBRARIES = shlex.split(os.environ.get("MUTANTS_LIBRARIES", ""))
KINDS = {"plain": ["-O2", "-g0"], "trace": ["-O0", "-g1", "-fsanitize-coverage=trace-pc"]}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_equivalents(text):
    """Returns {a survivor's line without its number: the reason} of tests/mutants.txt."""
    found = {}
    for paragraph in re.sub(r"(?m)^#.*\n", "", text).split("\n\n"):
        if paragraph.strip():
            line, reason = paragraph.strip().split("\n", 1)
            found[line] = reason.strip()
    return found


def line_of(mutant):
    return f"{mutant.path}: {mutant.operator}: {mutant.changed}"


def compile_source(path, text, result, options):
    """Compiles a file, or a text in its place. That comes from a pipe, so that the objects of equal code are equal."""
    what = [path] if text is None else ["-x", "c", "-"]
    return subprocess.run([*COMPILE, *FLAGS, *options, "-c", *what, "-o", result], text=True, input=text,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def link(result, *what):
    subprocess.run([*COMPILE, "-o", result, *what], check=True)


def is_old(path, *sources):
    return not os.path.exists(path) or os.stat(path).st_mtime < max(os.stat(source).st_mtime for source in sources)


def passes(directory, test, seconds):
    """
    Does a test succeed, with a limit for its processor time? The test may change it. All that it has started is ended.
    """
    with tempfile.TemporaryDirectory(prefix="ompi-mqd-mutants-") as own:
        process = subprocess.Popen(["prlimit", f"--cpu={PROCESSOR + round(10 * seconds)}:", f"{directory}/{test}"],
                                   env=dict(os.environ, TMPDIR=own, MQD_TEST_SLOW="1"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(WATCHDOG) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


class Library:
    """
    Sources that may be changed, the objects of the others, and the programs that test them. The library is made twice:
    for mutants, and so that it traces itself. Nothing in it is hidden, so that a mutant replaces functions.
    """

    def __init__(self, name, sources, others, tests):
        self.name, self.sources, self.others, self.tests = name, sources, others, tests
        self.covering, self.seconds = collections.defaultdict(dict), {}   # {path: {line: tests}}, {test: seconds}

    def path(self, *names):
        return os.path.join(SCRATCH, self.name, *names)

    def object(self, kind, path):
        return self.path(kind, os.path.relpath(path, TOP).replace("/", "-") + ".o")

    def build(self, pool):
        headers = [path for end in ("h", "def") for path in glob.glob(f"{TOP}/[ilm]*/**/*.{end}", recursive=True)]
        header = max(headers, key=os.path.getmtime)
        for kind, options in KINDS.items():
            os.makedirs(self.path(kind), exist_ok=True)
            old = [path for path in self.sources if is_old(self.object(kind, path), path, header)]
            texts = [read(path) if kind == "plain" else None for path in old]
            results = [self.object(kind, path) for path in old]
            if not all(pool.map(compile_source, old, texts, results, [options] * len(old))):
                sys.exit(f"mutants.py: {self.name} cannot be compiled")
            objects = [self.object(kind, path) for path in self.sources] + self.others
            if old or is_old(self.path(kind, "libbase.so"), *objects):
                link(self.path(kind, "libmutant.so"), "-shared", "-x", "c", "/dev/null")
                trace = [f'-DTRACE_FILE="{self.path("seen")}"', f"{TOP}/tests/mutants_trace.c"]
                link(self.path(kind, "libbase.so"), "-shared", *objects, *(trace if kind == "trace" else ()))
            for test in self.tests:
                parts = glob.glob(f"tests/unit/{test}.o") + glob.glob(f"tests/unit/{test}-*.o")
                if is_old(self.path(kind, test), *parts):
                    link(self.path(kind, test), *parts, "libmqd_fake.a", "-Wl,-rpath,$ORIGIN,--build-id=sha1",
                         "-L" + self.path(kind), "-Wl,--no-as-needed", "-lmutant", "-lbase", *LIBRARIES, "-lpthread")

    def blocks(self):
        """Returns {where a block begins: its (path, line)s}. A block begins with the call that notes it."""
        found, block, place = collections.defaultdict(set), None, None
        command = ["objdump", "-dl", "--no-show-raw-insn", self.path("trace", "libbase.so")]
        for line in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
            if match := re.match(r"(/\S+):(\d+)", line):
                place = (os.path.relpath(match[1], TOP), int(match[2]))
            elif match := re.match(r" +([0-9a-f]+):\t(\S*)", line):
                block = int(match[1], 16) if block == "next" else block
                if block is not None and place:
                    found[block].add(place)
                block = "next" if "<__sanitizer_cov_trace_pc" in line else block
            elif line.endswith(">:"):
                block = place = None
        return found

    def trace(self):
        """Finds out which lines each test executes, and how long it takes, unless that is known."""
        blocks = None
        for test in self.tests:
            file = self.path("trace", test + ".json")
            if is_old(file, self.path("trace", test), self.path("trace", "libbase.so")):
                blocks = blocks or self.blocks()
                self.trace_test(test, blocks, file)
            good, seconds, lines = json.loads(read(file))
            if not good:
                print(f"{test} fails without a mutant, and is not used", file=sys.stderr)
            self.seconds[test] = seconds
            for path, executed in lines.items():
                for line, is_executed in executed:
                    self.covering[path].setdefault(line, set()).update([test] if good and is_executed else [])

    def trace_test(self, test, blocks, file):
        with open(self.path("seen"), "wb") as seen:
            seen.truncate(max(blocks) + 1)
        good, start = passes(self.path("trace"), test, WATCHDOG), time.monotonic()
        good = passes(self.path("plain"), test, WATCHDOG) and good
        seconds, lines = time.monotonic() - start, collections.defaultdict(set)
        good = passes(self.path("plain"), test, seconds) and good
        with open(self.path("seen"), "rb") as seen:
            marks = seen.read()
        for block, places in blocks.items():
            for path, line in places:
                lines[path].add((line, marks[block]))
        with open(file, "w", encoding="utf-8") as out:
            json.dump([good, seconds, {path: sorted(executed) for path, executed in lines.items()}], out)

    def tests_of(self, mutant):
        """Returns the tests that execute the changed lines, or code before these if they have none; fast ones first."""
        lines = self.covering[mutant.path]
        assert lines, f"{mutant.path} was not traced"
        found = [line for line in range(mutant.line, mutant.last + 1) if line in lines]
        found = found or [max((line for line in lines if line < mutant.line), default=0)]
        return sorted(set().union(*(lines.get(line, ()) for line in found)), key=self.seconds.get)

    def directory(self, job):
        """Makes a directory where the tests load a mutant."""
        os.makedirs(self.path(job), exist_ok=True)
        for name in [*self.tests, "libbase.so"]:
            if os.path.exists(self.path(job, name)):
                os.unlink(self.path(job, name))
            os.link(self.path("plain", name), self.path(job, name))

    def judge(self, mutant, job):
        """Returns what becomes of a mutant: "invalid", "same", the test that notices it, or None."""
        text, changed = read(f"{TOP}/{mutant.path}"), self.path(job, "mutant.o")
        text = text[:mutant.start] + mutant.text + text[mutant.end:]
        if not compile_source(mutant.path, text, changed, KINDS["plain"]):
            return "invalid"
        if filecmp.cmp(changed, self.object("plain", f"{TOP}/{mutant.path}"), shallow=False):
            return "same"
        link(self.path(job, "libmutant.so"), "-shared", changed)
        return next((test for test in self.tests_of(mutant) if not passes(self.path(job), test, self.seconds[test])),
                    None)


def sources_of(folder):
    return sorted(glob.glob(f"{TOP}/{folder}/**/*.c", recursive=True))


def libraries():
    """Of mqdump only folders with a score are compiled anew. The DLL's objects hide their functions."""
    names = [os.path.basename(path)[:-2] for path in sorted(glob.glob(f"{TOP}/tests/unit/test_*.c"))]
    names = [name for name in names if os.path.exists(f"tests/unit/{name}")]
    dump = [name for name in names if name.startswith("test_dump_")]
    folders = {path: sources_of(path) for path in FOLDERS.values()}
    core = folders.pop("layout") + folders.pop("mqd/dll") + [os.path.abspath("layout/tables.c")]
    others = [path for path in glob.glob("mqd/dump/**/libmqd_dump_a-*.o", recursive=True)
              if os.path.dirname(path) not in folders]
    return [Library("core", core, [], [name for name in names if name not in dump]),
            Library("dump", sum(folders.values(), []), others, dump)]


def all_mutants():
    """Returns the mutants of all folders that have a score."""
    return [mutant for folder in FOLDERS.values() for path in sources_of(folder)
            for mutant in mutations.mutants_of(os.path.relpath(path, TOP), read(path))]


def chosen(mutants, options):
    """Returns the mutants that the options ask for, by place."""
    if options.only:
        wanted = [(path, int(line or 0)) for path, _, line in (only.partition(":") for only in options.only)]
        mutants = [mutant for mutant in mutants for path, line in wanted
                   if (mutant.path + "/").startswith(path.rstrip("/") + "/") and line in (0, mutant.line)]
    folders = [[mutant for mutant in mutants if folder_of(mutant.path) == name] for name in FOLDERS]
    if options.count:
        n_each, source = options.count // sum(map(bool, folders)), random.Random(options.seed)
        folders = [source.sample(folder, min(n_each, len(folder))) for folder in folders]
    return sorted(mutant for folder in folders for mutant in folder)


def folder_of(path):
    return next(name for name, folder in FOLDERS.items() if path.startswith(folder + "/"))


def report(results):
    """Prints the scores. Returns 1 if one is too low. `results` are pairs of a mutant and what has become of it."""
    status = 0
    for name in FOLDERS:
        counts = collections.Counter({"same": "same", "invalid": "invalid", None: "survived"}.get(result, "noticed")
                                     for mutant, result in results if folder_of(mutant.path) == name)
        n = counts["noticed"] + counts["survived"]
        if n > 0:
            low = 100 * counts["noticed"] < LIMITS.get(name, USUAL_LIMIT) * n
            print(f"{name}: {100 * counts['noticed'] / n:.1f} % of {n} noticed ({counts['survived']} survived, "
                  f"{counts['same']} change nothing, {counts['invalid']} are no C)" + (": too few" if low else ""))
            status = 1 if low else status
    return status


def main():
    parser = argparse.ArgumentParser(prog="mutants.py", description="Which small changes does no unit test notice?")
    parser.add_argument("--only", metavar="PATH[:LINE]", action="append", help="mutants of a folder, file or line")
    parser.add_argument("--count", type=int, help="so many mutants, chosen at random, as many of each folder")
    parser.add_argument("--seed", type=int, default=1, help="which are chosen")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--list", action="store_true", help="only list them")
    options = parser.parse_args()
    equivalents, mutants = read_equivalents(read(f"{TOP}/tests/mutants.txt")), all_mutants()
    stale = set(equivalents) - {line_of(mutant) for mutant in mutants}
    for line in sorted(stale):
        print(f"tests/mutants.txt has what is no mutant: {line}")
    mutants = [mutant for mutant in chosen(mutants, options) if line_of(mutant) not in equivalents]
    if options.list:
        for mutant in mutants:
            print(f"{mutant.path}:{mutant.line}: {mutant.operator}: {mutant.changed}")
        return 1 if stale else 0
    results = test_mutants(mutants, options.jobs)
    return report(results) or (1 if stale else 0)


def test_mutants(mutants, n_jobs):
    """Prints the mutants that survive. Returns pairs of a mutant and what has become of it."""
    free = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        of_path = {}
        for library in libraries():
            paths = {os.path.relpath(path, TOP) for path in library.sources}
            if any(mutant.path in paths for mutant in mutants):
                library.build(pool)
                library.trace()
                of_path.update(dict.fromkeys(paths, library))
        for job in range(n_jobs):
            free.put(f"job{job}")
            for library in set(of_path.values()):
                library.directory(f"job{job}")

        def test(mutant):
            job = free.get()
            try:
                result = of_path[mutant.path].judge(mutant, job)
            finally:
                free.put(job)
            if result is None:
                print(f"{mutant.path}:{mutant.line}: {mutant.operator}: {mutant.changed}", flush=True)
            return mutant, result

        return list(pool.map(test, mutants))


if __name__ == "__main__":
    sys.exit(main())
