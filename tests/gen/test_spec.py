"""The reader of openmpi.def: it accepts the grammar that the head of the file states, and nothing else."""
import unittest

import support
from mqdlib.errors import MqdError
from mqdlib.spec import read_spec

GROUND = """\
MQD_CAPABILITY(things, "things")
MQD_TYPE(a_t, struct, exact, class)
MQD_STEP(a_t, x, i32, always)
MQD_TYPE(b_t, struct, exact, plain)
MQD_EMBED(b_t, a, a_t, always)
MQD_PATH(b_a, root, b_t, a, part)
"""

# What is appended to GROUND (whose last line is 6), the line of the error, and its text.
ERRORS = [
    ("int x;", 7, "neither a comment nor one of"),
    (" MQD_TYPE(c_t, struct, exact, class)", 7, "neither a comment nor one of"),
    ("MQD_OTHER(c_t)", 7, "neither a comment nor one of"),
    ("// comment", 7, "neither a comment nor one of"),
    ("#define X", 7, "neither a comment nor one of"),
    ("MQD_TYPE(c_t, struct, exact)", 7, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t,struct,exact,class)", 7, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t, struct, exact, class);", 7, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t, struct, exact, class) /* why */", 7, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c t, struct, exact, class)", 7, "not the form of MQD_TYPE"),
    ("MQD_STEP(b_t, y, i32)", 7, "not the form of MQD_STEP"),
    ("MQD_HEADER(demo.h, always)", 7, "not the form of MQD_HEADER"),
    ('MQD_HEADER("demo.h")', 7, "not the form of MQD_HEADER"),
    ('MQD_HEADER("/abs.h", always)', 7, "not the form of MQD_HEADER"),
    ('MQD_HEADER("a/../x.h", always)', 7, "must not climb"),
    ('MQD_HEADER("x.h", varies)', 7, "rule varies: must be always or optional"),
    ('MQD_HEADER("x.h", always)\nMQD_HEADER("x.h", optional)', 8, "header x.h is already in line 7"),
    ('MQD_CAPABILITY(other, "a \\" quote")', 7, "not the form of MQD_CAPABILITY"),
    ('MQD_CAPABILITY(other, "100 %s")', 7, "not the form of MQD_CAPABILITY"),
    ('MQD_CAPABILITY(things, "again")', 7, "capability things is there twice"),
    ('MQD_CAPABILITY(part, "part")', 7, "capability part: the word has a meaning"),
    ('MQD_CAPABILITY(extra, "extra")', 7, "capability extra: the word has a meaning"),
    ("MQD_TYPE(a_t, struct, exact, class)", 7, "type a_t is already in line 2"),
    ("MQD_TYPE(c_t, class, exact, class)", 7, "form class: must be struct, union or tag"),
    ("MQD_TYPE(c_t, struct, about, class)", 7, "size rule about: must be exact or at_least"),
    ("MQD_TYPE(c_t, struct, exact, other)", 7, "descriptor other: must be class or plain"),
    ("MQD_STEP(b_t, y, i32, always)", 7, "does not follow its MQD_TYPE(b_t, ...) directly"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(a_t, y, i32, always)", 8, "does not follow its MQD_TYPE(a_t, ...)"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, int, always)", 8, "kind int: must be i8, i16"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, struct, always)", 8, "kind struct: must be i8, i16"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, i8, never)", 8, "rule never: must be always"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, i8, always)\nMQD_EMBED(c_t, y, a_t, always)", 9,
     "step c_t.y is already in line 8"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_EMBED(c_t, d, d_t, always)\nMQD_TYPE(d_t, struct, exact, class)", 8,
     "c_t.d: type d_t must come before"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_EMBED(c_t, c, c_t, always)", 8, "c_t.c: type c_t must come before"),
    ("MQD_TYPE(e, struct, exact, class)\nMQD_STEP(e, f__g, i8, always)\nMQD_TYPE(e__f, struct, exact, class)\n"
     "MQD_STEP(e__f, g, i8, always)", 10, "the same identifier, e__f__g, as e.f__g"),
    ("MQD_PATH(b_a, root, b_t, a, part)", 7, "path b_a is already in line 6"),
    ("MQD_PATH(root, root, b_t, a, part)", 7, "path root is the object itself"),
    ("MQD_PATH(p, q, a_t, x, things)\nMQD_PATH(q, root, b_t, a, part)", 7, "its parent q does not come before it"),
    ("MQD_PATH(p, root, c_t, x, things)", 7, "there is no step c_t.x"),
    ("MQD_PATH(p, root, a_t, y, things)", 7, "there is no step a_t.y"),
    ("MQD_PATH(p, b_a, b_t, a, things)", 7, "cannot follow b_a: b_t.a embeds a_t"),
    ("MQD_PATH(p, b_a, a_t, x, things)\nMQD_PATH(q, p, a_t, x, things)", 8, "cannot follow p: a_t.x is a i32, not an"),
    ("MQD_PATH(p, b_a, a_t, x, nothing)\n\n", 7, "path p: there is no capability nothing"),
    ("MQD_CONSTANT(one, ONE, i32, always)", 7, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, 1, i32, always, things)", 7, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE + 1, i32, always, things)", 7, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE, i32, always, things);", 7, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE, chars, always, things)", 7, "kind chars: must be i8, i16"),
    ("MQD_CONSTANT(one, ONE, struct, always, things)", 7, "kind struct: must be i8, i16"),
    ("MQD_CONSTANT(one, ONE, i32, varies, things)", 7, "rule varies: must be always or optional"),
    ("MQD_CONSTANT(one, ONE, i32, always, part)", 7, "constant one: need part: must be a capability or extra"),
    ("MQD_CONSTANT(one, ONE, i32, optional, things)", 7, "constant one: need things: must be a capability or extra"),
    ("MQD_CONSTANT(one, ONE, i32, always, nothing)\n\n", 7, "constant one: there is no capability nothing"),
    ("MQD_CONSTANT(one, ONE, i32, always, extra)\nMQD_CONSTANT(one, TWO, i32, always, extra)", 8,
     "constant one is already in line 7"),
    ("MQD_CONSTANT(one, ONE, i32, always, extra)\nMQD_STEP(b_t, y, i8, always)", 8, "does not follow its MQD_TYPE(b_t"),
    ("/* never\nends", 7, "this comment never ends"),
    ("/* a */ MQD_PATH(p, b_a, a_t, x, things)", 7, "something follows a comment"),
    ("/*\n */ x", 8, "something follows a comment"),
    ("/* a */ /* b */", 7, "something follows a comment"),
]


class SpecReader(support.Scratch):
    def test_everything_outside_the_grammar_is_an_error_with_its_line(self):
        for text, line, message in ERRORS:
            with self.subTest(text):
                path = self.write("bad.def", GROUND + text + "\n")
                with self.assertRaises(MqdError) as caught:
                    read_spec(path)
                self.assertTrue(str(caught.exception).startswith(f"{path}:{line}: "), caught.exception)
                self.assertIn(message, str(caught.exception))

    def test_what_the_grammar_allows_is_read_in_order(self):
        path = self.write("good.def", "/* One\n * comment. */\n\n" + GROUND + "/* Another. */\n"
                          'MQD_HEADER("a/b.h", always)\nMQD_HEADER("c.h", optional)\n'
                          'MQD_PATH(x, b_a, a_t, x, things)\nMQD_CONSTANT(one, A_ONE, u8, always, things)\n'
                          'MQD_CONSTANT(two, A_TWO, enum, optional, extra)\n')
        spec = read_spec(path)
        self.assertEqual(spec.headers, {"a/b.h": 11, "c.h": 12})
        self.assertEqual(spec.optional_headers, {"c.h"})
        self.assertEqual(list(spec.types), ["a_t", "b_t"])
        self.assertEqual(list(spec.paths), ["root", "b_a", "x"])
        self.assertEqual([(s.name, s.kind, s.inner, s.rule, s.line) for s in spec.steps()],
                         [("a_t.x", "i32", None, "always", 6), ("b_t.a", "struct", "a_t", "always", 8)])
        self.assertEqual([(c.name, c.expression, c.kind, c.rule, c.need, c.line) for c in spec.constants.values()],
                         [("one", "A_ONE", "u8", "always", "things", 14),
                          ("two", "A_TWO", "enum", "optional", "extra", 15)])
        self.assertEqual(spec.capabilities, {"things": "things"})

    def test_digest_depends_on_types_steps_and_constants_only(self):
        def digest(text):
            return read_spec(self.write("digest.def", text)).digest
        base = digest(GROUND)
        self.assertRegex(base, r"^[0-9a-f]{16}$")
        self.assertEqual(digest("/* More. */\n\n" + GROUND + 'MQD_HEADER("a.h", optional)\n'), base)
        self.assertEqual(digest(GROUND + "MQD_PATH(x, b_a, a_t, x, things)\n"), base)
        self.assertEqual(digest(GROUND.replace('"things"', '"other things"')), base)
        for old, new in (("x, i32, always", "x, u32, always"), ("x, i32, always", "x, i32, varies"),
                         ("b_t, struct, exact", "b_t, struct, at_least"), ("a_t, x", "a_t, y"),
                         ("b_t, struct", "b_t, union")):
            self.assertNotEqual(digest(GROUND.replace(old, new)), base, new)
        one = "MQD_CONSTANT(one, ONE, u8, always, extra)\n"
        self.assertNotEqual(digest(GROUND + one), base)
        self.assertEqual(digest(GROUND + one.replace("extra", "things")), digest(GROUND + one))
        for old, new in (("one", "two"), ("ONE", "TWO"), ("u8", "u16"), ("always", "optional")):
            self.assertNotEqual(digest(GROUND + one.replace(old, new)), digest(GROUND + one), new)

    def test_a_file_that_is_not_there_or_not_text(self):
        for path, message in ((self.path("none.def"), "cannot read it"), (self.path("binary.def"), "is not UTF-8")):
            with open(self.path("binary.def"), "wb") as file:
                file.write(b"MQD_TYPE\xff")
            with self.assertRaisesRegex(MqdError, message):
                read_spec(path)

    def test_the_projects_own_spec_is_accepted(self):
        spec = read_spec(support.SPEC)
        self.assertIn("ompi_communicator_t", spec.types)
        self.assertTrue(all(path.step for name, path in spec.paths.items() if name != "root"))

    def test_the_command_names_file_and_line(self):
        path = self.write("bad.def", GROUND + "int x;\n")
        done = self.mqdgen("emit", "--spec", path, "-o", self.path("tables.c"))
        self.assertFails(done, f"mqdgen: {path}:7: neither a comment")


if __name__ == "__main__":
    unittest.main()
