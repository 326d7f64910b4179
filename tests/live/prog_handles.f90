! Has handles as INTEGERs, says which, as questions.c does of those of C, and waits for a message that nobody sends.
program prog_handles
    implicit none
    include 'mpif.h'
    integer :: twin, column, request, rank, ierror, unit, got, status(MPI_STATUS_SIZE)
    character(len=4096) :: directory, path

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierror)
    call MPI_Comm_set_name(twin, 'twin', ierror)
    call MPI_Type_vector(3, 2, 5, MPI_REAL, column, ierror)
    call MPI_Type_commit(column, ierror)
    call MPI_Irecv(got, 1, MPI_INTEGER, rank, 9, twin, request, ierror)
    call get_environment_variable('MQD_TRUTH_DIR', directory)
    write (path, '(a,a,i0,a)') trim(directory), '/', rank, '.json'
    open (newunit=unit, file=trim(path)//'.now')
    write (unit, '(5(a,i0),a)') '{"pid":', getpid(), ',"rank":', rank, ',"twin":', twin, ',"column":', column, &
        ',"request":', request, '}'
    close (unit)
    call rename(trim(path)//'.now', trim(path))
    call MPI_Wait(request, status, ierror)
    call MPI_Finalize(ierror)
end program prog_handles
