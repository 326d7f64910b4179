! chain_flow.f90 - a main program that calls a library of Fortran.
program flow
  implicit none
  include 'mpif.h'
  double precision :: cells(1)
  integer :: error
  cells = 0
  call MPI_INIT(error)
  call step(cells)
  call MPI_FINALIZE(error)
contains
  subroutine step(some)
    double precision, intent(inout) :: some(1)
    call advance_all(some)
    some(1) = some(1) + 1
  end subroutine
end program
