"""Makes small changes (mutants) to the C sources, one at a time, and says which of them no unit test notices.

A mutant is linked before the library, so that its functions are taken. Its tests are those that call the changed
function, as a trace has shown. tests/mutants.txt lists mutants that no test can notice: a survivor's line without its
number, and the reason below. `make mutants MUTANTS='--only mqd/dll/tag.c'` starts this.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import mutations

TOP = Path(__file__).resolve().parent.parent
HERE = Path.cwd()               # the build directory
SCRATCH = HERE / "mutants"
LIMITS = {"layout": 95, "mqd/dll": 95, "mqd/dump/verdict": 95, "mqd/dump/record": 95, "mqd/dump/collect/target": 90}
WATCHDOG, PROCESSOR = 600, 5    # seconds that a test may take; of a processor, besides some times what it needs
TRACE_SIZE = 1 << 26            # bytes of a program
COMPILE = [*shlex.split(os.environ.get("CC", "gcc")), *shlex.split(os.environ.get("MUTANTS_FLAGS", "")), "-Wno-error",
           "-Werror=incompatible-pointer-types", "-Werror=int-conversion"]
LIBRARIES = [*HERE.glob("libmqd_*.a"), ".libs/libmqd_core.a", *shlex.split(os.environ.get("MUTANTS_LIBRARIES", ""))]


def read_equivalents(text):
    """Returns {a survivor's line without its number: the reason} of tests/mutants.txt."""
    paragraphs = re.sub(r"(?m)^#.*\n", "", text).strip().split("\n\n")
    return dict(re.split(r"\n\s+", paragraph.strip(), maxsplit=1) for paragraph in paragraphs)


def line_of(mutant, number=""):
    return f"{mutant.path}:{number} {mutant.operator}: {mutant.changed}"


def compiled(*options, text=None):
    """Returns what the compiler prints; None if it fails."""
    done = subprocess.run([*COMPILE, *options], input=text, text=True, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def link(test, program, *objects):
    """Links a test. Returns None if that fails."""
    parts = [path for pattern in (f"{test}.o", f"{test}-*.o") for path in HERE.glob(f"tests/unit/{pattern}")]
    return compiled("-o", program, *parts, *objects, *LIBRARIES, "-lpthread")


def seconds_of(program, limit=WATCHDOG):
    """Runs a test, and ends all that it has started. Returns the processor time that it took; None if it failed."""
    with tempfile.TemporaryDirectory(prefix="ompi-mqd-mutants-") as own:
        command = ["timeout", "-s", "KILL", str(WATCHDOG), "prlimit", f"--cpu={round(limit)}", program]
        process = subprocess.Popen(command, env=dict(os.environ, TMPDIR=own, MQD_TEST_SLOW="1"),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def trace(test, objects):
    """Returns the processor time that a test needs (None: it fails), and the (path, name) of all functions it calls."""
    program, seen = SCRATCH / test, SCRATCH / f"{test}.seen"
    seen.write_bytes(b"")
    os.truncate(seen, TRACE_SIZE)
    options = [f'-DTRACE_FILE="{seen}"', f"-DTRACE_SIZE={TRACE_SIZE}", TOP / "tests/mutants_trace.c"]
    if link(test, program, *options, *objects) is None:
        raise OSError(f"{test} cannot be linked")
    seconds = seconds_of(program)
    addresses = "".join(f"{match.start():#x}\n" for match in re.finditer(b"\1", seen.read_bytes()))
    seen.unlink()
    found = subprocess.run(["addr2line", "-f", "-e", program], input=addresses, stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    return seconds, sorted({(os.path.relpath(path, TOP), name) for name, path in re.findall(r"(\w+)\n(.*):", found)})


def trace_all(pool):
    """Returns {(path, function): tests that call it, fast ones first} and {test: seconds}. What is known is kept."""
    tests = [path.stem for path in TOP.glob("tests/unit/test_*.c") if (HERE / "tests/unit" / path.stem).exists()]
    results = {test: SCRATCH / f"{test}.json" for test in tests}
    old = [test for test, result in results.items() if not result.exists() or
           result.stat().st_mtime < (HERE / "tests/unit" / test).stat().st_mtime]
    SCRATCH.mkdir(exist_ok=True)
    sources = [path for folder in LIMITS for path in sources_of(folder)] if old else []
    objects = [SCRATCH / f"{path.replace('/', '-')}.o" for path in sources]
    options = ("-g1", "-fsanitize-coverage=trace-pc", "-c")
    list(pool.map(lambda path, result: compiled(*options, TOP / path, "-o", result), sources, objects))
    for test, found in zip(old, pool.map(lambda test: trace(test, objects), old)):
        results[test].write_text(json.dumps(found), "utf-8")
    covering, seconds = collections.defaultdict(list), {}
    for test, result in results.items():
        seconds[test], functions = json.loads(result.read_text("utf-8"))
        if seconds[test] is None:
            print(f"{test} fails without a mutant, and is not used", file=sys.stderr)
        for function in functions if seconds[test] is not None else []:
            covering[tuple(function)].append(test)
    for found in covering.values():
        found.sort(key=seconds.get)
    return covering, seconds


def judge(mutant, covering, seconds):
    """Returns what becomes of a mutant: "invalid", "same", the test that notices it, or None. Prints what survives."""
    source = (TOP / mutant.path).read_text("utf-8")
    text = source[:mutant.start] + mutant.text + source[mutant.end:]
    with tempfile.TemporaryDirectory(prefix="ompi-mqd-mutants-") as own:
        if compiled("-x", "c", "-", "-c", "-o", f"{own}/mutant.o", text=text) is None:
            return "invalid"
        for test in covering[mutant.path, mutant.function]:
            if link(test, f"{own}/{test}", f"{own}/mutant.o") is None:
                return "invalid"
            if seconds_of(f"{own}/{test}", PROCESSOR + 10 * seconds[test]) is None:
                return test
    optimised = [compiled("-O2", "-x", "c", "-", "-S", "-o", "-", text=either) for either in (source, text)]
    if optimised[0] == optimised[1]:
        return "same"
    print(line_of(mutant, f"{mutant.line}:"), flush=True)
    return None


def sources_of(folder):
    return sorted(str(path.relative_to(TOP)) for path in TOP.glob(f"{folder}/**/*.c"))


def chosen(mutants, options):
    """Returns the mutants that the options ask for. Turns take parts of an order that has nothing to do with places."""
    if options.only:
        wanted = tuple(f"{only.rstrip('/')}{end}" for only in options.only for end in "/:")
        mutants = [mutant for mutant in mutants if f"{mutant.path}:{mutant.line}:".startswith(wanted)]
    if options.count:
        mutants = sorted(mutants, key=lambda mutant: hashlib.sha256(line_of(mutant).encode()).digest())
        first = options.turn * options.count % max(1, len(mutants))
        mutants = (mutants + mutants)[first:first + min(options.count, len(mutants))]
    return mutants


def report(results, is_sample=False, least=None):
    """Prints the score of each folder. Returns 1 if one is too low; that of a sample, by more than chance explains."""
    n_passed = n_failed = 0
    for folder, limit in LIMITS.items():
        counts = collections.Counter(result if result in ("same", "invalid", None) else "noticed"
                                     for mutant, result in results if mutant.path.startswith(folder + "/"))
        n, share = counts["noticed"] + counts[None], 1 - (least or limit) / 100
        is_low = counts[None] > share * n + (2 * (n * share * (1 - share)) ** 0.5 if is_sample else 1e-9)
        n_passed, n_failed = n_passed + (n > 0 and not is_low), n_failed + is_low
        if n > 0:
            print(f"{folder}: {100 * counts['noticed'] / n:.1f} % of {n} noticed ({counts[None]} survived, "
                  f"{counts['same']} change nothing, {counts['invalid']} are no C){': too few' if is_low else ''}")
    print(f"{n_passed} passed, {n_failed} failed, 0 skipped")
    return int(n_failed > 0)


def main():
    parser = argparse.ArgumentParser(prog="mutants.py", description="Which small changes does no unit test notice?")
    parser.add_argument("--only", metavar="PATH[:LINE]", action="append", help="mutants of a folder, file or line")
    parser.add_argument("--count", type=int, help="only so many; all of them come in turn")
    parser.add_argument("--turn", type=int, default=0, help="which of them")
    parser.add_argument("--least", type=int, help="percent that each folder has to reach, in place of its limit")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    mutants = [mutant for folder in LIMITS for path in sources_of(folder)
               for mutant in mutations.mutants_of(path, (TOP / path).read_text("utf-8"))]
    equivalents = read_equivalents((TOP / "tests/mutants.txt").read_text("utf-8"))
    stale = set(equivalents) - {line_of(mutant) for mutant in mutants}
    print(*(f"tests/mutants.txt has what is no mutant: {line}\n" for line in sorted(stale)), sep="", end="")
    mutants = [mutant for mutant in chosen(mutants, options) if line_of(mutant) not in equivalents]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        traced = trace_all(pool)
        results = list(zip(mutants, pool.map(lambda mutant: judge(mutant, *traced), mutants)))
    return report(results, options.count is not None, options.least) or int(bool(stale))

if __name__ == "__main__":
    sys.exit(main())
