"""Compares what the built DLL exports, imports and needs with a list: it runs inside a debugger."""
import os
import subprocess
import sys

DLL = os.environ.get("MQD_DLL", ".libs/libompi_dbg_msgq.so")

EXPORTS = {
    "mqs_setup_basic_callbacks", "mqs_version_string", "mqs_version_compatibility", "mqs_dll_taddr_width",
    "mqs_dll_error_string", "mqs_setup_image", "mqs_image_has_queues", "mqs_destroy_image_info", "mqs_setup_process",
    "mqs_process_has_queues", "mqs_destroy_process_info", "mqs_update_communicator_list",
    "mqs_setup_communicator_iterator", "mqs_get_communicator", "mqs_get_comm_group", "mqs_next_communicator",
    "mqs_setup_operation_iterator", "mqs_next_operation", "ompi_mqd_extension",
}

# Nothing that allocates, blocks, prints or ends the process.
IMPORTS = {"memchr", "memcmp", "memcpy", "memmove", "memset", "strcmp", "strlen", "getenv", "__stack_chk_fail",
           "__memcpy_chk"}

# What the compiler's start-up files bring into every shared object.
STARTUP = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__cxa_finalize", "__gmon_start__"}


def names(*options):
    lines = subprocess.run(["nm", "-D", *options, DLL], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def main():
    dynamic = subprocess.run(["readelf", "-dW", DLL], check=True, capture_output=True, text=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
    if any("asan" in library or "ubsan" in library for library in needed):
        print(f"skipped because: {DLL} is instrumented by a sanitizer, whose symbols are not ours to judge")
        return 77
    wrong = []
    if names("--defined-only") != EXPORTS:
        wrong.append(f"exports differ: {sorted(names('--defined-only') ^ EXPORTS)}")
    if not names("--undefined-only") <= IMPORTS | STARTUP:
        wrong.append(f"imports that are not allowed: {sorted(names('--undefined-only') - IMPORTS - STARTUP)}")
    if not all(library.startswith("libc.") for library in needed) or not needed:
        wrong.append(f"needs {needed}, may need libc only")
    for line in wrong:
        print(f"{DLL}: {line}")
    print(f"{not wrong:d} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong else 0


sys.exit(main())
