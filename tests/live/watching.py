#!/usr/bin/env python3
"""mqdump --watch in a real terminal, and without one, while a job hangs, goes on and ends.

tmux is the terminal. Whatever ends mqdump, the terminal is as it was, no process of mqdump is left and the ranks go on.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import job
import run
import script
from cases import PATIENCE, await_that, expect

RANKS = 4
LOOKS = 20               # for memory that grows
GROWTH = 512             # kB: the first looks have not shown all that is to be shown
STANDS = 2               # looks in which nothing changes
HANGING = "Busy rank"
# All ranks but the first wait for the rank before them. Then all of them exchange messages all the time.
GETS_ON = "all: mark; sleep 5; again world"
HANGS = f"0: await_file hang-ends; send world next 7; 1-3: recv world prev 7; 1,2: send world next 7; {GETS_ON}"


class Terminal:
    """A shell in a terminal; as a context it is ended."""

    def __init__(self, directory, columns=80, lines=24):
        self.socket = os.path.join(directory, "tmux")
        self.directory = directory
        self.do("new-session", "-d", "-x", str(columns), "-y", str(lines),
                "env -u COLUMNS -u LINES PS1='ready> ' bash --norc --noprofile")
        self.await_text("ready>")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.do("kill-server")

    def do(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *arguments], capture_output=True,
                              text=True, check=False).stdout

    def keys(self, *keys):
        self.do("send-keys", *keys)

    def screen(self):
        return self.do("capture-pane", "-p")

    def scrolled(self):
        """The screen with what has left it: long names of directories push the first lines away."""
        return self.do("capture-pane", "-p", "-S", "-")

    def flag(self, name):
        return self.do("display-message", "-p", f"#{{{name}}}").strip()

    def await_text(self, pattern):
        """The screen as soon as it has that."""
        def found():
            text = self.screen()
            return text if re.search(pattern, text) else None
        return await_that(found, lambda: f"the screen had {pattern}:\n{self.screen()}")

    def settings(self, name):
        """What stty says of the terminal."""
        path = os.path.join(self.directory, name)
        self.keys(f"stty -a | grep -v speed > {path}.new; mv {path}.new {path}", "Enter")
        await_that(lambda: os.path.exists(path), "stty has answered")
        with open(path, encoding="utf-8") as file:
            return file.read()

    def shell(self):
        return int(self.do("display-message", "-p", "#{pane_pid}"))


class Watching:
    """The cases."""

    def __init__(self, mqdump, arguments, scratch):
        self.scratch = scratch
        self.command = [mqdump.path, *(["--dll", mqdump.dll] if mqdump.dll else [])]
        self.program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), options=("-g",))
        self.n_jobs = 0

    def start(self, what=HANGS):
        """A job that hangs until `go` is there, or one that gets on. It ends with `end`."""
        self.n_jobs += 1
        directory = os.path.join(self.scratch, f"job{self.n_jobs}.{os.getpid()}")
        self.go, self.end = f"{directory}/hang-ends", f"{directory}/go"
        running = job.Job(directory, [self.program, *script.command(what, RANKS)], RANKS)
        self.pids = running.await_ranks(self.program)
        return running

    def await_hang(self):
        """For cases of which the first look has to find it."""
        def shown():
            return subprocess.run([*self.command, *map(str, self.pids)], capture_output=True, text=True,
                                  check=False).stdout
        await_that(lambda: HANGING in shown(), "the job hung")

    def options(self, running, interval=1):
        return [f"--watch={interval}", "--job", str(running.process.pid)]

    def make(self, path):
        with open(path, "w", encoding="utf-8"):
            pass

    def terminal(self, columns=80, lines=24):
        directory = os.path.join(self.scratch, f"terminal{self.n_jobs}.{os.getpid()}")
        os.makedirs(directory, exist_ok=True)
        return Terminal(directory, columns, lines)

    def begin(self, terminal, running, interval=1):
        """Starts mqdump in the terminal, after a line that is to be seen again. Returns its pid and the settings."""
        settings = terminal.settings("before")
        terminal.keys("echo earlier text", "Enter")
        terminal.await_text(r"\nearlier text")
        before = set(job.children(terminal.shell()))
        terminal.keys(" ".join([*self.command, *self.options(running, interval)]), "Enter")
        terminal.await_text("first look|ranks:")
        return (set(job.children(terminal.shell())) - before).pop(), settings

    def check_over(self, terminal, settings, pid, status):
        """The shell is back as it was, and has this exit status."""
        await_that(lambda: not job.state_of(pid), "mqdump had ended")
        terminal.keys("echo the status is $?", "Enter")
        text = terminal.await_text(rf"\nthe status is {status}\n")
        if "earlier text" not in terminal.scrolled() or "q: quit" in text:
            raise run.Failure(f"the earlier text is not there again:\n{text}")
        if (terminal.flag("alternate_on"), terminal.flag("cursor_flag"), terminal.flag("wrap_flag")) != ("0", "1", "1"):
            raise run.Failure("the screen, the cursor or the end of lines is not as before")
        after = terminal.settings("after")
        expect(after == settings, f"the terminal's settings were\n{settings}and are\n{after}")

    def check_ranks(self):
        """All of them run, and nobody holds them."""
        def held():
            return [pid for pid in self.pids if job.stopped_or_traced(pid)]
        await_that(lambda: not held(), lambda: f"{held()} were let go")

    @staticmethod
    def family(pid):
        """mqdump and all that it has started."""
        return [pid, *job.descendants(pid)]

    @staticmethod
    def await_looks(watching, n, each=lambda: None):
        """Until so many more looks have begun. Each has a collector of its own."""
        seen = set(job.children(watching.pid))
        for _ in range(n):
            await_that(lambda: set(job.children(watching.pid)) - seen, "it looked again")
            seen |= set(job.children(watching.pid))
            each()

    @staticmethod
    def check_left(pids):
        await_that(lambda: not any(job.alive(pid) for pid in pids),
                   lambda: f"processes of mqdump had ended: {[pid for pid in pids if job.alive(pid)]}")

    # In a terminal.

    def hangs_goes_on_and_ends(self):
        with self.start() as running, self.terminal() as terminal:
            pid, settings = self.begin(terminal, running)
            text = terminal.await_text("not moved for")
            for expected in (HANGING, r"ranks 1-3: MPI_Recv from prog_script.c:\d+, not moved for \d+ s",
                             r"rank 0: outside of MPI, in sleep_ms, nothing started in MPI for \d+ s",
                             r"4 ranks: 3 have not moved, 1 outside of MPI"):
                expect(re.search(expected, " ".join(text.split())), f"{expected} is not on the screen:\n{text}")
            terminal.await_text(rf"{HANGING} \(possible\), for [1-9]\d* s")
            self.make(self.go)
            terminal.await_text(rf"Nothing suspicious\.\s+gone \d+ s ago, after \d+ s: {HANGING}")
            terminal.await_text(r"4 ranks: 4 move\b")
            self.make(self.end)
            terminal.await_text(r"The job has ended\. It was watched for \d+ s")
            self.check_over(terminal, settings, pid, 0)

    def fits_another_size_at_once(self):
        with self.start() as running, self.terminal() as terminal:
            self.await_hang()
            pid, settings = self.begin(terminal, running, 600)
            before = terminal.await_text("waiting").split("\n")[0]
            for columns, lines in ((60, 12), (132, 40), (41, 5), (20, 2), (80, 24)):
                terminal.do("resize-window", "-x", str(columns), "-y", str(lines))
                await_that(lambda: re.search(r"q: quit", terminal.screen().rstrip("\n").split("\n")[-1]),
                           lambda: f"{columns}x{lines} were used:\n{terminal.screen()}")
                if lines >= 12:
                    terminal.await_text(r"for\s+rank\s+0,\s+which\s+may\s+be\s+stuck\s+or\s+just\s+take\b")
            await_that(lambda: terminal.screen().split("\n")[0] == before, "the first size showed the same")
            terminal.do("resize-window", "-x", "80", "-y", "6")
            terminal.await_text(r"lines 1-5 of \d+")
            terminal.do("resize-window", "-x", "80", "-y", "24")
            terminal.keys("Space")
            terminal.await_text("looking")
            await_that(lambda: terminal.screen().split("\n")[0] != before, "a look that was asked for was shown")
            terminal.keys("q")
            self.check_over(terminal, settings, pid, 0)

    def is_suspended_and_goes_on(self):
        """Also in the middle of a look, which ends, while no other one begins."""
        with self.start() as running, self.terminal() as terminal:
            pid, settings = self.begin(terminal, running, 0.2)
            terminal.await_text("looking")
            terminal.keys("C-z")
            text = terminal.await_text("Stopped")
            if "earlier text" not in terminal.scrolled() or terminal.flag("cursor_flag") != "1":
                raise run.Failure(f"the shell's screen is not there:\n{text}")
            expect(terminal.settings("meanwhile") == settings, "the terminal's settings are not the shell's")
            await_that(lambda: not [child for child in job.children(pid) if job.alive(child)], "its look had ended")
            self.check_ranks()
            expect(job.state_of(pid) == "T", f"mqdump is not stopped, but {job.state_of(pid)}")
            terminal.keys("fg", "Enter")
            terminal.await_text("q: quit")
            terminal.await_text("not moved for")
            os.kill(pid, signal.SIGTSTP)
            terminal.await_text(r"Stopped[^$]*ready>\s*\Z")
            terminal.keys("bg", "Enter")
            await_that(lambda: job.state_of(pid) == "T", "it stopped in the background")
            terminal.keys("fg", "Enter")
            terminal.await_text("q: quit")
            os.kill(pid, signal.SIGSTOP)
            await_that(lambda: job.state_of(pid) == "T", "it stopped")
            terminal.keys("fg", "Enter")
            terminal.await_text("q: quit")
            terminal.keys("q")
            self.check_over(terminal, settings, pid, 0)
            self.check_ranks()

    def tells_of_a_look_that_was_killed(self):
        """What was seen before stays, with its time, and the next look shows more. Other keys do nothing."""
        with self.start() as running, self.terminal() as terminal:
            self.await_hang()
            pid, settings = self.begin(terminal, running, 600)
            before = terminal.await_text("waiting").split("\n")[0]
            terminal.keys("F2", "Escape", "Space")
            looks = await_that(lambda: [child for child in job.children(pid) if job.alive(child)], "it looked")
            os.kill(looks[0], signal.SIGKILL)
            text = terminal.await_text(r"the look was ended by signal 9 .*\n(.*\n)*.*waiting")
            expect(before in text and HANGING in text, f"what was seen before is not there:\n{text}")
            await_that(lambda: time.strftime("%H:%M:%S") not in before, "another second began")
            terminal.keys("Space")
            await_that(lambda: re.search(r"\(waiting\)", terminal.screen()) and "signal 9" not in terminal.screen(),
                       "the next look was shown")
            expect(terminal.screen().split("\n")[0] != before, f"the time is still {before}")
            self.check_ranks()
            terminal.keys("q")
            self.check_over(terminal, settings, pid, 0)

    def leaves_nothing_where_there_is_no_second_screen(self):
        with self.start() as running, self.terminal() as terminal:
            terminal.do("set-option", "-g", "alternate-screen", "off")
            terminal.keys(" ".join([*self.command, *self.options(running, 600)]), "Enter")
            terminal.await_text("waiting")
            terminal.keys("q")
            terminal.await_text(r"\A\s*ready>\s*\Z")

    def has_no_keys_without_a_terminal_to_read_from(self):
        with self.start() as running, self.terminal() as terminal:
            terminal.keys(" ".join([*self.command, *self.options(running, 600), "< /dev/null"]), "Enter")
            terminal.await_text(r"Ctrl-C: quit  \(waiting\)")
            terminal.keys("C-c")
            terminal.await_text(r"ready>\s*\Z")

    def ended_by(self, how, status, during):
        """Ends it during a look, or between looks."""
        with self.start() as running, self.terminal() as terminal:
            pid, settings = self.begin(terminal, running, 0.1 if during else 600)
            terminal.await_text("looking" if during else "waiting")
            if during:
                await_that(lambda: len(self.family(pid)) > 2, "it had a collector")
            family = self.family(pid)
            how(terminal, pid)
            self.check_over(terminal, settings, pid, status)
            self.check_left(family)
            self.check_ranks()
            expect(running.process.poll() is None, "the job has ended too")

    def dies_without_notice(self):
        """What it has started ends with it, even if its look cannot. The terminal cannot be as it was."""
        with self.start() as running, self.terminal() as terminal:
            pid, _ = self.begin(terminal, running, 0.1)
            await_that(lambda: len(self.family(pid)) > 2, "it had a collector")
            family = self.family(pid)
            for child in family[1:]:
                os.kill(child, signal.SIGSTOP)
            os.kill(pid, signal.SIGKILL)
            self.check_left(family)
            self.check_ranks()

    def loses_its_terminal(self):
        with self.start() as running:
            with self.terminal() as terminal:
                pid, _ = self.begin(terminal, running, 0.1)
                await_that(lambda: len(self.family(pid)) > 2, "it had a collector")
                family = self.family(pid)
            self.check_left(family)
            self.check_ranks()

    # Without one.

    def piped(self, running, interval=0.3, **more):
        return subprocess.Popen([*self.command, *self.options(running, interval)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    @staticmethod
    def read_until(watching, *patterns):
        """The lines until each pattern is in one, in any order."""
        text = ""
        watchdog = threading.Timer(PATIENCE, watching.kill)
        watchdog.start()
        try:
            while missing := [pattern for pattern in patterns
                              if not re.search(rf"^\d\d:\d\d:\d\d .*{pattern}", text, re.M)]:
                line = watching.stdout.readline()
                if not line:
                    raise run.Failure(f"{missing} is not in\n{text}{watching.stderr.read()}")
                text += line
        finally:
            watchdog.cancel()
        return text

    def prints_lines(self):
        with self.start() as running:
            with self.piped(running) as watching:
                text = self.read_until(watching, r"ranks 1-3 are there: MPI_Recv from", rf"came: {HANGING}",
                                       r"ranks 1-3 do not move: MPI_Recv")
                self.await_looks(watching, STANDS)
                self.make(self.go)
                text += self.read_until(watching, rf"went, after \d+ s: {HANGING}",
                                        r"ranks? .* moves? again, after \d+ s")
                self.make(self.end)
                rest, messages = watching.communicate(timeout=PATIENCE)
            text += rest
            if ("\033" in text or "no job of Open MPI" in messages or watching.returncode != 0 or
                    "\nThe job has ended." not in text):
                raise run.Failure(f"not as expected, and {watching.returncode}:\n{text}{messages}")

    def ends_with_its_reader(self):
        """Also if nothing changes, so that it has nothing to write."""
        with self.start() as running:
            with self.piped(running) as watching:
                family = self.family(watching.pid)
                for _ in range(5):
                    watching.stdout.readline()
                watching.stdout.close()
                watching.wait(PATIENCE)
                messages = watching.stderr.read()
            expect(not messages, f"it says {messages}")
            self.check_left(family)
            self.check_ranks()
            command = " ".join([*self.command, *self.options(running, 0.3)])
            result = subprocess.run(["bash", "-c", f"{command} | head -3"], capture_output=True, text=True,
                                    timeout=PATIENCE, check=False)
            expect(result.stdout.count("\n") == 3 and not result.stderr, f"with head it says {result}")

    def has_no_screen_without_a_terminal_that_can(self):
        with self.start() as running, self.terminal() as terminal:
            terminal.keys("export TERM=dumb", "Enter")
            terminal.keys(" ".join([*self.command, *self.options(running)]), "Enter")
            terminal.await_text(rf"\n\d\d:\d\d:\d\d came: {HANGING}")
            expect(terminal.flag("alternate_on") == "0", "it has taken the screen")
            terminal.keys("C-c")
            terminal.await_text(r"\^C\nready>")

    def watches_processes(self):
        """Their end is told once of each, and in no other words."""
        with self.start():
            command = [*self.command, "--watch=0.3", *map(str, self.pids[:2])]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
                watching.stdout.readline()
                self.make(self.go)
                self.make(self.end)
                text, messages = watching.communicate(timeout=PATIENCE)
        if (watching.returncode or "no such process" in messages or "The job has ended." not in text or
                "any more" in text or len(re.findall("^[0-9:]* ranks? [01,]*: ended$", text, re.M)) not in (1, 2)):
            raise run.Failure(f"{watching.returncode}: {text}{messages}")

    def says_what_one_look_says(self):
        """If there is nothing to watch."""
        for arguments in (["--job", "1"], ["--job", "none"], [str(os.getpid())]):
            one, watched = (subprocess.run([*self.command, *more, *arguments], capture_output=True, text=True,
                                           timeout=PATIENCE, check=False) for more in ([], ["--watch=2"]))
            if watched.returncode != 1 or watched.stderr != one.stderr:
                raise run.Failure(f"{arguments}: {watched.returncode} {watched.stderr}, not {one.stderr}")
        for words, hint in ((["--watch", "2"], "--watch=2"), (["--watch", "0.5"], "--watch=0.5"),
                            (["--watch", "2", "--job", "1"], "--watch=SECONDS")):
            result = subprocess.run([*self.command, *words], capture_output=True, text=True, check=False)
            expect(result.returncode != 0 and hint in result.stderr, f"{words}: {result.returncode} {result.stderr}")
        for options in (["--watch=0"], ["--watch=-1"], ["--watch=nan"], ["--watch=1x"], ["--watch="], ["--watch=1e9"],
                        ["--watch", "--json"], ["--watch", "--save", "x"], ["--watch", "--list"],
                        ["--watch", "--svg", "-"], ["--watch", "--core", self.program], ["--watch", self.program],
                        ["--watch", "--no-why"], ["--watch", "--layout"]):
            result = subprocess.run([*self.command, *options], capture_output=True, text=True, check=False)
            if result.returncode != 2 or "--watch" not in result.stderr:
                raise run.Failure(f"{options}: {result.returncode} {result.stderr}")

    def says_that_it_cannot_write(self):
        with self.start() as running:
            for end in ("> /dev/full", ">&-"):
                command = " ".join([*self.command, *self.options(running, 0.3)])
                result = subprocess.run(["bash", "-c", f"exec {command} {end}"], capture_output=True, text=True,
                                        timeout=PATIENCE, check=False)
                if result.returncode != 1 or "mqdump: cannot write: " not in result.stderr:
                    raise run.Failure(f"{end}: {result.returncode} {result.stderr}")

    # What it costs.

    def traced(self, arguments, end):
        """The lines of strace about what holds ranks and what begins looks, until `end` says so."""
        if shutil.which("strace") is None:
            raise run.Skip("no strace")
        trace = os.path.join(self.scratch, f"trace{len(arguments)}")
        command = ["strace", "-f", "-qq", "-o", trace, "-e", "trace=ptrace,memfd_create", "-e", "signal=none", "--"]

        def lines():
            with open(trace, encoding="utf-8", errors="replace") as file:
                return file.read().split("\n")
        with subprocess.Popen([*command, *self.command, *arguments], stdout=subprocess.DEVNULL) as tracing:
            await_that(lambda: tracing.poll() is not None or (os.path.exists(trace) and end(lines())),
                       "strace had seen enough")
            for pid in job.children(tracing.pid) if tracing.poll() is None else ():
                os.kill(pid, signal.SIGTERM)
            tracing.wait(PATIENCE)
        return lines()

    def costs_what_one_look_costs(self):
        """A rank is held as often in each of three looks as it is in one."""
        looks = 3

        def begun(lines):
            return [i for i, line in enumerate(lines) if 'memfd_create("mqdump-look"' in line]

        def held(lines):
            return len([line for line in lines if "PTRACE_SEIZE" in line or "PTRACE_INTERRUPT" in line])
        with self.start() as running:
            one = held(self.traced(["--job", str(running.process.pid)], lambda lines: False))
            lines = self.traced(self.options(running), lambda lines: len(begun(lines)) > looks)
            several = held(lines[:begun(lines)[looks]])
        if one < RANKS or several != looks * one:
            raise run.Failure(f"ranks are held {one} times in one look, and {several} times in {looks}")

    def needs_no_more_memory(self):
        def memory():
            with open(f"/proc/{watching.pid}/status", encoding="ascii") as file:
                return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        n_looks = int(os.environ.get("MQD_WATCH_LOOKS") or LOOKS)
        sizes = []
        with self.start(GETS_ON) as running, open(os.path.join(self.scratch, "lines"), "wb") as output:
            command = [*self.command, *self.options(running, 0.1)]
            with subprocess.Popen(command, stdout=output, stdin=subprocess.DEVNULL) as watching:
                self.await_looks(watching, n_looks, lambda: sizes.append(memory()))
                files = len(os.listdir(f"/proc/{watching.pid}/fd"))
                watching.send_signal(signal.SIGTERM)
        print(f"        {n_looks} looks, {sizes[n_looks // 4]} kB and {sizes[-1]} kB, {files} files")
        expect(sizes[-1] <= sizes[n_looks // 4] + GROWTH and files <= 12, f"{sizes} kB, and {files} files are open")


ENDS = (
    ("q", lambda terminal, pid: terminal.keys("q"), 0),
    ("Ctrl-C", lambda terminal, pid: terminal.keys("C-c"), 130),
    ("SIGTERM", lambda terminal, pid: os.kill(pid, signal.SIGTERM), 143),
    ("SIGHUP", lambda terminal, pid: os.kill(pid, signal.SIGHUP), 129),
)


def labelled(arguments, mqdump, _, scratch):
    """The cases. Each has a terminal of its own."""
    watching = Watching(mqdump, arguments, scratch)
    names = ("hangs_goes_on_and_ends", "fits_another_size_at_once", "is_suspended_and_goes_on", "dies_without_notice",
             "loses_its_terminal", "has_no_screen_without_a_terminal_that_can", "tells_of_a_look_that_was_killed",
             "leaves_nothing_where_there_is_no_second_screen", "has_no_keys_without_a_terminal_to_read_from")
    found = [(name.replace("_", " "), getattr(watching, name)) for name in names]
    found += [(f"ended by {name} {'during a look' if during else 'between looks'}",
                  lambda how=how, status=status, during=during: watching.ended_by(how, status, during))
                 for name, how, status in ENDS for during in (True, False)]
    if shutil.which("tmux") is None:
        print("skipped: what needs a terminal: no tmux (Debian: tmux)")
        found = []
    found += [(name.replace("_", " "), getattr(watching, name)) for name in
                 ("prints_lines", "watches_processes", "ends_with_its_reader", "says_what_one_look_says",
                  "says_that_it_cannot_write",
                  "costs_what_one_look_costs", "needs_no_more_memory")]
    return found


def test(arguments):
    """Runs the cases; the exit status."""
    return run.suite("watching", labelled)(arguments, job.HERE, job.HERE)


if __name__ == "__main__":
    sys.exit(test(run.argument_parser(__doc__).parse_args()))
