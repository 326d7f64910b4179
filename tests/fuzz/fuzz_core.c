/*
 * fuzz_core.c - core files of all kinds are looked at as mqdump --core does: notes, threads, files, stacks, queues.
 *
 * An input is the length of the core as a number of 4 bytes, the core, and its program. The first one has a real stack:
 * that of the sample, which this program loads and calls (FUZZ_SAMPLES). Its addresses are made the same in each run.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/host.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/target/libraries.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/collect/target/stack/unwind.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/dump_record.h"
#include "tests/unit/made_core.h"

enum { PAGE = 4096, PID = 4711, N_FRAMES = 2048, N_REGISTERS = 34 };

/* Addresses in the core. */
#define program UINT64_C(0x7f5500000000)
#define stack UINT64_C(0x7ffc00000000)

static char *core_path, *program_path;
static struct input sample;
static struct dll dll;
static bool has_dll;

/* The stack of the sample. */

struct capture {
    uint64_t pc, sp, frame;
    uint64_t words[N_FRAMES / 8];
};

/* Of frames that belong to others. */
__attribute__((noinline, no_sanitize("address"))) static void capture_stack(void *argument)
{
    struct capture *capture = argument;
    const volatile uint64_t *from = __builtin_dwarf_cfa();
    const volatile uint64_t *frame = __builtin_frame_address(0);

    capture->pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
    capture->sp = (uint64_t)(uintptr_t)from;
    capture->frame = frame[0];
    for (size_t i = 0; i < N_FRAMES / 8; i++)
        capture->words[i] = from[i];
}

/* Pointers to the sample and to the stack get the addresses of the core, others are of no interest. */
static uint64_t moved(const struct capture *capture, uint64_t base, uint64_t word)
{
    if (word >= base && word - base < sample.n + 4 * (uint64_t)PAGE)
        return word - base + program;
    if (word >= capture->sp && word - capture->sp < N_FRAMES)
        return word - capture->sp + stack;
    return word < 0x10000 ? word : 0;
}

static void take_sample_stack(const char *path, struct capture *capture)
{
    char *whole = realpath(path, NULL);
    void *library = whole != NULL ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*call)(void (*callback)(void *), void *argument);
    Dl_info info;
    uint64_t base;

    if (library == NULL)
        fuzz_fail("the sample cannot be loaded: %s", dlerror());
    *(void **)&call = dlsym(library, "sample_call");
    if (call == NULL || dladdr(*(void **)&call, &info) == 0)
        fuzz_fail("the sample has no sample_call");
    call(capture_stack, capture);
    base = (uint64_t)(uintptr_t)info.dli_fbase;
    for (size_t i = 0; i < N_FRAMES / 8; i++)
        capture->words[i] = moved(capture, base, capture->words[i]);
    capture->frame = moved(capture, base, capture->frame);
    capture->pc = moved(capture, base, capture->pc);
    capture->sp = stack;
    dlclose(library);
    free(whole);
}

/* The core. */

/* Where the registers have a program counter, a stack pointer and a frame pointer. */
static void put_registers(uint64_t *registers, uint64_t pc, uint64_t sp, uint64_t frame)
{
#if defined(__x86_64__)
    registers[4] = frame;
    registers[16] = pc;
    registers[19] = sp;
    registers[15] = UINT64_MAX;
#elif defined(__aarch64__)
    registers[29] = frame;
    registers[31] = sp;
    registers[32] = pc;
#else
    (void)registers, (void)pc, (void)sp, (void)frame;
#endif
}

static void put_status(struct made_core *core, int32_t thread, int16_t signal, const struct capture *capture)
{
    uint64_t registers[N_REGISTERS] = {0};

    put_registers(registers, capture->pc, capture->sp, capture->frame);
    made_core_status(core, thread, signal, registers, sizeof registers);
}

static void put_files(struct made_core *core, const Elf64_Phdr *parts, size_t n_parts)
{
    struct made_mapping mappings[16];
    size_t n = 0;

    for (size_t i = 0; i < n_parts && n < sizeof mappings / sizeof *mappings; i++)
        if (parts[i].p_type == PT_LOAD)
            mappings[n++] = (struct made_mapping){
                .start = program + parts[i].p_vaddr / PAGE * PAGE, .offset = parts[i].p_offset / PAGE,
                .end = program + (parts[i].p_vaddr + parts[i].p_memsz + PAGE - 1) / PAGE * PAGE,
                .path = "/libsample.so"};
    made_core_files(core, PAGE, mappings, n);
}

static const uint64_t vector[] = {AT_PHDR, program + sizeof(Elf64_Ehdr), AT_EXECFN, stack + N_FRAMES + MADE_NAME,
                                  AT_NULL, 0};

static void put_notes(struct made_core *core, const struct capture *capture)
{
    const Elf64_Ehdr *file = (const Elf64_Ehdr *)(const void *)sample.bytes;
    const struct capture other = {.pc = capture->pc + 3, .sp = stack + 64};
    const int32_t signal[32] = {[0] = 11, [2] = 1};

    put_status(core, PID, 11, capture);
    made_core_note(core, "CORE", NT_SIGINFO, signal, sizeof signal);
    put_status(core, PID + 1, 0, &other);
    made_core_process(core, PID);
    made_core_note(core, "CORE", NT_AUXV, vector, sizeof vector);
    put_files(core, (const Elf64_Phdr *)(const void *)(sample.bytes + file->e_phoff), file->e_phnum);
    made_core_end_notes(core);
}

static struct input make_core(const struct capture *capture)
{
    unsigned char memory[N_FRAMES + MADE_STACK];
    struct made_core core;

    memcpy(memory, capture->words, N_FRAMES);
    made_stack(memory + N_FRAMES, stack + N_FRAMES, vector, sizeof vector);
    made_core_begin(&core, ((const Elf64_Ehdr *)(const void *)sample.bytes)->e_machine, 3);
    put_notes(&core, capture);
    made_core_part(&core, (Elf64_Phdr){.p_vaddr = stack, .p_memsz = sizeof memory, .p_filesz = sizeof memory,
                                       .p_flags = PF_R | PF_W}, memory);
    made_core_part(&core, (Elf64_Phdr){.p_vaddr = program + PAGE, .p_memsz = PAGE, .p_flags = PF_R | PF_X}, NULL);
    made_core_part(&core, (Elf64_Phdr){.p_vaddr = program, .p_memsz = PAGE, .p_filesz = PAGE, .p_flags = PF_R},
                   sample.bytes);
    return (struct input){core.bytes, core.n};
}

/* Inputs. */

/* The core has all but its length if that cannot be. */
static struct input core_of(const unsigned char *bytes, size_t n)
{
    uint32_t length = 0;

    if (n < sizeof length)
        return input_copy(NULL, 0);
    memcpy(&length, bytes, sizeof length);
    return input_copy(bytes + sizeof length, length <= n - sizeof length ? length : n - sizeof length);
}

static struct input program_of(const unsigned char *bytes, size_t n, const struct input *core)
{
    return n > 4 + core->n ? input_copy(bytes + 4 + core->n, n - 4 - core->n) : input_copy(NULL, 0);
}

static void join(struct input *input, const struct input *core, const struct input *file)
{
    const uint32_t length = (uint32_t)core->n;

    input_replace(input, 0, input->n, &length, sizeof length);
    input_replace(input, input->n, 0, core->bytes, core->n);
    input_replace(input, input->n, 0, file->bytes, file->n);
}

static void make(struct input *input, const struct input *other, uint64_t i, struct numbers *numbers)
{
    struct input core = core_of(input->bytes, input->n), file = program_of(input->bytes, input->n, &core);
    struct input other_core = core_of(other->bytes, other->n);

    (void)i;
    for (size_t n = 1 + number_below(numbers, 5); n > 0; n--)
        mutate_elf(once_in(numbers, 4) ? &file : &core, &other_core, numbers);
    join(input, &core, &file);
    free(core.bytes);
    free(file.bytes);
    free(other_core.bytes);
}

/* A look. */

struct looked {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct files files;
    struct listing listing;
    struct stacks stacks;
    struct calls calls;
};

static void read_memory(const struct core *core)
{
    struct core_build_id id;
    unsigned char bytes[256];

    (void)core_read(core, stack + N_FRAMES - 128, bytes, sizeof bytes);
    (void)core_read(core, program + PAGE - 128, bytes, sizeof bytes);
    (void)core_read(core, UINT64_MAX - 128, bytes, sizeof bytes);
    for (size_t i = 0; i < core->n_mappings && i < 100; i++)
        (void)core_build_id_at(core, core->mappings[i].start, &id);
}

static void take_queues(struct looked *looked)
{
    const struct wishes wishes = {.queues = true, .internal = true, .layout = looked->process.pid % 8 == 0,
                                  .traffic = 1024};
    const struct elf_file *executable = looked->image.modules.modules[0].file;

    looked->host = (mqs_process){.process = &looked->process, .image = &looked->image, .rank = 0};
    looked->host.is_64_bit = executable->is_64_bit;
    if (listing_examine_image(&looked->listing, &dll, &looked->image))
        listing_take(&looked->listing, &dll, &looked->host, &wishes);
}

static void take_calls(struct looked *looked)
{
    struct place_cache places = {0};

    stacks_take(&looked->stacks, &looked->process, &looked->image.modules);
    calls_name(&looked->calls, &looked->stacks, &looked->image.modules, looked->process.pid, &places, true);
    for (size_t i = 0; i < looked->calls.n; i++)
        if (looked->calls.calls[i].state == CALL_MPI)
            free(call_phrase(&looked->calls.calls[i]));
    place_cache_clear(&places);
    looked->listing.calls = looked->calls.n > 0 ? &looked->calls : NULL;
}

/* Whatever was seen can be written as a record, and read again. */
static void check_record(const struct looked *looked)
{
    const struct witness witness = {.listing = &looked->listing, .calls = looked->listing.calls,
                                    .once = true};
    struct record record;
    char *text = record_text(&witness, 1);

    record_take(&record, text, strlen(text), strlen(text));
    if (!record.complete)
        fuzz_fail("what was seen is no record: %s\n%s", record.problem, text);
    record_clear(&record);
    free(text);
}

static void look(struct looked *looked, bool with_dll)
{
    struct listing *listing = &looked->listing;
    const struct core *core = looked->process.core;

    read_memory(core);
    listing->pid = looked->process.pid;
    listing->signal = core->signal;
    listing->rank = core->launch.rank;
    listing->job = core->launch.job[0] != '\0' ? copy_string(core->launch.job) : NULL;
    listing->executable = core->executable != NULL ? copy_string(core->executable) : NULL;
    if (!modules_read(&looked->image.modules, &looked->files, &looked->process, listing->executable, NULL,
                      &listing->error))
        return;
    active_library_choose(&looked->image.modules, &looked->process);
    free(missing_mpi_reason(&looked->image.modules, &looked->process));
    (void)job_fork_origin(&looked->image.modules, &looked->process);
    if (with_dll)
        take_queues(looked);
    take_calls(looked);
}

/* A fuzzer that finds nothing in what is right tests nothing. */
static void check_calls(const struct calls *calls)
{
#if defined(__x86_64__) || defined(__aarch64__)
    if (calls->n == 0 || calls->calls[0].state != CALL_MPI || strcmp(calls->calls[0].function, "MPI_Recv") != 0)
        fuzz_fail("the stack of the sample is not found in its core");
#else
    (void)calls;
#endif
}

/* The first one is run when the harness begins. */
static bool is_first = true;

static void run(const unsigned char *bytes, size_t n)
{
    struct input core = core_of(bytes, n), file = program_of(bytes, n, &core);
    struct looked looked = {.files = {.sysroot = fuzz_directory()}, .listing = {.rank = -1, .core = core_path}};
    struct core_source source = {.path = core_path};

    fuzz_write(core_path, core.bytes, core.n);
    fuzz_write(program_path, file.bytes, file.n);
    source.descriptor = open(core_path, O_RDONLY | O_CLOEXEC);
    if (process_open_core(&looked.process, &source, &looked.listing.error)) {
        /* The DLL finds no Open MPI in the sample, and takes most of the time: it looks at some of them. */
        look(&looked, has_dll && bytes[n / 2] % 8 == 0);
        check_record(&looked);
        if (has_dll)
            listing_release(&dll, &looked.image, &looked.host);
        modules_clear(&looked.image.modules);
        process_close(&looked.process);
    }
    if (is_first)
        check_calls(&looked.calls);
    is_first = false;
    stacks_clear(&looked.stacks);
    calls_clear(&looked.calls);
    listing_free(&looked.listing);
    files_close(&looked.files);
    warnings_clear();
    close(source.descriptor);
    free(core.bytes);
    free(file.bytes);
}

static void add_input(const struct input *core, const struct input *file)
{
    struct input input = {NULL, 0};

    join(&input, core, file);
    run(input.bytes, input.n);
    fuzz_add(input.bytes, input.n);
    free(input.bytes);
}

static void begin(void)
{
    const char *samples = getenv("FUZZ_SAMPLES"), *library = getenv("MQD_DLL");
    char *path, *why = NULL;
    struct capture capture;
    struct input core;

    unsetenv("DEBUGINFOD_URLS");
    path = format_text("%.*s", samples != NULL ? (int)strcspn(samples, " ") : 0, samples != NULL ? samples : "");
    core_path = format_text("%s/core", fuzz_directory());
    program_path = format_text("%s/libsample.so", fuzz_directory());
    sample = fuzz_read(path);
    take_sample_stack(path, &capture);
    core = make_core(&capture);
    has_dll = library != NULL && dll_open(&dll, library, &why);
    if (!has_dll)
        fprintf(stderr, "fuzz_core: without the debug DLL (MQD_DLL): %s\n", why != NULL ? why : "not set");
    add_input(&core, &sample);
    free(why);
    free(core.bytes);
    free(path);
}

int main(int argc, char **argv)
{
    const struct harness harness = {.name = "core", .begin = begin, .make = make, .run = run};

    return fuzz_main(&harness, argc, argv);
}
