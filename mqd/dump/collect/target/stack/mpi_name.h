/*
 * mpi_name.h - which function of MPI a symbol is.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MPI_NAME_H
#define MQD_DUMP_COLLECT_TARGET_MPI_NAME_H

/*
 * The name of an MPI function as C writes it, for free(), whatever the binding and the layer of the symbol: "MPI_Recv"
 * for "PMPI_Recv", "mpi_recv_" and, with MPI 4's large counts, "MPI_Recv_c" too. NULL if the symbol is no function of
 * MPI.
 */
char *mpi_function_name(const char *symbol);

/*
 * The same as a program writes it: "MPI_Recv_c" for "PMPI_Recv_c". Fortran's modules have one name for both counts, the
 * compiler chooses the symbol: "MPI_Recv" for "mpi_recv_c_f08_".
 */
char *mpi_written_name(const char *symbol);

#endif
