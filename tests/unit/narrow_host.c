/*
 * narrow_host.c - a debugger of its own width, without CMocka, so that it can be built for another machine than the
 * other tests. What it looks at has the symbols of an Open MPI that has not called MPI_Init, all in memory that is zero,
 * and addresses of 8 or of 4 bytes. A host whose own are shorter gets each process refused before it is read.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/mpi_interface.h"

struct mqs_image_ {
    mqs_image_info *info;
};

struct mqs_process_ {
    mqs_image *image;
    mqs_process_info *info;
    int width;      /* of an address */
    long n_reads;
};

static struct mqs_image_ image;

static void put_image_info(mqs_image *of, mqs_image_info *info) { of->info = info; }
static mqs_image_info *get_image_info(mqs_image *of) { return of->info; }
static void put_process_info(mqs_process *of, mqs_process_info *info) { of->info = info; }
static mqs_process_info *get_process_info(mqs_process *of) { return of->info; }

static void get_type_sizes(mqs_process *of, mqs_target_type_sizes *sizes)
{
    *sizes = (mqs_target_type_sizes){2, 4, of->width, 8, of->width};
}

static int find_function(mqs_image *in, char *name, mqs_lang_code language, mqs_taddr_t *address)
{
    (void)in;
    (void)name;
    (void)language;
    *address = 4096;
    return mqs_ok;
}

static int find_symbol(mqs_image *in, char *name, mqs_taddr_t *address)
{
    return strcmp(name, "MPIR_Ignore_queues") == 0 ? mqs_no_information : find_function(in, name, mqs_lang_c, address);
}

static mqs_type *find_type(mqs_image *in, char *name, mqs_lang_code language)
{
    (void)in;
    (void)name;
    (void)language;
    return NULL;
}

static int field_offset(mqs_type *type, char *name)
{
    (void)type;
    (void)name;
    return -1;
}

static int size_of(mqs_type *type)
{
    (void)type;
    return -1;
}

static int global_rank(mqs_process *of)
{
    (void)of;
    return 0;
}

static mqs_image *image_of(mqs_process *of) { return of->image; }

static int fetch_data(mqs_process *of, mqs_taddr_t address, int n, void *to)
{
    (void)address;
    of->n_reads++;
    memset(to, 0, (size_t)n);
    return mqs_ok;
}

static void target_to_host(mqs_process *of, const void *from, void *to, int n)
{
    (void)of;
    memcpy(to, from, (size_t)n);
}

static const mqs_basic_callbacks basic = {malloc, free, NULL, NULL, put_image_info, get_image_info, put_process_info,
                                          get_process_info};
static const mqs_image_callbacks image_callbacks = {get_type_sizes, find_function, find_symbol, find_type, field_offset,
                                                    size_of};
static const mqs_process_callbacks process_callbacks = {global_rank, image_of, fetch_data, target_to_host};

static bool holds(const char *what, bool condition)
{
    printf("%s %s\n", condition ? "passed" : "failed", what);
    return condition;
}

/* Is what the DLL says of such a process right? */
static bool asked_of(int width)
{
    struct mqs_process_ process = {.image = &image, .width = width};
    bool is_too_wide = (size_t)width > sizeof(mqs_taddr_t), good;
    char *message = NULL, *text, what[100];
    int rc;

    good = mqs_setup_process(&process, &process_callbacks) == mqs_ok;
    rc = mqs_process_has_queues(&process, &message);
    text = mqs_dll_error_string(rc);
    printf("    %d: %s; %ld reads\n", rc, rc == mqs_ok ? message ? message : "it is ok" : text, process.n_reads);
    good &= (rc >= mqs_first_user_code && strstr(text, "longer addresses") != NULL) == is_too_wide;
    good &= (process.n_reads == 0) == is_too_wide;
    /* An iterator gets the same answer, as a debugger does that has not listened to the first one. */
    good &= !is_too_wide || mqs_setup_communicator_iterator(&process) == rc;
    (void)mqs_destroy_process_info(process.info);
    snprintf(what, sizeof what, "addresses of %d bytes, of %zu here", width, sizeof(mqs_taddr_t));
    return holds(what, good);
}

int main(void)
{
    char *message;
    int n_passed = 0, n = 0;

    mqs_setup_basic_callbacks(&basic);
    n_passed += holds("the image", mqs_setup_image(&image, &image_callbacks) == mqs_ok &&
                      mqs_image_has_queues(&image, &message) == mqs_ok);
    n++;
    n_passed += holds("its width", mqs_dll_taddr_width() == sizeof(void *));
    n++;
    for (int width = 4; width <= 8; width += 4) {
        n_passed += asked_of(width);
        n++;
    }
    (void)mqs_destroy_image_info(image.info);
    printf("%d passed, %d failed, 0 skipped\n", n_passed, n - n_passed);
    return n_passed != n;
}
