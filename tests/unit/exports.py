"""Compares what each built DLL exports, imports and needs with a list: it runs inside a debugger."""
import os
import subprocess
import sys

DLL = os.environ.get("MQD_DLL", ".libs/libompi_dbg_msgq.so")

HANDLES_DLL = os.path.join(os.path.dirname(DLL), "libompi_dbg_mpihandles.so")

EXPORTS = {
    "mqs_setup_basic_callbacks", "mqs_version_string", "mqs_version_compatibility", "mqs_dll_taddr_width",
    "mqs_dll_error_string", "mqs_setup_image", "mqs_image_has_queues", "mqs_destroy_image_info", "mqs_setup_process",
    "mqs_process_has_queues", "mqs_destroy_process_info", "mqs_update_communicator_list",
    "mqs_setup_communicator_iterator", "mqs_get_communicator", "mqs_get_comm_group", "mqs_next_communicator",
    "mqs_setup_operation_iterator", "mqs_next_operation", "ompi_mqd_extension",
}

HANDLES_EXPORTS = {
    "mpidbg_dll_is_big_endian", "mpidbg_dll_bitness", "mpidbg_comm_capabilities", "mpidbg_comm_name_map",
    "mpidbg_errhandler_capabilities", "mpidbg_errhandler_name_map", "mpidbg_init_once",
    "mpidbg_interface_version_compatibility", "mpidbg_version_string", "mpidbg_dll_taddr_width",
    "mpidbg_init_per_image", "mpidbg_finalize_per_image", "mpidbg_init_per_process", "mpidbg_finalize_per_process",
    *(f"mpidbg_{kind}_{function}" for kind in ("comm", "errhandler", "request", "status")
      for function in ("query", "f2c", "cxx2c")),
}

# Nothing that allocates, blocks, prints or ends the process.
IMPORTS = {"memchr", "memcmp", "memcpy", "memmove", "memset", "strcmp", "strlen", "getenv", "getpid", "__stack_chk_fail",
           "__memcpy_chk"}

# What the compiler's start-up files bring into every shared object.
STARTUP = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__cxa_finalize", "__gmon_start__"}


def names(dll, *options):
    lines = subprocess.run(["nm", "-D", *options, dll], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def libraries(dll):
    dynamic = subprocess.run(["readelf", "-dW", dll], check=True, capture_output=True, text=True).stdout
    return [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]


def differences(dll, expected):
    exported, imported, needed = names(dll, "--defined-only"), names(dll, "--undefined-only"), libraries(dll)
    if exported != expected:
        yield f"exports differ: {sorted(exported ^ expected)}"
    if not imported <= IMPORTS | STARTUP:
        yield f"imports that are not allowed: {sorted(imported - IMPORTS - STARTUP)}"
    if not all(library.startswith("libc.") for library in needed) or not needed:
        yield f"needs {needed}, may need libc only"


def main():
    if any("asan" in library or "ubsan" in library for library in libraries(DLL)):
        print(f"skipped because: {DLL} is instrumented by a sanitizer, whose symbols are not ours to judge")
        return 77
    n_failed = 0
    for dll, expected in ((DLL, EXPORTS), (HANDLES_DLL, HANDLES_EXPORTS)):
        wrong = list(differences(dll, expected))
        for line in wrong:
            print(f"{dll}: {line}")
        n_failed += bool(wrong)
    print(f"{2 - n_failed} passed, {n_failed} failed, 0 skipped")
    return 1 if n_failed else 0


sys.exit(main())
