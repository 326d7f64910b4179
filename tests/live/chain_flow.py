"""A program in Python that waits for a message that nobody sends."""

from mpi4py import MPI


def save_state():
    """Waits."""
    MPI.COMM_WORLD.recv(tag=7)


save_state()
