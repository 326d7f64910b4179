"""The BTF reader, on bytes that are written here one by one, in both byte orders."""
import struct
import unittest

import support  # noqa: F401  (sets the path)
from mqdlib import btf
from mqdlib.errors import MqdError


class Writer:
    """Writes BTF from the format's description: a header, the types, the strings."""

    def __init__(self, order):
        self.order = order
        self.types = b""
        self.strings = b"\0"

    def name(self, text):
        if not text:
            return 0
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text) - 1

    def words(self, *words):
        self.types += struct.pack(f"{self.order}{len(words)}I", *words)

    def type(self, name, kind, vlen, size_or_type, *words, flag=0):
        self.words(self.name(name), flag << 31 | kind << 24 | vlen, size_or_type, *words)

    def data(self):
        header = struct.pack(self.order + "HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(self.types), len(self.types),
                             len(self.strings))
        return header + self.types + self.strings


def demo(order):
    """struct point { int x; unsigned y : 3; union { char *text; int64_t wide; }; char name[4]; } as point_t."""
    out = Writer(order)
    out.type("int", 1, 0, 4, 1 << 24 | 32)                                                      # 1
    out.type("unsigned int", 1, 0, 4, 32)                                                       # 2
    out.type("char", 1, 0, 1, 1 << 24 | 8)                                                      # 3
    out.type("", 2, 0, 3)                                                                       # 4: char *
    out.type("long int", 1, 0, 8, 1 << 24 | 64)                                                 # 5
    out.type("", 5, 2, 8, out.name("text"), 4, 0, out.name("wide"), 5, 0)                       # 6
    out.type("", 3, 0, 0, 3, 2, 4)                                                              # 7: char[4]
    out.type("point", 4, 4, 24, out.name("x"), 1, 0, out.name("y"), 2, 3 << 24 | 32, 0, 6, 64,
             out.name("name"), 7, 128, flag=1)                                                  # 8
    out.type("point_t", 8, 0, 10)                                                               # 9
    out.type("", 10, 0, 8)                                                                      # 10: const
    out.type("mode", 6, 1, 4, out.name("only"), 0)                                              # 11
    out.type("later", 7, 0, 0)                                                                  # 12: struct later;
    out.type("real", 16, 0, 8)                                                                  # 13
    out.type("wide", 19, 1, 8, out.name("big"), 0, 1)                                           # 14
    out.type("f", 13, 1, 0, 0, 1)                                                               # 15
    out.type("f", 12, 0, 15)                                                                    # 16
    out.type("v", 14, 0, 1, 1)                                                                  # 17
    out.type(".data", 15, 1, 4, 17, 0, 4)                                                       # 18
    out.type("tag", 17, 0, 1, 0xFFFFFFFF)                                                       # 19
    out.type("user", 18, 0, 1)                                                                  # 20
    return out


class BtfReader(unittest.TestCase):
    def test_types_are_read_in_both_byte_orders(self):
        for order in "<>":
            with self.subTest(order):
                types = btf.Btf(demo(order).data(), "demo")
                self.assertEqual(len(types.types), 20)
                (point,), declared = types.definitions("point_t")
                self.assertTrue(declared)
                self.assertEqual((point.name, point.size, point.kind), ("point", 24, btf.STRUCT))
                self.assertEqual([(m.name, m.bit_offset, m.bits) for m in point.members],
                                 [("x", 0, 0), ("y", 32, 3), ("", 64, 0), ("name", 128, 0)])
                member, offset = types.find_member(point, "wide")
                self.assertEqual((types.strip(member.type_id)[0].name, offset), ("long int", 64))
                array = types.types[7]
                self.assertEqual((array.kind, array.count, types.types[array.target].name), (btf.ARRAY, 4, "char"))
                self.assertEqual(types.types[1].encoding, btf.INT_SIGNED)
                self.assertEqual(types.types[2].encoding, 0)

    def test_typedefs_and_qualifiers_are_followed_and_remembered(self):
        types = btf.Btf(demo("<").data(), "demo")
        type_, typedefs = types.strip(9)
        self.assertEqual((type_.name, typedefs), ("point", ["point_t"]))

    def test_tag_and_typedef_and_declaration_alone(self):
        types = btf.Btf(demo("<").data(), "demo")
        self.assertEqual([t.type_id for t in types.definitions("point")[0]], [8])
        self.assertEqual(types.definitions("later"), ([], True))
        self.assertEqual(types.definitions("nothing"), ([], False))
        self.assertIsNone(types.find_member(types.types[8], "nothing"))

    def test_members_of_unnamed_members_of_unnamed_members(self):
        out = Writer("<")
        out.type("int", 1, 0, 4, 1 << 24 | 32)
        out.type("", 5, 1, 4, out.name("deep"), 1, 0)
        out.type("", 4, 2, 12, out.name("first"), 1, 0, 0, 2, 64)
        out.type("outer", 4, 2, 16, out.name("start"), 1, 0, 0, 3, 32)
        types = btf.Btf(out.data(), "demo")
        self.assertEqual(types.find_member(types.types[4], "deep")[1], 96)

    def test_a_typedef_of_a_declaration_means_the_tag_that_is_defined_elsewhere(self):
        out = Writer("<")
        out.type("thing", 7, 0, 0)
        out.type("thing_t", 8, 0, 1)
        out.type("thing", 4, 0, 8)
        types = btf.Btf(out.data(), "demo")
        self.assertEqual([t.type_id for t in types.definitions("thing_t")[0]], [3])

    def test_without_kind_flag_an_offset_has_all_its_bits(self):
        out = Writer("<")
        out.type("char", 1, 0, 1, 1 << 24 | 8)
        out.type("huge", 4, 1, 0x4000000, out.name("last"), 1, 0x3FFFFFF * 8)
        types = btf.Btf(out.data(), "demo")
        member, offset = types.find_member(types.types[2], "last")
        self.assertEqual((member.bits, offset), (0, 0x3FFFFFF * 8))

    def test_damage_is_an_error_and_never_anything_else(self):
        whole = demo("<").data()
        for length in range(len(whole)):
            with self.subTest(length), self.assertRaisesRegex(MqdError, "demo: pahole's BTF is damaged"):
                btf.Btf(whole[:length], "demo")

    def test_every_wrong_byte_is_an_error_or_readable(self):
        whole = demo("<").data()
        for at in range(len(whole)):
            for value in (0, 0x7F, 0xFF):
                try:
                    types = btf.Btf(whole[:at] + bytes([value]) + whole[at + 1:], "demo")
                    for type_ in types.definitions("point_t")[0]:
                        types.find_member(type_, "wide")
                except MqdError:
                    pass

    def test_named_damage(self):
        def typed(kind, target):
            out = Writer("<")
            out.type("x", kind, 0, target)
            return out.data()
        for data, message in (
                (b"", "does not start with a BTF header"),
                (b"\x7fELF" + bytes(60), "does not start with a BTF header"),
                (struct.pack("<HBBIIIII", 0xEB9F, 2, 0, 24, 0, 0, 0, 0), "version 2 is unknown"),
                (struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, 100, 0, 0), "a section lies outside"),
                (struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 8, 0, 0, 0, 0), "a section lies outside"),
                (typed(31, 0), "unknown kind 31"),
                (typed(8, 7), "refers to type 7, which is not there")):
            with self.subTest(message), self.assertRaisesRegex(MqdError, message):
                btf.Btf(data, "demo")

    def test_a_typedef_of_itself_ends(self):
        out = Writer("<")
        out.type("round", 8, 0, 1)
        with self.assertRaisesRegex(MqdError, "is a typedef of itself"):
            btf.Btf(out.data(), "demo").definitions("round")

    def test_a_struct_inside_itself_ends(self):
        out = Writer("<")
        out.type("round", 4, 2, 8, 0, 1, 0, 0, 1, 0)
        types = btf.Btf(out.data(), "demo")
        self.assertIsNone(types.find_member(types.types[1], "nothing"))


if __name__ == "__main__":
    support.main()
