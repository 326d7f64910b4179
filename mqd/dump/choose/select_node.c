/*
 * select_node.c - finds the processes of jobs that another machine's mqdump asks for.
 */
#include "mqd/dump/choose/select_node.h"

#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/choose/job_search.h"

static bool is_of_request(const struct request *request, const char *job, uid_t user)
{
    return (request->user < 0 || user == (uid_t)request->user) && request_has_job(request, job);
}

static bool is_wanted(const void *context, const struct jobs *jobs, const struct job_process *process)
{
    (void)jobs;
    return is_of_request(context, process->launch.job, process->user);
}

static bool have_one_user(const struct job *const *selected, size_t n)
{
    if (jobs_have_one_user(selected, n))
        return true;
    notice_give("jobs of several users have that name here: say whose is meant, by --job with the pid of its mpirun");
    return false;
}

/* The job of that name; one without ranks here if there is none. */
static struct job job_named(const struct job *const *selected, size_t n, const char *name, uid_t user)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(selected[i]->name, name) == 0)
            return *selected[i];
    return (struct job){.name = name, .user = user, .size = -1, .local_size = -1};
}

static void expect_ranks(struct selection *selection, const struct jobs *jobs, const struct job *const *selected,
                         size_t n, const struct request *request)
{
    OWNED struct expected_rank *ranks = allocate_array(request->n_ranks, sizeof *ranks);

    for (size_t i = 0; i < request->jobs.n; i++) {
        const struct job job = job_named(selected, n, request->jobs.words[i], (uid_t)selection->user);
        size_t n_of_job = 0;

        for (size_t j = 0; j < request->n_ranks; j++)
            if (request->ranks[j].job == i)
                ranks[n_of_job++] = request->ranks[j];
        absent_ranks_expect(&selection->absent, jobs, &job, ranks, n_of_job, job_launcher(&job));
    }
}

static bool select_for_node(struct selection *selection, const struct jobs *jobs, const struct request *request)
{
    OWNED const struct job **selected = allocate_array(jobs->n, sizeof *selected);
    size_t n = 0;
    bool good;

    for (size_t i = 0; i < jobs->n; i++)
        if (*jobs->jobs[i].name != '\0' && is_of_request(request, jobs->jobs[i].name, jobs->jobs[i].user))
            selected[n++] = &jobs->jobs[i];
    good = have_one_user(selected, n);
    if (good) {
        selection->user = request->user >= 0 ? request->user : n > 0 ? (long)selected[0]->user : (long)geteuid();
        for (size_t i = 0; i < n; i++)
            selection_add_processes(selection, selected[i]);
        expect_ranks(selection, jobs, selected, n, request);
    }
    return good;
}

bool select_on_node(struct selection *selection, const struct request *request)
{
    RELEASED_BY(jobs_free) struct jobs jobs = {0};

    return job_search(&jobs, is_wanted, request, &request->wish.limits) && select_for_node(selection, &jobs, request);
}
