"""
Each job of tests/unit/verdicts/ as a record: mqdump must conclude from it what test_dump_verdict has concluded.

test_dump_verdict compares its conclusions with the expected ones. What mqdump says is compared with these as a
whole: findings with all their sentences and operations, and notes.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

UNIT = os.path.join("tests", "unit")
CASES = os.path.join(UNIT, "test_dump_verdict")
COMPARED = ("conclusion", "findings", "notes")
TIMEOUT = 120


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)


class Records(unittest.TestCase):
    maxDiff = None

    def test_mqdump_concludes_the_same(self):
        with tempfile.TemporaryDirectory() as directory:
            written = run(CASES, "--write", directory)
            self.assertEqual(written.returncode, 0, written.stderr)
            names = sorted(name[:-len(".json")] for name in os.listdir(directory) if name.endswith(".json"))
            self.assertGreater(len(names), 0)
            self.assertEqual(written.stdout, f"{len(names)} passed, 0 failed, 0 skipped\n")
            for name in names:
                with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
                    expected = json.load(file)
                with self.subTest(expected["case"]):
                    said = run("./mqdump", "--json", os.path.join(directory, name + ".record"))
                    document = json.loads(said.stdout)
                    self.assertEqual({key: document[key] for key in COMPARED}, {key: expected[key] for key in COMPARED})

    def test_report_names_users_whose_jobs_have_one_name(self):
        case = ["case a", "ranks 2+1", "a0-1: MPI_Recv from pair tag 5; user=0", "b0: job=a user=54321",
                "=> deadlock certain a/0:0,1"]
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "users.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in case))
            self.assertEqual(run(CASES, "--write", directory, path).returncode, 0)
            said = run("./mqdump", os.path.join(directory, "users-1.record")).stdout
        self.assertIn("Deadlock, job a of user 0. Ranks 0,1 wait", said)
        self.assertIn("rank 0 of job a of user 54321", said)


class Reader(unittest.TestCase):
    """What is not understood is an error that names the line."""

    CASE = ["case a", "ranks 2", "0: MPI_Recv from 1 tag 7", "=> waits_for_busy possible 0 for 1"]

    def check(self, lines, status, what=""):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join(line + "\n" for line in lines))
            file.flush()
            said = run(CASES, file.name)
        self.assertEqual(said.returncode, status)
        self.assertIn(what, said.stderr)

    def refuse(self, number, line, what):
        lines = [*self.CASE[:number - 1], *([] if line is None else [line]), *self.CASE[number:]]
        self.check(lines, 1, what)

    def test_good_case_passes(self):
        self.check(self.CASE, 0)

    def test_unknown_words(self):
        for number, line in ((1, "cases a"), (2, "ranks two"), (2, "ranks 2 ucy"), (3, "2: MPI_Recv from 1"),
                             (3, "0: MPI_Recv from one"), (3, "0: MPI_Recv from 1 tag"),
                             (3, "0: MPI_Recv form 1 tag 7"),
                             (3, "0: MPI_Recv from 1 tag 7 persistant"), (3, "0: MPI_Recv from 1 on ours"),
                             (3, "0: mowed"), (3, "0: moved;"), (3, "communicator x: of 0-2"), (3, "0 moved"),
                             (4, "=> waits_for_busy possible 0 for 2"), (4, "=> nothing"), (4, "note busy"),
                             (4, "| busy")):
            with self.subTest(line):
                self.refuse(number, line, f".txt:{number}: ")

    def test_case_without_expectation(self):
        self.refuse(4, None, ".txt:1: it expects nothing")

    def test_more_than_expected(self):
        self.refuse(4, "notes 0", ".txt:1: case a: there is more than expected")

    def test_no_case(self):
        self.check([], 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
