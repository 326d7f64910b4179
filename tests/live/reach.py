#!/usr/bin/env python3
"""mqdump on the machines of a job: how it is started there, and what becomes of that.

The machines are this one under other names: stand-ins for launchers, and a real sshd on the loopback interface. Every
check looks at three things: what mqdump says, that nothing is left of what it has started, and that all ranks go on.
"""

import array
import contextlib
import fcntl
import getpass
import glob
import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import time
import urllib.parse

import cases
import job
import node_machines
import run
import script
import verdicts
from mqdump_errors import Checks, Failed, Skipped, expect, run_checks, status_of, wait_until

N_RANKS = 3
HERE = os.path.dirname(os.path.abspath(__file__))

# What stands for a launcher: HOST COMMAND... The rest of it is what a check needs.
LAUNCHER = """#!{python} -S
import os, subprocess, sys, time
host, command = sys.argv[1], sys.argv[2:]
def start():
    os.execvp(command[0], command)
def output():
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()
{body}
start()
"""

# One machine for each way of going wrong.
TROUBLES = """
if host == "unreachable":
    sys.exit("ssh: connect to host unreachable port 22: No route to host\\r")
if host == "missing":
    os.execvp("sh", ["sh", "-c", "/nowhere/mqdump --collect=node"])
if host == "silent":
    time.sleep(1000)
if host == "dripping":
    while True:
        write("{")
        time.sleep(0.05)
if host == "garbage":
    write('{"line": "header", "record": "something else"}\\n')
    time.sleep(1000)
if host == "endless":
    while True:
        write("no end of it\\n")
if host == "longline":
    write("{")
    while True:
        write("x" * 65536)
if host == "cut":
    text = output()
    write(text[:text.rindex('{"line')])
    sys.exit(0)
if host == "halved":
    text = output()
    write(text[:len(text) // 2])
    os.kill(os.getpid(), 9)
if host == "greeting":
    write("Welcome to the\\nmachine\\n" + output() + "logout\\n")
    sys.exit(0)
if host == "newer":
    write(output().replace(VERSION, '"mqdump":"99.1"', 1))
    sys.exit(0)
if host == "stranger":
    write(output().replace(JOB, '"job":"4711"'))
    sys.exit(0)
if host == "protocol":
    command = [word.replace("%22protocol%22:3", "%22protocol%22:4") for word in command]
if host == "old":
    os.execvp("sh", ["sh", "-c", "echo \\"mqdump: unrecognized option '--collect=node'\\" >&2; exit 2"])
if host == "deaf":
    subprocess.Popen(["sh", "-c", "trap '' TERM HUP; while :; do sleep 0.1; done"])
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)
"""


# What an mqdump on another machine is asked for, as request.c has it.
REQUEST = {"protocol": 3, "task": "look", "queues": True, "internal": False, "layout": False, "why": False,
           "needs_why": False, "stacks": False, "no_stop": False, "dll": None, "sysroot": None, "executables": [],
           "memory": None, "cpu": None, "time": None, "host": None, "thorough": False, "owner": None, "processes": [],
           "cores": [], "server": None, "jobs": [], "families": [], "ranks": [], "user": -1, "seconds": 0}


def processes_with(text):
    """All processes that have this in their command line, and run."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and text in " ".join(job.words_of(pid)) and job.alive(pid)]


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Sshd:
    """An sshd of our own: key, port and configuration are below a directory. Any host name leads to it."""

    def __init__(self, directory):
        self.directory = directory
        try:
            server = node_machines.Sshd("/")
        except node_machines.Missing as missing:
            raise Skipped(str(missing)) from None
        if not shutil.which("ssh"):
            raise Skipped("no ssh (Debian: openssh-client)")
        os.mkdir(directory, 0o700)
        for key in ("host", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)], check=True)
        shutil.copy(self.path("key.pub"), self.path("authorized"))
        self.port = free_port()
        with open(self.path("host.pub"), encoding="ascii") as file:
            key = " ".join(file.read().split()[:2])
        self.write("known", f"[127.0.0.1]:{self.port} {key}\n")
        self.write("sshd_config", f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.path("host")}
AuthorizedKeysFile {self.path("authorized")}
StrictModes no
UsePAM no
PidFile {self.path("pid")}
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
AllowAgentForwarding yes
X11Forwarding yes
Banner {self.path("banner")}
""" + "".join(server.options))
        self.write("banner", "All that you do here is recorded.\n")
        # What the user has set, and what mqdump must not have from him.
        self.write("config", f"""Host *
  HostName 127.0.0.1
  Port {self.port}
  User {getpass.getuser()}
  IdentityFile {self.path("key")}
  IdentitiesOnly yes
  UserKnownHostsFile {self.path("known")}
  ForwardAgent yes
  ForwardX11 yes
  RequestTTY force
""")
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", f"#!/bin/sh\nexec {shutil.which('ssh')} -F {self.path('config')} \"$@\"\n", 0o755)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.process = subprocess.Popen([*server.command, "-D", "-f", self.path("sshd_config"), "-E", self.path("log")],
                                        stdin=subprocess.DEVNULL, env={**os.environ, **self.own_user(server)})
        try:
            wait_until(self.answers, "start of sshd")
        except Failed:
            with contextlib.suppress(OSError), open(self.path("log"), encoding="utf-8", errors="replace") as file:
                raise Skipped(f"sshd cannot be used here: {file.read().strip()[-300:]}") from None
            raise

    def own_user(self, server):
        """The environment that tells an sshd that is not installed of the user that installing makes."""
        with open("/etc/passwd", encoding="utf-8") as file:
            users = file.read()
        if server.root is None or "\nsshd:" in users:
            return {}
        self.write("users", f"{users}sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n", 0o644)
        wrapper, = glob.glob(f"{server.root}/usr/lib/*-linux-gnu*/libnss_wrapper.so")
        return {"LD_PRELOAD": wrapper, "NSS_WRAPPER_PASSWD": self.path("users"), "NSS_WRAPPER_GROUP": "/etc/group"}

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text, mode=0o600):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def answers(self):
        return self.process.poll() is None and subprocess.run(
            [self.path("bin/ssh"), "-T", "-x", "-a", "-o", "BatchMode=yes", "n01", "true"], check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def environment(self):
        """In which the user's ssh leads to this sshd."""
        return {"PATH": f"{self.path('bin')}:{os.environ['PATH']}"}

    def end(self):
        self.process.terminate()
        self.process.wait()


class Reach(Checks):
    """All checks; each method whose name starts with check_ is one."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # Other tests may run mqdump meanwhile: its processes for these checks are known by a DLL of their own.
        self.dll = shutil.copy(self.dll, self.path("libompi_dbg_msgq.so"))
        self.mpirun = self.namespace = self.sshd = None
        self.ranks = []

    def end(self):
        if self.mpirun is not None:
            self.mpirun.terminate()
            self.mpirun.wait()
        if self.sshd is not None:
            self.sshd.end()

    # What the checks need.

    def job(self):
        """The namespace of a job that hangs in a ring of receives. It is started on first use."""
        if self.namespace is not None:
            return self.namespace
        self.require_mpi()
        program = self.path("prog_reach")
        run.compile_script(self.mpicc, program)
        launch = job.HERE.launch
        settings = [word for name, value in launch.always.items() for word in ("--mca", name, value)]
        with cases.lasting():
            self.mpirun = subprocess.Popen(
                [*self.mpi_command(), *launch.options, *launch.alone, *settings, "-n", str(N_RANKS), program, *script.command(verdicts.RING, N_RANKS)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": self.directory})
        wait_until(lambda: len(self.running(program)) == N_RANKS, "start of the ranks")
        self.ranks = self.running(program)
        self.namespace = job.environment_of(self.ranks[0])["PMIX_NAMESPACE"]
        wait_until(self.is_hanging, "the ring of receives")
        return self.namespace

    @staticmethod
    def running(program):
        return [pid for pid in processes_with(program) if job.words_of(pid)[:1] == [program]]

    def is_hanging(self):
        result = self.run("--job", self.namespace, "--no-why", "--json")
        return result.status == 0 and result.out.count('"pending"') >= N_RANKS

    def launcher(self, body=""):
        """The option of a command that does this on each host."""
        path = self.path("launcher")
        with open(path, "w", encoding="utf-8") as file:
            file.write(LAUNCHER.format(python=sys.executable, body=body))
        os.chmod(path, 0o755)
        return ["--launch", f"{path} %h"]

    def reach(self, hosts, *more, namespace=None, **options):
        return self.run("--job", namespace or self.job(), "--hosts", hosts, *more, **options)

    def ssh(self):
        if self.sshd is None:
            with cases.lasting():
                self.sshd = Sshd(self.path("ssh"))
        return self.sshd

    def all_is_well(self):
        """Nothing is left, and all ranks go on."""
        wait_until(lambda: not processes_with(self.dll), "end of all collectors")
        for pid in self.ranks:
            expect(job.alive(pid), f"rank {pid} has ended")
            expect(job.stopped_or_traced(pid) is None, f"rank {pid} {job.stopped_or_traced(pid)}")

    # That it works. Machines that are this one are asked one after the other: a rank has one tracer at a time.

    def check_stand_in(self):
        result = self.reach("a,b", "--fanout=1", *self.launcher())
        result.says(0)
        expect("Deadlock" in result.out and "rank 2" in result.out, f"no deadlock\n{result}")
        self.all_is_well()

    def check_ssh(self):
        result = self.reach("n[01-02]", "--fanout=1", environment=self.ssh().environment())
        result.says(0)
        expect("Deadlock" in result.out, f"no deadlock\n{result}")
        expect("recorded" not in result.err, f"the greeting is no message\n{result}")
        self.all_is_well()

    def check_own_machine_is_asked_directly(self):
        log = self.path("log")
        result = self.reach(f"a,{socket.gethostname()}", "--no-why", "--fanout=1",
                            *self.launcher(f"open({log!r}, 'a').write(host + '\\n')"))
        result.says(0)
        with open(log, encoding="ascii") as file:
            expect(file.read() == "a\n", "this machine was asked by the launcher")

    def check_variable_and_option(self):
        option = self.launcher()
        result = self.reach("a", "--no-why", environment={"OMPI_MQD_LAUNCH": option[1]})
        result.says(0)
        result = self.reach("a", "--no-why", *option, environment={"OMPI_MQD_LAUNCH": "no-such-program %h"})
        result.says(0)
        result = self.reach("a", "--no-why", environment={"OMPI_MQD_LAUNCH": "no-such-program %h"})
        result.says(1, "OMPI_MQD_LAUNCH 'no-such-program %h': there is no such program")

    def check_json_and_record(self):
        record = self.path("record")
        result = self.reach("a", "--json", "--save", record, *self.launcher())
        result.says(0)
        processes = json.loads(result.out)["processes"]
        expect([process["rank"] for process in processes] == list(range(N_RANKS)), f"other ranks\n{result}")
        again = self.run(record)
        again.says(0)
        expect("Deadlock" in again.out, f"no deadlock\n{again}")

    # What goes wrong on the machines.

    def troubles(self, hosts, *more):
        version = 'VERSION = \'"mqdump":"%s"\'\n' % self.run("--version").out.split()[-1]
        names = f"JOB = '\"job\":\"{self.job()}\"'\n"
        return self.reach(hosts, "--no-why", *self.launcher(version + names + TROUBLES), *more)

    def check_each_trouble_is_told(self):
        # A busy machine may not answer in time either: then it gets more.
        for seconds in (8, 16, 32, 64, cases.PATIENCE):
            result = self.troubles("good,unreachable,missing,silent,dripping,garbage,endless,longline,protocol,old,deaf",
                                   "--limit", f"host={seconds}", "--queues=all")
            if "good" not in result.err:
                break
        result.says(1,
                    "unreachable: .*ssh: connect to host unreachable port 22: No route to host",
                    "missing: .*--remote-mqdump",
                    f"silent: .*longer than {seconds} seconds .--limit host=SECONDS",
                    f"dripping: .*longer than {seconds} seconds",
                    "garbage: .*no record of mqdump",
                    "endless: .*without end",
                    "longline: .*longer than",
                    "protocol: .*speaks protocol 3, not 4 of version ",
                    "old: .*unrecognized option",
                    f"deaf.*: .*longer than {seconds} seconds")
        expect(all(f"Rank {rank} " in result.out.replace(",", " ") or f"Rank {rank}," in result.out
                   for rank in range(N_RANKS)), f"ranks of the good machine are not shown\n{result}")
        wait_until(lambda: not processes_with(self.path("launcher")), "end of all launchers")
        self.all_is_well()

    def check_answer_that_is_cut(self):
        for host in ("cut", "halved"):
            result = self.troubles(host)
            result.says(1, f"{host}: did not answer to the end")
        self.all_is_well()

    def check_greeting_is_no_answer(self):
        result = self.troubles("greeting")
        result.says(0, "greeting: before its answer: Welcome to the", "greeting: before its answer: machine")
        expect("Rank 0" in result.out, f"no ranks\n{result}")

    def check_other_version_is_told(self):
        result = self.troubles("newer")
        result.says(0, "newer: its mqdump has version 99.1, and this one ")

    def check_ranks_that_were_not_asked_for(self):
        result = self.troubles("stranger")
        result.says(1, f"stranger: has told of {N_RANKS} processes of jobs or users that it was not asked for")
        expect("4711" not in result.out and "MPI_COMM_WORLD" not in result.out, f"they are shown\n{result}")

    def check_host_without_ranks(self):
        result = self.reach("a,b", *self.launcher("if host == 'b': command = [word.replace('%22jobs%22:%5B%22',"
                                                  " '%22jobs%22:%5B%22no') for word in command]"))
        result.says(0)
        expect("b: no rank" in result.out, f"the empty host is not told\n{result}")
        result = self.reach("a,b", "--no-why", *self.launcher(), namespace="no-such-job")
        result.says(1, "no-such-job")

    def check_remote_mqdump(self):
        result = self.reach("a", "--no-why", "--remote-mqdump", "/nowhere/mqdump", *self.launcher("command[0:0] = ['env']"))
        result.says(1, "a: has no mqdump that can be started as /nowhere/mqdump .--remote-mqdump FILE says where")
        for name in ("/a b/mqdump", "-x", "a;b", "$HOME/mqdump"):
            result = self.reach("a", f"--remote-mqdump={name}", *self.launcher())
            result.says(1, "cannot be the name of mqdump on other machines")

    # What it starts.

    def check_options_that_cannot_be(self):
        for options, reason in ((("--hosts", "-oProxyCommand=x"), "is no name of a host"),
                                (("--hosts", ""), "the list of hosts is empty"),
                                (("--hosts", "@/nowhere"), "cannot be read"),
                                (("--fanout", "0"), "--fanout is a number from 1"),
                                (("--fanout", "x"), "--fanout is a number from 1"),
                                (("--limit", "host=x"), "--limit is ")):
            self.run("--job", "1", *options).says(2, reason)
        self.run("--hosts", "a").says(2, "give --job too")
        for launch, reason in (("env", "has no %h"), ("%h", "first word"), ("env %x %h", "followed by h"),
                               ("'", "no end"), ("no-such-program %h", "no such program")):
            self.reach("a", "--launch", launch).says(1, reason)

    def check_odd_names_arrive(self):
        """A namespace of any bytes goes through a shell as it is."""
        witness = self.path("witness")
        name = f"a b;$(touch {witness})`touch {witness}`'\"\\|>{witness}&*?[x]~!#%20%\u00e4"
        log = self.path("odd")
        body = f"""
if "--collect=node" in command:
    open({log!r}, "w").write("\\n".join(command))
    os.execvp("sh", ["sh", "-c", " ".join(command)])
"""
        result = self.reach("a", "--no-why", *self.launcher(body), namespace=name)
        result.says(1)
        expect(not os.path.exists(witness), "a shell has executed a part of the name")
        with open(log, encoding="utf-8") as file:
            words = file.read().split("\n")
        expect(words[-2] == "--collect=node" and not set(words[-1]) & set(" ;$`'\"\\|>&*?[]~!#"), f"words are {words}")
        expect(json.loads(urllib.parse.unquote(words[-1]))["jobs"] == [name], f"words are {words}")

    def check_fanout(self):
        """Not more launchers run at the same time than are wanted, and as many: the first two wait for each other."""
        log = self.path("fanout")
        body = f"""
def note(text):
    with open({log!r}, "a") as file:
        file.write(text)
note("+")
while open({log!r}).read().count("+") < 2:
    time.sleep(0.02)
time.sleep(0.3)
text = output()
note("-")
write(text)
sys.exit(0)
"""
        result = self.reach("n[1-6]", "--no-why", "--fanout", "2", *self.launcher(body))
        expect(result.status in (0, 1), f"{result}")
        with open(log, encoding="ascii") as file:
            steps = file.read()
        n = most = 0
        for step in steps:
            n += 1 if step == "+" else -1
            most = max(most, n)
        expect(steps.count("+") == 6 and most == 2, f"the launchers ran as {steps}")

    def check_user_is_left_alone(self):
        """Nothing reads what he types, nothing asks him, and his agent and display stay here."""
        seen = self.path("seen")
        wrapper = self.path("remote")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nenv >{seen}\nreadlink /proc/$$/fd/0 >>{seen}\n"
                       f"(: </dev/tty) 2>/dev/null && echo a terminal >>{seen}\nexec {self.mqdump} \"$@\"\n")
        os.chmod(wrapper, 0o755)
        agent = self.agent()
        terminal, side = pty.openpty()
        try:
            os.write(terminal, b"typed\n")
            process = self.start(
                "--job", self.job(), "--hosts", "n01,n02", "--remote-mqdump", wrapper, "--no-why", stdin=side,
                stdout=side, stderr=side, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                environment={**self.ssh().environment(), **agent, "DISPLAY": ":99", "SSH_ASKPASS": "/bin/true"})
            text = self.read_until_end(process, terminal)
            waiting = array.array("i", [0])
            fcntl.ioctl(side, termios.FIONREAD, waiting)
        finally:
            os.close(terminal)
            os.close(side)
            os.kill(int(agent["SSH_AGENT_PID"]), signal.SIGTERM)
        expect(process.returncode == 0, f"status {process.returncode}: {text}")
        expect(waiting[0] == len("typed\n"), "somebody has read what was typed")
        with open(seen, encoding="utf-8") as file:
            found = file.read()
        for word in ("SSH_AUTH_SOCK=", "DISPLAY=", "a terminal", "SSH_TTY="):
            expect(word not in found, f"{word} is there: {found}")

    @staticmethod
    def agent():
        text = subprocess.run(["ssh-agent", "-s"], check=True, capture_output=True, text=True).stdout
        return dict(part.split("=", 1) for part in text.replace("\n", "").split(";") if part.startswith("SSH_"))

    @staticmethod
    def read_until_end(process, terminal, seen=lambda text: None):
        """What is written to a terminal; seen() is told of it again and again."""
        text = b""
        os.set_blocking(terminal, False)
        end = time.monotonic() + cases.PATIENCE
        while process.poll() is None:
            if time.monotonic() > end:
                process.kill()
                process.wait()
                raise Failed(f"it does not end: {text}")
            with contextlib.suppress(BlockingIOError):
                text += os.read(terminal, 65536)
            seen(text)
            time.sleep(0.02)
        with contextlib.suppress(BlockingIOError):
            text += os.read(terminal, 65536)
        return text.decode("utf-8", "replace")

    def check_progress_is_shown(self):
        """The last machine answers when it has been."""
        shown = self.path("shown")
        body = f"while host == 'c' and not os.path.exists({shown!r}): time.sleep(0.02)"

        def seen(text):
            if b"mqdump: asked 2 of 3 hosts" in text:
                with open(shown, "wb"):
                    pass
        terminal, side = pty.openpty()
        try:
            process = self.start("--job", self.job(), "--hosts", "a,b,c", "--no-why", *self.launcher(body),
                                 stdout=subprocess.DEVNULL, stderr=side)
            text = self.read_until_end(process, terminal, seen)
        finally:
            os.close(terminal)
            os.close(side)
        expect(os.path.exists(shown), f"no progress: {text!r}")

    # How it ends.

    def kill_at_moments(self, n, kind, left, *options, **more):
        """So often, before calls of a kind, each time by another signal. `left` is what all that it starts is told."""
        arguments = ["--job", self.job(), "--hosts", "n[1-3]", *options]
        signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        for i, moment in enumerate(self.moments(n, kind, *arguments, **more)):
            with self.steps(kind, moment, *arguments, **more) as steps:
                os.kill(steps.mqdump, signals[i % len(signals)])
                self.finish_steps(steps)
            wait_until(lambda: not processes_with(left), "end of all launchers")
            self.all_is_well()

    def check_killed_over_ssh(self):
        self.kill_at_moments(12 if self.thorough else 4, "poll", self.ssh().path("config"),
                             environment=self.ssh().environment())

    def check_killed_with_a_launcher_that_starts_others(self):
        """The launcher starts another process and waits for it, as scripts and clush do. Some hold ranks then."""
        options = self.launcher("sys.exit(subprocess.call(command))")
        for kind in ("poll", "trace"):
            self.kill_at_moments(8 if self.thorough else 2, kind, self.path("launcher"), *options)

    @contextlib.contextmanager
    def other_side(self, seconds=0):
        """The mqdump that is started on another machine, whose look does not go on. Its input stays open."""
        request = {**REQUEST, "mqdump": self.run("--version").out.split()[-1], "jobs": [self.job()], "why": True,
                   "dll": self.dll, "seconds": seconds}
        reading, writing = os.pipe()
        with open(reading, "rb") as side, open(writing, "wb") as kept:
            kept.write(json.dumps(request).encode() + b"\n")
            kept.flush()
            with self.steps("trace", 1, "--collect=node", dll=False, stdin=side) as steps:
                yield steps

    def check_deadline_there(self):
        """Without anybody who ends it, the other side ends by itself."""
        with self.other_side(seconds=1) as steps:
            wait_until(lambda: not job.alive(steps.mqdump), "the other side ends by itself")
            result = self.finish_steps(steps)
        expect(result.status != 0, f"its look has ended\n{result}")
        self.all_is_well()

    def check_reader_has_gone(self):
        """The other side ends at once when nobody reads its answer, in the middle of a look."""
        with self.other_side() as steps:
            expect(steps.go_on(lambda: any(status_of(pid).get("TracerPid", "0") != "0" for pid in self.ranks)),
                   "a rank is held")
            steps.process.stdout.close()
            wait_until(lambda: not job.alive(steps.mqdump), "the other side ends")
            result = self.finish_steps(steps)
        expect(result.status == -signal.SIGPIPE, f"status {result.status}")
        self.all_is_well()


if __name__ == "__main__":
    sys.exit(run_checks(Reach, __doc__, ("thorough",)))
