"""
Writes the headers of a library that its configure would make, so that a table takes a source tree and no configured
build: of UCX, libgomp and libomp. Open MPI has too many of them.

Only these macros reach the headers that define the types that are read; those that change what is read are words of a
variant. What a library's configure finds on Linux is taken for found.
"""
import os
import re

from .errors import MqdError
from .files import read_text


class Made:
    """
    What is made for one library. `always` are macros of every build, `words` the macros that a word of a variant
    changes, `default` is the word of a plain build. `neutral` are words that change no layout: mqdgen tables --prove
    proves that. A macro without a value is not defined.
    """

    def __init__(self, always, words, neutral, write):
        self.always, self.words, self.neutral, self.write = always, words, neutral, write

    @property
    def default(self):
        return next(iter(self.words))


def write_file(directory, name, text):
    """Writes one header. Its name may have folders."""
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def defines(macros):
    """Returns a header that defines macros."""
    return "".join(f"#define {name} {value}\n" for name, value in sorted(macros.items()) if value is not None)


# configure defines ENABLE_ASSERT and ENABLE_STATS only where they are on, and the others always. NVALGRIND: without
# valgrind's headers. In the templates it only fills in the version.
UCX_TEMPLATES = ("ucp/api/ucp_version.h", "uct/api/version.h")


def write_ucx(source, numbers, macros, directory):
    write_file(directory, "config.h", defines(macros))
    for template in UCX_TEMPLATES:
        path = os.path.join(source, "src", template + ".in")
        if os.path.exists(path):
            text = read_text(path)
            for name, number in zip(("MAJOR", "MINOR", "PATCH"), numbers):
                text = text.replace(f"@{name}_VERSION@", number)
            write_file(directory, template, text.replace("@SCM_VERSION@", "none"))


def write_gomp(source, numbers, macros, directory):
    write_file(directory, "config.h", defines(macros))
    write_file(directory, "gstdint.h", "#include <stdint.h>\n")


# libomp's templates have lines for cmake. The catalogue of messages has names in sections, of which an enumeration is
# made.
KMP_SOURCE = "openmp/runtime/src"
KMP_SECTIONS = {"META": "prp", "STRINGS": "str", "FORMATS": "fmt", "MESSAGES": "msg", "HINTS": "hnt"}


def write_kmp(source, numbers, macros, directory):
    src = os.path.join(source, KMP_SOURCE)
    text = re.sub(r"^#cmakedefine01 (\w+)", lambda match: f"#define {match[1]} {macros.get(match[1], 0)}",
                  read_text(os.path.join(src, "kmp_config.h.cmake")), flags=re.MULTILINE)
    text = re.sub(r"^#cmakedefine (\w+)\b.*$", r"/* #undef \1 */", text, flags=re.MULTILINE)
    write_file(directory, "kmp_config.h", filled_in(text))
    for name in ("omp.h", "omp-tools.h"):
        write_file(directory, name, filled_in(read_text(os.path.join(src, "include", name + ".var"))))
    write_file(directory, "kmp_i18n_id.inc", messages(read_text(os.path.join(src, "i18n", "en_US.txt"))))


def filled_in(text):
    """Returns a template with 0 for what cmake fills in: names, versions and dates."""
    return re.sub(r"@\w+@", "0", text)


def messages(catalogue):
    """Returns the enumeration of all messages."""
    names, section = ["null"], None
    for heading, name in re.findall(r'^(?:-\*- *(\w+) *-\*-|(\w+)[ \t]+")', catalogue, re.MULTILINE):
        section = KMP_SECTIONS.get(heading, section)
        if name and section:
            names.append(f"{section}_{name}")
    rows = "".join(f"    kmp_i18n_{name},\n" for name in dict.fromkeys(names))
    return f"enum kmp_i18n_id {{\n{rows}}};\ntypedef enum kmp_i18n_id kmp_i18n_id_t;\n"


MADE = {
    "ucx": Made(
        always={"NVALGRIND": 1, "UCS_MAX_LOG_LEVEL": "UCS_LOG_LEVEL_DEBUG", "ENABLE_DEBUG_DATA": 0, "ENABLE_MT": 0,
                "ENABLE_PARAMS_CHECK": 0},
        words={"release": {}, "assert": {"ENABLE_ASSERT": 1}, "debug-data": {"ENABLE_DEBUG_DATA": 1}},
        neutral={"mt": {"ENABLE_MT": 1}, "params-check": {"ENABLE_PARAMS_CHECK": 1},
                 "profiling": {"HAVE_PROFILING": 1}, "stats": {"ENABLE_STATS": 1}},
        write=write_ucx),
    # Without aligned allocation work shares are not aligned, which moves what lies behind them in a team.
    "gomp": Made(
        always={"HAVE_ALIGNED_ALLOC": 1, "HAVE_ATTRIBUTE_VISIBILITY": 1, "HAVE_MEMALIGN": 1, "HAVE_POSIX_MEMALIGN": 1,
                "HAVE_PTHREAD_H": 1, "HAVE_SYNC_BUILTINS": 1, "HAVE_TLS": 1, "LIBGOMP_USE_PTHREADS": 1,
                "USING_INITIAL_EXEC_TLS": 1},
        words={"default": {}},
        neutral={"checking": {"_LIBGOMP_CHECKING_": 1}, "dynamic-tls": {"USING_INITIAL_EXEC_TLS": None}},
        write=write_gomp),
    "kmp": Made(
        always={"LIBOMP_ENABLE_ASSERTIONS": 1, "LIBOMP_ENABLE_SHARED": 1, "LIBOMP_HAVE_ALIGNED_ALLOC": 1,
                "LIBOMP_HAVE_POSIX_MEMALIGN": 1, "LIBOMP_HAVE_WEAK_ATTRIBUTE": 1, "LIBOMP_OMPD_SUPPORT": 1,
                "LIBOMP_OMPT_OPTIONAL": 1, "LIBOMP_OMPT_SUPPORT": 1, "LIBOMP_USE_ADAPTIVE_LOCKS": 1,
                "LIBOMP_USE_ITT_NOTIFY": 1, "LIBOMP_USE_VERSION_SYMBOLS": 1},
        words={"default": {}, "no-itt": {"LIBOMP_USE_ITT_NOTIFY": 0},
               "no-ompt": {"LIBOMP_OMPT_SUPPORT": 0, "LIBOMP_OMPT_OPTIONAL": 0, "LIBOMP_OMPD_SUPPORT": 0}},
        neutral={"debug": {"DEBUG_BUILD": 1}, "hier-sched": {"LIBOMP_USE_HIER_SCHED": 1},
                 "internode": {"LIBOMP_USE_INTERNODE_ALIGNMENT": 1},
                 "no-adaptive-locks": {"LIBOMP_USE_ADAPTIVE_LOCKS": 0}, "no-ompd": {"LIBOMP_OMPD_SUPPORT": 0}},
        write=write_kmp),
}

# Names in C for what the library's headers have, but not by a name that a list can use.
ADDED = {
    "gomp": """\
#define MQD_GOMP_IMPLICIT_TASK __builtin_offsetof(struct gomp_team, implicit_task)
""",
    # The flags are bitfields of one word, which g++ evaluates, and clang does not. What a thread sleeps on is a
    # template, which the arguments of its constructor tell.
    "kmp": """\
constexpr kmp_uint32 mqd_kmp_task_explicit()
{
    kmp_tasking_flags_t flags{};
    flags.tasktype = 1;
    return __builtin_bit_cast(kmp_uint32, flags);
}
constexpr kmp_uint32 MQD_KMP_TASK_EXPLICIT = mqd_kmp_task_explicit();
using mqd_kmp_flag = decltype(kmp_flag_64(static_cast<volatile kmp_uint64 *>(nullptr)));
""",
}


def write(library, source, numbers, words, directory):
    """Writes the configured headers of a library for a variant into a directory that -I names."""
    made = MADE[library.name]
    macros = dict(made.always)
    for word in words:
        if word not in made.words and word not in made.neutral:
            raise MqdError(f"--variant {word}: without a {library.config_header} of {library.title} the words can be "
                           f"{', '.join(made.words)}: name a configured build with -I")
        macros.update(made.words.get(word, made.neutral.get(word)))
    made.write(source, numbers, macros, directory)


def write_added(library, directory):
    """Writes the header of a library with the names that are added; nothing where there are none."""
    if library.name in ADDED:
        write_file(directory, f"mqd_{library.name}.h", ADDED[library.name])
