"""How tests/all runs its steps, with steps that take no time."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import count  # noqa: E402  (the path above comes first)
import steps  # noqa: E402  (and adds the path of what follows)
import job  # noqa: E402

HALF = steps.ROOM // 2


class Steps(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ompi-mqd-steps-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        patch = mock.patch.object(steps, "LOGS", self.directory)
        patch.start()
        self.addCleanup(patch.stop)

    def path(self, name):
        return os.path.join(self.directory, name)

    def work(self, *all_steps, minutes=None):
        """Returns (the number of failures, the lines)."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            n_failed = steps.Run(list(all_steps), minutes).work()
        return n_failed, out.getvalue().splitlines()

    def marks(self, name, seconds=0.3):
        """A command that notes when it begins and ends."""
        return f"echo +{name} >>{self.path('marks')}; sleep {seconds}; echo -{name} >>{self.path('marks')}"

    def marked(self):
        with open(self.path("marks"), encoding="utf-8") as file:
            return file.read().split()

    def test_independent_steps_run_side_by_side(self):
        done = self.work(steps.Step("a", self.marks("a"), HALF), steps.Step("b", self.marks("b"), HALF))
        self.assertEqual(done[0], 0)
        self.assertEqual(sorted(self.marked()[:2]), ["+a", "+b"])

    def test_failure_in_the_middle_of_a_log_is_shown_with_its_reason(self):
        log = "passed  a\nfailed  b (1 s)\n    why b\n    more\npassed  c\n" + "passed  d\n" * 2 * steps.TAIL
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write(log)
        _, lines = self.work(steps.Step("bad", f"cat {self.path('text')}; exit 1", HALF))
        self.assertEqual(lines[1:4], ["        failed  b (1 s)", "            why b", "            more"])
        self.assertEqual(len(lines), 5 + steps.TAIL)

    def test_what_fills_the_machine_or_the_same_place_runs_alone(self):
        for arguments in ({"room": steps.ROOM}, {"room": 1, "place": "here"}):
            with self.subTest(arguments):
                self.assertEqual(self.work(*[steps.Step(name, self.marks(name), **arguments) for name in "abc"])[0], 0)
                self.assertEqual(self.marked(), ["+a", "-a", "+b", "-b", "+c", "-c"])
                os.unlink(self.path("marks"))

    def test_what_is_needed_ends_before(self):
        self.assertEqual(self.work(steps.Step("b", self.marks("b"), 1, needs=("a",)),
                                   steps.Step("a", self.marks("a"), 1))[0], 0)
        self.assertEqual(self.marked(), ["+a", "-a", "+b", "-b"])

    def test_a_failure_is_shown_counted_and_keeps_only_those_that_need_it(self):
        n_failed, lines = self.work(steps.Step("bad", "echo why; exit 3", 1), steps.Step("next", "true", 1, ("bad",)),
                                    steps.Step("last", "true", 1, ("next",)),
                                    steps.Step("other", "true", 1, (), ("bad",)))
        self.assertEqual(n_failed, 3)
        text = "\n".join(lines)
        self.assertRegex(text, r"FAILED  bad: .*bad.log has\n        \.\.\.\n        why")
        self.assertIn("FAILED  next: without bad", text)
        self.assertIn("FAILED  last: without next", text)
        self.assertIn("ok      other (0 s)", text)

    def test_nothing_starts_when_the_time_is_over(self):
        n_failed, lines = self.work(steps.Step("first", self.marks("first", 1), steps.ROOM),
                                    steps.Step("next", self.marks("next"), steps.ROOM, ("first",)),
                                    steps.Step("other", self.marks("other"), steps.ROOM, (), ("next",)),
                                    minutes=0.5 / 60)
        self.assertEqual((n_failed, self.marked()), (0, ["+first", "-first"]))
        self.assertEqual(lines[:2], ["left out next: the time is over", "left out other: the time is over"])
        self.assertRegex(lines[2], "ok      first ")

    def test_only_who_may_skip_everything_may(self):
        command = f"exit {steps.SKIPPED}"
        n_failed, lines = self.work(steps.Step("release-old", command, 1, may_skip=True), steps.Step("new", command, 1))
        self.assertEqual((n_failed, lines[0]), (1, "ok      release-old (0 s)"))
        self.assertEqual(count.total(self.directory), (0, 0, 1))

    def test_a_failed_step_is_a_failure_even_if_no_test_has_failed(self):
        os.mkdir(self.path("dist"))
        with open(self.path("dist/one.log"), "w", encoding="utf-8") as file:
            file.write("Ran 3 tests in 1 s\n\nOK\n")
        for n_failed in (0, 2):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(count.main(n_failed, self.directory), 1 if n_failed else 0)
            self.assertEqual(out.getvalue(), f"3 passed, {n_failed} failed, 0 skipped\n")

    def test_each_real_step_can_run(self):
        """What it needs is there, and its room is there."""
        with contextlib.redirect_stdout(io.StringIO()):
            real = steps.all_steps()
        names = [step.name for step in real]
        self.assertEqual(len(set(names)), len(names))
        for step in real:
            self.assertLessEqual(set(step.needs) | set(step.after), set(names) - {step.name}, step.name)
            self.assertLessEqual(step.room, steps.ROOM)
        run = steps.Run(real)
        while run.waiting:
            ready = [step for step in run.waiting if run.can_start(step)]
            self.assertTrue(ready, [step.name for step in run.waiting])
            run.waiting.remove(ready[0])
            run.good.add(ready[0].name)

    def test_an_interrupted_run_leaves_no_process(self):
        script = textwrap.dedent(f"""\
            import signal, sys
            sys.path.insert(0, {os.path.dirname(steps.__file__)!r})
            import steps
            steps.PATIENCE = 0.5
            steps.LOGS = {self.directory!r}
            steps.all_steps = lambda: [
                steps.Step("one", "sleep 1000 & echo $! >{self.path('one')}; wait", 1),
                steps.Step("two", "trap '' TERM; sleep 1000 & echo $! >{self.path('two')}; wait; wait", 1)]
            steps.prepare_logs = lambda: None
            sys.exit(steps.main())
            """)
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

        def mind_signals():
            """Also under nohup, and in the background."""
            for number in numbers:
                signal.signal(number, signal.SIG_DFL)
        for number in numbers:
            with self.subTest(number), subprocess.Popen([sys.executable, "-B", "-c", script],
                                                        preexec_fn=mind_signals) as process:
                pids = []
                while len(pids) < 2:
                    time.sleep(0.05)
                    with contextlib.suppress(OSError, ValueError):
                        pids = []
                        for name in ("one", "two"):
                            with open(self.path(name), encoding="ascii") as file:
                                pids.append(int(file.read()))
                process.send_signal(number)
                self.assertEqual(process.wait(60), 128 + number)
                for name, pid in zip(("one", "two"), pids):
                    with contextlib.suppress(ProcessLookupError):       # there as long as nobody has waited for it
                        self.assertEqual(job.session_of(os.getsid(pid)), [])
                    os.unlink(self.path(name))


if __name__ == "__main__":
    unittest.main()
