"""Runs the cases of a suite in a pool of processes, says of each what became of it and how long it took, and counts.

A case is a label and a function. It has passed if the function returns. It is skipped if the function raises Skip, and
it has failed for every other reason. A suite of which nothing was executed has failed. So has a case that is skipped for
a reason that tests/skips.txt does not have, if MQD_TEST_ALL is set.
"""

import contextlib
import dataclasses
import multiprocessing
import multiprocessing.connection
import os
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))

import skips  # noqa: E402  (the path above comes first)

TAG = "MQD_CASE"        # in the environment of what a case starts
PATIENCE = 120          # seconds for what certainly comes, on a machine however busy
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
N_WORKERS = 2 * len(os.sched_getaffinity(0))    # live jobs wait for messages of their own most of the time


class Failure(Exception):
    """A case failed; the text says how."""


class Skip(Exception):
    """A case cannot run here; the text says why."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def await_that(condition, what, interval=0.01):
    """The first true value of a condition. What it is, which may be a function, completes the sentence "before ..."."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"{PATIENCE} s went by before {what() if callable(what) else what}")
        time.sleep(interval)
    return value


@dataclasses.dataclass
class Alone:
    """A function that is called when no other case runs."""
    function: callable

    def __call__(self):
        return self.function()


@dataclasses.dataclass
class Outcome:
    """What became of a case."""
    label: str
    result: str
    text: str
    seconds: float
    value: object = None    # that the function returned

    def show(self):
        print(f"{self.result:8}{self.label} ({self.seconds:.1f} s)", flush=True)
        text = self.text
        if self.result == FAILED:
            seed = re.search(r", seed (\d+)$", self.label)
            options = [*([f"--seed={seed[1]}"] if seed else []), f"--only={self.label}"]
            text += f"\n{circumstances(*options)}"
        for line in filter(None, text.splitlines()):
            print(f"    {line}", flush=True)


def circumstances(*options):
    """How to repeat what these options choose, and how busy the machine is."""
    variables = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("MQD_") and name != TAG]
    command = shlex.join([*(["env", *variables] if variables else []), sys.executable, "-B", *sys.argv, *options])
    load = " ".join(f"{number:.1f}" for number in os.getloadavg())
    return f"repeat: {command}\nload: {load}, {N_WORKERS // 2} processors"


@contextlib.contextmanager
def ending(process):
    """A process that ends with the context."""
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def lasting():
    """What is started in this context may last longer than the case."""
    label = os.environ.pop(TAG, None)
    try:
        yield
    finally:
        if label is not None:
            os.environ[TAG] = label


def left_behind(label):
    """Returns the processes that a case has started and that run on: their names by their numbers."""
    tag = f"{TAG}={label}".encode()
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as environ, open(f"/proc/{name}/comm", encoding="utf-8") as comm:
                # That of a process that has ended is empty.
                if tag in environ.read().split(b"\0") and int(name) != os.getpid():
                    found[int(name)] = comm.read().strip()
        except (OSError, UnicodeDecodeError):
            continue
    return found


def end_left_behind(label):
    for pid in left_behind(label):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def rest_of(find, seconds=PATIENCE):
    """What find() still finds after a while: a process that was ended may take a moment."""
    deadline = time.monotonic() + seconds
    while (left := find()) and time.monotonic() <= deadline:
        time.sleep(0.05)
    return left


def check_left_behind(label):
    if left := rest_of(lambda: left_behind(label)):
        end_left_behind(label)
        raise Failure("processes were left behind: " + ", ".join(f"{pid} ({name})" for pid, name in left.items()))


def run_case(label, function):
    """Returns the outcome of a case."""
    start, value = time.monotonic(), None
    try:
        os.environ[TAG] = f"{os.getpid()} {label}"
        try:
            value = function()
        except BaseException:
            end_left_behind(os.environ[TAG])
            raise
        finally:
            del os.environ[TAG]
        check_left_behind(f"{os.getpid()} {label}")
        result, text = PASSED, ""
    except Skip as reason:
        result, text = SKIPPED, str(reason)
        if os.environ.get("MQD_TEST_ALL") and not skips.listed(text):
            result, text = FAILED, f"skipped for a reason that is not in tests/skips.txt: {text}"
    except Failure as reason:
        result, text = FAILED, str(reason)
    except Exception as error:      # one case that breaks must not hide the others
        result, text = FAILED, "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Outcome(label, result, text, time.monotonic() - start, value)


def enter_directory(scratch, number):
    """
    Open MPI 4 cleans up a directory that all jobs of a user share: so each worker has another. Other users may use it.
    """
    directory = os.path.join(scratch, f"t{number}")
    os.makedirs(directory, exist_ok=True)
    os.chmod(directory, 0o1777)
    os.environ["TMPDIR"] = tempfile.tempdir = directory


def work(number, scratch, labelled, counter, connection):
    """Runs cases as long as there are any."""
    enter_directory(scratch, number)
    while True:
        with counter.get_lock():
            index = counter.value
            counter.value += 1
        if index >= len(labelled):
            return
        connection.send(index)
        connection.send(run_case(*labelled[index]))


@dataclasses.dataclass
class Worker:
    """A process of the pool, its end of the pipe, and the case that it has begun."""
    process: multiprocessing.Process
    connection: multiprocessing.connection.Connection
    index: int = None


def run_pool(labelled, n_workers, scratch):
    """Yields the outcomes as they come."""
    context = multiprocessing.get_context("fork")
    counter = context.Value("i", 0)
    workers = {}
    for number in range(min(n_workers, len(labelled))):
        receiver, sender = context.Pipe(False)
        process = context.Process(target=work, args=(number, scratch, labelled, counter, sender))
        process.start()
        sender.close()
        workers[receiver] = Worker(process, receiver)
    while workers:
        for connection in multiprocessing.connection.wait(list(workers)):
            worker = workers[connection]
            try:
                received = connection.recv()
            except EOFError:
                worker.process.join()
                if worker.index is not None:
                    label = labelled[worker.index][0]
                    end_left_behind(f"{worker.process.pid} {label}")
                    yield Outcome(label, FAILED, f"its process ended with {worker.process.exitcode}", 0)
                del workers[connection]
                continue
            if isinstance(received, Outcome):
                worker.index = None
                yield received
            else:
                worker.index = received


def run_all(labelled, n_workers, scratch):
    """Yields all outcomes: those of the pool, then those of cases that run alone."""
    together = [case for case in labelled if not isinstance(case[1], Alone)]
    alone = [case for case in labelled if isinstance(case[1], Alone)]
    if n_workers > 1:
        yield from run_pool(together, n_workers, scratch)
    else:
        alone = together + alone
    enter_directory(scratch, "")
    yield from (run_case(*case) for case in alone)


def methods(owner, prefix, kind=None):
    """The cases that are methods of an object, by the names that its class has; without those of its parents."""
    return [(name[len(prefix):].replace("_", " "), getattr(owner, name)) for name in vars(kind or type(owner))
            if name.startswith(prefix)]


def add_options(parser, n_workers=N_WORKERS, own_dll=True, command=True):
    """What is tested with what, which cases, and how many at the same time."""
    parser.epilog = "Exit status: 0 if all cases passed, 1 if one failed, 77 if nothing can be tested here."
    if command:
        parser.add_argument("--mqdump", required=True, help="the command to test")
    parser.add_argument("--dll", required=not own_dll,
                        help=f"the debug DLL to test{'; that of mqdump by default' if own_dll else ''}")
    parser.add_argument("--cc", default=os.environ.get("MPICC") or "mpicc", help="Open MPI's compiler ($MPICC)")
    parser.add_argument("--seed", type=int, default=None, help="of random moments")
    parser.add_argument("--keep", action="store_true", help="keep the scratch directory")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--case", action="append", default=[], help="only the case of this name; may be repeated")
    parser.add_argument("--jobs", type=int, default=n_workers, help="how many cases run at the same time")


def chosen(labelled, arguments):
    """The cases that the options name. A name that no case has is an error."""
    missing = set(arguments.case) - {label for label, _ in labelled}
    if missing:
        raise Failure(f"no such case: {', '.join(sorted(missing))}; there are: "
                      f"{', '.join(label for label, _ in labelled)}")
    return [(label, function) for label, function in labelled
            if arguments.only in label and (not arguments.case or label in arguments.case)]


def run(labelled, arguments, scratch):
    """Runs the cases that the options name. Returns the exit status."""
    counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    for outcome in run_all(chosen(labelled, arguments), arguments.jobs, scratch):
        outcome.show()
        counts[outcome.result] += 1
    return close(counts)


def close(counts):
    """Prints how many cases passed. Returns the exit status."""
    if not counts[PASSED] and not counts[FAILED]:
        print("failed: no case was executed")
        counts[FAILED] += 1
    print(", ".join(f"{counts[result]} {result}" for result in (PASSED, FAILED, SKIPPED)))
    return 1 if counts[FAILED] else 0
