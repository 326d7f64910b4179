"""The libraries whose layouts tables have: what their headers are called, and what tells their releases and builds."""
import os
import re

from .files import read_text


class Library:
    """
    One library. `layout_macros` change layouts, or tell which layout a build has: a table records those that are
    defined. `version_macros` and `sizes` (macro: key of a table's ABI) and `arch_macro` tell what the headers are
    configured for; a library may have none of them. `config_header` is the header that configure makes; `source_dirs`
    are the directories of a source tree with headers, which the compiler searches as `source_option` says: after all
    others, where there are installed headers too; `source_paths` are the parts of a repository that tables are made
    from; `mark` is a file that only this library's sources have, and `file_names` tells its libraries by their names.
    `tag` is the tag of a release, with braces for its number; `language` is that of the headers. `read_by_dump`
    is True if mqdump reads the library itself, and not by the debug DLL. `files_with_types` are the library's files
    that have the types, `headers_needed` says what beside a source tree names all headers.
    """

    file_names = re.compile("$")
    name = title = config_header = how_to_configure = mark = None
    tag, language, read_by_dump = "v{}", "c", False
    files_with_types = headers_needed = None
    layout_macros = version_macros = ()
    sizes = {}
    arch_macro = None
    source_option = "-idirafter"
    source_dirs = source_paths = ()
    sources = sources_and_headers = ()

    def source_release(self, source):
        """Returns the three numbers of the release of a source tree. What it does not say is None."""
        raise NotImplementedError

    def variant_words(self, macros, arch):
        """Yields (word, whether the variant must have it, macro) for what the headers define."""
        raise NotImplementedError


class OpenMpi(Library):
    """Open MPI."""

    name = "openmpi"
    title = "Open MPI"
    file_names = re.compile(r"(libmpi|libopen|mca_)")
    config_header = "opal_config.h"
    how_to_configure = ("opal_config.h is made by Open MPI's configure: name its directory with -I, "
                        "PREFIX/include/openmpi or opal/include of the build directory; and that of mpi.h, "
                        "PREFIX/include or ompi/include")
    mark = "ompi/communicator/communicator.h"
    files_with_types = "libmpi and mca_pml_ob1"
    headers_needed = "--prefix or -I for opal_config.h and mpi.h of this build"
    layout_macros = (
        "HAVE_OPAL_INT128_T", "MCA_PML_OB1_CUSTOM_MATCHING", "OMPI_MPI_MAX_OBJECT_NAME_ABI", "OPAL_CUDA_SUPPORT",
        "OPAL_ENABLE_DEBUG", "OPAL_ENABLE_FT_MPI", "OPAL_ENABLE_HETEROGENEOUS_SUPPORT", "OPAL_ENABLE_MULTI_THREADS",
        "OPAL_HAVE_ATOMIC_CMPSET_128", "OPAL_HAVE_ATOMIC_COMPARE_EXCHANGE_128", "OPAL_MAX_OBJECT_NAME",
    )
    version_macros = ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")
    sizes = {"SIZEOF_VOID_P": "pointer", "SIZEOF_LONG": "long"}
    arch_macro = "OPAL_ARCH"
    source_dirs = ("", "opal/include", "ompi/include", "orte/include", "opal/mca/event/libevent2022/libevent/include")
    source_paths = ("VERSION", "ompi", "opal", "orte")
    sources = ("ompi/*.c", "opal/*.c", "orte/*.c")
    sources_and_headers = sources + ("ompi/*.h", "opal/*.h", "orte/*.h")

    # (word, macro, condition): a build has the word if, and only if, the macro's value meets the condition.
    variant_macros = (
        ("debug", "OPAL_ENABLE_DEBUG", lambda value: value == 1),
        ("release", "OPAL_ENABLE_DEBUG", lambda value: value == 0),
        ("cuda", "OPAL_CUDA_SUPPORT", lambda value: value == 1),
        ("heterogeneous", "OPAL_ENABLE_HETEROGENEOUS_SUPPORT", lambda value: value == 1),
        ("no-ft", "OPAL_ENABLE_FT_MPI", lambda value: value == 0),
        ("matching-default", "MCA_PML_OB1_CUSTOM_MATCHING", lambda value: value == 1),
        ("matching-arrays", "MCA_PML_OB1_CUSTOM_MATCHING", lambda value: value == 2),
        ("matching-fuzzy", "MCA_PML_OB1_CUSTOM_MATCHING", lambda value: value in (3, 4, 5)),
        ("matching-vector", "MCA_PML_OB1_CUSTOM_MATCHING", lambda value: value == 6),
    )
    # 128-bit compare-and-swap. By default only builds for x86_64 use it. 4.0 renamed the macro.
    cas128_macros = ("OPAL_HAVE_ATOMIC_CMPSET_128", "OPAL_HAVE_ATOMIC_COMPARE_EXCHANGE_128")
    cas128_arch = "x86_64"

    def source_release(self, source):
        path = os.path.join(source, "VERSION")
        numbers = {}
        if os.path.exists(path):
            numbers = dict(re.findall(r"^(major|minor|release)=(\d+)$", read_text(path), re.MULTILINE))
        return [numbers.get(key) for key in ("major", "minor", "release")]

    def variant_words(self, macros, arch):
        for word, macro, has_word in self.variant_macros:
            if macro in macros:
                yield word, has_word(macros[macro]), macro
        for macro in self.cas128_macros:
            if macro in macros:
                yield "no-cas128", macros[macro] == 0 and arch == self.cas128_arch, macro


class Ucx(Library):
    """
    UCX. Its configure defines ENABLE_DEBUG_DATA as 0 or 1 in each build, but ENABLE_ASSERT only in builds with
    assertions.
    """

    name = "ucx"
    title = "UCX"
    file_names = re.compile(r"libuc[pst]\b")
    config_header = "config.h"
    how_to_configure = ("config.h is made by UCX's configure: name the build directory with -I; without it, name with "
                        "--variant how the build was configured")
    mark = "src/ucp/core/ucp_worker.h"
    files_with_types = "libucp"
    headers_needed = "and -I for the config.h of this build or --variant"
    layout_macros = ("ENABLE_ASSERT", "ENABLE_DEBUG_DATA", "ENABLE_MT", "ENABLE_PARAMS_CHECK", "ENABLE_STATS",
                     "HAVE_PROFILING")
    source_option = "-I"
    source_dirs = ("", "src")
    source_paths = ("configure.ac", "src/ucm", "src/ucp", "src/ucs", "src/uct")
    sources = ("src/ucp/*.c", "src/ucs/*.c", "src/uct/*.c")
    sources_and_headers = sources + ("src/ucp/*.h", "src/ucs/*.h", "src/uct/*.h", "src/ucp/*.inl", "src/ucs/*.inl")

    def source_release(self, source):
        path = os.path.join(source, "configure.ac")
        numbers = {}
        if os.path.exists(path):
            numbers = dict(re.findall(r"^define\(\[ucx_ver_(major|minor|patch)\], *(\d+)\)", read_text(path),
                                      re.MULTILINE))
        return [numbers.get(key) for key in ("major", "minor", "patch")]

    def variant_words(self, macros, arch):
        if "ENABLE_DEBUG_DATA" in macros:
            asserts, data = macros.get("ENABLE_ASSERT", 0) != 0, macros["ENABLE_DEBUG_DATA"] != 0
            yield "release", not asserts and not data, "ENABLE_ASSERT" if asserts else "ENABLE_DEBUG_DATA"
            yield "assert", asserts, "ENABLE_ASSERT"
            yield "debug-data", data, "ENABLE_DEBUG_DATA"


class Gomp(Library):
    """libgomp, the OpenMP runtime of GCC."""

    name = "gomp"
    title = "libgomp"
    tag, read_by_dump = "releases/gcc-{}", True
    file_names = re.compile(r"libgomp\b")
    config_header = "config.h"
    how_to_configure = "config.h is made by libgomp's configure: name the build directory with -I"
    mark = "libgomp/libgomp.h"
    files_with_types = "libgomp"
    headers_needed = "and perhaps -I for the config.h of this build"
    layout_macros = ("GOMP_HAVE_EFFICIENT_ALIGNED_ALLOC", "GOMP_USE_ALIGNED_WORK_SHARES", "HAVE_SYNC_BUILTINS",
                     "LIBGOMP_USE_PTHREADS")
    source_option = "-I"
    source_dirs = ("libgomp", "libgomp/config/linux", "libgomp/config/posix", "include")
    source_paths = ("gcc/BASE-VER", "include", "libgomp")
    sources = ("libgomp/*.c",)
    sources_and_headers = sources + ("libgomp/*.h",)

    def source_release(self, source):
        path = os.path.join(source, "gcc/BASE-VER")
        match = re.match(r"(\d+)\.(\d+)\.(\d+)", read_text(path)) if os.path.exists(path) else None
        return list(match.groups()) if match else [None] * 3

    def variant_words(self, macros, arch):
        yield "default", True, "LIBGOMP_USE_PTHREADS"


class Kmp(Library):
    """
    libomp, the OpenMP runtime of LLVM. Interfaces for tools change layouts: that of ITT, Intel's profilers, and OMPT.
    """

    name = "kmp"
    title = "libomp"
    tag, language, read_by_dump = "llvmorg-{}", "c++", True
    file_names = re.compile(r"lib(omp|iomp5)\b")
    config_header = "kmp_config.h"
    how_to_configure = ("kmp_config.h is made by cmake: name the build directory with -I; without it, name with "
                        "--variant how the build was configured")
    mark = "openmp/runtime/src/kmp.h"
    layout_macros = ("KMP_USE_HIER_SCHED", "KMP_USE_INTERNODE_ALIGNMENT", "OMPT_SUPPORT", "USE_DEBUGGER",
                     "USE_ITT_NOTIFY")
    source_option = "-I"
    source_dirs = ("openmp/runtime/src", "openmp/runtime/src/thirdparty/ittnotify")
    source_paths = ("llvm/CMakeLists.txt", "cmake/Modules/LLVMVersion.cmake", "openmp/runtime/src",
                    "openmp/runtime/src/kmp_config.h.cmake", "openmp/runtime/src/i18n/en_US.txt",
                    "openmp/runtime/src/include/omp.h.var", "openmp/runtime/src/include/omp-tools.h.var")
    sources = ("openmp/runtime/src/*.cpp",)
    sources_and_headers = sources + ("openmp/runtime/src/*.h",)

    def source_release(self, source):
        numbers = {}
        for name in ("llvm/CMakeLists.txt", "cmake/Modules/LLVMVersion.cmake"):
            path = os.path.join(source, name)
            if os.path.exists(path):
                numbers.update(re.findall(r"set\(LLVM_VERSION_(MAJOR|MINOR|PATCH) (\d+)\)", read_text(path)))
        return [numbers.get(key) for key in ("MAJOR", "MINOR", "PATCH")]

    def variant_words(self, macros, arch):
        if "OMPT_SUPPORT" in macros and "USE_ITT_NOTIFY" in macros:
            itt, ompt = macros["USE_ITT_NOTIFY"] != 0, macros["OMPT_SUPPORT"] != 0
            yield "default", itt and ompt, "OMPT_SUPPORT" if itt else "USE_ITT_NOTIFY"
            yield "no-itt", not itt, "USE_ITT_NOTIFY"
            yield "no-ompt", not ompt, "OMPT_SUPPORT"


LIBRARIES = {one.name: one for one in (OpenMpi(), Ucx(), Gomp(), Kmp())}


def of_source(source):
    """Returns the name of the library whose source tree a directory is; None if it is of none."""
    return next((name for name, one in LIBRARIES.items() if os.path.exists(os.path.join(source, one.mark))), None)


def of_file(path):
    """Returns the name of the library that a file is of by its name, libucp.so.0 or libmpi.so.40; None if unknown."""
    name = os.path.basename(path)
    return next((one.name for one in LIBRARIES.values() if one.file_names.match(name)), None)
