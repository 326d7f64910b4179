! A ring in which everybody wants to receive first, by the interface of mpif.h.
program prog_hang
    implicit none
    include 'mpif.h'
    integer :: rank, n, ierror, status(MPI_STATUS_SIZE)
    double precision :: values(10)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
    call receive()
    call MPI_Finalize(ierror)

contains

    subroutine receive()
        call MPI_Recv(values, 10, MPI_DOUBLE_PRECISION, mod(rank + n - 1, n), 7, MPI_COMM_WORLD, status, ierror)
    end subroutine receive
end program prog_hang
