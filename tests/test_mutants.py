"""Which mutants are made of a sample, which of them are chosen, and how they are counted."""
import argparse
import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mutants  # noqa: E402  (the path above comes first)
import mutations  # noqa: E402

SAMPLE = r"""
#if 1 < 2 /* not a mutant */
enum kind { KIND = 3 };
static const int table[2] = {4, 5};
/* a < b, f(x, y) */
static bool within(const struct list *list, size_t n, int (*f)(int))
{
    char text[20], quote = '"';
    struct point point = {.x = x, .y = n < size};

    if (!list->bad && (n == 0 ||
        list->n > n))
        note(list, "a && b");
    switch (n) {
    case 8:
        free(text);
    }
    return f((int)n) ? -1 : strcmp(text, "") != 0x10;
}
"""


def made(text=SAMPLE, operator=None):
    """Returns (the line, what is there instead) of each mutant of an operator."""
    return [(mutant.line, mutant.text) for mutant in mutations.mutants_of("dir/a.c", text)
            if operator in (None, mutant.operator)]


def body(statement):
    return f"int f(int a)\n{{\n    {statement}\n}}\n"


class Made(unittest.TestCase):
    def test_comparisons(self):
        self.assertEqual(made(operator="comparison"), [(9, ">="), (11, "!="), (12, "<="), (18, "==")])
        self.assertEqual(made(operator="boundary"), [(9, "<="), (12, ">=")])

    def test_operands(self):
        found = [(mutant.line, SAMPLE[mutant.start:mutant.end], mutant.text)
                 for mutant in mutations.mutants_of("dir/a.c", SAMPLE) if mutant.operator == "operand"]
        self.assertEqual(found, [(11, "!list->bad", "1"), (11, "(n == 0 ||\n        list->n > n)", "1"),
                                 (11, "n == 0", "0"), (12, "list->n > n", "0")])

    def test_operands_of_a_chain_are_dropped_once(self):
        self.assertEqual(made(body("return a && g(b, c) && !d[e] ? 1 : 2;"), "operand"), [(3, "1")] * 3)

    def test_constants(self):
        self.assertEqual(made(operator="constant"), [(11, "1"), (18, "0"), (18, "15"), (18, "17")])
        self.assertEqual(made(body("return a - 1u;"), "constant"), [(3, "0u"), (3, "2u")])
        self.assertEqual(made(body("b = allocate_array(a + 1, sizeof *b);"), "constant"), [])

    def test_calls(self):
        self.assertEqual(made(operator="call"), [(13, '0 /* note(list, "a && b") */')])
        self.assertEqual(made(body("(void)g(a);"), "call"), [(3, "0 /* g(a) */")])
        self.assertEqual(made(body("b = g(a);"), "call"), [])

    def test_arguments(self):
        self.assertEqual(made(operator="arguments"), [(13, '"a && b", list')])
        self.assertEqual(made(body("g(a, h(b, c[1, 2]), (int[]){3, 4});"), "arguments"), [
            (3, "h(b, c[1, 2]), a"), (3, "(int[]){3, 4}, h(b, c[1, 2])"), (3, "c[1, 2], b")])
        self.assertEqual(made(body("return is_same_place(a, b) && witness_has_moved(a, b);"), "arguments"), [])

    def test_changed_line_names_the_mutant(self):
        found = mutations.mutants_of("dir/a.c", SAMPLE)
        self.assertIn("dir/a.c: operand: if (!list->bad && 1)", map(mutants.line_of, found))
        self.assertEqual({mutant.function for mutant in found}, {"within"})


def mutant(path, line=1, operator="boundary"):
    return mutations.Mutant(path, line, "f", operator, line, line + 1, "x", f"x {line}")


def chosen(all_mutants, only=None, count=None, turn=0):
    return mutants.chosen(all_mutants, argparse.Namespace(only=only, count=count, turn=turn))


class Counted(unittest.TestCase):
    def report(self, *results, is_sample=False):
        """Returns the exit status and the lines."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = mutants.report(results, is_sample)
        return status, out.getvalue().splitlines()

    def test_score_of_each_folder(self):
        target, dll = mutant("mqd/dump/collect/target/a.c"), mutant("mqd/dll/osc/a.c")
        status, lines = self.report(*[(target, "test_x")] * 9, (target, None), *[(dll, "test_x")] * 19, (dll, None),
                                    (dll, "same"), (dll, "invalid"))
        self.assertEqual((status, lines), (0, [
            "mqd/dll: 95.0 % of 20 noticed (1 survived, 1 change nothing, 1 are no C)",
            "mqd/dump/collect/target: 90.0 % of 10 noticed (1 survived, 0 change nothing, 0 are no C)",
            "2 passed, 0 failed, 0 skipped"]))

    def test_too_few_noticed(self):
        for path, n in (("layout/a.c", 18), ("mqd/dump/collect/target/a.c", 8)):
            status, lines = self.report(*[(mutant(path), "test_x")] * n, (mutant(path), None))
            self.assertEqual((status, lines[0][-9:], lines[1]), (1, ": too few", "0 passed, 1 failed, 0 skipped"))

    def test_a_sample_may_have_bad_luck(self):
        layout = mutant("layout/a.c")
        for n_survivors, expected in ((4, 0), (5, 1)):      # 2 of 40 may survive, and 2.76 are two deviations
            results = [(layout, "test_x")] * (40 - n_survivors) + [(layout, None)] * n_survivors
            self.assertEqual(self.report(*results, is_sample=True)[0], expected)
            self.assertEqual(self.report(*results)[0], 1)

    def test_chosen_by_place(self):
        every = [mutant("layout/a.c", line) for line in (1, 12)] + [mutant("layout/ab.c"), mutant("mqd/dll/a.c")]
        self.assertEqual(chosen(every, ["layout/a.c"]), every[:2])
        self.assertEqual(chosen(every, ["layout/a.c:1", "mqd/dll/"]), [every[0], every[3]])

    def test_all_have_their_turn(self):
        every = [mutant(f"{folder}/a.c", line) for folder in ("layout", "mqd/dll") for line in range(50)]
        turns = [chosen(every, count=20, turn=turn) for turn in range(6)]
        self.assertEqual([len(turn) for turn in turns], [20] * 6)
        self.assertEqual(sorted(sum(turns[:5], [])), every)
        self.assertEqual(turns[5], turns[0])
        self.assertNotEqual({one.path for one in turns[0]}, {"layout/a.c"})

    def test_equivalents(self):
        text = "# why\n\na.c: call: x\n    never\n    read\n\nb.c: operand: y\n    z\n"
        self.assertEqual(mutants.read_equivalents(text),
                         {"a.c: call: x": "never\n    read", "b.c: operand: y": "z"})


if __name__ == "__main__":
    unittest.main()
