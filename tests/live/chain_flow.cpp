// chain_flow.cpp - the program: the last rank is elsewhere than the others.
#include "chain_halo.hpp"

static void advance(fluid::Halo<double>& halo, std::vector<double>& cells)
{
    halo.exchange(cells);
    cells[0] += 1;
}

static void save_state(std::vector<double>& cells)
{
    MPI_Barrier(MPI_COMM_WORLD);
    cells[0] += 1;
}

static void relax(std::vector<double>& cells)
{
    MPI_Recv(cells.data(), 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cells[0] += 1;
}

static void relax_all(fluid::Halo<double>& halo, std::vector<double>& cells)
{
    halo.each(cells, relax);
    cells[0] += 1;
}

int main(int argc, char** argv)
{
    int rank, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    fluid::Halo<double> halo(MPI_COMM_WORLD);
    std::vector<double> cells(1);
    if (argc > 1)
        relax_all(halo, cells);
    else if (rank == n - 1)
        save_state(cells);
    else
        advance(halo, cells);
    MPI_Finalize();
}
