"""A test program in another language: it loads libmpi as a module long after it was started. See truth.h."""

import json
import os
import time

from mpi4py import MPI

SIZE = 12


def receive(buffer, source, tag):
    """The request, and what a listing has to show of it."""
    request = MPI.COMM_WORLD.Irecv([buffer, MPI.BYTE], source, tag)
    return request, {
        "status": "pending", "desired_local_rank": source, "desired_global_rank": source, "tag_wild": 0,
        "desired_tag": tag, "desired_length": SIZE, "system_buffer": 0,
        "buffer": hex(MPI.Get_address(buffer)), "facts": {
            "call": "recv", "datatype": "MPI_BYTE", "count": SIZE, "request": hex(MPI._handleof(request)),
            "persistent": False}}


def communicator(key, comm, receives):
    ranks = list(range(comm.size)) if comm == MPI.COMM_WORLD else [MPI.COMM_WORLD.rank]
    return {"key": key, "name": comm.name, "local_rank": comm.rank, "size": comm.size, "internal": False,
            "group": ranks, "pending_sends": [], "pending_receives": receives, "unexpected_messages": []}


def main():
    directory, rank = os.environ["MQD_TRUTH_DIR"], MPI.COMM_WORLD.rank
    buffers = [bytearray(SIZE) for _ in range(3)]
    posted = [receive(buffer, (rank + 1) % MPI.COMM_WORLD.size, tag) for tag, buffer in enumerate(buffers, 7)]
    truth = {"pid": os.getpid(), "rank": rank, "park": "sleeps", "communicators": [
        communicator("world", MPI.COMM_WORLD, [shown for _, shown in posted]),
        communicator("self", MPI.COMM_SELF, [])]}
    unfinished = os.path.join(directory, f"{rank}.unfinished")
    with open(unfinished, "w", encoding="utf-8") as file:
        json.dump(truth, file)
    os.rename(unfinished, os.path.join(directory, f"{rank}.json"))
    while os.path.isdir(directory) and not os.path.exists(os.path.join(directory, "go")):
        time.sleep(0.002)
    for request, _ in posted:
        request.Cancel()
        request.Wait()


main()
