"""
Runs a compiler. It compiles a probe object with the spec's types and constants, tells how the headers are configured,
and proves every row of a table.
"""
import os
import re
import shlex
import struct
import subprocess

from .elf import ElfFile
from .errors import MqdError

ABI_MACROS = ("__SIZEOF_POINTER__", "__SIZEOF_LONG__", "__BYTE_ORDER__", "__ORDER_LITTLE_ENDIAN__")

# The section of the probe object that holds the values of the constants, 8 bytes each (long long).
CONSTANTS = ".mqd_constants"

RIGHT_RELEASE = "are the -I, -D and --source options those of the right release?"

# The ABIs of compilers that were asked, by their command and macros. Many tables are made with the same compiler.
ABIS = {}

# For these architectures libdw, and so pahole, cannot relocate the debug information of an object file. The linker can.
LINKED_ARCHES = ("mips64el", "mips64")

# Each macro is a constant expression: does x have this kind? BTF states the kind, and the compiler confirms it.
KIND_PROOFS = """\
#define MQD_SIGNED(x) _Generic((x), signed char: 1, short: 1, int: 1, long: 1, long long: 1, default: 0)
#define MQD_UNSIGNED(x) _Generic((x), unsigned char: 1, unsigned short: 1, unsigned int: 1, unsigned long: 1, \\
                                 unsigned long long: 1, default: 0)
#define MQD_BOOL(x) _Generic((x), _Bool: 1, default: 0)
#define MQD_POINTER(x) (sizeof(&*(x)) == sizeof(void *))
"""


def kind_proof(kind):
    """Returns the macro of KIND_PROOFS for a kind; None if the kind has none and only the size is proved."""
    if kind[0] == "i":
        return "MQD_SIGNED"
    if kind in ("u8", "u16", "u32", "u64", "size"):
        return "MQD_UNSIGNED"
    return {"bool": "MQD_BOOL", "ptr": "MQD_POINTER"}.get(kind)


class Compiler:
    """A C compiler, its flags, and a directory for its files."""

    ARRAY_BEGINS = f'__attribute__((section("{CONSTANTS}"), used)) const long long mqd_constants[] = {{ 0,'
    kind_proofs, contradiction = KIND_PROOFS, "the compiler contradicts pahole"

    def __init__(self, spec, command, include_dirs, macros, source, directory):
        self.spec = spec
        self.command = shlex.split(command)
        if not self.command:
            raise MqdError("--cc: no compiler is named")
        self.flags = [f"-I{path}" for path in include_dirs] + [f"-D{macro}" for macro in macros]
        for sub in spec.library.source_dirs if source else ():
            path = os.path.join(source, sub) if sub else source
            if os.path.isdir(path):
                self.flags += [spec.library.source_option, path]
        self.directory = directory
        self.headers_of = "the headers"
        self.marker = os.path.basename(spec.path)
        self.not_includable = None
        # The alternatives that these headers have, {name of a constant: expression}.
        self.expressions = {}
        self.add_config_header()

    def add_config_header(self):
        """Adds opal_config.h where some headers of 5.0 include it from: its place in the directory of the build."""
        os.makedirs(os.path.join(self.directory, "build", "opal", "include"), exist_ok=True)
        self.write("build/opal/include/opal_config.h", ["#include <opal_config.h>"])
        self.flags += ["-idirafter", os.path.join(self.directory, "build")]

    def run(self, arguments):
        command = self.command + arguments
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  encoding="utf-8", errors="replace", check=False, env=dict(os.environ, LC_ALL="C"))
        except OSError as error:
            raise MqdError(f"{command[0]}: cannot run the compiler: {error.strerror}: name one with --cc") from error

    def write(self, name, lines):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def at(self, line, text):
        """Returns a line of C with a #line directive: the compiler's errors about it name a line of the spec."""
        return [f'#line {line} "{self.marker}"', text]

    def includes(self):
        """Returns the lines of C that include the headers."""
        if self.not_includable is None:
            self.not_includable = self.find_not_includable() if self.spec.foreign_headers else set()
        return self.includes_without(self.not_includable)

    def includes_without(self, left_out):
        lines = []
        for header, line in self.spec.headers.items():
            if header in left_out:
                continue
            include = self.at(line, f'#include "{header}"')
            if header in self.spec.optional_headers:
                include = [f'#if __has_include("{header}")'] + include + ["#endif"]
            lines += include
        return lines

    def find_not_includable(self):
        """
        Returns the foreign headers that are there, but do not compile: what they need of another package is not, or the
        headers are configured without it.
        """
        foreign = {line: header for header, line in self.spec.headers.items() if header in self.spec.foreign_headers}
        left_out = set()
        while True:
            done = self.run(self.flags + ["-w", "-fsyntax-only",
                                          self.write("headers.c", self.includes_without(left_out))])
            through = [foreign[line] for line in self.complaints(done.stderr) if line in foreign]
            if not through:
                return left_out
            left_out.update(through)

    def complaints(self, output):
        """Returns the lines of the spec that the compiler's errors name, also those of an #include with an error."""
        marker = re.escape(self.marker)
        pattern = rf"^{marker}:(\d+):.*error|^(?:In file included)? +from {marker}:(\d+)[:,]"
        return [int(direct or through) for direct, through in re.findall(pattern, output, re.MULTILINE)]

    def predefined(self):
        """Returns the macros that the compiler predefines. They tell its ABI."""
        path = self.write("empty.c", [])
        done = self.run(self.flags + ["-dM", "-E", path])
        if done.returncode != 0:
            raise MqdError(f"{self.command[0]}: cannot preprocess an empty file:\n{shortened(done.stderr)}")
        return dict(re.findall(r"^#define (\w+) (.*)$", done.stdout, re.MULTILINE))

    def abi(self):
        """Returns the compiler's ABI. Directories do not change it, so a compiler is asked once."""
        asked = (*self.command, *(flag for flag in self.flags if flag.startswith("-D")))
        if asked not in ABIS:
            ABIS[asked] = self.find_abi()
        return dict(ABIS[asked])

    def find_abi(self):
        """Returns the compiler's ABI from its macros. The ELF header of an object file that it makes must agree."""
        macros = self.predefined()
        for name in ABI_MACROS:
            if name not in macros:
                raise MqdError(f"{self.command[0]}: does not predefine {name}: use a compiler like gcc or clang")
        path = os.path.join(self.directory, "empty.o")
        done = self.run(self.flags + ["-w", "-c", "-o", path, self.write("empty.c", [])])
        if done.returncode != 0:
            raise MqdError(f"{self.command[0]}: cannot compile an empty file:\n{shortened(done.stderr)}")
        little = macros["__BYTE_ORDER__"] in ("__ORDER_LITTLE_ENDIAN__", macros["__ORDER_LITTLE_ENDIAN__"])
        of_object = ElfFile(path).abi
        abi = {"arch": of_object["arch"], "pointer": int(macros["__SIZEOF_POINTER__"]),
               "long": int(macros["__SIZEOF_LONG__"]), "endian": "little" if little else "big"}
        for key, value in of_object.items():
            if abi[key] != value:
                raise MqdError(f"{self.command[0]}: its macros say {key} {abi[key]}, its object files {value}")
        return abi

    def headers_seen(self):
        """
        Returns (macros, others). `macros` are the layout macros that the headers define; `others` are the macros that
        tell the headers' release and ABI.
        """
        library, lines = self.spec.library, self.includes()
        other_macros = library.version_macros + tuple(library.sizes) + ((library.arch_macro,) if library.arch_macro
                                                                        else ())
        for name in library.layout_macros + other_macros:
            lines += [f"#ifdef {name}", f"mqd_macro_{name} {name}", "#endif"]
        done = self.run(self.flags + ["-E", "-P", self.write("macros.c", lines)])
        if done.returncode != 0:
            raise self.refusal("the headers cannot be preprocessed", done)
        seen = {name: value.strip() for name, value in
                re.findall(r"^mqd_macro_(\w+) ?(.*)$", done.stdout, re.MULTILINE)}
        others = {name: seen.pop(name) for name in other_macros if name in seen}
        return {name: int(value) if re.fullmatch(r"-?\d+", value) else value for name, value in seen.items()}, others

    def refusal(self, what, done):
        """Returns a compiler error as MqdError: the row of the spec that it is about, then the compiler's text."""
        things = {step.line: step.name for step in self.spec.steps()}
        things.update((type_.line, type_.name) for type_ in self.spec.types.values())
        things.update((line, header) for header, line in self.spec.headers.items())
        things.update((constant.line, constant.title) for constant in self.spec.constants.values())
        complaints = self.complaints(done.stderr)
        constants = {constant.line: constant for constant in self.spec.constants.values()}
        if complaints and complaints[0] in constants:
            what = f"{self.headers_of} lack it, or it is no constant there"
        named = [things[line] for line in complaints if line in things]
        where = f"{self.spec.path}: {named[0]}: " if named else f"{self.spec.path}: "
        return MqdError(f"{where}{what}; {' '.join(self.command)} says:\n{shortened(done.stderr)}\n"
                        f"({self.advice(done.stderr)})")

    def advice(self, said):
        """Returns what to do about a compiler's error."""
        library = self.spec.library
        return library.how_to_configure if f"{library.config_header}: No such file" in said else RIGHT_RELEASE

    def probe_object(self):
        """
        Returns (path, constants): an object file with debug information for the spec's types, and {name: value}. The
        probe defines an object of each type, because sizeof alone leaves no debug information. A type or constant that
        a family may lack is left out if the compiler does not know it. Of a constant with several names the first one
        counts that the compiler knows.
        """
        left_out, names = set(), {one.line: list(one.expressions) for one in self.spec.constants.values()}
        while True:
            lines = self.includes()
            for type_ in self.spec.types.values():
                if type_.line not in left_out:
                    lines += self.at(type_.line, f"{type_.c_name} mqd_anchor_{type_.name};")
            constants = [one for one in self.spec.constants.values() if one.line not in left_out]
            lines.append(self.ARRAY_BEGINS)
            for constant in constants:
                lines += self.at(constant.line, f"{number(constant, names[constant.line][0])},")
            lines.append("};")
            path = os.path.join(self.directory, "probe.o")
            done = self.run(self.flags + ["-w", "-g", "-c", "-o", path, self.write("probe.c", lines)])
            if done.returncode == 0:
                self.expressions = {one.name: names[one.line][0] for one in constants}
                readable = self.linked(path) if ElfFile(path).abi["arch"] in LINKED_ARCHES else path
                return readable, self.values(path, constants)
            self.give_way(done, left_out, names)

    def give_way(self, done, left_out, choices, lacking=()):
        """
        Changes what is compiled next, after the compiler refused it. Of the choices, {line: alternatives}, those that
        it complains about lose their first one as long as there are others. What a family may lack, which is types,
        constants and the lines in `lacking`, is left out. Raises MqdError if nothing of that helps.
        """
        lacking = set(lacking).union((type_.line for type_ in self.spec.types.values() if type_.may_lack),
                                     (one.line for one in self.spec.constants.values() if one.rule == "optional"))
        complaints = set(self.complaints(done.stderr)) - left_out
        others = {line for line in complaints if len(choices.get(line, ())) > 1}
        for line in others:
            del choices[line][0]
        new = lacking.intersection(complaints) - others
        if not new and not others:
            raise self.refusal("the compiler refuses it", done)
        left_out |= new

    def linked(self, path):
        """Links the object file into a shared library, whose debug information has no relocations. Returns its path."""
        library = os.path.join(self.directory, "probe.so")
        done = self.run(["-shared", "-nostdlib", "-o", library, path])
        if done.returncode != 0:
            raise MqdError(f"{self.command[0]}: cannot link the probe:\n{shortened(done.stderr)}")
        return library

    def values(self, path, constants):
        """Returns {name: value} of the constants, which the probe object holds in the same order."""
        found = dict(zip((one.name for one in constants), self.numbers(path, len(constants))))
        self.check_fits(found)
        return found

    def numbers(self, path, count):
        """Returns so many numbers that the probe object holds, behind the first one."""
        elf = ElfFile(path)
        data = elf.bytes_of(CONSTANTS)
        if len(data) != 8 * (count + 1):
            raise MqdError(f"{self.command[0]}: its object file has {len(data)} bytes in {CONSTANTS} instead of "
                           f"{8 * (count + 1)}: use a compiler like gcc or clang, without -flto")
        return struct.unpack(f"{elf.order}{count + 1}q", data)[1:]

    def check_fits(self, found):
        """Checks that each of the constants {name: value} is a number of its kind."""
        for name, value in found.items():
            constant = self.spec.constants[name]
            if not constant.fits(value):
                raise MqdError(f"{self.spec.path}:{constant.line}: {constant.title}: {self.headers_of} say {value}, "
                               f"which is no {constant.kind}: what it is compared with has changed too")

    def prove(self, types, constants):
        """
        Compiles every row of a table as a static assertion. Raises MqdError with the first one that fails. A constant
        is proved by the size of an array, because clang allows no address in an assertion.
        """
        lines = self.includes() + ['#line 1 "proof.c"', "#include <stddef.h>"] + self.kind_proofs.splitlines()
        for name, facts in types.items():
            type_ = self.spec.types[name]
            lines += self.at(type_.line, f'_Static_assert(sizeof({type_.c_name}) == {facts["size"]}, "{name}");')
            for member, field in facts["fields"].items():
                lines += self.at(type_.steps[member].line, self.assertion(type_.c_name, type_.steps[member], field))
        for name, value in constants.items():
            constant = self.spec.constants[name]
            expression = number(constant, self.expressions[name])
            lines += self.at(constant.line, f"extern char mqd_proof_{name}[{expression} == {value} ? 1 : -1];")
        done = self.run(self.flags + ["-w", "-c", "-o", os.path.join(self.directory, "proof.o"),
                                      self.write("proof.c", lines)])
        if done.returncode != 0:
            raise self.refusal(self.contradiction, done)

    def assertion(self, name, step, field):
        """Returns the static assertion of one row, on one line."""
        way = field.get("path", step.ways[0])
        value = f"(({name} *)0)->{way}"
        terms = [f"offsetof({name}, {way}) == {field['offset']}", f"sizeof({value}) == {field['size']}"]
        proof = self.kind_proof(field["kind"], value)
        return f'_Static_assert({" && ".join(terms + ([proof] if proof else []))}, "{name}.{step.member}");'

    @staticmethod
    def kind_proof(kind, value):
        """Returns an expression that proves the kind of a value; None if only the size is proved."""
        proof = kind_proof(kind)
        return proof and f"{proof}({value})"


def number(constant, expression):
    """Returns a constant as a C expression of type long long. A pointer first becomes an integer of its own width."""
    return f"(long long)({'__UINTPTR_TYPE__' if constant.kind == 'ptr' else 'long long'})({expression})"


def shortened(output):
    """Returns the first lines of a compiler's output."""
    lines = output.strip().splitlines()
    return "\n".join(lines[:12] + (["..."] if len(lines) > 12 else []))
