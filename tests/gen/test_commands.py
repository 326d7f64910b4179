"""show, check and the command line; and the project's own tables, extracted again where that is possible."""
import json
import os
import shutil
import subprocess
import sys

import support
from mqdlib import table
from mqdlib.spec import read_spec, read_specs

TABLE_41 = os.path.join(support.TABLES, "4.1.0-4.1.8", "x86_64-release.json")


def installed_headers():
    """The directories in which Open MPI's own mpicc looks, if the internal headers are installed there too."""
    if not shutil.which("mpicc"):
        return []
    directories = support.run(["mpicc", "--showme:incdirs"]).stdout.split()
    return directories if any(os.path.exists(os.path.join(name, "opal_config.h")) for name in directories) else []


class Show(support.Scratch):
    def setUp(self):
        super().setUp()
        self.value = support.demo_table(read_spec(self.spec).digest)
        self.table = self.write("one.json", table.to_text(self.value))

    def show(self, *paths):
        return self.mqdgen("show", "--spec", self.spec, *paths)

    def test_a_listing_has_every_row_by_offset(self):
        done = self.assertWorks(self.show(self.table), "Open MPI 4.1.0 to 4.1.8, x86_64, release\n",
                                "\nitem_t, 32 bytes\n" "       0     16  struct  super\n"
                                "      16      8  ptr     next\n" "      24      8  size    length\n")
        rows = sum(len(facts["fields"]) for facts in self.value["types"].values())
        self.assertEqual(len([line for line in done.stdout.splitlines() if line[:8].strip().isdigit()]), rows)

    def test_two_tables_are_compared(self):
        same = self.show(self.table, self.table)
        self.assertWorks(same)
        self.assertEqual(same.stdout, "")
        self.value["types"]["item_t"]["size"] = 40
        self.value["types"]["big_t"]["fields"]["newer"] = {"offset": 180, "size": 4, "kind": "u32"}
        self.value["types"]["big_t"]["fields"]["items"]["size"] = 80
        self.value["types"]["big_t"]["fields"]["super"]["size"] = 40
        self.value["types"]["big_t"]["fields"]["items"]["offset"] = 40
        self.value["variant"] = ["debug"]
        done = self.show(self.table, self.write("two.json", table.to_text(self.value)))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), [
            "- big_t.items: struct at 32 size 96", "+ big_t.items: struct at 40 size 80",
            "+ big_t.newer: u32 at 180 size 4",
            "- big_t.super: struct at 0 size 32", "+ big_t.super: struct at 0 size 40",
            "- item_t: size 32", "+ item_t: size 40", "- variant: release", "+ variant: debug"])

    def test_a_summary_counts_what_is_the_same_and_names_what_sizes_do_not_tell_apart(self):
        def like_first(variant, type_name, change):
            value = support.demo_table(read_spec(self.spec).digest)
            value["variant"] = [variant]
            change(value["types"][type_name])
            return self.write(f"{variant}.json", table.to_text(value))

        twin = like_first("twin", "big_t", lambda facts: facts.update(size=192))
        moved = like_first("moved", "item_t", lambda facts: facts["fields"].pop("length"))
        bigger = like_first("bigger", "object_t", lambda facts: facts["fields"]["type"].update(offset=8))
        other = self.read_table("moved.json")
        other["origin"]["spec"] = "0" * 16
        self.write("moved.json", table.to_text(other))
        done = self.assertWorks(self.mqdgen("show", "--spec", self.spec, "--summary", moved, self.table, bigger, twin))
        self.assertEqual(done.stdout.splitlines(), [
            "4 tables, 3 distinct layouts, 7 distinct types, 1 distinct sets of class sizes",
            "", "one layout:", "  Open MPI 4.1.0 to 4.1.8, x86_64, release", "  Open MPI 4.1.0 to 4.1.8, x86_64, twin",
            "", "different layouts with the same class sizes:",
            "  Open MPI 4.1.0 to 4.1.8, x86_64, bigger", "  Open MPI 4.1.0 to 4.1.8, x86_64, moved",
            "  Open MPI 4.1.0 to 4.1.8, x86_64, release", "  Open MPI 4.1.0 to 4.1.8, x86_64, twin"])

    def test_bad_input(self):
        self.assertFails(self.show(self.path("none.json")), "none.json: cannot read it")
        self.assertFails(self.show(self.table, self.table, self.table), "one table, or two to compare")

    def test_a_reader_that_goes_away_is_no_traceback(self):
        """Neither where it is seen while lines are printed, nor at the end, when the last of them leave the buffer."""
        for unbuffered in ("1", ""):
            with self.subTest(unbuffered):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([sys.executable, support.MQDGEN, "show", "--spec", self.spec, self.table],
                                      stdout=writer, stderr=subprocess.PIPE, encoding="utf-8", check=False,
                                      env=dict(os.environ, PYTHONUNBUFFERED=unbuffered))
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (1, ""))


class CommandLine(support.Scratch):
    def test_it_is_a_program_and_every_command_has_help(self):
        for command in ([], ["extract"], ["emit"], ["check"], ["show"], ["fits"], ["tables"]):
            done = support.run([support.MQDGEN, *command, "--help"], cwd=self.directory)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: mqdgen", done.stdout)

    def test_wrong_usage_is_status_2(self):
        for arguments in ([], ["forget"], ["emit"], ["show"], ["check"], ["fits"], ["extract", "-o", "x"],
                          ["show", "--no", "x"]):
            self.assertEqual(support.run([sys.executable, support.MQDGEN, *arguments]).returncode, 2, arguments)

    def test_nothing_is_written_beside_the_sources(self):
        copy = shutil.copytree(os.path.join(support.ROOT, "gen"), self.path("gen"),
                               ignore=shutil.ignore_patterns("__pycache__"))
        before = sorted(name for _, _, names in os.walk(copy) for name in names)
        done = support.run([sys.executable, os.path.join(copy, "mqdgen"), "emit", "--spec", self.spec, "-o", "-"])
        self.assertWorks(done)
        self.assertEqual(sorted(name for _, _, names in os.walk(copy) for name in names), before)


@support.needs_pahole
class Check(support.Scratch):
    def setUp(self):
        super().setUp()
        self.assertWorks(self.extract())
        self.table = self.path("table.json")

    def check(self, *arguments):
        return self.mqdgen("check", "--spec", self.spec, "--pahole", support.PAHOLE, "--cc", support.CC, self.table,
                           *arguments)

    def rewrite(self, change):
        value = self.read_table()
        change(value)
        self.write("table.json", table.to_text(value))

    def test_the_same(self):
        done = self.assertWorks(self.check("-I", self.directory))
        self.assertEqual(done.stdout, f"{self.table}: same\n")

    def test_another_pahole_is_no_difference(self):
        self.rewrite(lambda value: value["origin"].update(pahole="9.99"))
        self.assertWorks(self.check("-I", self.directory), f"{self.table}: same, by other means (pahole ")

    def test_debug_information_instead_of_headers(self):
        source = self.write("x.c", '#include "demo.h"\nbig_t big; either_t either;\n')
        done = support.run(support.COMPILE + ["-g", "-c", "-o", self.path("x.o"), source])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertWorks(self.check("--debug-info", self.path("x.o")), "same, by other means")

    def test_a_difference(self):
        self.change("demo.h", "signed char tiny;", "signed char more, tiny;")
        done = self.assertDiffers(self.check("-I", self.directory))
        self.assertEqual(done.stdout, f"{self.table}: differs\n"
                         "- big_t.tiny: i8 at 156 size 1\n+ big_t.tiny: i8 at 157 size 1\n")

    def test_a_difference_in_spelling(self):
        self.write("table.json", self.read("table.json") + "\n")
        done = self.check("-I", self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("only in its spelling", done.stdout)

    def test_what_is_not_at_hand_is_skipped_with_the_reason(self):
        here = ["-I", self.directory]
        for arguments, reason in (
                ([], "neither headers (-I, --source) nor debug information (--prefix, --debug-info) is named"),
                (here + ["--pahole", self.path("none")], "cannot run it: No such file or directory: install"),
                (here + ["-D", "OPAL_ENABLE_DEBUG=1"], "has no word debug"),
                (here + ["-D", "OMPI_MAJOR_VERSION=5", "-D", "OMPI_MINOR_VERSION=0", "-D", "OMPI_RELEASE_VERSION=9"],
                 "but the headers are those of 5.0.9")):
            with self.subTest(reason):
                done = self.assertWorks(self.check(*arguments))
                self.assertTrue(done.stdout.startswith(f"{self.table}: skipped: "), done.stdout)
                self.assertIn(reason, done.stdout)

    def test_a_table_for_another_abi_is_skipped(self):
        self.rewrite(lambda value: value["abi"].update(arch="riscv64"))
        self.assertWorks(self.check("-I", self.directory), "skipped: made for another ABI: arch riscv64")

    def test_an_unusable_table_is_an_error_and_the_others_are_still_checked(self):
        self.write("bad.json", "{")
        done = self.mqdgen("check", "--spec", self.spec, self.path("bad.json"), self.table, "-I", self.directory)
        self.assertFails(done, "bad.json:1: not JSON")
        self.assertIn(f"{self.table}: same\n", done.stdout)

    def test_unusable_headers_are_an_error(self):
        self.change("demo.h", "bool flag;", "")
        self.assertFails(self.check("-I", self.directory), "big_t.flag: there is no such member")


class OwnTables(support.Scratch):
    def test_each_is_valid_and_written_as_extract_writes_it(self):
        spec = read_specs(support.SPECS)
        paths = support.own_tables(support.TABLES, support.UCX_TABLES)
        self.assertIn(TABLE_41, paths)
        self.assertTrue([path for path in paths if path.startswith(support.UCX_TABLES)])
        for path in paths:
            value, text = table.load(path, spec)
            self.assertEqual(table.to_text(value), text, path)
            family = f"{value['family']['first']}-{value['family']['last']}"
            name = "-".join([value["abi"]["arch"], *value["variant"]]) + ".json"
            top = os.path.join(os.path.dirname(support.TABLES), table.library_of(value))
            self.assertEqual(os.path.relpath(path, top), os.path.join(family, name))

    @support.needs_pahole
    def test_the_installed_headers_give_the_first_table_again(self):
        source = os.environ.get("MQD_OMPI_SOURCE")
        if not source:
            self.skipTest("MQD_OMPI_SOURCE names no source tree of Open MPI 4.1.4")
        installed = installed_headers()
        if not installed:
            self.skipTest("mpicc names no directory with Open MPI's internal headers")
        done = self.mqdgen("check", "--cc", support.CC, "--pahole", support.PAHOLE, TABLE_41, "--source", source,
                           *[f"-I{directory}" for directory in installed])
        if "skipped" in done.stdout:
            self.skipTest(done.stdout.strip())
        self.assertWorks(done)
        self.assertIn(f"{TABLE_41}: same", done.stdout)


if __name__ == "__main__":
    support.main()
