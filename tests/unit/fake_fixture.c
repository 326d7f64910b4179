#include "fake_fixture.h"

#include <stdio.h>
#include <string.h>

struct fake_fixture fake;

void fake_begin_early(struct fake_fixture *fixture, const struct fake_options *options)
{
    if (fixture == &fake && fake_teardown() != 0)
        fake_die("the debugger had something to complain of");
    memset(fixture, 0, sizeof *fixture);
    fake_job_map(&fixture->job, options);
    fake_host_init(&fixture->host, &fixture->job.image);
    fake_listing_init(&fixture->listing);
}

void fake_begin(struct fake_fixture *fixture, const struct fake_options *options)
{
    fake_begin_early(fixture, options);
    fake_job_init(&fixture->job);
}

void fake_begin_populated(struct fake_fixture *fixture, const struct fake_options *options)
{
    fake_begin(fixture, options);
    fake_populate(&fixture->job, &fixture->names);
}

int fake_look(struct fake_fixture *fixture)
{
    if (!fixture->opened) {
        int rc = fake_open(&fixture->host, &fixture->host.process, &fixture->listing);

        if (rc != mqs_ok)
            return rc;
        fixture->opened = true;
    }
    return fake_list(&fixture->host.process, &fixture->listing);
}

int fake_look_anew(struct fake_fixture *fixture)
{
    struct fake_host *host = &fixture->host;

    fake_host_forget(host);
    fixture->opened = false;
    host->n_reads = host->n_allocations = 0;
    return fake_look(fixture);
}

void fake_know_truth(struct fake_fixture *fixture)
{
    int rc = fake_look(fixture);

    if (rc != mqs_ok)
        fake_die("the truth is not known: %s", mqs_dll_error_string(rc));
    fake_listing_deinit(&fixture->truth);
    fixture->truth = fixture->listing;
    fake_listing_init(&fixture->listing);
}

int fake_end(struct fake_fixture *fixture)
{
    bool broken = fixture->listing.broken[0] != '\0';

    if (broken)
        fprintf(stderr, "protocol broken: %s\n", fixture->listing.broken);
    if (fake_host_deinit(&fixture->host) != 0)
        broken = true;
    fake_listing_deinit(&fixture->listing);
    fake_listing_deinit(&fixture->truth);
    fake_job_unmap(&fixture->job);
    return broken ? -1 : 0;
}

const struct fake_queue *fake_queue(const struct fake_fixture *fixture, mqs_taddr_t unique_id, mqs_op_class op_class)
{
    static const struct fake_queue none = { .setup = mqs_no_information, .error = mqs_no_information };
    const struct fake_listed_comm *comm = fake_listed(&fixture->listing, unique_id);

    return comm != NULL ? &comm->queues[op_class] : &none;
}

const mqs_pending_operation *fake_operations(mqs_op_class op_class, size_t n)
{
    const struct fake_queue *queue;
    int rc = fake_look(&fake);

    if (rc != mqs_ok)
        fake_die("the look failed with %d: %s", rc, fake.listing.message);
    queue = fake_queue(&fake, 0, op_class);
    if (queue->setup != mqs_ok || queue->error != mqs_ok || queue->n != n)
        fake_die("%zu operations are listed, not %zu; the queue ended with %d, %d: %s; %s", queue->n, n, queue->setup,
                 queue->error, mqs_dll_error_string(queue->setup != mqs_ok ? queue->setup : queue->error),
                 fake.listing.message);
    return queue->operations;
}

const mqs_pending_operation *fake_tagged(mqs_op_class op_class, size_t n, mqs_tword_t first)
{
    const mqs_pending_operation *operations = fake_operations(op_class, n);

    for (size_t i = 0; i < n; i++)
        if (operations[i].desired_tag != first + (mqs_tword_t)i)
            fake_die("operation %zu has tag %lld", i, (long long)operations[i].desired_tag);
    return operations;
}

void fake_go_to(mqs_taddr_t unique_id)
{
    mqs_process *process = &fake.host.process;
    mqs_communicator found;

    if (!fake.opened)
        (void)fake_look(&fake);
    (void)ompi_mqd_extension(1)->show_internal(process, 1);
    (void)mqs_update_communicator_list(process);
    (void)mqs_setup_communicator_iterator(process);
    do {
        if (mqs_get_communicator(process, &found) != mqs_ok)
            fake_die("the communicator is not listed");
        if (found.unique_id == unique_id)
            return;
    } while (mqs_next_communicator(process) == mqs_ok);
    fake_die("the communicator is not listed");
}

void fake_go_to_operation(mqs_taddr_t unique_id, mqs_op_class op_class)
{
    mqs_pending_operation operation;

    fake_go_to(unique_id);
    if (mqs_setup_operation_iterator(&fake.host.process, (int)op_class) != mqs_ok ||
        mqs_next_operation(&fake.host.process, &operation) != mqs_ok)
        fake_die("there is no operation");
}

struct fake_described fake_described(mqs_op_class op_class, unsigned n)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(1);
    mqs_process *process = &fake.host.process;
    struct fake_described described;
    mqs_pending_operation operation;

    if (mqs_setup_communicator_iterator(process) != mqs_ok || mqs_setup_operation_iterator(process, (int)op_class) != mqs_ok)
        fake_die("there is no queue");
    for (unsigned i = 0; i <= n; i++)
        if (mqs_next_operation(process, &operation) != mqs_ok)
            fake_die("there is no operation %u", i);
    if (extension->describe_operation(process, &described.is) != mqs_ok ||
        extension->describe_unknown(process, &described.unknown) != mqs_ok)
        fake_die("operation %u is not described", n);
    described.waiter = extension->waiter_of(process);
    described.send = extension->send_request_of(process);
    return described;
}

struct mqd_layout_summary fake_summary(void)
{
    struct mqd_layout_summary summary;

    if (ompi_mqd_extension(1)->describe_layout(&fake.host.process, &summary) != mqs_ok)
        fake_die("the layout is not described");
    return summary;
}

const char *fake_probe_result(const char *name)
{
    struct mqd_probe_description probe;

    for (int i = 0; ompi_mqd_extension(1)->describe_probe(&fake.host.process, i, &probe) == mqs_ok; i++)
        if (strcmp(probe.name, name) == 0)
            return probe.result;
    fake_die("there is no probe of that name: %s", name);
}

fake_ta fake_hidden_page(void)
{
    fake_ta page = fake_image_alloc_pages(&fake.job.image, fake.job.heap, FAKE_PAGE);

    fake_image_set_hidden(&fake.job.image, page, FAKE_PAGE, true);
    return page;
}

void fake_setup(const struct fake_build *build)
{
    struct fake_options options = fake_options_of(build);

    fake_begin(&fake, &options);
}

void fake_setup_early(const struct fake_build *build)
{
    struct fake_options options = fake_options_of(build);

    fake_begin_early(&fake, &options);
}

void fake_setup_populated(const struct fake_build *build)
{
    struct fake_options options = fake_options_of(build);

    fake_begin_populated(&fake, &options);
    fake_know_truth(&fake);
}

int fake_teardown(void)
{
    return fake.job.image.build != NULL ? fake_end(&fake) : 0;
}
