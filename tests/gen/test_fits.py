"""
mqdgen fits: which tables fit a library. The libraries are compiled here, with the class descriptors that Open MPI's
have, for every architecture that there is a compiler for.
"""
import json
import os
import shutil
import unittest

import support
from mqdlib import fits, report, table
from mqdlib.elf import ElfFile
from mqdlib.errors import MqdError
from mqdlib.recipe import load
from mqdlib.spec import read_spec

RECIPE = os.path.join(support.ROOT, "gen", "tables.json")
SPEC = read_spec(support.SPEC)
DESCRIPTOR = """\
struct opal_class_t {
    const char *cls_name;
    struct opal_class_t *cls_parent;
    void (*cls_construct)(void), (*cls_destruct)(void);
    int cls_initialized, cls_depth;
    void *cls_construct_array, *cls_destruct_array;
    __SIZE_TYPE__ cls_sizeof;
};
"""
BIG = {"arch": "s390x", "pointer": 8, "long": 8, "endian": "big"}


def own_table(name):
    """One of the project's tables, by the end of its path."""
    path, = (path for path in support.own_tables() if path.endswith(name))
    return path, table.load(path, SPEC)[0]


def sizes_in(one):
    """What the class descriptors of a build state that a table is of."""
    return {name: facts["size"] for name, facts in one["types"].items()
            if SPEC.types[name].descriptor == "class"}


class Libraries(support.Scratch):
    """A test that compiles libraries."""

    def library(self, name, sizes, compiler=support.CC, release="4.1.4", more=""):
        """A stripped library with these class descriptors; without a release it does not say any."""
        lines = [DESCRIPTOR]
        if release:
            lines.append(f'const char ompi_version_string[] = "Open MPI v{release}, package: here";')
        for number, (type_name, size) in enumerate(sizes.items()):
            parent = f"&{list(sizes)[number - 1]}_class" if number else "0"
            lines.append(f"struct opal_class_t {type_name}_class ="
                         f' {{"{type_name}", {parent}, 0, 0, 0, 0, 0, 0, {size}}};')
        source = self.write("library.c", "\n".join(lines) + "\n" + more)
        done = support.run(compiler.split() + ["-shared", "-fPIC", "-nostdlib", "-s", "-o", self.path(name), source])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(name)

    def fits(self, *arguments):
        """With the tables of one family, which is sooner done, unless the arguments name others."""
        family = os.path.dirname(own_table("4.1.0-4.1.8/i386-release.json")[0])
        tables = [] if "--tables" in arguments else ["--tables", family]
        return self.mqdgen("fits", *tables, *arguments)

    def assertFirst(self, done, one):
        """A table fits, and it is named first."""
        self.assertWorks(done)
        self.assertEqual(done.stdout.splitlines()[1], f"fits: {report.title(one)}")


@support.needs_cc
class EveryArchitecture(Libraries):
    def test_the_sizes_of_each_table_are_found_again(self):
        """For each architecture with a compiler here: its tables fit what they are of, and are preferred."""
        compilers = load(RECIPE)["compilers"]
        tables = [table.load(path, SPEC)[0] for path in support.own_tables()]
        wanted = [one for one in tables if one["variant"] == ["release"] and
                  shutil.which(compilers[one["abi"]["arch"]].split()[0])]
        if not wanted:
            self.skipTest("none of the recipe's compilers is here")
        for one in wanted:
            abi, last = one["abi"], one["family"]["last"]
            path = self.library(f"{abi['arch']}-{last}.so", sizes_in(one), compilers[abi["arch"]], last)
            lines, any_fits = fits.report_lines(fits.Libraries(SPEC, [ElfFile(path)]), tables, False)
            self.assertTrue(any_fits)
            self.assertEqual(lines[:2], [
                f"Open MPI {last}, {abi['arch']}: pointer {abi['pointer']}, {abi['endian']} endian, "
                f"{len(sizes_in(one))} class descriptors", f"fits: {report.title(one)}"])

    def test_a_big_endian_number_is_not_read_the_other_way_round(self):
        compiler = load(RECIPE)["compilers"]["s390x"]
        self.need(compiler.split()[0], "gcc-s390x-linux-gnu")
        _, one = own_table("4.1.0-4.1.8/s390x-release.json")
        sizes = dict(sizes_in(one), opal_lifo_t=0x01020304)
        done = self.fits("--all", self.library("libmpi.so", sizes, compiler))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"does not fit: {report.title(one)}\n  opal_lifo_t: {0x01020304} bytes, in the table "
                      f"{one['types']['opal_lifo_t']['size']}\n", done.stdout)


@support.needs_cc
@unittest.skipUnless(os.uname().machine == "x86_64", "these libraries are for x86_64")
class Fits(Libraries):
    def setUp(self):
        super().setUp()
        self.table_path, self.table = own_table("4.1.0-4.1.8/x86_64-release.json")
        self.sizes = sizes_in(self.table)

    def with_table(self, name, change):
        """A table with changes, made for another spec, so that it may lack something."""
        one = json.loads(table.to_text(self.table))
        one["origin"]["spec"] = "0" * 16
        change(one)
        return self.write(name, table.to_text(one))

    def test_several_libraries_are_one_open_mpi(self):
        half = len(self.sizes) // 2
        first = self.library("libmpi.so", dict(list(self.sizes.items())[:half]))
        second = self.library("libopen-pal.so", dict(list(self.sizes.items())[half:]), release=None)
        done = self.fits(first, second)
        self.assertFirst(done, self.table)
        self.assertIn(f"{len(self.sizes)} class descriptors\n", done.stdout)

    def test_an_installation_is_found(self):
        os.makedirs(self.path("prefix/lib/openmpi"))
        self.library("prefix/lib/libmpi.so.40", self.sizes)
        self.library("prefix/lib/openmpi/mca_pml_ob1.so", {"mca_pml_ob1_comm_t": 8}, release=None)
        self.assertFirst(self.fits("--prefix", self.path("prefix")), self.table)

    def test_the_nearest_is_told_with_what_contradicts_it(self):
        sizes = dict(self.sizes, opal_free_list_t=344, ompi_request_t=self.sizes["ompi_request_t"] + 8)
        done = self.assertDiffers(self.mqdgen("fits", self.library("libmpi.so", sizes)))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[1], r"^none of \d+ tables fits; the nearest:$")
        self.assertEqual(lines[2:], [
            f"does not fit: {report.title(self.table)}",
            f"  opal_free_list_t: 344 bytes, in the table {self.sizes['opal_free_list_t']}",
            f"  ompi_request_t: {sizes['ompi_request_t']} bytes, in the table {self.sizes['ompi_request_t']}"])

    def test_all_tables_of_this_abi_can_be_told(self):
        done = self.fits("--all", self.library("libmpi.so", self.sizes))
        self.assertFirst(done, self.table)
        same_abi = [path for path in support.own_tables() if "4.1.0-4.1.8" in path and
                    dict(table.load(path, SPEC)[0]["abi"], arch="") == dict(self.table["abi"], arch="")]
        lines = done.stdout.splitlines()
        self.assertEqual(sum(line.startswith(("fits: ", "does not fit: ")) for line in lines), len(same_abi))
        self.assertNotIn("the nearest", done.stdout)

    def test_the_release_and_then_the_processor_decide_between_equals(self):
        path, older = self.table_path, self.path("older.json")
        for name, first, last, arch in (("older.json", "4.0.0", "4.0.9", "x86_64"),
                                        ("other.json", "4.1.0", "4.1.8", "aarch64")):
            self.with_table(name, lambda one: (one["family"].update(first=first, last=last),
                                               one["abi"].update(arch=arch)))
        library = self.library("libmpi.so", self.sizes)
        done = self.fits("--tables", older, "--tables", self.path("other.json"), "--tables", path, library)
        self.assertEqual([line.split(" Open MPI ")[1] for line in done.stdout.splitlines()[1:]], [
            "4.1.0 to 4.1.8, x86_64, release", "4.1.0 to 4.1.8, aarch64, release", "4.0.0 to 4.0.9, x86_64, release"])
        done = self.fits("--tables", path, "--tables", older, self.library("libmpi.so", self.sizes, release="4.0.3"))
        self.assertIn("4.0.0 to 4.0.9", done.stdout.splitlines()[1])

    def test_no_table_for_this_byte_order(self):
        big = self.with_table("big.json", lambda one: one.update(abi=BIG))
        done = self.fits("--tables", big, self.library("libmpi.so", self.sizes))
        self.assertEqual((done.returncode, done.stdout.splitlines()[1:]),
                         (1, ["no table is for pointer 8, long 8, little endian"]))

    def test_a_type_that_may_be_longer(self):
        prefix = fits.prefix_of(self.table["types"]["ompi_proc_t"])
        for size, fitting in ((prefix, True), (prefix + 800, True), (prefix - 8, False)):
            done = self.fits("--tables", self.table_path, self.library("libmpi.so", dict(self.sizes, ompi_proc_t=size)))
            self.assertEqual(done.returncode, 0 if fitting else 1)
        self.assertIn(f"  ompi_proc_t: {prefix - 8} bytes, in the table at least {prefix}\n", done.stdout)

    def test_a_type_that_the_table_does_not_have(self):
        path = self.with_table("less.json", lambda one: one["types"].pop("mca_pml_ob1_recv_frag_t"))
        done = self.fits("--tables", path, self.library("libmpi.so", self.sizes))
        self.assertEqual(done.returncode, 1)
        self.assertIn("in the table no such type\n", done.stdout)
        path = self.with_table("none.json", lambda one: one["types"]["opal_class_t"]["fields"].pop("cls_sizeof"))
        self.assertFails(self.fits("--tables", path, self.path("libmpi.so")), "has no opal_class_t.cls_sizeof")

    def test_what_is_no_class_descriptor(self):
        """A descriptor of another size is one of another kind; where all are 0 there is none in the file."""
        longer = "struct { struct opal_class_t head; long more; } opal_list_t_class = {{.cls_sizeof = %d}, 0};\n"
        sizes = dict(self.sizes)
        more = longer % sizes.pop("opal_list_t")
        done = self.fits("--tables", self.table_path, self.library("libmpi.so", sizes, more=more))
        self.assertEqual(done.returncode, 1)
        self.assertIn("  opal_class_t: 72 bytes, in the table 64\n", done.stdout)
        more = "struct opal_class_t opal_list_t_class;\n"
        self.assertFirst(self.fits(self.library("libmpi.so", sizes, more=more)), self.table)

    def test_what_is_no_open_mpi(self):
        library = self.library("libm.so", {}, more="int opal_list_t;\n")
        self.assertFails(self.fits(library), "libm.so: no class descriptor of Open MPI's there")
        self.assertFails(self.fits(support.SPEC), "openmpi.def: not an ELF file")
        self.assertFails(self.fits("--prefix", self.directory), "no libmpi.so of Open MPI")

    def for_machine(self, library, machine):
        """The library as if it were for another processor, by its number in ELF."""
        data = support.contents(library)
        return self.write_bytes("other.so", data[:18] + machine.to_bytes(2, "little") + data[20:])

    def test_files_of_two_architectures(self):
        library = self.library("libmpi.so", self.sizes)
        self.assertFails(self.fits(library, self.for_machine(library, 183)), "other.so: is for another architecture")

    def test_an_architecture_without_tables_has_the_types_of_another(self):
        path, riscv = own_table("6.0.0-6.0.0/riscv64-release.json")
        library = self.library("libmpi.so", sizes_in(riscv), release="6.0.0rc2")
        done = self.fits("--tables", os.path.dirname(path), self.for_machine(library, 258))
        self.assertFirst(done, riscv)
        self.assertIn("Open MPI 6.0.0rc2, loongarch64: pointer 8, little endian", done.stdout)

    def test_usage(self):
        library = self.library("libmpi.so", self.sizes)
        for arguments in ([], ["--prefix", self.directory, library]):
            self.assertEqual(self.fits(*arguments).returncode, 2)
        os.mkdir(self.path("empty"))
        self.assertFails(self.fits("--tables", self.path("empty"), library), "empty: no tables there")
        self.assertFails(self.fits("--tables", self.path("none.json"), library), "none.json: cannot read it")
        os.makedirs(self.path("deep/er"))
        shutil.copy(self.table_path, self.path("deep/er/one.json"))
        self.assertFirst(self.fits("--tables", self.path("deep"), library), self.table)

    def test_damaged_files_are_errors_or_fit_nothing(self):
        library = self.library("good.so", self.sizes)
        places = {0, 1, 19, 63, 64}
        elf = ElfFile(library)
        flips = set(range(4, 64))
        for name in (".dynsym", ".dynstr", ".data", ".data.rel.local", ".data.rel"):
            if name in elf.sections:
                section = elf.sections[name]
                places.update((section.offset, section.offset + section.size - 1))
                flips.update(range(section.header, section.header + 64))
                flips.update(range(section.offset, section.offset + min(section.size, 96)))
        outcomes = {"refused": 0, "told": 0}
        for _, data in support.damaged(support.contents(library), places, flips):
            bad = self.write_bytes("bad.so", data)
            try:
                lines, _ = fits.report_lines(fits.Libraries(SPEC, [ElfFile(bad)]), [self.table], True)
                self.assertGreater(len(lines), 1)
                outcomes["told"] += 1
            except MqdError as error:
                self.assertIn("bad.so: ", str(error))
                outcomes["refused"] += 1
        self.assertTrue(all(outcomes.values()), outcomes)


if __name__ == "__main__":
    support.main()
