"""How tests/quick and tests/all run their steps, with steps that take no time, and how cases are run and counted."""
import contextlib
import io
import os
import re
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
import plan  # noqa: E402
import proofs  # noqa: E402
import skips  # noqa: E402
import steps  # noqa: E402  (and adds the path of what follows)
import cases  # noqa: E402
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

    def work(self, *all_steps, until=None):
        """Returns (the number of failures, the lines)."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            n_failed = steps.Run(list(all_steps), until).work()
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
        self.assertEqual(len(lines), 6 + steps.TAIL)
        self.assertEqual(lines[-1], "        repeat: tests/all bad")

    def test_what_is_not_done_in_time_is_given_up_and_is_no_failure(self):
        done = self.work(steps.Step("a", "sleep 1000", steps.ROOM), steps.Step("b", "true", HALF), until=time.monotonic())
        self.assertEqual(done, (0, ["the time is over, unfinished: a, b"]))

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
        self.assertRegex(text, r"FAILED  bad \(\d s\): it ended with 3; .*bad.log has\n        \.\.\.\n        why")
        self.assertIn("FAILED  next: without bad", text)
        self.assertIn("FAILED  last: without next", text)
        self.assertIn("ok      other (0 s)", text)

    def judged(self, text, status=0, **more):
        """Returns whether a step that prints this text is good, its lines, and what was counted."""
        step = steps.Step("one", f"printf '{text}'; exit {status}", 1, tests=True, **more)
        n_failed, lines = self.work(step)
        return not n_failed, "\n".join(lines), str(step.counted)

    def test_a_step_without_a_test_fails(self):
        good, text, counted = self.judged("0 passed, 0 failed, 1 skipped\\n")
        self.assertFalse(good)
        self.assertIn("no test was executed", text)
        self.assertEqual(counted, "0 passed, 1 failed, 1 skipped")

    def test_a_failed_test_fails_the_step_whatever_its_status(self):
        self.assertEqual(self.judged("3 passed, 1 failed, 0 skipped\\n")[::2], (False, "3 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.judged("3 passed, 0 failed, 0 skipped\\n", 1)[::2],
                         (False, "3 passed, 1 failed, 0 skipped"))
        self.assertEqual(self.judged("3 passed, 0 failed, 0 skipped\\n")[::2], (True, "3 passed, 0 failed, 0 skipped"))

    def test_only_who_may_skip_everything_may(self):
        self.assertEqual(self.judged("", steps.SKIPPED, may_skip=True)[::2], (True, "0 passed, 0 failed, 1 skipped"))
        self.assertFalse(self.judged("", steps.SKIPPED)[0])

    def test_a_skip_needs_a_reason_from_the_list(self):
        text = "skipped because: it rains\\n[  PASSED  ] 2 test(s).\\n[  SKIPPED ] tests: 1 test(s), listed below:\\n"
        with mock.patch.object(skips, "listed", lambda reason: reason == "it rains"):
            self.assertEqual(self.judged(text)[::2], (True, "2 passed, 0 failed, 1 skipped"))
            self.assertFalse(self.judged(text.partition("\\n")[2])[0])
        with mock.patch.object(skips, "listed", lambda reason: False):
            good, lines, _ = self.judged(text)
        self.assertFalse(good)
        self.assertIn("it rains", lines)

    def test_several_commands_skip_only_together(self):
        for statuses, expected in (((77, 77), 77), ((77, 0), 0), ((0, 77), 0), ((0, 0), 0), ((77, 1), 1), ((2, 0), 1)):
            command = plan.all_of(*(f"(exit {status})" for status in statuses))
            self.assertEqual(subprocess.run(["sh", "-euc", command], check=False).returncode, expected, statuses)

    def test_a_process_that_a_step_leaves_behind_is_a_failure(self):
        good, text, _ = self.judged("1 passed, 0 failed, 0 skipped\\n' && (sleep 1000 >/dev/null 2>&1 &); printf '")
        self.assertFalse(good)
        self.assertRegex(text, r"it left 1 processes behind: \d+ \(sleep 1000\)")

    def test_logs_are_counted(self):
        os.mkdir(self.path("dist"))
        for name, text in (("a.log", "Ran 3 tests in 1 s\n\nFAILED (failures=1, skipped=1)\n"),
                           ("b.log", "[  PASSED  ] 4 test(s).\n[  FAILED  ] 2 test(s), listed below:\n"),
                           ("c.txt", "9 passed, 0 failed, 0 skipped\n")):
            with open(self.path(f"dist/{name}"), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(str(count.of(self.path("dist"))), "5 passed, 3 failed, 1 skipped")

    def test_each_real_step_can_run(self):
        """What it needs is there, and its room is there."""
        with contextlib.redirect_stdout(io.StringIO()):
            quick, long = plan.quick_steps(), plan.long_steps()
        for real in (quick, [*quick, *long]):
            names = [step.name for step in real]
            self.assertEqual(len(set(names)), len(names))
            for step in real:
                self.assertLessEqual(set(step.needs) | set(step.after), set(names) - {step.name}, step.name)
                self.assertLessEqual(step.room, steps.ROOM)
            run = steps.Run(list(real))
            while run.waiting:
                ready = [step for step in run.waiting if run.can_start(step)]
                self.assertTrue(ready, [step.name for step in run.waiting])
                run.waiting.remove(ready[0])
                run.good.add(ready[0].name)

    def test_a_step_that_is_named_brings_what_it_needs(self):
        named = {step.name: step for step in (steps.Step("a", "", 1), steps.Step("b", "", 1, ("a",)),
                                              steps.Step("c", "", 1), steps.Step("d", "", 1, ("b",)))}
        self.assertEqual(plan.needed_by(["d"], named), ["a", "b", "d"])

    def test_an_interrupted_run_leaves_no_process(self):
        script = textwrap.dedent(f"""\
            import signal, sys
            sys.path.insert(0, {os.path.dirname(steps.__file__)!r})
            import steps
            steps.PATIENCE = 0.5
            steps.LOGS = {self.directory!r}
            run = steps.Run([
                steps.Step("one", "sleep 1000 & echo $! >{self.path('one')}; wait", 1),
                steps.Step("two", "trap '' TERM; sleep 1000 & echo $! >{self.path('two')}; wait; wait", 1)])
            steps.mind_signals(run)
            run.work()
            sys.exit(128 + run.signal)
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


class Proofs(unittest.TestCase):
    """Which long steps come first, in a repository of two commits."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ompi-mqd-proofs-")
        self.addCleanup(directory.cleanup)
        for name, value in (("TOP", directory.name), ("PATH", os.path.join(directory.name, "proofs"))):
            patch = mock.patch.object(proofs, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.git("init", "-q")
        self.commits = [self.commit("a", "one"), self.commit("a", "two"), self.commit("b", "one")]

    def git(self, *arguments):
        return subprocess.run(["git", "-C", proofs.TOP, "-c", "user.name=t", "-c", "user.email=t@example.org",
                               *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, name, text):
        with open(os.path.join(proofs.TOP, name), "w", encoding="utf-8") as file:
            file.write(text)
        self.git("add", name)
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")

    @staticmethod
    def step(name, *sources):
        return steps.Step(name, "", 1, sources=sources)

    def test_what_leads_to_long_ones_starts_first(self):
        known = {name: proofs.Proof("", seconds) for name, seconds in (("build", 5), ("long", 50), ("alone", 52))}
        chosen = [steps.Step("alone", "", 1), steps.Step("build", "", 1), steps.Step("long", "", 1, ("build",)),
                  steps.Step("new", "", 1), steps.Step("next", "", 1, (), ("new",))]
        self.assertEqual([step.name for step in plan.longest_first(chosen, known)],
                         ["new", "next", "build", "alone", "long"])

    def test_changed_ones_first_then_the_oldest(self):
        known = {"changed": proofs.Proof(self.commits[1], 5), "old": proofs.Proof(self.commits[0], 5),
                 "new": proofs.Proof(self.commits[2], 5)}
        order = proofs.in_turn([self.step("new", "a"), self.step("old", "c"), self.step("never", "c"),
                                self.step("changed", "b")], known)
        self.assertEqual(order, ["never", "changed", "old", "new"])

    def test_a_proof_is_noted_at_a_commit_only(self):
        step = self.step("one", "a")
        step.seconds = 7.4
        proofs.note([step], quick=60)
        self.assertEqual(proofs.read(), {"one": proofs.Proof(self.commits[2], 7),
                                         "quick": proofs.Proof(self.commits[2], 60)})
        with open(os.path.join(proofs.TOP, "a"), "w", encoding="utf-8") as file:
            file.write("not committed")
        with contextlib.redirect_stdout(io.StringIO()):
            proofs.note([self.step("two", "a")])
        self.assertEqual(set(proofs.read()), {"one", "quick"})
        self.assertEqual(proofs.age(proofs.Proof(self.commits[0], 1)), 2)
        self.assertIsNone(proofs.age(proofs.Proof("0" * 40, 1)))


class Options:
    """Of a suite whose cases run one by one."""
    only, case, jobs = "", [], 1


class Cases(unittest.TestCase):
    def run_cases(self, labelled, **options):
        """Returns the exit status and what is printed."""
        arguments = Options()
        vars(arguments).update(options)
        out = io.StringIO()
        before = dict(os.environ), tempfile.tempdir
        try:
            with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(out):
                status = cases.run(labelled, arguments, scratch)
        finally:
            os.environ.clear()
            os.environ.update(before[0])
            tempfile.tempdir = before[1]
        return status, out.getvalue()

    @staticmethod
    def fail():
        raise cases.Failure("why")

    @staticmethod
    def skip():
        raise cases.Skip("no such thing")

    @staticmethod
    def leak():
        with subprocess.Popen(["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"], start_new_session=True,
                              stdout=subprocess.PIPE, text=True) as process:
            return int(process.stdout.read())

    @classmethod
    def die(cls, path):
        with open(path, "w", encoding="ascii") as file:
            file.write(str(cls.leak()))
        os._exit(3)

    def assert_ended(self, pid):
        """It is killed, and its parent may still have to hear of that."""
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            deadline = time.monotonic() + 60
            while file.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                self.assertLess(time.monotonic(), deadline, "it runs on")
                file.seek(0)

    def test_results_are_counted_and_failures_explained(self):
        for jobs in (1, 3):
            with self.subTest(jobs), mock.patch.dict(os.environ, {"MQD_TEST_ALL": ""}):
                status, text = self.run_cases([("a", lambda: None), ("b", self.fail), ("c", self.skip)], jobs=jobs)
                self.assertEqual((status, text.splitlines()[-1]), (1, "1 passed, 1 failed, 1 skipped"))
                self.assertRegex(text, r"failed  b \(\d+\.\d s\)\n    why\n    repeat: .*--only=b'?\n    load: ")

    def test_a_suite_of_which_nothing_is_executed_fails(self):
        with mock.patch.dict(os.environ, {"MQD_TEST_ALL": ""}):
            self.assertEqual(self.run_cases([("c", self.skip)])[0], 1)
            self.assertEqual(self.run_cases([("c", lambda: None)], only="x")[0], 1)

    def test_a_skip_needs_a_reason_from_the_list(self):
        with mock.patch.dict(os.environ, {"MQD_TEST_ALL": "1"}):
            self.assertEqual(self.run_cases([("a", lambda: None), ("c", self.skip)])[0], 1)
            with mock.patch.object(skips, "listed", lambda reason: reason == "no such thing"):
                self.assertEqual(self.run_cases([("a", lambda: None), ("c", self.skip)])[0], 0)

    def test_a_worker_that_dies_is_a_failure_of_its_case(self):
        with tempfile.NamedTemporaryFile("r", encoding="ascii") as file:
            status, text = self.run_cases([("a", lambda: self.die(file.name)), ("b", lambda: None)], jobs=2)
            self.assert_ended(int(file.read()))
        self.assertEqual((status, text.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertRegex(text, "failed  a .*\n    its process ended with 3")

    def test_a_process_that_is_left_behind_is_a_failure(self):
        with mock.patch.object(cases, "PATIENCE", 0.2):
            status, text = self.run_cases([("a", self.leak)])
        self.assertEqual(status, 1)
        match = re.search(r"processes were left behind: (\d+) \(sleep\)", text)
        self.assertTrue(match, text)
        self.assert_ended(int(match[1]))

    def test_a_case_that_does_not_exist_is_an_error(self):
        with self.assertRaisesRegex(cases.Failure, "no such case: x; there are: a"):
            self.run_cases([("a", lambda: None)], case=["x"])


if __name__ == "__main__":
    unittest.main()
