! chain_halo.f90 - a module whose library calls MPI, and a procedure in no module.
module halo
  implicit none
  include 'mpif.h'
contains
  subroutine exchange(cells)
    double precision, intent(inout) :: cells(:)
    integer :: status(MPI_STATUS_SIZE), error
    call MPI_RECV(cells, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, status, error)
    cells(1) = cells(1) + 1
  end subroutine
end module

subroutine advance_all(cells)
  use halo
  double precision, intent(inout) :: cells(1)
  call exchange(cells)
  cells(1) = cells(1) + 1
end subroutine
