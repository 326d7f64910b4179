#!/usr/bin/env python3
"""A file server that dies: dead_server.py DIRECTORY MOUNTPOINT OWNER serves the files of one directory at another one.

It says "ready" when it is mounted. From SIGUSR1 on it takes all requests and answers none, so that the kernel lets
nobody go who waits for it, whatever signals there are. They are let go when the server is killed.

It speaks the protocol of FUSE as far as files are only read (include/uapi/linux/fuse.h of Linux).
"""

import ctypes
import errno
import os
import signal
import stat
import struct
import sys

REQUEST = struct.Struct("<IIQQIIII")            # length, what, number, node, user, group, process, padding
ANSWER = struct.Struct("<IiQ")                  # length, error, number
ATTRIBUTES = struct.Struct("<6Q10I")
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, INIT, OPENDIR, BATCH_FORGET = 1, 2, 3, 14, 15, 18, 26, 27, 42
ROOT_NODE = 1
LARGEST_REQUEST = 1 << 20
LARGEST_WRITE = 64 * 1024
MINOR = 31              # of the protocol, 7.31
VALID_SECONDS = 1
LAZILY = 2              # MNT_DETACH


class Server:
    """What is served, and to whom it belongs."""

    def __init__(self, directory, owner):
        self.directory, self.owner = directory, owner
        self.names = [None, None]               # by node; the first are none and the root
        self.dead = False

    def die(self, *_):
        self.dead = True

    def attributes(self, node):
        if node == ROOT_NODE:
            mode, size = stat.S_IFDIR | 0o755, 0
        else:
            mode, size = stat.S_IFREG | 0o755, os.path.getsize(os.path.join(self.directory, self.names[node]))
        return ATTRIBUTES.pack(node, size, size // 512 + 1, 0, 0, 0, 0, 0, 0, mode, 1, self.owner, self.owner, 0, 4096,
                               0)

    def lookup(self, _, data):
        name = os.fsdecode(data.rstrip(b"\0"))
        if not os.path.isfile(os.path.join(self.directory, name)):
            raise FileNotFoundError(errno.ENOENT, name)
        if name not in self.names:
            self.names.append(name)
        node = self.names.index(name)
        return struct.pack("<4Q2I", node, 0, VALID_SECONDS, VALID_SECONDS, 0, 0) + self.attributes(node)

    def read(self, node, data):
        _, offset, size = struct.unpack_from("<QQI", data)
        with open(os.path.join(self.directory, self.names[node]), "rb") as file:
            return os.pread(file.fileno(), size, offset)

    def answer(self, what, node, data):
        if what == INIT:
            return struct.pack("<4I2H2I2H8I", 7, MINOR, 0, 0, 16, 12, LARGEST_WRITE, 1, 0, 0, *[0] * 8)
        if what == LOOKUP:
            return self.lookup(node, data)
        if what == GETATTR:
            return struct.pack("<Q2I", VALID_SECONDS, 0, 0) + self.attributes(node)
        if what in (OPEN, OPENDIR):
            return struct.pack("<Q2I", 0, 0, 0)
        if what == READ:
            return self.read(node, data)
        if what == RELEASE:
            return b""
        raise OSError(errno.ENOSYS, "no such request")

    def serve(self, device):
        while True:
            request = os.read(device, LARGEST_REQUEST)
            length, what, number, node = REQUEST.unpack_from(request)[:4]
            if self.dead or what in (FORGET, BATCH_FORGET):
                continue
            try:
                data, error = self.answer(what, node, request[REQUEST.size:length]), 0
            except OSError as problem:
                data, error = b"", -problem.errno
            os.write(device, ANSWER.pack(ANSWER.size + len(data), error, number) + data)


def main(directory, mountpoint, owner):
    """Serves until it is killed, or the file system is not mounted any more."""
    server = Server(directory, int(owner))
    signal.signal(signal.SIGUSR1, server.die)
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=40000,user_id={owner},group_id={owner},allow_other"
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(b"dead_server", os.fsencode(mountpoint), b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount", mountpoint)
    try:
        print("ready", flush=True)
        server.serve(device)
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise
    finally:
        library.umount2(os.fsencode(mountpoint), LAZILY)


if __name__ == "__main__":
    main(*sys.argv[1:])
