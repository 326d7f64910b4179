/* tag.c - the tags of ompi/mca/coll/base/coll_tags.h and ompi/communicator/communicator.h. */
#include "mqd/dll/tag.h"

#include "mqd/dll/banned.h"

/* Tags from `first` down to `last` in the releases from one major number to another. */
static const struct {
    int32_t first, last;
    unsigned since, until;
    const char *text;
} ranges[] = {
    {-7, -9, 5, 999, "communicator creation"},
    {-10, -10, 3, 999, "MPI_Allgather"},
    {-11, -11, 3, 999, "MPI_Allgatherv"},
    {-12, -12, 3, 999, "MPI_Allreduce"},
    {-13, -13, 3, 999, "MPI_Alltoall"},
    {-14, -14, 3, 999, "MPI_Alltoallv"},
    {-15, -15, 3, 999, "MPI_Alltoallw"},
    {-16, -16, 3, 999, "MPI_Barrier"},
    {-17, -17, 3, 999, "MPI_Bcast"},
    {-18, -18, 3, 999, "MPI_Exscan"},
    {-19, -19, 3, 999, "MPI_Gather"},
    {-20, -20, 3, 999, "MPI_Gatherv"},
    {-21, -21, 3, 999, "MPI_Reduce"},
    {-22, -22, 3, 999, "MPI_Reduce_scatter"},
    {-23, -23, 4, 999, "MPI_Reduce_scatter_block"},
    {-24, -24, 4, 999, "MPI_Scan"},
    {-25, -25, 4, 999, "MPI_Scatter"},
    {-26, -26, 4, 999, "MPI_Scatterv"},
    {-23, -23, 3, 3, "MPI_Scan"},
    {-24, -24, 3, 3, "MPI_Scatter"},
    {-25, -25, 3, 3, "MPI_Scatterv"},
    {-31078, -31080, 3, 4, "communicator creation or a non-blocking collective"},
    {-26, -1073741822, 3, 3, "non-blocking collective or communicator creation"},
    {-27, -1073741822, 4, 4, "non-blocking collective or communicator creation"},
    {-27, -30, 5, 999, "fault tolerance"},
    {-31, -31, 5, 999, "collective of UCC"},
    {-32, -33, 6, 999, "MPI_Dist_graph_create"},
    {-33, -1073741822, 5, 5, "non-blocking collective or communicator creation"},
    {-34, -1073741822, 6, 999, "non-blocking collective or communicator creation"},
    {-1073741823, -1073742847, 3, 999, "neighborhood collective"},
    {-1073742848, -2147483647, 3, 5, "collective of UCC or hcoll"},
};

static unsigned number_before_dot(const char *text)
{
    unsigned number = 0;

    for (; *text >= '0' && *text <= '9' && number < 1000; text++)
        number = number * 10 + (unsigned)(*text - '0');
    return *text == '.' ? number : 0;
}

/* A vendor may have changed what the process states. */
unsigned mqd_major_version(const struct mqd_process *process)
{
    unsigned major = number_before_dot(process->evidence.version);

    if (major == 0 && process->layout.table != NULL)
        major = number_before_dot(process->layout.table->first);
    return major;
}

const char *mqd_tag_text(const struct mqd_process *process, int32_t tag)
{
    unsigned major = mqd_major_version(process);

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (tag <= ranges[i].first && tag >= ranges[i].last && major >= ranges[i].since && major <= ranges[i].until)
            return ranges[i].text;
    return "Open MPI's own";
}
