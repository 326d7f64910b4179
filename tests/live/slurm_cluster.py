#!/usr/bin/env python3
"""Slurm on machines that a test has made (node_machines.py): real daemons, none of which the system starts or sees.

    slurm_cluster.py up FILE [--nodes N] [--show DIRECTORY...]
        makes a cluster that lasts until this command ends. FILE becomes a program: FILE NODE COMMAND... runs a command
        on a node as root, FILE NODE /run/node/as-user COMMAND... as a user who has no rights.

slurmctld runs on login, a slurmd on each node, and a munged on all of them. They have a key, a configuration, a state
and logs of their own, which are seen nowhere else. No cgroups are asked for.
"""

import argparse
import os
import secrets
import shutil
import subprocess
import time

import cases
import job
import node_machines

USER, UID = "alice", 65531
CPUS, MEGABYTES = 8, 8000     # that each node claims to have
COMMANDS = ("munged", "slurmctld", "slurmd", "slurmstepd", "srun", "sbatch", "salloc", "scontrol")
KEY_BYTES = 128

CONFIGURATION = """
ClusterName=test
SlurmctldHost={login}({address})
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
SlurmdTimeout=300
SlurmdParameters=config_overrides
StateSaveLocation=/run/node/state
SlurmdSpoolDir=/run/node/spool
SlurmctldPidFile=/run/node/slurmctld.pid
SlurmdPidFile=/run/node/slurmd.pid
SlurmctldLogFile=/run/node/slurmctld.log
SlurmdLogFile=/run/node/slurmd.log
NodeName=DEFAULT CPUs={cpus} RealMemory={memory} State=UNKNOWN
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Its default is to look for cgroups, which it does not use.
CGROUPS = "CgroupPlugin=cgroup/v1\n"

# Run on each node: the files become those that Slurm's commands read everywhere.
PREPARE = """
mount --bind /run/node/etc-slurm /etc/slurm
mkdir -p /run/munge /run/node/munge /run/node/state /run/node/spool
chmod 700 /run/node/munge
munged --key-file=/run/node/munge.key --seed-file=/run/node/munge/seed --log-file=/run/node/munge/log \
       --pid-file=/run/node/munge/pid
"""

AS_USER = f"""#!/bin/sh
exec env HOME=/tmp USER={USER} setpriv --reuid={UID} --regid={UID} --clear-groups "$@"
"""

# Slurm starts nothing for a user who has no name.
ACCOUNT = {"passwd": f"{USER}:x:{UID}:{UID}::/tmp:/bin/sh\n", "group": f"{USER}:x:{UID}:\n"}


def missing_command():
    """The first command that is not there, or None."""
    return next((name for name in COMMANDS if not shutil.which(name)), None)


class Cluster:
    """Slurm on machines that run; it ends with them."""

    def __init__(self, machines):
        self.machines = machines
        self.login = machines.login
        self.daemons = {}

    def start(self):
        """Returns when all nodes take jobs."""
        if missing_command():
            raise node_machines.Missing(f"no {missing_command()} (Debian: slurmctld, slurmd, slurm-client, munge)")
        key = secrets.token_bytes(KEY_BYTES)
        for node in self.machines.all:
            self._write_files(node, key)
            node_machines.output_of(*node.enter, "sh", "-euc", PREPARE)
        self._start_daemon(self.login, "slurmctld")
        for node in self.machines.nodes:
            self.start_slurmd(node)
        self.await_nodes("idle")

    def _write_files(self, node, key):
        directory = f"/proc/{node.init}/root/run/node"
        nodes = "\n".join(f"NodeName={other.name} NodeAddr={other.address}" for other in self.machines.nodes)
        configuration = CONFIGURATION.format(login=self.login.name, address=self.login.address, cpus=CPUS, memory=MEGABYTES,
                                             nodes=nodes)
        os.mkdir(f"{directory}/etc-slurm")
        for name, mode, content in (("etc-slurm/cgroup.conf", 0o644, CGROUPS.encode()),
                                    ("etc-slurm/slurm.conf", 0o644, configuration.encode()),
                                    ("munge.key", 0o600, key), ("as-user", 0o755, AS_USER.encode())):
            handle = os.open(f"{directory}/{name}", os.O_WRONLY | os.O_CREAT, mode)
            with open(handle, "wb") as file:
                file.write(content)
        for name, line in ACCOUNT.items():
            with open(f"{directory}/{name}", "a", encoding="ascii") as file:
                file.write(line)

    def _start_daemon(self, node, *command):
        with cases.lasting():
            self.daemons[node.name] = subprocess.Popen([*node.enter, *command, "-D"], stdin=subprocess.DEVNULL,
                                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start_slurmd(self, node):
        self._start_daemon(node, "slurmd")

    def slurmd(self, node):
        """The daemon itself, which is the parent of nobody who runs in a job."""
        return next(process for process in node.processes() if os.path.basename(process.arguments[0]) == "slurmd")

    def states(self):
        """What Slurm thinks of each node."""
        lines = self.control("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        return dict(line.split() for line in lines)

    def await_nodes(self, state):
        deadline = time.monotonic() + job.PATIENCE
        states = {}
        while list(states.values()) != [state] * len(self.machines.nodes):
            if time.monotonic() > deadline:
                raise node_machines.Missing(f"nodes are not {state} within {job.PATIENCE} s: {states}{self.logs()}")
            time.sleep(0.1)
            try:
                states = self.states()
            except node_machines.Missing:
                states = {}

    def logs(self):
        """The end of what the daemons say."""
        text = ""
        for node in self.machines.all:
            for name in ("slurmctld", "slurmd"):
                try:
                    with open(f"/proc/{node.init}/root/run/node/{name}.log", encoding="utf-8", errors="replace") as file:
                        text += f"\n{node.name}, {name}:\n" + "".join(file.readlines()[-5:])
                except OSError:
                    continue
        return text

    def control(self, *command):
        """What a command of Slurm's prints that root gives on login."""
        return node_machines.output_of(*self.login.enter, *command)

    @staticmethod
    def enter_as_user(node):
        """What stands before a command that the user runs on a node."""
        return [*node.enter, "/run/node/as-user"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("up",))
    parser.add_argument("file", help="gets the program that runs commands on nodes")
    parser.add_argument("--nodes", type=int, default=4, help="how many, besides login; 4 by default")
    parser.add_argument("--show", action="append", default=[node_machines.TOP], help="a directory that all nodes have")
    arguments = parser.parse_args()
    place = os.open(os.path.dirname(arguments.file) or ".", os.O_PATH | os.O_DIRECTORY)
    starter = node_machines.enter_world()
    with node_machines.Machines(arguments.nodes, "/", arguments.show) as machines:
        Cluster(machines).start()
        return node_machines.stay_up(machines, starter, place, os.path.basename(arguments.file))


if __name__ == "__main__":
    node_machines.end_by(main)
