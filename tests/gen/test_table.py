"""Loading a table: what is not JSON, not a table, not of the spec or not possible is refused by name."""
import json
import os
import re

import support
from mqdlib import table
from mqdlib.errors import MqdError
from mqdlib.spec import read_spec

REMOVE = object()
A_FIELD = {"offset": 180, "size": 4, "kind": "u32"}

# A path into the demo table, what is put there, and the error.
SHAPE = [
    (["format"], 2, "format: is 2, this mqdgen knows only 1"),
    (["format"], True, "format: is true, this mqdgen knows only 1"),
    (["format"], REMOVE, 'the key "format" is missing'),
    (["more"], 1, 'the key "more" is unknown'),
    (["types"], [], "types: must be an object"),
    (["types"], REMOVE, 'the key "types" is missing'),
    (["family", "first"], "4.1", "family.first: must be a release"),
    (["family", "first"], "4.1.9", "family: first is later than last"),
    (["family", "first"], "\uff14.1.0", "family.first: must be a release"),
    (["family", "more"], "4.1.9", 'family: the key "more" is unknown'),
    (["family", "last"], 'x"; int y; //', "family.last: must be a release"),
    (["abi", "pointer"], 16, "abi.pointer: must be one of 4, 8, is 16"),
    (["abi", "pointer"], 8.0, "abi.pointer: must be one of 4, 8, is 8.0"),
    (["abi", "long"], True, "abi.long: must be one of 4, 8, is true"),
    (["abi", "endian"], "middle", "abi.endian: must be one of little, big"),
    (["abi", "arch"], 'x86"', "abi.arch: must be the name"),
    (["abi", "arch"], REMOVE, 'abi: the key "arch" is missing'),
    (["variant"], [], "variant: must be a list of words"),
    (["variant"], ["two words"], "variant: must be a word"),
    (["variant"], "release", "variant: must be a list of words"),
    (["origin", "openmpi"], 4, "origin.openmpi: must be a release"),
    (["origin", "pahole"], "new", "origin.pahole: must be a version"),
    (["origin", "spec"], "0123", "origin.spec: must be 16 hexadecimal digits"),
    (["origin", "checked"], "yes", "origin.checked: must be one of offsetof, none"),
    (["origin", "macros"], {"X": None}, "origin.macros.X: must be a macro"),
    (["origin", "date"], "today", 'origin: the key "date" is unknown'),
    (["types", "item_t"], 32, "types.item_t: must be an object"),
    (["types", "item_t", "size"], "32", "types.item_t.size: must be a whole number"),
    (["types", "item_t"], None, "types.item_t: must be an object"),
    (["types", "item_t", "fields"], [], "types.item_t.fields: must be an object"),
    (["types", "item_t", "fields", "next"], 16, "types.item_t.next: must be an object"),
    (["types", "item_t", "fields", "next", "offset"], True, "types.item_t.next.offset: must be a whole number"),
    (["types", "item_t", "fields", "next", "kind"], ["ptr"], "types.item_t.next.kind: must be one of"),
    (["types", "item_t", "size"], (1 << 24) + 1, "types.item_t.size: must be a whole number from 1 to 16777216"),
    (["types", "item_t", "size"], 10 ** 400, "types.item_t.size: must be a whole number"),
    (["types", "item_t", "size"], float("inf"), "types.item_t.size: must be a whole number"),
    (["family"], "4.1.0", "family: must be an object"),
    (["abi"], None, "abi: must be an object"),
    (["origin"], [], "origin: must be an object"),
    (["origin", "macros"], [], "origin.macros: must be an object"),
    (["variant"], [4], "variant: must be a word"),
    (["types", "item_t", "size"], 0, "types.item_t.size: must be a whole number from 1"),
    (["types", "item_t", "align"], 8, 'types.item_t: the key "align" is unknown'),
    (["types", "item_t", "fields", "next", "offset"], -1, "types.item_t.next.offset: must be a whole number from 0"),
    (["types", "item_t", "fields", "next", "offset"], 16.0, "types.item_t.next.offset: must be a whole number"),
    (["types", "item_t", "fields", "next", "offset"], 65537, "types.item_t.next.offset: must be a whole number"),
    (["types", "item_t", "fields", "next", "offset"], REMOVE, 'types.item_t.next: the key "offset" is missing'),
    (["types", "item_t", "fields", "next", "size"], 0, "types.item_t.next.size: must be a whole number from 1"),
    (["types", "item_t", "fields", "next", "kind"], "none", "types.item_t.next.kind: must be one of"),
    (["types", "item_t", "fields", "next", "note"], "x", 'types.item_t.next: the key "note" is unknown'),
]

AGAINST_SPEC = [
    (["types", "other_t"], {"size": 4, "fields": {}}, "other_t: {spec} knows no such type"),
    (["types", "item_t", "fields", "other"], A_FIELD, "item_t.other: {spec} knows no such step"),
    (["types", "item_t", "fields", "length", "kind"], "u64", "item_t.length: kind is u64, {spec}:9 says size"),
    (["types", "big_t", "fields", "newer"], dict(A_FIELD, kind="i32"), "big_t.newer: kind is i32, {spec}:23 says u32"),
    (["types", "object_t"], REMOVE, "object_t: the type is missing"),
    (["types", "item_t", "fields", "length"], REMOVE, "item_t.length: the field is missing"),
    (["types", "big_t", "fields", "name"], REMOVE, "big_t.name: the field is missing"),
]

GEOMETRY = [
    (["types", "item_t", "fields", "length", "offset"], 32, "item_t.length: offset 32 and size 8 exceed the type's"),
    (["types", "item_t", "fields", "length", "offset"], 28, "item_t.length: offset 28 and size 8 exceed the type's"),
    (["types", "big_t", "fields", "name", "size"], 57, "big_t.name: offset 128 and size 57 exceed the type's size 184"),
    (["types", "item_t", "fields", "length", "offset"], 20, "item_t.length: offset 20 is not aligned to 8"),
    (["types", "big_t", "fields", "half", "offset"], 153, "big_t.half: offset 153 is not aligned to 2"),
    (["types", "big_t", "fields", "state", "offset"], 150, "big_t.state: offset 150 is not aligned to 4"),
    (["types", "big_t", "fields", "either", "offset"], 172, "big_t.either: offset 172 is not aligned to 8"),
    (["types", "item_t", "fields", "length", "offset"], 16, "item_t.next: offset 16 lies in length, which ends at 24"),
    (["types", "item_t", "fields", "next", "offset"], 8, "item_t.next: offset 8 lies in super, which ends at 16"),
    (["types", "big_t", "fields", "flag", "offset"], 155, "big_t.flag: offset 155 lies in half, which ends at 156"),
    (["types", "big_t", "fields", "name", "size"], 21, "big_t.state: offset 148 lies in name, which ends at 149"),
    (["types", "big_t", "fields", "items", "size"], 100, "big_t.items: size 100 is no multiple of item_t's size 32"),
    (["types", "big_t", "fields", "super", "size"], 24, "big_t.super: size 24 is no multiple of item_t's size 32"),
    (["types", "item_t", "fields", "super", "size"], 8, "item_t.super: size 8 is no multiple of object_t's size 16"),
    (["types", "big_t", "fields", "half", "size"], 4, "big_t.half: size 4 cannot be that of a u16"),
    (["types", "item_t", "fields", "next", "size"], 4, "item_t.next: size 4 cannot be that of a ptr"),
    (["types", "big_t", "fields", "state", "size"], 8, "big_t.state: size 8 cannot be that of a enum"),
    (["types", "item_t", "size"], 36, "item_t: size 36 is no multiple of its alignment 8"),
    (["types", "either_t", "fields", "value", "offset"], 8, "either_t.value: offset 8 and size 8 exceed the type's"),
    (["abi", "pointer"], 4, "object_t.type: size 8 cannot be that of a ptr"),
]


def changed(value, path, new):
    """Puts `new` where `path` leads, or removes what is there."""
    for key in path[:-1]:
        value = value[key]
    if new is REMOVE:
        del value[path[-1]]
    else:
        value[path[-1]] = new


class Loading(support.Scratch):
    def setUp(self):
        super().setUp()
        self.read_spec = read_spec(self.spec)

    def demo(self):
        return support.demo_table(self.read_spec.digest)

    def load(self, value):
        return table.load(self.write("table.json", table.to_text(value)), self.read_spec)[0]

    def assertRefused(self, cases):
        for path, new, message in cases:
            with self.subTest(f"{'.'.join(path)}: {message}"):
                value = self.demo()
                changed(value, path, new)
                with self.assertRaises(MqdError) as caught:
                    self.load(value)
                where, _, what = str(caught.exception).partition(": ")
                self.assertRegex(where, re.escape(self.path("table.json")) + r":\d+$")
                self.assertIn(message.format(spec=self.spec), what)

    def test_the_demo_table_is_valid(self):
        self.assertEqual(self.load(self.demo()), self.demo())

    def test_shape(self):
        self.assertRefused(SHAPE)

    def test_against_the_spec(self):
        self.assertRefused(AGAINST_SPEC)

    def test_geometry(self):
        self.assertRefused(GEOMETRY)

    def test_the_line_is_that_of_what_is_wrong(self):
        """What is replaced in the text, by what, and which text of the result has the line that the error names."""
        text = table.to_text(self.demo())
        for old, new, at, message in (
                ('"checked": "none"', '"checked": "no"', '"checked"', "origin.checked: must be"),
                ('"kind": "size", "offset": 24', '"kind": "size", "offset": -24', '"length"',
                 "types.item_t.length.offset: must be"),
                ('"kind": "size", "offset": 24', '"kind": "size", "offset": 20', '"length"',
                 "item_t.length: offset 20 is"),
                ('"tiny"', '"teeny"', '"teeny"', "big_t.teeny: "),
                ('"tiny": { "kind": "i8"', '"tiny": { "kind": "u8"', '"tiny"', "big_t.tiny: kind is u8"),
                ('"item_t"', '"item_s"', '"item_s"', "item_s: "),
                ('"format": 1,', '"format": 1,\n\n"more": {},', '"more"', 'the key "more" is unknown'),
                ('"format": 1,', '"types": 7,', '"types": {', 'the key "types" is there twice'),
                ('      "size": 32', '      "size": 36', '"item_t"', "item_t: size 36 is no multiple"),
                ('      "size": 32', '      "size": -1', '"size": -1', "types.item_t.size: must be"),
                ('"half": {', '"half" {', '"half"', "not JSON")):
            with self.subTest(new):
                wrong = text.replace(old, new, 1)
                line = wrong[:wrong.rindex(at)].count("\n") + 1
                with self.assertRaises(MqdError) as caught:
                    table.load(self.write("table.json", wrong), self.read_spec)
                self.assertTrue(str(caught.exception).startswith(f"{self.path('table.json')}:{line}: {message}"),
                                f"{line}: {caught.exception}")

    def test_no_table_says_more_than_the_dll_believes(self):
        text = support.text_of(os.path.join(support.ROOT, "layout", "layout.h"))
        self.assertIn(f"\n#define MQD_MAX_TYPE_BYTES {table.MAX_BYTES}\n", text)

    def test_an_embedded_type_must_be_in_the_table(self):
        value = self.demo()
        value["origin"]["spec"] = "0" * 16
        del value["types"]["either_t"]
        with self.assertRaisesRegex(MqdError, "big_t.either: embeds either_t, which the table does not have"):
            self.load(value)

    def test_a_table_for_an_older_spec_may_lack_what_came_later(self):
        value = self.demo()
        value["origin"]["spec"] = "0" * 16
        del value["types"]["big_t"]
        del value["types"]["item_t"]["fields"]["length"]
        self.assertEqual(self.load(value), value)

    def test_constants(self):
        for change, message in (
                ({"state_busy": "1"}, "constants.state_busy: must be a whole number"),
                ({"state_busy": 1.0}, "constants.state_busy: must be a whole number"),
                ({"state_busy": 1 << 63}, "constants.state_busy: must be a whole number"),
                ({"wire_type": 256}, r"constant wire_type \(DEMO_WIRE_TYPE\): 256 is no u8, as "),
                ({"wire_typo": 1}, "wire_typo: .* knows no such constant: extract the table again or remove it")):
            value = self.demo()
            value["constants"].update(change)
            with self.subTest(change), self.assertRaisesRegex(MqdError, message):
                self.load(value)
        value = self.demo()
        value["origin"]["checked"] = "offsetof"
        self.assertEqual(self.load(value), value)
        del value["constants"]["none"]
        with self.assertRaisesRegex(MqdError, r"constant none \(DEMO_NONE\): the constant is missing: "):
            self.load(value)
        # Debug information does not have them, and an older spec did not ask for them.
        for change in ({"checked": "none"}, {"spec": "0" * 16}):
            older = dict(value, origin=dict(value["origin"], **change))
            self.assertEqual(self.load(older), older)
            del older["constants"]
            self.assertEqual(self.load(older), older)

    def test_eight_bytes_may_be_aligned_to_four_on_32_bits_only(self):
        value = self.demo()
        value["types"]["big_t"]["fields"]["name"] = {"offset": 132, "size": 8, "kind": "i64"}
        with self.assertRaisesRegex(MqdError, "big_t.name: offset 132 is not aligned to 8"):
            self.load(value)
        value["abi"].update(pointer=4, long=4, arch="i386")
        value["types"] = {"either_t": {"size": 12, "fields": {"value": {"offset": 4, "size": 8, "kind": "u64"}}}}
        value["origin"]["spec"] = "0" * 16
        self.assertEqual(self.load(value), value)

    def test_what_is_not_json_is_an_error_with_file_and_line(self):
        for text, message in (('{\n "format": 1\n "family": 2}', ":3: not JSON"), ("", ":1: not JSON"),
                              ('{"a": \n\n nul}', ":3: not JSON"), ('{"a": ' + "9" * 10000 + "}", ": "),
                              ('{"a": 1, "a": 2}', 'the key "a" is there twice'), ("[" * 100000, "nested too deeply"),
                              ("[]", "must be an object"), ("NaN", "must be an object")):
            with self.subTest(text[:20]), self.assertRaises(MqdError) as caught:
                table.load(self.write("table.json", text), self.read_spec)
            self.assertTrue(str(caught.exception).startswith(self.path("table.json")), caught.exception)
            self.assertIn(message, str(caught.exception))

    def test_emit_refuses_what_cannot_be_loaded_and_leaves_the_old_file(self):
        self.write("tables.c", "old")
        value = self.demo()
        value["types"]["big_t"]["fields"]["half"]["offset"] = 157
        self.write("table.json", table.to_text(value))
        for path in ("table.json", "none.json", "openmpi.def"):
            done = self.mqdgen("emit", "--spec", self.spec, "-o", self.path("tables.c"), self.path(path))
            self.assertFails(done, self.path(path))
            self.assertEqual(self.read("tables.c"), "old")

    def test_text_is_sorted_stable_and_the_same_value(self):
        text = table.to_text(self.demo())
        self.assertEqual(json.loads(text), self.demo())
        self.assertEqual(table.to_text(json.loads(text)), text)
        backwards = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        self.assertEqual(table.to_text(backwards), text)
        pairs = json.loads(text, object_pairs_hook=list)
        self.assertEqual([key for key, _ in pairs], sorted(key for key, _ in pairs))
        self.assertIn('        "length": { "kind": "size", "offset": 24, "size": 8 },\n', text)


if __name__ == "__main__":
    support.main()
