"""Which steps tests/quick and tests/all have, and in what order.

tests/quick proves each claim of the README at least once. tests/all has all steps; names after it are those of steps,
and then only these run, with what they need. What a long step proves is kept in tests/proofs, with the commit.

With --minutes N tests/quick goes on with long steps, one after another, as long as they will have ended by then: first
those that have to do with files that changed since they passed last, then those that have not run for longest.
"""
import argparse
import os
import shlex
import sys
import time

import proofs
import steps  # adds the path of the next one
import openmp
import releases
import stuck_threads
from steps import ALL, BUSY, LIVE, LOGS, N_CORES, SKIPPED, Step

PYTHON = f"{shlex.quote(sys.executable)} -B"
GCC = os.path.join(LOGS, "gcc")
DLL_FILE = ".libs/libompi_dbg_msgq.so"
ROOTS = "build/releases"
UCX = "build/ucx"
UNKNOWN_SECONDS = 300       # of a step that has not passed yet
N_MUTANTS = 200
CCACHE = "/usr/lib/ccache"  # has the names of compilers; its settings are those of ccache(1)
I386 = "i686-linux-gnu"
MAY_LACK = ("bullseye", "forky")     # old suites leave the mirrors, and testing changes; trixie is always there
SANITIZERS = "CFLAGS='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'"

# What steps are proofs of: the beginnings of files' names.
DLL = ("layout/", "include/", "mqd/dll/")
DUMP = ("include/", "mqd/dump/")
BOTH = (*DLL, *DUMP)
BUILD = ("configure.ac", "Makefile.am")


def build(name, options="", targets=("all", "check-programs")):
    """
    Returns a command that builds in a directory of its own, and stays there. Warnings are errors. What another build has
    compiled from the same text is not compiled again.
    """
    return "\n".join([f"mkdir build/all/{name}", f"cd build/all/{name}",
                      f"export PATH={CCACHE}:$PATH CCACHE_DIR={shlex.quote(os.path.join(steps.TOP, 'build', 'ccache'))} "
                      "CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=5G",
                      f"../../../configure --enable-werror {options}",
                      *(f"make -j{N_CORES + 1} {target}" for target in targets)])


def tested(directory):
    """Returns the options that name what was built there."""
    return " ".join(f"{option} {shlex.quote(os.path.join(directory, name))}"
                    for option, name in (("--mqdump", "mqdump"), ("--dll", DLL_FILE)))


TESTED = tested(GCC)


def live(script, options="", tests="tests", build=TESTED):
    """Returns the command of a live suite."""
    return f"{PYTHON} {tests}/live/{script}.py {build} {options}"


def only(*cases):
    return " ".join(f"--case {shlex.quote(case)}" for case in cases)


def released(suite, module, options=""):
    """Returns the command of a live suite with the Open MPI of another release of Debian."""
    return f"{PYTHON} tests/live/releases.py {module} --root {ROOTS}/{suite} {TESTED} {options}"


# What is certain of the ranks of these is only possible from Open MPI 5.0 on.
LESS_CERTAIN = ("wrong", "at_once")


def with_threads(suite):
    """Returns the commands that hang programs of another release's compilers in each way that threads have."""
    named = (("openmp", openmp.KINDS),
             ("stuck_threads", [case.name for case in stuck_threads.CASES if case.name not in LESS_CERTAIN]))
    return [released(suite, module, only(*(f"{compiler}, {name}" for compiler in ("gcc", "clang") for name in names)))
            for module, names in named]


def all_of(*commands):
    """Returns a command that runs several, whether one fails or not. If all skip, so does it."""
    judge = f"case $code:$status in 0:{SKIPPED}) status=0 ;; 0:*|{SKIPPED}:*) ;; *) status=1 ;; esac"
    return "\n".join([f"status={SKIPPED}", *(f"code=0; {command} || code=$?\n{judge}" for command in commands),
                      "exit $status"])


def n_commits():
    return proofs.git("rev-list", "--count", "HEAD") or 0


def or_skipped(command):
    return f"{{ {command}; }} || test $? = {SKIPPED}"


def suite(name, options="", room=BUSY, sources=BOTH, label=None, needs=("gcc",), **more):
    """A step of a live suite on this machine's Open MPI."""
    return Step(label or name, live(name, options), room, needs, tests=True,
                sources=(*sources, "tests/live/"), **more)


def preparation():
    """What all others need."""
    return [
        Step("packages", "tests/packages", ALL),
        Step("autoreconf", "autoreconf -fi", BUSY, ("packages",)),
        Step("gcc", build("gcc"), BUSY, ("autoreconf",)),
        Step("openmpi-source", "tests/openmpi-source build/source", LIVE, ("packages",)),
        Step("module-systems", "tests/unpack build/modules environment-modules lmod", LIVE, ("packages",)),
        # If it was installed, it would open a port of this machine.
        Step("sshd", "tests/unpack build/sshd openssh-server libwrap0 libnss-wrapper libwtmpdb0?", LIVE, ("packages",)),
        *([prepare("trixie")] if releases.why_none() is None else []),
    ]


def prepare(debian):
    command = f"{PYTHON} tests/live/releases.py prepare {ROOTS} {debian}"
    return Step(f"prepare-{debian}", or_skipped(command) if debian in MAY_LACK else command, LIVE, ("packages",),
                place="unpack")


FETCHED = ("openmpi-source", "module-systems", "sshd")
# Cases of suites that are not in the table of mqdump(1): the best of each.
RECORDS = only("records", "moving records", "part", "killed by SIGABRT", "segfault", "gone, killed")
PAGE = only("policy", "ring", "hostile", "wrong collective")
HOLDING = only("ended at any moment of several looks", "reader and holder that are stopped or killed",
               "no file is looked up while ranks are held")
ATTACKS = only("what the collector has of root", "link to a file of root", "claims of size",
               "pipe in place of debug information", "name of the job of somebody else")
MACHINES = only("stand in", "ssh", "json and record", "each trouble is told", "deadline there")
WATCHING = only("hangs goes on and ends", "prints lines", "ended by SIGTERM during a look")
HYBRID = only("gcc, nested", "gcc stripped, taskwait", "clang, barrier", "clang stripped, nest_lock", "clang, moving nested",
              "two runtimes", "no runtime")
STUCK = only("gcc, nest_locks", "gcc, critical", "clang, barrier", "clang, locks", "gcc, wrong", "clang, ends")
SOME_ROWS = ("verdicts: ring", "verdicts: missing", "verdicts: truncated", "verdicts: collectives", "points: face_tag",
             "collectives: fence", "windows: lock-shared", "states: stopped")


def quick_steps():
    """The steps of tests/quick. If several can start, they start in this order."""
    trixie = {"needs": ("gcc", "prepare-trixie"), "tests": True}
    found = preparation() + [
        Step("check", f"make -C build/all/gcc -j{N_CORES + 1} check-quick", BUSY, ("gcc",), FETCHED, tests=True,
             results=os.path.join(GCC, "tests")),
        suite("matrix", room=BUSY, place="pool"),
        suite("run", "--few", label="truth", place="pool", after=FETCHED),
        suite("run", "--pml ucx --variant shm --few", label="truth-ucx", place="pool"),
        suite("cm", place="pool"),
        suite("generated", "--wrong 0-11 --right 0-3 --jobs 4", label="sample", place="pool"),
        suite("verdicts", RECORDS, label="records", place="pool"),
        suite("page", PAGE, LIVE, label="pages", after=FETCHED),
        suite("watching", WATCHING, LIVE, label="watched"),
        suite("reach", MACHINES, LIVE, label="machines", needs=("gcc", "sshd")),
        suite("openmp", HYBRID, LIVE, label="hybrid", place="pool"),
        suite("stuck_threads", STUCK, LIVE, label="stuck", place="pool"),
        suite("mqdump_errors", room=LIVE, place="alone", label="errors"),
        suite("holding", HOLDING, LIVE, place="alone", label="held"),
    ]
    if os.geteuid() == 0:
        found.append(suite("attacks", ATTACKS, LIVE, place="alone", label="attacked"))
    reason = releases.why_none()
    if reason is None:
        found += [
            Step("truth-5.0", released("trixie", "run", "--few"), BUSY, place="pool", **trixie),
            Step("matrix-5.0", released("trixie", "matrix", only(*SOME_ROWS)), BUSY, place="pool", **trixie),
        ]
    else:
        print(f"skipped Open MPI 5.0: {reason}", flush=True)
    return found


# What can be left out of a build, and how.
OPTIONAL = {"libseccomp": "--without-libseccomp", "pmix": "--without-pmix",
            "lzma": "ac_cv_header_lzma_h=no", "frame-registers": "ac_cv_lib_dw_dwfl_frame_reg=no"}
WITHOUT = only("ring", "missing", "truncated", "killed by SIGABRT", "records")


def without(name, option):
    """A step that builds without an optional library, and tries what was built."""
    what = f"without-{name}"
    here = tested(os.path.join(LOGS, what))
    return Step(what, "\n".join([build(what, option, ("all",)), live("verdicts", WITHOUT, "../../../tests", here),
                                 live("mqdump_errors", "", "../../../tests", here)]), BUSY, ("autoreconf",), tests=True,
                sources=(*DUMP, *BUILD))


# Releases that no package has, from their tags, and a static one. They are built once, in a directory that lasts.
# PRRTE of 5.0.10 refuses Debian 12's PMIx.
BUILT = {"3.1": "v3.1.6", "4.0": "v4.0.7", "5.0": "v5.0.10 --with-pmix=internal --with-prrte=internal"}
STATIC = "--enable-static --disable-shared --disable-dlopen CFLAGS='-O2 -flto -ffat-lto-objects'"


def built(name, how, *commands):
    """A step that builds an Open MPI, from a tag and with options of configure, and tries it."""
    prefix = shlex.quote(os.path.join(releases.CACHE, name))
    return Step(f"built-{name}", f"tests/openmpi-built {prefix} {how}\nexport PATH={prefix}/bin:$PATH\n"
                f"export MQD_STATIC_OPENMPI={prefix}\nunset MQD_OMPI_SOURCE\n" + all_of(*commands), BUSY, ("gcc",),
                may_skip=True, tests=True, sources=BOTH)


def long_steps():
    """The steps that only tests/all has, and what they need."""
    found = [
        # All tests of make check, and whole sweeps. What it writes is of the build that check has used.
        Step("check-whole", f"MQD_TEST_WHOLE=1 make -C build/all/gcc -j{N_CORES + 1} check", BUSY, ("gcc", *FETCHED),
             ("check",), tests=True, results=os.path.join(GCC, "tests"), place="gcc"),
        Step("distcheck", f"make -C build/all/gcc -j{N_CORES + 1} distcheck VERBOSE=1", BUSY, ("gcc", *FETCHED),
             tests=True, results=os.path.join(LOGS, "dist"), sources=("",)),
        suite("verdicts"), suite("points"), suite("chains"), suite("collectives"), suite("windows"), suite("wrappers"),
        suite("handles"), suite("mpihandles"), suite("questions"), suite("states"),
        suite("run", label="live"),
        suite("holding", room=LIVE, place="alone"),
        suite("attacks", room=LIVE, place="alone"), suite("job_finding", room=LIVE, place="alone"),
        suite("in_gdb", room=LIVE), suite("awkward"), suite("failing", room=LIVE), suite("surroundings", room=LIVE),
        suite("reach", room=LIVE, needs=("gcc", "sshd")), suite("page", room=LIVE), suite("watching", room=LIVE),
        suite("openmp", room=LIVE), suite("stuck_threads", room=LIVE),
        suite("run", "--pml ucx --variant shm", label="ucx", place="ucx"),
        suite("run", "--pml ucx --few --variant tcp-v2 --variant tcp-eager --variant shm-threads",
              label="ucx-variants", place="ucx"),
        suite("generated"),
        *(without(name, option) for name, option in OPTIONAL.items()),
        # The DLL alone.
        Step("without-mqdump", build("without-mqdump", "ac_cv_header_jansson_h=no") + "\nmake check-unit", BUSY,
             ("autoreconf",), tests=True, results="build/all/without-mqdump/tests", sources=(*DLL, *BUILD)),
        # A DLL of 32 bits, as debuggers of that width load, and one of them.
        Step("i386", build("i386", f"--host={I386} CC={I386}-gcc ac_cv_header_jansson_h=no", ("all",)) +
             f"\n{I386}-gcc -std=gnu11 -I../../.. -o narrow_host ../../../tests/unit/narrow_host.c {DLL_FILE} "
             "-Wl,-rpath,$PWD/.libs\n./narrow_host", BUSY, ("autoreconf",), tests=True,
             sources=(*DLL, *BUILD, "tests/unit/narrow_host.c")),
        *(built(name, how, live("run", "--few"), live("verdicts", WITHOUT)) for name, how in BUILT.items()),
        built("static", f"v4.1.4 {STATIC}", live("awkward", "--only static")),
        Step("clients", f"{PYTHON} tests/live/clients.py build/clients "
             f"--dll {shlex.quote(os.path.join(GCC, DLL_FILE))}", LIVE, ("gcc",), tests=True, sources=DLL),
        Step("clang", build("clang", "CC=clang") + "\nmake check-unit", BUSY, ("autoreconf",), tests=True,
             results="build/all/clang/tests", sources=(*BOTH, *BUILD, "tests/unit/")),
        Step("sanitizers", build("sanitizers", SANITIZERS) + "\nmake check-unit", BUSY, ("autoreconf",), tests=True,
             results="build/all/sanitizers/tests", sources=(*BOTH, *BUILD, "tests/unit/")),
        # Both make libraries for tests in the same directory.
        Step("fuzz", "make -C build/all/sanitizers fuzz", BUSY, ("sanitizers",), tests=True,
             sources=(*BOTH, "tests/fuzz/")),
        Step("valgrind", f"make -C build/all/gcc -j{N_CORES + 1} check-valgrind VERBOSE=1", BUSY, ("gcc",), ("check",),
             place="gcc", tests=True, results=os.path.join(GCC, "tests"), sources=(*BOTH, "tests/unit/")),
        # Each commit has other mutants than the one before, until all have had their turn.
        Step("mutants", f"make -C build/all/gcc mutants "
             f"MUTANTS='--count {N_MUTANTS} --turn {n_commits()} --least 50'", BUSY, ("gcc",), ("check",), tests=True,
             sources=(*BOTH, "tests/unit/", "tests/mut")),
    ]
    if releases.why_none() is None:
        found += released_steps()
    if os.environ.get("MQD_OMPI_REPOSITORY") and os.environ.get("MQD_OMPI_HEADERS"):
        found.append(Step("release-tables", "make -C build/all/gcc check-release", BUSY, ("gcc",), tests=True,
                          sources=("gen/", "layout/")))
    else:
        print("skipped check-release: MQD_OMPI_REPOSITORY and MQD_OMPI_HEADERS name nothing", flush=True)
    # The benchmark measures times, so it runs alone.
    found.append(Step("bench", "make -C build/all/gcc bench", ALL, ("gcc",), sources=(*BOTH, "tests/bench/")))
    return found


def released_steps():
    """With other releases of Open MPI, and on more machines than one: for root only."""
    roots = " ".join(f"--root {ROOTS}/{name}" for name in ("trixie", "bullseye", "forky"))
    in_trixie = {"needs": ("gcc", "prepare-trixie"), "tests": True}
    targets = f"{PYTHON} tests/live/ucx_targets.py {UCX} bullseye trixie forky release"
    with_ucx = [("bullseye", "shm"), ("trixie", "tcp", "shm-v1"), ("forky", "shm"), ("release", "tcp")]
    other_ucx = [or_skipped(live("run", f"--pml ucx --few --ucx {UCX}/{name} " +
                                 " ".join(f"--variant {variant}" for variant in variants)))
                 for name, *variants in with_ucx]
    verdict_suites = ("verdicts", "points", "collectives", "windows", "wrappers", "states", "handles", "mpihandles",
                      "questions", "generated", "in_gdb")
    return [
        prepare("bullseye"), prepare("forky"),
        Step("ucx-targets", or_skipped(targets), BUSY, ("packages",)),
        Step("nodes", f"{PYTHON} tests/live/nodes.py --root {ROOTS}/trixie {TESTED}", LIVE, place="nodes",
             sources=(*DUMP, "tests/live/node"), **in_trixie),
        Step("slurm", live("slurm"), LIVE, ("gcc",), place="slurm", tests=True,
             sources=(*DUMP, "tests/live/slurm", "tests/live/node")),
        Step("release-trixie", all_of(released("trixie", "run", "--source build/source/trixie"),
                                      or_skipped(released("trixie", "run", "--pml ucx --few --variant shm")),
                                      f"{PYTHON} tests/live/alongside.py --root {ROOTS}/trixie {TESTED}",
                                      f"{PYTHON} tests/live/job_finding.py --root {ROOTS}/trixie {TESTED}",
                                      *with_threads("trixie")), BUSY,
             sources=BOTH, **in_trixie),
        Step("release-verdicts", all_of(*(released("trixie", name) for name in verdict_suites)), BUSY, sources=BOTH,
             **in_trixie),
        # The source is that of the step before.
        Step("more-tags", released("trixie", "more_tags", "--source build/source/trixie --prefix " +
                                   shlex.quote(os.path.join(releases.CACHE, "more-tags"))), BUSY,
             after=("release-trixie",), sources=(*DLL, "tests/live/more_tags.py", "tests/openmpi-more-tags"),
             **in_trixie),
        # The layout of bullseye's 4.1.0 is that of the release here, but not of all that handles lead to. Of the rest
        # one case of each program will do. In bullseye UCX does not start where there is no network adapter.
        Step("release-bullseye", all_of(released("bullseye", "run", "--few"), released("bullseye", "handles"),
                                        released("bullseye", "questions"),
                                        f"{PYTHON} tests/live/alongside.py --root {ROOTS}/bullseye {TESTED}",
                                        f"{PYTHON} tests/live/job_finding.py --root {ROOTS}/bullseye {TESTED}",
                                        *with_threads("bullseye")), BUSY,
             ("gcc", "prepare-bullseye"), may_skip=True, tests=True, sources=BOTH),
        # Open MPI 6.0 runs with its own UCX, which is as new, and with one of which there is a layout.
        Step("release-forky", all_of(released("forky", "run"), released("forky", "handles"),
                                     released("forky", "mpihandles"), released("forky", "questions"),
                                     *(released("forky", name, f"--abi {options}") for name, options in
                                       (("run", "--few"), ("matrix", only(*SOME_ROWS)), ("questions", ""))),
                                     or_skipped(released("forky", "run", "--pml ucx --few --variant shm")),
                                     or_skipped(released("forky", "run", "--pml ucx --few --variant tcp "
                                                                         f"--ucx {UCX}/trixie")),
                                     f"{PYTHON} tests/live/alongside.py --root {ROOTS}/forky {TESTED}",
                                     f"{PYTHON} tests/live/job_finding.py --root {ROOTS}/forky {TESTED}",
                                     *with_threads("forky")), BUSY,
             ("gcc", "prepare-forky", "ucx-targets"), may_skip=True, tests=True, sources=BOTH),
        Step("release-awkward", f"{PYTHON} tests/live/awkward.py {roots} {TESTED}", LIVE,
             ("gcc", "prepare-trixie", "prepare-bullseye", "prepare-forky"), tests=True, sources=BOTH),
        Step("release-here", f"{PYTHON} tests/live/alongside.py {TESTED}", LIVE, ("gcc",), tests=True, sources=DLL),
        Step("ucx-others", all_of(*other_ucx), BUSY, ("gcc", "ucx-targets"), place="ucx", tests=True, sources=DLL),
        Step("debian", "tests/debian", BUSY, ("packages",), tests=True, may_skip=True, sources=("",)),
    ]


def needed_by(names, steps_by_name):
    """Returns the names of steps and of all that they need, in the order of all steps."""
    wanted, new = set(), set(names)
    while new:
        wanted |= new
        new = {need for name in new for need in steps_by_name[name].needs} - wanted
    return [name for name in steps_by_name if name in wanted]


def run_named(names):
    """Runs all steps, or those of these names with what they need. Returns the run."""
    by_name = {step.name: step for step in [*quick_steps(), *long_steps()]}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        sys.exit(f"tests/all: no such step: {', '.join(unknown)}; there are {', '.join(by_name)}")
    chosen = [by_name[name] for name in needed_by(names or by_name, by_name)]
    return start(longest_first(chosen, proofs.read()))


def longest_first(chosen, known):
    """Returns the steps by the time from their start to the end of what needs them, if that is done without a break."""
    seconds = {}
    for step in reversed(chosen):
        own = known[step.name].seconds if step.name in known else UNKNOWN_SECONDS
        seconds[step.name] = own + max((seconds[other.name] for other in chosen
                                        if step.name in other.needs + other.after and other.name in seconds), default=0)
    return sorted(chosen, key=lambda step: seconds[step.name], reverse=True)


def start(chosen, until=None):
    """
    Runs steps, until a time of the monotonic clock. What steps shall run after others that are not chosen does not wait
    for them. Returns the run.
    """
    names = {step.name for step in chosen}
    for step in chosen:
        step.after = tuple(name for name in step.after if name in names)
    run = steps.Run(chosen, until)
    steps.mind_signals(run)
    run.work()
    return run


def run_quick(minutes):
    """Runs the steps of tests/quick, then long ones if there are minutes left. Returns the runs."""
    begin = time.monotonic()
    runs = [start(quick_steps())]
    quick_seconds = time.monotonic() - begin
    if minutes is None or runs[0].signal:
        return runs
    done = runs[0].good
    by_name = {step.name: step for step in long_steps()}
    known = proofs.read()
    # How much slower this machine is than that on which the steps were timed.
    pace = max(1, quick_seconds / known["quick"].seconds) if "quick" in known else 1
    for name in proofs.in_turn([step for step in by_name.values() if step.tests], known):
        needed = needed_by([name], by_name | {step.name: step for step in runs[0].steps})
        if runs[0].bad.intersection(needed):
            continue
        chosen = [by_name[need] for need in needed if need not in done and need in by_name]
        expected = pace * sum(known[step.name].seconds if step.name in known else UNKNOWN_SECONDS for step in chosen)
        if time.monotonic() - begin + expected > 60 * minutes:
            continue
        for step in chosen:
            step.needs = tuple(need for need in step.needs if need not in done)
        runs.append(start(chosen, begin + 60 * minutes))
        done |= runs[-1].good
        if runs[-1].signal:
            break
    return runs


def main(which):
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog=f"tests/{which}", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    if which == "quick":
        parser.add_argument("--minutes", type=float, help="go on with long steps until so many minutes are over")
    else:
        parser.add_argument("step", nargs="*", help="run only these, and what they need")
    arguments = parser.parse_args()
    steps.prepare_logs()
    begin = time.monotonic()
    runs = run_quick(arguments.minutes) if which == "quick" else [run_named(arguments.step)]
    if runs[-1].signal:
        return 128 + runs[-1].signal
    passed = [step for run in runs for step in run.steps if step.name in run.good and (step.counted.passed or
                                                                                       not step.tests)]
    n_bad = sum(len(run.bad) for run in runs)
    proofs.note(passed, quick=time.monotonic() - begin if which == "quick" and arguments.minutes is None else None)
    proofs.show([step for step in long_steps() if step.tests], {step.name for step in passed})
    counted = sum((run.counted() for run in runs), steps.count.Counted())
    print(f"load: {' '.join(f'{number:.1f}' for number in os.getloadavg())}; "
          f"{time.monotonic() - begin:.0f} s in all")
    print(counted)
    return 1 if n_bad or counted.failed or not counted.passed else 0


if __name__ == "__main__":
    if sys.argv[1:2] not in (["quick"], ["all"]):
        sys.exit("tests/plan.py: call tests/quick or tests/all")
    sys.exit(main(sys.argv.pop(1)))
