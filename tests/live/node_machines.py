#!/usr/bin/env python3
"""Machines of a cluster, made on this one by root: nodes with a network between them, reached by OpenSSH only.

    node_machines.py shell [--nodes N] [--root DIRECTORY] [--show DIRECTORY...]
        makes nodes and runs a shell on the one that has the name login.
    node_machines.py up FILE [--nodes N] [--root DIRECTORY] [--show DIRECTORY...]
        makes nodes that last until this command ends. FILE becomes a program: FILE NODE COMMAND... runs a command on a
        node, FILE world COMMAND... outside of all nodes, where all their processes are seen.

Each node has a host name (n01, n02 and so on, and login), an address, process ids, /tmp, /run and /dev/shm of its own,
and an sshd with keys of its own. Root gets from each to each by ssh, without a question. Nothing else is changed: files
are those of this machine or of another root (releases.py), and can only be read. The directory /tmp/shared, and those
that are asked for, are the same on all nodes, and can be written.

All of it lives in namespaces that end with this process, whatever ends it. Outside of them nothing is written, and no
network interface, mount or process is seen that is meant for the machine.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import glob
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import job

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SHARED = "/tmp/shared"        # in the nodes and around them
SSHD = "/usr/sbin/sshd"
UNPACKED = "/run/node/sshd"   # where a node has an sshd that is not installed
NETWORK = "10.77.0"
LOGIN = "login"
NAMESPACES = 0x20000 | 0x4000000 | 0x8000000 | 0x20000000 | 0x40000000     # mounts, name, IPC, processes, network
PR_SET_PDEATHSIG = 1

# Run by the first process of a node: ROOT NAME DIRECTORY... . The root becomes that of the node, and gets what is the
# node's own. The directories are those of the node's files, and those that all nodes share. A line on standard input
# says that the network is there.
INIT = r"""
name=$1 files=$2 root=$files/root
shift 2
hostname "$name"
mount --rbind "$MQD_NODE_ROOT" "$root"
for directory in proc sys tmp run dev; do
    umount --quiet --recursive "$root/$directory" || true
done
for directory in "$@"; do
    case $directory in /tmp/*|/run/*) ;; *) [ -d "$root$directory" ] || mkdir -p "$root$directory";; esac
done
for file in hosts passwd group nsswitch.conf; do
    [ -e "$root/etc/$file" ] || : >"$root/etc/$file"
done
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/run/sshd" "$root/run/node"
for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
cp -R "$files/files/." "$root/run/node"
if [ -n "$MQD_NODE_SSHD_ROOT" ]; then
    mkdir "$root/run/node/sshd"
    mount --bind "$MQD_NODE_SSHD_ROOT" "$root/run/node/sshd"
fi
for file in hosts passwd group nsswitch.conf; do
    mount --bind "$root/run/node/$file" "$root/etc/$file"
done
for directory in "$@"; do
    mkdir -p "$root$directory"
    mount --rbind "$directory" "$root$directory"
done
cd "$root"
pivot_root . mnt
umount --lazy /mnt
cd /
read -r _
exec sh -c '"$@" -D -e -f /run/node/sshd_config >>/run/node/log 2>&1 </dev/null & sleep infinity & wait' \
    init $MQD_NODE_SSHD
"""

SSHD_CONFIG = """
Port 22
HostKey /run/node/host_key
PidFile /run/node/sshd.pid
AuthorizedKeysFile /run/node/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PermitRootLogin prohibit-password
PrintMotd no
MaxStartups 200
MaxSessions 200
"""


class Missing(Exception):
    """Nodes cannot be made here; the text says why."""


class Failure(Exception):
    """What should have worked with the nodes did not."""


def output_of(*command, **more):
    """What a command prints, as far as it works."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    if result.returncode != 0:
        raise Missing(f"{shlex.join(command)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def enter_world():
    """
    Goes on in namespaces of their own, in a child of this process; this one only waits for it, and ends as it does. All
    that runs there ends with this process.
    """
    if os.geteuid() != 0:
        raise Missing("only root can make nodes")
    for command in ("unshare", "nsenter", "ip", "ssh", "ssh-keygen"):
        if not shutil.which(command):
            raise Missing(f"{command} is missing (Debian: util-linux, iproute2, openssh-client)")
    starter, libc = os.getpid(), ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NAMESPACES) != 0:
        raise Missing(f"no namespaces: {os.strerror(ctypes.get_errno())}")
    reader, writer = os.pipe()
    first = os.fork()
    if first:
        os.write(writer, b"!")
        end_with(first)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.close(writer)
    if not os.read(reader, 1):
        os._exit(1)
    # The first process collects what others leave behind; all others end with it.
    child = os.fork()
    if child:
        end_with(child)
    job.mind_signals()
    prepare_world()
    return starter


def end_with(child):
    """Ends as a child does, or with it. Meanwhile it collects those that have lost their parents."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))

    def pass_on(number, _frame):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_on)
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def prepare_world():
    """An empty /tmp, but for what this test consists of; and the network of all nodes."""
    shown = [os.open(directory, os.O_PATH | os.O_DIRECTORY) for directory in kept_directories()]
    names = [os.readlink(f"/proc/self/fd/{handle}") for handle in shown]
    try:
        output_of("mount", "--make-rprivate", "/")
        output_of("mount", "-t", "proc", "proc", "/proc")
        output_of("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp")
        for handle, name in zip(shown, names):
            os.makedirs(name)
            output_of("mount", "--no-canonicalize", "--bind", f"/proc/self/fd/{handle}", name, pass_fds=[handle])
            os.close(handle)
        output_of("ip", "link", "set", "lo", "up")
        output_of("ip", "link", "add", "bridge", "type", "bridge")
        output_of("ip", "link", "set", "bridge", "up")
    except Missing as reason:
        raise Missing(f"no network of its own: {reason}") from reason
    os.environ.pop("TMPDIR", None)
    os.mkdir(SHARED)
    os.chmod(SHARED, 0o1777)


def kept_directories():
    """What lies in /tmp outside, and is needed here. The arguments that name directories or files there count."""
    paths = [TOP, os.environ.get("MQD_SSHD", TOP), *(argument.split("=", 1)[-1] for argument in sys.argv)]
    paths = [os.path.realpath(path) for path in paths if os.path.exists(path)]
    paths = {path if os.path.isdir(path) else os.path.dirname(path) for path in paths}
    paths = {path for path in paths if path.startswith("/tmp/")}
    return sorted(path for path in paths if not any(path.startswith(other + "/") for other in paths))


def children(pid):
    return list(map(int, job.said_of(pid, f"task/{pid}/children").split()))


@dataclasses.dataclass
class Process:
    """A process of a node, as it is seen from outside and from within."""
    pid: int
    inner: int
    arguments: list

    @property
    def environment(self):
        return job.environment_of(self.pid)


def process_of(pid):
    """None if it has ended."""
    fields = job.status_of(pid)
    if fields.get("State", "X")[0] in "ZX":
        return None
    return Process(pid, int(fields["NSpid"].split()[-1]), job.words_of(pid))


class Sshd:
    """
    The sshd of a root, or one that is not installed there (MQD_SSHD names where tests/unpack has put it): whoever starts
    it sees that as `place`, by default where it is.
    """

    def __init__(self, root, place=None):
        self.root, self.command, self.options = None, [SSHD], []
        if root != "/" or "MQD_SSHD" not in os.environ:
            if not os.path.exists(root + SSHD):
                raise Missing(f"{root} has no sshd (Debian: openssh-server)")
            return
        self.root = os.path.join(os.path.realpath(os.environ["MQD_SSHD"]), "root")
        place = place or self.root
        libraries = ":".join(place + path[len(self.root):] for path in glob.glob(f"{self.root}/usr/lib/*-linux-gnu*"))
        self.command = ["env", f"LD_LIBRARY_PATH={libraries}", place + SSHD]
        for option, program in (("SshdSessionPath", "sshd-session"), ("SshdAuthPath", "sshd-auth")):
            if os.path.exists(f"{self.root}/usr/lib/openssh/{program}"):
                self.options.append(f"{option} {place}/usr/lib/openssh/{program}\n")


class Node:
    """One machine."""

    def __init__(self, name, address):
        self.name, self.address = name, address
        self.starter = None
        self.init = 0

    @property
    def hardware(self):
        """An address that it keeps when it is switched off and on: others remember it."""
        return "02:00:" + ":".join(f"{int(part):02x}" for part in self.address.split("."))

    def start(self, root, sshd, files, directories):
        os.makedirs(os.path.join(files, "root"))
        self.starter = subprocess.Popen(
            ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child=SIGKILL",
             "--propagation", "private", "sh", "-euc", INIT, "init", self.name, files, *directories],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={"PATH": os.environ["PATH"], "MQD_NODE_ROOT": root, "MQD_NODE_SSHD_ROOT": sshd.root or "",
                 "MQD_NODE_SSHD": shlex.join(sshd.command)}, cwd="/")
        deadline = time.monotonic() + job.PATIENCE
        while not children(self.starter.pid):
            self._expect_alive(deadline)
            time.sleep(0.005)
        self.init = children(self.starter.pid)[0]

    def _expect_alive(self, deadline):
        if self.starter.poll() is not None:
            raise Missing(f"{self.name} does not start: {self.starter.stderr.read().strip()}")
        if time.monotonic() > deadline:
            raise Missing(f"{self.name} does not start within {job.PATIENCE} s")

    def connect(self):
        """Puts its end of a cable into it, the other one into the bridge."""
        cable = f"to-{self.name}"
        inside = ["nsenter", f"--target={self.init}", "--net", "ip"]
        try:
            output_of("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "address", self.hardware,
                      "netns", str(self.init))
            output_of("ip", "link", "set", cable, "master", "bridge", "up")
            output_of(*inside, "link", "set", "lo", "up")
            output_of(*inside, "address", "add", f"{self.address}/24", "dev", "eth0")
            output_of(*inside, "link", "set", "eth0", "up")
            self.starter.stdin.write("connected\n")
            self.starter.stdin.close()
        except (Missing, OSError) as error:
            if self.starter.poll() is None:
                raise
            raise Missing(f"{self.name} does not start: {self.starter.stderr.read().strip()}") from error

    def await_sshd(self):
        deadline = time.monotonic() + job.PATIENCE
        while not os.path.exists(f"/proc/{self.init}/root/run/node/sshd.pid"):
            self._expect_alive(deadline)
            time.sleep(0.01)

    @property
    def enter(self):
        """What stands before a command that is to run on it."""
        return ["nsenter", f"--target={self.init}", "--mount", "--net", "--uts", "--ipc", "--pid", "env", "-i",
                "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/run/node/home", "USER=root",
                "LANG=C.UTF-8", "TERM=" + os.environ.get("TERM", "dumb")]

    def set_link(self, is_up):
        """Plugs the cable in, or pulls it out."""
        output_of("ip", "link", "set", f"to-{self.name}", "up" if is_up else "down")

    def processes(self):
        """All that run there."""
        try:
            mine = os.stat(f"/proc/{self.init}/ns/pid").st_ino
        except OSError:
            return []
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{pid}/ns/pid").st_ino == mine:
                    found.append(process_of(int(pid)))
        return [process for process in found if process]

    def sshd(self):
        """The server that accepts connections."""
        with open(f"/proc/{self.init}/root/run/node/sshd.pid", encoding="ascii") as file:
            inner = int(file.read())
        return next(process for process in self.processes() if process.inner == inner)

    def clear(self):
        """Ends what does not belong to the machine itself."""
        for process in self.processes():
            if process.arguments and not process.arguments[0].startswith("sshd: /") and process.pid != self.init and (
                    process.arguments[0] != "sleep"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)

    def kill(self):
        """As if the power had gone: nobody hears of it."""
        self.set_link(False)
        self.end()

    def end(self):
        if self.starter and self.starter.poll() is None:
            self.starter.kill()
            self.starter.wait()
            self.starter.stderr.close()

    def disconnect(self):
        """The kernel would do so, as soon as no connection is left that was not closed at both ends."""
        subprocess.run(["ip", "link", "delete", f"to-{self.name}"], capture_output=True, check=False)


class Machines:
    """All nodes, and how to get to them; as a context they are ended."""

    def __init__(self, n_nodes, root="/", shown=()):
        self.root = os.path.realpath(root)
        self.sshd = None
        self.scratch = tempfile.mkdtemp(prefix="machines-")
        self.shown = [os.path.realpath(path) for path in shown if not is_below(os.path.realpath(path), "/usr")]
        width = max(2, len(str(n_nodes)))
        self.nodes = [Node(f"n{i:0{width}}", f"{NETWORK}.{i}") for i in range(1, n_nodes + 1)]
        self.login = Node(LOGIN, f"{NETWORK}.254")

    @property
    def all(self):
        return [self.login, *self.nodes]

    def __getitem__(self, name):
        return next(node for node in self.all if node.name == name)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *exception):
        self.end()

    def start(self):
        self.sshd = Sshd(self.root, UNPACKED)
        self.make_keys()
        self.start_nodes(self.all)

    def start_nodes(self, nodes):
        for node in nodes:
            files = os.path.join(self.scratch, node.name)
            shutil.rmtree(files, ignore_errors=True)
            self.write_files(node, os.path.join(files, "files"))
            node.start(self.root, self.sshd, files, [SHARED, *self.shown])
        for node in nodes:
            node.connect()
        for node in nodes:
            node.await_sshd()

    def end(self):
        for node in self.all:
            node.end()
            node.disconnect()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def revive(self, node):
        """Switches a node on again that was killed."""
        node.disconnect()
        self.start_nodes([node])

    def make_keys(self):
        for name in ("user", *(node.name for node in self.all)):
            output_of("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f",
                      os.path.join(self.scratch, f"key-{name}"))

    def read(self, name):
        with open(os.path.join(self.scratch, name), encoding="ascii") as file:
            return file.read()

    def write_files(self, node, directory):
        home = os.path.join(directory, "home", ".ssh")
        os.makedirs(home, mode=0o700)
        shutil.copy(os.path.join(self.scratch, "key-user"), os.path.join(home, "id_ed25519"))
        shutil.copy(os.path.join(self.scratch, f"key-{node.name}"), os.path.join(directory, "host_key"))
        known = "".join(f"{other.name},{other.address} {self.read(f'key-{other.name}.pub')}" for other in self.all)
        hosts = "".join(f"{other.address} {other.name}\n" for other in self.all)
        with open(self.root + "/etc/passwd", encoding="utf-8") as file:
            users = [line for line in file if line.split(":")[0] not in ("root", "sshd")]
        with open(self.root + "/etc/group", encoding="utf-8") as file:
            groups = file.read()
        texts = {
            "home/.ssh/known_hosts": known,
            "authorized_keys": self.read("key-user.pub"),
            "sshd_config": SSHD_CONFIG + "".join(self.sshd.options),
            "hosts": f"127.0.0.1 localhost\n::1 localhost\n{hosts}",
            "passwd": "root:x:0:0:root:/run/node/home:/bin/bash\nsshd:x:65532:65534::/run/sshd:/usr/sbin/nologin\n" +
                      "".join(users),
            "group": groups,
            "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
        }
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)


def is_below(path, directory):
    return path == directory or path.startswith(directory.rstrip("/") + "/")


ON = """#!/bin/sh
# {name} NODE COMMAND...: runs a command on a node; {name} world COMMAND...: outside of them all.
node=$1
shift
read -r world </proc/{starter}/task/{starter}/children
case $node in
    world) ;;
{cases}
    *) echo "$0: no node $node" >&2; exit 2;;
esac
exec nsenter --target="$world" --mount --net --uts --ipc --pid "$@"
"""


def stay_up(machines, starter, place, name):
    """Writes the program that runs commands on nodes, and waits for the end."""
    cases = "\n".join(f"    {node.name}) set -- {shlex.join(node.enter)} \"$@\";;" for node in machines.all)
    with open(name, "w", opener=lambda path, flags: os.open(path, flags, 0o755, dir_fd=place)) as file:
        file.write(ON.format(name=name, starter=starter, cases=cases))
    print(f"{len(machines.all)} machines are up: {name} NODE COMMAND...", flush=True)
    while True:
        signal.pause()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("shell", "up"))
    parser.add_argument("file", nargs="?", help="with up: gets the program that runs commands on nodes")
    parser.add_argument("--nodes", type=int, default=4, help="how many, besides login; 4 by default")
    parser.add_argument("--root", default="/", help="an unpacked release (releases.py); this machine's by default")
    parser.add_argument("--show", action="append", default=[TOP], help="a directory that all nodes have, too")
    arguments = parser.parse_args()
    if (arguments.what == "up") != (arguments.file is not None):
        parser.error("up needs a file, shell none")
    # Its directory may be hidden by then.
    place = os.open(os.path.dirname(arguments.file or "") or ".", os.O_PATH | os.O_DIRECTORY)
    starter = enter_world()
    with Machines(arguments.nodes, arguments.root, arguments.show) as machines:
        if arguments.what == "shell":
            return subprocess.run([*machines.login.enter, "bash"], check=False).returncode
        return stay_up(machines, starter, place, os.path.basename(arguments.file))


def end_by(main):
    """Ends with the status of a function, or with that of what cannot be tested here."""
    try:
        sys.exit(main())
    except Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(job.SKIPPED)


if __name__ == "__main__":
    end_by(main)
