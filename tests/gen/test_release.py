"""mqdgen tables --release, on a small repository of its own: what grows, what begins, what is told, what is refused."""
import json
import os
import unittest
import unittest.mock

import support
from mqdlib import recipe, release
from test_recipe import CONFIGURED_HEADER, Repository, needs_git

CLASSES = """\
OBJ_CLASS_INSTANCE(item_t, object_t,
                   NULL, NULL);
OBJ_CLASS_INSTANCE(big_t, item_t, NULL, NULL);
void set(void) { put(&demo_things, 2, &demo_null); }
"""
TAGS = """\
#define DEMO_TAG_BASE -10
#define DEMO_TAG_BCAST (DEMO_TAG_BASE - 1) /* to all */
#define OTHER_TAG 1
"""
WATCHED = {
    "macros": {"ompi/include/demo_tags.h": "DEMO_TAG_\\w+"},
    "symbols": ["demo_things", "demo_never"],
    "sources": [{"text": "thing 2 is the null thing", "file": "ompi/demo.c",
                 "pattern": "demo_things, *2, *&demo_null"}],
}


@needs_git
@support.needs_pahole
@unittest.skipUnless(os.uname().machine == "x86_64", "the recipe of this test is for x86_64")
class Releases(Repository):
    """Open MPI 4.1.4, a family of one release, then whatever a test commits."""

    def setUp(self):
        super().setUp()
        # As the project has it: tables below the folder of the list.
        self.output = self.path("layout/tables/demo")
        self.spec = self.path("layout/openmpi.def")
        self.once(self.begin)

    def begin(self):
        self.git("init", "-q", "--template=", ".")
        self.commit("4.1.4", CONFIGURED_HEADER)
        self.install("a", 4)
        os.makedirs(self.output)
        self.write("layout/openmpi.def", support.DEMO_SPEC)
        self.write_recipe({
            "compilers": {"x86_64": support.CC, "aarch64": "no-such-compiler"},
            "configured": ["mpi.h", "openmpi/opal_config.h"],
            "beside": ["hwloc/deep.h"],
            "words": {"release": {}, "debug": {"OPAL_ENABLE_DEBUG": 1}, "cuda": {"OPAL_CUDA_SUPPORT": 1}},
            "families": [self.family("4.1.4", "4.1.4", "4.1.4")],
            "watched": WATCHED,
        })
        self.assertWorks(self.tables())

    def commit(self, release, header, tags=TAGS, classes=CLASSES, tag=None):
        os.makedirs(self.path("ompi/include"), exist_ok=True)
        self.write("ompi/include/demo_tags.h", tags)
        self.write("ompi/demo.c", classes)
        super().commit(release, header, tag)

    @staticmethod
    def family(first, last, source):
        return dict(Repository.family(first, last, source),
                    tables={"x86_64": {"builds": ["release", "debug"], "alone": []}})

    def write_recipe(self, value):
        self.write("recipe.json", recipe.to_text(value))

    def change_recipe(self, change):
        value = self.read_table("recipe.json")
        change(value)
        self.write_recipe(value)

    def tables(self, *options):
        return self.mqdgen("tables", "--spec", self.spec, "--recipe", self.path("recipe.json"), "--source-repo",
                           self.directory, "--headers", self.path("installed"), "--pahole", support.PAHOLE, "-o",
                           self.output, *options)

    def add(self, number):
        return self.tables("--release", "v" + number)

    def everything(self):
        """All that the command may change: every file below layout/, and the recipe."""
        files = support.texts_below(self.path("layout"))
        return {**{f"layout/{name}": text for name, text in files.items()}, "recipe": self.read("recipe.json")}

    def families(self):
        return {recipe.family_name(family): family for family in self.read_table("recipe.json")["families"]}

    def assertRefuses(self, release, *texts):
        """Status 1 with these texts, and nothing is changed."""
        before = self.everything()
        done = self.add(release)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stdout + done.stderr)
        self.assertEqual(self.everything(), before)
        return done

    def looks(self, done):
        self.assertWorks(done)
        return [line[len("look: "):] for line in done.stdout.splitlines() if line.startswith("look: ")]

    def test_the_same_layout_makes_the_family_grow_and_changes_nothing_else(self):
        before = self.everything()
        self.commit("4.1.5", CONFIGURED_HEADER + "/* nothing new */\n")
        done = self.add("4.1.5")
        self.assertEqual(done.stdout,
                         "4.1.5: has the types of 4.1.4-4.1.4 on x86_64 (2 tables), which is 4.1.4-4.1.5 now\n")
        self.assertEqual(self.looks(done), [])
        after = self.everything()
        for name in ("x86_64-debug.json", "x86_64-release.json"):
            old = before[f"layout/tables/demo/4.1.4-4.1.4/{name}"]
            self.assertEqual(old.count('"last": "4.1.4"'), 1)
            self.assertEqual(after[f"layout/tables/demo/4.1.4-4.1.5/{name}"],
                             old.replace('"last": "4.1.4"', '"last": "4.1.5"'))
        self.assertEqual(after["layout/tables.am"], before["layout/tables.am"].replace("4.1.4-4.1.4", "4.1.4-4.1.5"))
        self.assertEqual(after["layout/tables.am"].splitlines()[1:], [
            "TABLES = \\", "\tlayout/tables/demo/4.1.4-4.1.5/x86_64-debug.json \\",
            "\tlayout/tables/demo/4.1.4-4.1.5/x86_64-release.json", "RUNTIME_TABLES ="])
        self.assertEqual(len(after), len(before))
        self.assertEqual(self.families()["4.1.4-4.1.5"]["releases"], ["4.1.4", "4.1.5"])
        # What a run from nothing makes is the same.
        again = self.tables()
        self.assertWorks(again)
        self.assertEqual(again.stdout.count(": same\n"), 2)
        self.assertEqual(self.everything(), after)

    def test_a_release_that_is_known_is_left_alone(self):
        before = self.everything()
        done = self.assertWorks(self.add("4.1.4"))
        self.assertEqual(done.stdout, "4.1.4: is known, of the family 4.1.4-4.1.4: nothing to do\n")
        self.assertEqual(self.everything(), before)

    def test_a_member_that_moved_begins_a_family(self):
        before = self.everything()
        moved = CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;")
        self.assertNotEqual(moved, CONFIGURED_HEADER)
        self.commit("5.0.0", moved)
        done = self.add("5.0.0")
        self.assertIn("5.0.0: differs from 4.1.4-4.1.4: x86_64-debug.json: big_t.either: was struct at 200 "
                      "size 8, is struct at 208 size 8\n5.0.0: a new family, 5.0.0-5.0.0, on x86_64 (2 tables)\n",
                      done.stdout)
        self.assertEqual(self.looks(done)[0], "big_t.more: new member, long int at 152 (x86_64-release.json)")
        after = self.everything()
        self.assertEqual({name: text for name, text in after.items() if "/4.1.4" in name},
                         {name: text for name, text in before.items() if "/4.1.4" in name})
        made = json.loads(after["layout/tables/demo/5.0.0-5.0.0/x86_64-release.json"])
        self.assertEqual(support.fields(made, "big_t")["flag"], (160, 1, "bool"))
        self.assertEqual(made["origin"]["openmpi"], "5.0.0")
        self.assertEqual(list(self.families()), ["4.1.4-4.1.4", "5.0.0-5.0.0"])
        self.assertEqual(self.families()["5.0.0-5.0.0"],
                         dict(self.family("5.0.0", "5.0.0", "5.0.0"), configured="4.1.4"))
        self.assertEqual(after["layout/tables.am"].count("/5.0.0-5.0.0/"), 2)
        # The next one is compared with this family; an older one finds its place before it.
        self.commit("5.0.1", moved)
        self.assertWorks(self.add("5.0.1"))
        self.commit("4.1.5", CONFIGURED_HEADER)
        self.assertWorks(self.add("4.1.5"))
        self.assertEqual(list(self.families()), ["4.1.4-4.1.5", "5.0.0-5.0.1"])
        again = self.tables()
        self.assertWorks(again)
        self.assertEqual(again.stdout.count(": same\n"), 4)

    def test_the_order_of_releases_makes_no_difference_to_what_is_made_in_order(self):
        moved = CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;")
        for release, header in (("4.1.5", CONFIGURED_HEADER), ("5.0.0", moved), ("5.0.1", moved)):
            self.commit(release, header)
            self.assertWorks(self.add(release))
        made = self.everything()
        for name in [name for name in made if "/5.0.0" in name]:
            os.unlink(self.path(name))
        os.rmdir(self.path("layout/tables/demo/5.0.0-5.0.1"))
        self.change_recipe(lambda value: value["families"].pop())
        for release in ("5.0.0", "5.0.1"):
            self.assertWorks(self.add(release))
        self.assertEqual(self.everything(), made)

    def test_a_member_that_is_not_read_is_told_though_nothing_moved(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("int references;", "short references, more;")
                    .replace("double tail[];", "float tail[];"))
        self.assertEqual(self.looks(self.add("4.1.5")), [
            "big_t.tail: was double[0], is float[0] (x86_64-release.json)",
            "object_t.more: new member, short int at 10 (x86_64-release.json)",
            "object_t.references: was int, is short int (x86_64-release.json)"])
        self.assertIn("4.1.4-4.1.5", self.families())

    def test_values_of_an_enum_that_is_read_are_told(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("{ idle, busy }", "{ idle, busy, asleep }"))
        self.assertEqual(self.looks(self.add("4.1.5")), ["big_t.state, asleep: new, is 2 (x86_64-release.json)"])
        self.assertIn("4.1.4-4.1.5", self.families())

    def test_a_value_inserted_into_an_enum_renumbers_a_constant_and_begins_a_family(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("{ idle, busy }", "{ idle, asleep, busy }"))
        done = self.add("4.1.5")
        self.assertEqual(self.looks(done), [
            "big_t.state, asleep: new, is 1 (x86_64-release.json)",
            "big_t.state, busy: was 1, is 2 (x86_64-release.json)",
            "constant state_busy (busy): was 1, is 2 (x86_64-release.json)"] + [
            f"x86_64-{build}.json: the class descriptors do not tell it from 4.1.4-4.1.4/x86_64-{build}.json"
            for build in ("release", "debug")])
        self.assertIn("4.1.5: differs from 4.1.4-4.1.4: x86_64-debug.json: constant state_busy: was 1, is 2\n",
                      done.stdout)
        self.assertEqual(list(self.families()), ["4.1.4-4.1.4", "4.1.5-4.1.5"])

    def test_a_constant_that_is_renumbered_begins_a_family(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("(64 + 1)", "(64 + 2)"))
        looks = self.looks(self.add("4.1.5"))
        self.assertEqual(looks[0], "constant wire_type (DEMO_WIRE_TYPE): was 65, is 66 (x86_64-release.json)")
        made = self.read_table("layout/tables/demo/4.1.5-4.1.5/x86_64-debug.json")
        self.assertEqual(made["constants"], dict(support.CONSTANTS, wire_type=66))

    def test_a_constant_that_is_missing_names_every_table_and_changes_nothing(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("DEMO_WIRE_TYPE", "DEMO_OTHER"))
        self.assertRefuses("4.1.5", "x86_64-release.json: not made: ", "constant wire_type (DEMO_WIRE_TYPE): the "
                           "headers of Open MPI 4.1.5 lack it", "nothing was changed\n")

    def test_an_optional_constant_that_came_is_told_and_in_the_tables(self):
        self.commit("4.1.5", CONFIGURED_HEADER + "#define DEMO_LEAST -7\n")
        self.assertEqual(self.looks(self.add("4.1.5")),
                         ["constant least (DEMO_LEAST): new, is -7 (x86_64-release.json)"])
        self.assertIn("4.1.4-4.1.5", self.families())
        for build in ("release", "debug"):
            made = self.read_table(f"layout/tables/demo/4.1.4-4.1.5/x86_64-{build}.json")
            self.assertEqual(made["constants"], dict(support.CONSTANTS, least=-7))

    def test_what_sources_show_is_told(self):
        classes = CLASSES.replace("demo_things, 2", "other_things, 3") + "OBJ_CLASS_INSTANCE(small_t, item_t, 0, 0);\n"
        self.commit("4.1.5", CONFIGURED_HEADER, classes=classes,
                    tags=TAGS.replace("-10", "-11").replace("OTHER_TAG 1", "OTHER_TAG 2") + "#define DEMO_TAG_NEW 5\n")
        self.assertEqual(self.looks(self.add("4.1.5")), [
            "item_t: new subtype small_t",
            "DEMO_TAG_BASE: was -10, is -11",
            "DEMO_TAG_NEW: new, is 5",
            "demo_things: no source has this symbol any more, v4.1.4 had it",
            "ompi/demo.c: no longer shows that thing 2 is the null thing"])

    def test_tables_that_class_sizes_do_not_tell_apart_are_told(self):
        # Within a type that is only known at least, so that no size says it.
        self.commit("4.1.5", CONFIGURED_HEADER.replace("bool flag;\n    const uint16_t half;",
                                                       "const uint16_t half;\n    bool flag;"))
        self.assertEqual(self.looks(self.add("4.1.5")), [
            f"x86_64-{build}.json: the class descriptors do not tell it from 4.1.4-4.1.4/x86_64-{build}.json"
            for build in ("release", "debug")])

    def test_a_type_that_is_missing_names_every_table_and_changes_nothing(self):
        self.commit("4.1.5", CONFIGURED_HEADER.replace("typedef union", "typedef union other").replace(
            "} either_t;", "} other_t;").replace("either_t either;", "other_t either;"))
        done = self.assertRefuses("4.1.5", "x86_64-release.json: not made: ", "either_t: the compiler refuses it",
                                  "x86_64-debug.json: not made: as x86_64-release.json\n",
                                  "4.1.5: not added, nothing was changed\n")
        self.assertEqual(done.stdout.count(": not made: "), 2)

    def test_headers_and_compilers_that_are_missing_name_their_tables_and_change_nothing(self):
        self.change_recipe(lambda value: value["families"][0]["tables"].update(
            aarch64={"builds": ["release"], "alone": []}))
        self.commit("4.1.5", CONFIGURED_HEADER)
        self.assertRefuses("4.1.5", "aarch64: not made: no-such-compiler: no such compiler", "nothing was changed\n")
        self.change_recipe(lambda value: value["compilers"].update(aarch64=support.CC))
        self.assertRefuses("4.1.5", "aarch64: not made: no opal_config.h of Open MPI 4.1.4 for aarch64 below")

    def test_tags_that_are_no_release_are_refused(self):
        self.commit("4.1.5", CONFIGURED_HEADER, tag="v4.1.5rc1")
        for tag in ("4.1.5rc1", "4.1.5amzn1", "4.1", "4.1.5 "):
            self.assertRefuses(tag, f"--release v{tag}: is not the tag of a release, like v5.0.8")
        self.assertRefuses("4.1.5", f"{self.directory}: there is no tag v4.1.5")

    def test_a_release_that_was_left_out_comes_first(self):
        for release in ("4.1.5", "4.1.10", "4.1.9"):
            self.commit(release, CONFIGURED_HEADER)
        self.assertRefuses("4.1.10", "--release v4.1.10: v4.1.5, v4.1.9 come before it and after 4.1.4, the last that "
                           "is known: begin with v4.1.5")
        for release in ("4.1.5", "4.1.9", "4.1.10"):
            self.assertWorks(self.add(release))
        self.assertEqual(self.families()["4.1.4-4.1.10"]["releases"], ["4.1.4", "4.1.5", "4.1.9", "4.1.10"])

    def test_a_release_before_all_others(self):
        self.commit("4.1.3", CONFIGURED_HEADER)
        self.assertEqual(self.looks(self.add("4.1.3")), [
            f"x86_64-{build}.json: has the layout of 4.1.4-4.1.4/x86_64-{build}.json"
            for build in ("release", "debug")])
        self.assertEqual(list(self.families()), ["4.1.3-4.1.3", "4.1.4-4.1.4"])

    def test_a_release_inside_a_family(self):
        self.commit("4.1.6", CONFIGURED_HEADER)
        self.assertWorks(self.add("4.1.6"))
        before = self.everything()
        self.commit("4.1.5", CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;"))
        self.assertRefuses("4.1.5", "--release v4.1.5: 4.1.4-4.1.6 covers it, but differs: x86_64-debug.json: ")
        self.git("tag", "-d", "v4.1.5")
        self.commit("4.1.5", CONFIGURED_HEADER)
        done = self.assertWorks(self.add("4.1.5"))
        self.assertEqual(done.stdout, "4.1.5: has the types of 4.1.4-4.1.6 on x86_64 (2 tables)\n")
        self.assertEqual(self.families()["4.1.4-4.1.6"]["releases"], ["4.1.4", "4.1.5", "4.1.6"])
        self.assertEqual(dict(self.everything(), recipe=""), dict(before, recipe=""))

    def test_tables_of_what_was_not_released_yet(self):
        self.change_recipe(lambda value: value["families"][0].update(releases=[]))
        before = self.everything()
        self.assertWorks(self.add("4.1.4"))
        self.assertEqual(self.families()["4.1.4-4.1.4"]["releases"], ["4.1.4"])
        self.change_recipe(lambda value: value["families"][0].update(releases=[], openmpi="4.1.4a1"))
        self.assertEqual(dict(self.everything(), recipe=""), dict(before, recipe=""))
        self.git("tag", "-d", "v4.1.4")
        self.commit("4.1.4", CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;"))
        self.assertWorks(self.add("4.1.4"))
        self.assertEqual([(family["openmpi"], family["releases"]) for family in self.families().values()],
                         [("4.1.4", ["4.1.4"])])
        made = self.read_table("layout/tables/demo/4.1.4-4.1.4/x86_64-release.json")
        self.assertEqual(support.fields(made, "big_t")["flag"], (160, 1, "bool"))

    def test_its_own_configured_headers_are_a_new_familys_where_they_are_at_hand(self):
        self.install("b", 5)
        self.commit("4.1.5", CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;"))
        self.assertWorks(self.add("4.1.5"))
        self.assertEqual(self.families()["4.1.5-4.1.5"]["configured"], "4.1.5")

    def install_i386(self):
        """A second architecture: the same compiler, told to make code for it, and without a C library."""
        self.install("i386", 4, arch="i686")
        self.change_recipe(lambda value: value["compilers"].update(i386=f"{support.CC} -m32 -ffreestanding"))

    def test_an_architecture_that_differs_parts_from_its_family(self):
        self.install_i386()
        self.change_recipe(lambda value: value["families"][0]["tables"].update(
            i386={"builds": ["release"], "alone": []}))
        self.assertWorks(self.tables())
        moved = CONFIGURED_HEADER.replace("bool flag;", "\n#ifdef __i386__\nint more;\n#endif\nbool flag;")
        for number, header in (("4.1.5", CONFIGURED_HEADER), ("4.1.6", moved), ("4.1.7", moved)):
            self.commit(number, header)
        self.assertWorks(self.add("4.1.5"))
        before = self.everything()
        done = self.add("4.1.6")
        self.assertEqual(self.looks(done), [
            "big_t.more: new member, int at 88 (i386-release.json)",
            "i386-release.json: the class descriptors do not tell it from 4.1.4-4.1.5/i386-release.json"])
        for line in ("4.1.6: has the types of 4.1.4-4.1.5 on x86_64 (2 tables), which is 4.1.4-4.1.6 now\n",
                     "4.1.6: differs from 4.1.4-4.1.5: i386-release.json: big_t.either: was ",
                     "4.1.6: a new family, 4.1.6-4.1.6, on i386 (1 table)\n"):
            self.assertIn(line, done.stdout)
        old = "layout/tables/demo/4.1.4-4.1.5/i386-release.json"
        self.assertEqual(self.read(old), before[old])
        self.assertEqual(sorted(self.everything()), sorted(
            ["recipe", "layout/openmpi.def", "layout/tables.am", old,
             "layout/tables/demo/4.1.6-4.1.6/i386-release.json"] +
            [f"layout/tables/demo/4.1.4-4.1.6/x86_64-{build}.json" for build in ("debug", "release")]))
        self.assertWorks(self.add("4.1.7"))
        found = {name: (list(family["tables"]), family["releases"]) for name, family in self.families().items()}
        self.assertEqual(found, {
            "4.1.4-4.1.5": (["i386"], ["4.1.4", "4.1.5"]),
            "4.1.4-4.1.7": (["x86_64"], ["4.1.4", "4.1.5", "4.1.6", "4.1.7"]),
            "4.1.6-4.1.7": (["i386"], ["4.1.6", "4.1.7"])})
        made = self.everything()
        self.assertWorks(self.tables())
        self.assertEqual(self.everything(), made)
        self.assertWorks(self.tables("--prove"), "4.1.6-4.1.7 i386 release: differs from 4.1.4-4.1.5\n")

    def test_an_architecture_comes_in_with_headers_of_the_release_itself(self):
        self.install_i386()
        self.change_recipe(lambda value: value["families"].insert(
            0, dict(self.family("4.1.0", "4.1.3", "4.1.3"), tables={"i386": {"builds": ["release"], "alone": []}})))
        for name, arch in (("b", "x86_64"), ("c", "i686")):
            self.install(name, 5, arch=arch)
        os.mkdir(self.path("layout/tables/demo/4.1.0-4.1.3"))
        self.commit("4.1.5", CONFIGURED_HEADER.replace("bool flag;", "long more; bool flag;"))
        self.assertIn("a new family, 4.1.5-4.1.5, on x86_64, i386 (3 tables)\n", self.add("4.1.5").stdout)
        self.assertEqual(self.read_table("layout/tables/demo/4.1.5-4.1.5/i386-release.json")["abi"]["pointer"], 4)

    def test_tables_that_others_made_are_not_built_upon(self):
        self.commit("4.1.5", CONFIGURED_HEADER)
        path = "layout/tables/demo/4.1.4-4.1.4/x86_64-release.json"
        text = self.read(path)
        self.write(path, text.replace('  "abi"', '   "abi"'))
        self.assertRefuses("4.1.5", "x86_64-release.json: was made by another mqdgen or for another")
        self.write(path, text)
        self.write("layout/openmpi.def", support.DEMO_SPEC.replace(
            "MQD_STEP(object_t, type, ptr, always)",
            "MQD_STEP(object_t, type, ptr, always)\nMQD_STEP(object_t, references, i32, optional)"))
        self.assertRefuses("4.1.5", "was made by another mqdgen or for another")

    def test_what_cannot_be_written_leaves_all_as_it_was(self):
        self.commit("4.1.5", CONFIGURED_HEADER)
        before = self.everything()
        rename, failed = os.rename, []

        def fail_once(old, new):
            if os.path.basename(new) == "tables.am" and not failed:
                failed.append(new)
                raise OSError(28, "No space left on device")
            rename(old, new)

        with unittest.mock.patch("os.rename", fail_once):
            done = self.add("4.1.5")
        self.assertFails(done, "all is as it was: ", "No space left on device")
        self.assertEqual(self.everything(), before)
        self.assertWorks(self.add("4.1.5"))

    def test_an_interruption_leaves_all_as_it_was(self):
        self.commit("4.1.5", CONFIGURED_HEADER)
        before = self.everything()
        rename = os.rename
        for n in range(20):
            left = [n]

            def interrupt(old, new):
                if left[0] == 0:
                    left[0] -= 1
                    raise KeyboardInterrupt
                left[0] -= 1
                rename(old, new)

            with unittest.mock.patch("os.rename", interrupt):
                try:
                    self.add("4.1.5")
                except KeyboardInterrupt:
                    pass
            if left[0] >= 0:
                break
            self.assertEqual(self.everything(), before)
        self.assertGreater(n, 2)
        self.assertNotEqual(self.everything(), before)

    def test_elsewhere_no_list_is_written(self):
        os.unlink(self.path("layout/tables.am"))
        other = self.path("elsewhere")
        os.makedirs(other)
        self.output = other
        self.assertWorks(self.tables())
        self.assertFalse(os.path.exists(self.path("layout/tables.am")))
        self.assertFalse(os.path.exists(self.path("tables.am")))

    def test_usage(self):
        for option in (["--prove"], ["--family", "4.1.4-4.1.4"]):
            done = self.tables("--release", "v4.1.5", *option)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--release goes with neither --prove nor --family", done.stderr)


class Order(unittest.TestCase):
    def test_releases_are_numbers(self):
        families = [{"first": "4.1.0", "last": "4.1.9"}, {"first": "4.1.0", "last": "4.1.10"},
                    {"first": "4.1.10", "last": "4.1.10"}, {"first": "5.0.0", "last": "5.0.0"}]
        for number, expected in (("4.0.9", ([], [], [0, 1])), ("4.1.9", ([0, 1], [], [2])),
                                 ("4.1.10", ([1, 2], [0], [3])), ("4.1.11", ([], [1, 2], [3])),
                                 ("5.0.0", ([3], [1, 2], [])), ("5.0.1", ([], [3], []))):
            found = [[families.index(one) for one in some] for some in release.place_of(families, number)]
            self.assertEqual(found, list(expected), number)


if __name__ == "__main__":
    support.main()
