"""
Types of headers in C++. pahole writes no BTF for them, because they have references and templates. So the compiler is
asked for each row itself: the probe object holds offset, size and kind as numbers.
"""
import os

from . import probe
from .errors import MqdError
from .spec import MAY_LACK

SIGNED, UNSIGNED, BOOL, POINTER, ENUM, STRUCT, OTHER = range(1, 8)

# An atomic number has the layout of the number.
KINDS = f"""\
#include <atomic>
#include <type_traits>
template <class T> struct mqd_plain {{ using type = T; }};
template <class T> struct mqd_plain<std::atomic<T>> {{ using type = T; }};
template <class Member> constexpr long long mqd_kind()
{{
    using T = typename mqd_plain<std::remove_cv_t<std::remove_reference_t<Member>>>::type;
    return std::is_same<T, bool>::value ? {BOOL} : std::is_pointer<T>::value ? {POINTER} :
           std::is_enum<T>::value ? {ENUM} : !std::is_integral<T>::value ? {OTHER} :
           std::is_signed<T>::value ? {SIGNED} : {UNSIGNED};
}}
template <class Member, class Inner> constexpr long long mqd_embeds()
{{
    return std::is_same<std::remove_all_extents_t<std::remove_reference_t<Member>>, Inner>::value ? {STRUCT} : {OTHER};
}}
"""


class Compiler(probe.Compiler):
    """A C++ compiler, to which no member is private."""

    kind_proofs, contradiction = KINDS + "#define _Static_assert static_assert", "the compiler contradicts itself"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.flags = ["-x", "c++", "-std=gnu++17", "-fno-access-control"] + self.flags

    @staticmethod
    def kind_proof(kind, value):
        code = {"MQD_SIGNED": SIGNED, "MQD_UNSIGNED": UNSIGNED, "MQD_BOOL": BOOL,
                "MQD_POINTER": POINTER}.get(probe.kind_proof(kind))
        return code and f"mqd_kind<decltype({value})>() == {code}"

    def state(self, abi):
        """
        Returns (types, constants) as a table has them. Of the ways of a step, and of the names of a constant, the first
        one counts that compiles. What a family may lack is left out if none does.
        """
        left_out, choices = set(), {step.line: list(step.ways) for step in self.spec.steps()}
        choices.update((one.line, list(one.expressions)) for one in self.spec.constants.values())
        lacking = [step.line for step in self.spec.steps() if step.rule in MAY_LACK]
        while True:
            rows = list(self.rows(left_out, choices))
            path, done = self.compile_rows(rows)
            if done.returncode == 0:
                return self.facts(rows, self.numbers(path, sum(len(row[2]) for row in rows) + 1), choices, abi)
            self.give_way(done, left_out, choices, lacking)

    def rows(self, left_out, choices):
        """Yields (type, step or constant; its line; the expressions for it)."""
        for type_ in self.spec.types.values():
            if type_.line in left_out:
                continue
            yield type_, type_.line, [f"sizeof({type_.c_name})"]
            for step in type_.steps.values():
                if step.line not in left_out:
                    yield step, step.line, self.member(type_.c_name, step, choices[step.line][0])
        for constant in self.spec.constants.values():
            if constant.line not in left_out:
                yield constant, constant.line, [probe.number(constant, choices[constant.line][0])]

    def member(self, name, step, way):
        """Returns the expressions for offset, size and kind of a member."""
        value = f"(({name} *)0)->{way}"
        kind = f"mqd_kind<decltype({value})>()"
        if step.inner is not None:
            kind = f"mqd_embeds<decltype({value}), {self.spec.types[step.inner].c_name}>()"
        return [f"__builtin_offsetof({name}, {way})", f"sizeof({value})", kind]

    def compile_rows(self, rows):
        """Compiles the rows. Returns the path of the object file, and what the compiler said."""
        lines = self.includes() + ['#line 1 "kinds"'] + KINDS.splitlines() + [self.ARRAY_BEGINS]
        for _, line, expressions in rows:
            lines += self.at(line, "".join(f"(long long)({one}), " for one in expressions))
        # A row that the compiler cannot parse may make it complain about the end, which is then no row.
        lines += ['#line 1 "end"', "0 };"]
        path = os.path.join(self.directory, "probe.o")
        return path, self.run(self.flags + ["-w", "-c", "-o", path, self.write("probe.c", lines)])

    def facts(self, rows, numbers, choices, abi):
        """Returns (types, constants) from the numbers that the compiler states for the rows."""
        types, constants, at = {}, {}, 0
        for one, line, expressions in rows:
            values, at = numbers[at:at + len(expressions)], at + len(expressions)
            if one.name in self.spec.types:
                types[one.name] = {"size": values[0], "fields": {}}
            elif one.name in self.spec.constants:
                constants[one.name] = values[0]
                self.expressions[one.name] = choices[line][0]
            else:
                field = {"offset": values[0], "size": values[1], "kind": self.kind(one, *values[1:], abi)}
                if len(one.ways) > 1:
                    field["path"] = choices[line][0]
                types[one.type_name]["fields"][one.member] = field
        self.check_fits(constants)
        return types, constants

    def kind(self, step, size, code, abi):
        """Returns the kind of a member. Raises MqdError if it is another one than the spec says."""
        kind = {SIGNED: f"i{8 * size}", UNSIGNED: f"u{8 * size}", BOOL: "bool", POINTER: "ptr", STRUCT: "struct",
                ENUM: "enum" if size == 4 else None}.get(code)
        if step.kind == "size" and kind == f"u{8 * abi['pointer']}":
            kind = "size"
        if step.kind == "bytes":
            kind = "bytes"
        if kind is None or (kind != step.kind and step.rule != "varies"):
            raise MqdError(f"{self.headers_of}: {step.name}: is of {kind or 'no'} kind, the spec ({self.spec.path}:"
                           f"{step.line}) says {step.kind}")
        return kind
