"""The C that emit writes: compiled, run, and what it then holds compared with the JSON."""
import os
import shutil

import support
from mqdlib import table
from mqdlib.spec import read_specs

# Prints every table as the lines that expected_lines() makes of the JSON; with an argument also where types lie.
PRINTER = """\
#include <inttypes.h>
#include <stdio.h>
#include "layout/layout.h"

static const char *const kinds[] = {"none", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "ptr", "size", "enum",
                                    "bool", "chars", "bytes", "struct"};

static void print(const struct mqd_table *table, bool tells_places)
{
    printf("table %s %s %s %s %s %d %d %d%s\\n", mqd_library_titles[table->library], table->first, table->last,
           table->arch, table->variant, table->abi.pointer_size, table->abi.long_size, table->abi.little_endian,
           table->site ? " site" : "");
    for (int t = 0; t < MQD_N_TYPES; t++) {
        const struct mqd_table_type *type = table->types[t];

        if (type)
            printf("type %s %" PRIu32 "\\n", mqd_type_specs[t].name, type->size);
        if (type && tells_places)
            printf("at %s %p\\n", mqd_type_specs[t].name, (const void *)type);
        for (unsigned s = mqd_type_specs[t].first_step; type && s < mqd_type_end((enum mqd_type_id)t); s++) {
            const struct mqd_field *field = &type->fields[s - mqd_type_specs[t].first_step];

            if (field->present || field->offset || field->size || field->kind)
                printf("field%s %s %" PRIu32 " %" PRIu32 " %s\\n", field->present ? "" : " that is absent",
                       mqd_step_specs[s].member, field->offset, field->size, kinds[field->kind]);
        }
    }
    for (int i = 0; table->constants && i < MQD_N_CONSTANTS; i++)
        if (table->constants[i].present || table->constants[i].value)
            printf("constant%s %s %" PRId64 "\\n", table->constants[i].present ? "" : " that is absent",
                   mqd_constant_specs[i].name, table->constants[i].value);
    if (tells_places)
        printf("at constants %p\\n", (const void *)table->constants);
}

int main(int argc, char **argv)
{
    (void)argv;
    for (size_t t = 0; t < mqd_n_tables; t++)
        print(mqd_tables[t], argc > 1);
    for (size_t t = 0; t < mqd_n_ucx_tables; t++)
        print(mqd_ucx_tables[t], argc > 1);
    return 0;
}
"""


def expected_lines(value, spec):
    """What PRINTER prints of a table."""
    abi = value["abi"]
    lines = [f"table {spec.title} {value['family']['first']} {value['family']['last']} {abi['arch']} "
             f"{table.variant_text(value)} {abi['pointer']} {abi['long']} {int(abi['endian'] == 'little')}"]
    for type_spec in spec.types.values():
        if type_spec.name in value["types"]:
            facts = value["types"][type_spec.name]
            lines.append(f"type {type_spec.name} {facts['size']}")
            lines += ["field {} {offset} {size} {kind}".format(member, **facts["fields"][member])
                      for member in type_spec.steps if member in facts["fields"]]
    constants = value.get("constants", {})
    return lines + [f"constant {name} {constants[name]}" for name in spec.constants if name in constants]


class Emit(support.Scratch):
    """The demo spec lies where the real layout.h includes its own from."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("layout"))
        self.spec = self.write("layout/openmpi.def", support.DEMO_SPEC)
        self.ucx = self.write("layout/ucx.def", support.DEMO_UCX_SPEC)
        for name in ("lists.def", "layout.h"):
            shutil.copy(os.path.join(support.ROOT, "layout", name), self.path("layout"))
        self.specs = read_specs([self.spec, self.ucx])
        self.known = self.specs["openmpi"]
        os.mkdir(self.path("program"))  # not beside layout/, which it would then include from in preference to -I
        self.write("program/print.c", PRINTER)
        self.tables = self.path("program/tables.c")

    def demo(self, **changes):
        value = support.demo_table(self.known.digest)
        value.update(changes)
        return value

    def run_emit(self, *paths):
        return self.mqdgen("emit", "--spec", self.spec, "--spec", self.ucx, "-o", self.tables, *paths)

    def emit(self, *values, site=()):
        """Returns the C for tables of ours and of a site."""
        paths = [self.write(f"table{i}.json", table.to_text(value)) for i, value in enumerate(values)]
        for i, value in enumerate(site):
            paths += ["--site", self.write(f"site{i}.json", table.to_text(value))]
        self.assertWorks(self.run_emit(*paths))
        return self.read("program/tables.c")

    def print(self, *arguments, include=None, compiler=support.CC):
        """Compiles what was emitted, with every warning an error, and returns the lines that it prints."""
        done = support.run(compiler.split() + support.WARNINGS + [
            "-I", include or self.directory, "-o", self.path("print"), self.tables, self.path("program/print.c"),
            os.path.join(support.ROOT, "layout", "spec.c")])
        self.assertEqual(done.returncode, 0, done.stderr)
        return support.run([self.path("print"), *arguments]).stdout.splitlines()

    def assertPrints(self, *values):
        """With every compiler, these tables one after another."""
        expected = [line for value in values for line in expected_lines(value, self.specs[table.library_of(value)])]
        for compiler in support.compilers():
            with self.subTest(compiler):
                self.assertEqual(self.print(compiler=compiler), expected)

    @support.needs_cc
    def test_the_c_holds_what_the_json_holds(self):
        big = self.demo(abi={"arch": "ppc64", "pointer": 8, "long": 8, "endian": "big"}, variant=["debug", "cuda"])
        big["types"]["big_t"]["fields"]["newer"] = {"offset": 180, "size": 4, "kind": "u32"}
        big["types"]["big_t"]["fields"]["name"] = {"offset": 128, "size": 8, "kind": "ptr"}
        older = self.demo(family={"first": "3.1.0", "last": "4.0.0"})
        older["abi"]["long"] = 4
        older["origin"].update(spec="0" * 16, openmpi="3.1.6")
        del older["types"]["big_t"], older["types"]["item_t"]["fields"]["length"]
        older["constants"] = {"state_busy": -7, "wire_type": 255, "none": 0, "least": -(1 << 63)}
        self.emit(self.demo(), big, older)
        self.assertPrints(older, big, self.demo())

    def constants_of(self, *tables, site=()):
        """What each table has in C, in the order of the C."""
        self.emit(*tables, site=site)
        found = []
        for line in self.print():
            if line.startswith("table "):
                found.append({})
            elif line.startswith("constant "):
                found[-1][line.split()[1]] = int(line.split()[2])
        return found

    @support.needs_cc
    def test_equal_constants_are_one_object(self):
        other, third = self.demo(variant=["debug"]), self.demo(variant=["cuda"])
        third["constants"]["wire_type"] = 66
        self.emit(self.demo(), other, third)
        at = [line for line in self.print("-a") if line.startswith("at constants ")]
        self.assertEqual((len(at), len(set(at))), (3, 2))

    def newer(self):
        """One of ours for another release, whose constants differ."""
        value = self.demo(family={"first": "5.0.0", "last": "5.0.9"})
        value["constants"].update(wire_type=70, least=3)
        value["origin"]["openmpi"] = "5.0.1"
        return value

    @support.needs_cc
    def test_a_table_without_constants_borrows_those_of_its_release(self):
        newer = self.newer()
        # From debug information: an enumerator of its own, and for an older spec: nothing.
        site = self.demo(variant=["site"], constants={"state_busy": 9})
        older = self.demo(variant=["older"])
        older["origin"].update(spec="0" * 16, openmpi="5.0.3", checked="offsetof")
        older["family"] = {"first": "5.0.3", "last": "5.0.3"}
        del older["constants"]
        self.assertEqual(self.constants_of(self.demo(), newer, site=[site, older]),
                         [support.CONSTANTS, newer["constants"], dict(support.CONSTANTS, state_busy=9),
                          newer["constants"]])

    @support.needs_cc
    def test_of_an_unknown_release_a_table_borrows_what_all_agree_on(self):
        newer = self.newer()
        site = self.demo(family={"first": "7.0.0", "last": "7.0.0"}, constants={})
        site["origin"]["openmpi"] = "7.0.0"
        self.assertEqual(self.constants_of(self.demo(), newer, site=[site])[2],
                         {"state_busy": 1, "none": 1, "least": 3})
        self.assertEqual(self.constants_of(site=[site]), [{}])

    @support.needs_cc
    def test_what_the_headers_lack_is_not_borrowed(self):
        other = self.demo(variant=["debug"], constants=dict(support.CONSTANTS, least=3))
        confirmed = self.demo()
        confirmed["origin"]["checked"] = "offsetof"
        self.assertEqual(self.constants_of(confirmed, other), [other["constants"], support.CONSTANTS])

    @support.needs_cc
    def test_equal_types_are_one_object(self):
        other = self.demo(variant=["debug"])
        other["types"]["big_t"]["fields"]["tiny"]["offset"] = 157
        text = self.emit(self.demo(), other)
        self.assertEqual(text.count("struct mqd_table_type type_"), 5)
        self.assertNotIn("type_item_t_1", text)
        at = [line.split() for line in self.print("-a") if line.startswith("at ")]
        addresses = {name: {address for _, whose, address in at if whose == name} for name in self.known.types}
        self.assertEqual({name: len(found) for name, found in addresses.items()},
                         {"object_t": 1, "item_t": 1, "either_t": 1, "big_t": 2})

    def test_the_order_of_arguments_does_not_matter(self):
        values = [self.demo(), self.demo(variant=["debug"]), self.demo(family={"first": "10.0.0", "last": "10.0.0"}),
                  self.demo(family={"first": "4.0.1", "last": "4.0.7"})]
        first = self.emit(*values)
        self.assertEqual(self.emit(*values), first)
        self.assertEqual(self.emit(*reversed(values)), first)
        order = [first.index(f'.first = "{release}"') for release in ("4.0.1", "4.1.0", "10.0.0")]
        self.assertEqual(order, sorted(order))

    def test_two_tables_for_the_same_are_refused(self):
        paths = [self.write(f"{name}.json", table.to_text(self.demo())) for name in "ab"]
        self.assertFails(self.run_emit(*paths), f"{paths[1]}: is for the same releases, ABI and variant as {paths[0]}")

    @support.needs_cc
    def test_a_sites_tables_are_marked_and_may_be_for_the_same(self):
        ours = self.write("ours.json", table.to_text(self.demo()))
        theirs = self.write("theirs.json", table.to_text(self.demo()))
        self.assertWorks(self.run_emit(ours, "--site", theirs))
        lines = expected_lines(self.demo(), self.known)
        self.assertEqual(self.print(), lines + [lines[0] + " site"] + lines[1:])
        self.assertFails(self.run_emit("--site", theirs, "--site", ours),
                         f"{ours}: is for the same releases, ABI and variant as {theirs}", "--variant")

    @support.needs_cc
    def test_no_tables_at_all(self):
        self.emit()
        self.assertPrints()

    @support.needs_cc
    def test_another_spec_does_not_compile(self):
        self.emit(self.demo())
        self.change("layout/openmpi.def", "MQD_STEP(big_t, flag, bool, always)\n",
                    "MQD_STEP(big_t, flag, bool, always)\nMQD_STEP(big_t, flag2, bool, always)\n")
        done = support.run(support.COMPILE + ["-I", self.directory, "-c", "-o", self.path("tables.o"), self.tables])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("generated from other lists of types", done.stderr)

    @support.needs_cc
    def test_the_projects_own_tables(self):
        paths = support.own_tables(support.TABLES, support.UCX_TABLES)
        self.assertTrue(paths)
        self.assertWorks(self.mqdgen("emit", "-o", self.tables, *paths))
        specs = read_specs(support.SPECS)
        expected = [expected_lines(value, specs[table.library_of(value)]) for value in map(self.read_table, paths)]
        printed = self.print(include=support.ROOT)
        self.assertEqual(printed, [line for lines in sorted(expected, key=lambda lines: printed.index(lines[0]))
                                   for line in lines])

    @support.needs_cc
    def test_each_library_has_an_array_of_its_own(self):
        """Ids of the second library follow those of the first; no table has anything of the other library."""
        ucx, newer = (support.demo_ucx_table(self.specs["ucx"].digest) for _ in range(2))
        newer["family"] = {"first": "1.11.0", "last": "1.11.2"}
        text = self.emit(ucx, self.demo(), newer)
        self.assertEqual([text.count(f".library = MQD_LIBRARY_{name},") for name in self.specs], [1, 2])
        self.assertPrints(self.demo(), ucx, newer)
        done = self.mqdgen("emit", "--spec", self.spec, "-o", self.tables, self.write("u.json", table.to_text(ucx)))
        self.assertFails(done, f"{self.path('u.json')}: is a table of UCX: name the list of its types with --spec")

    @support.needs_cc
    def test_constants_are_borrowed_from_tables_of_the_same_library_only(self):
        lacking, having = (support.demo_ucx_table(self.specs["ucx"].digest) for _ in range(2))
        del lacking["constants"]
        having["variant"] = ["assert"]
        ours = self.demo(constants={})
        self.assertEqual(self.constants_of(ours, lacking), [{}, {}])
        having["origin"]["spec"] = lacking["origin"]["spec"] = "0" * 16
        self.assertEqual(self.constants_of(ours, lacking, having), [{}, support.UCX_CONSTANTS, support.UCX_CONSTANTS])


if __name__ == "__main__":
    support.main()
