"""A cluster of small nodes on this one machine, with a real Slurm: for tests of what happens on several nodes.

usage: rig.py up [N] [sshfs]         head and n1..nN (4). sshfs: /srv comes from head over the network: it has no locks
                                     between nodes, and hangs while a node is cut off
       rig.py down                   ends every process and removes every file of it
       rig.py run NODE COMMAND...    a command on a node, in /srv
       rig.py srun|sbatch|salloc|scancel|scontrol|squeue|sinfo WORD...    that command of Slurm, on head
       rig.py kill NODE              it loses power: its link is gone, then all processes; nobody hears a FIN or RST
       rig.py crash NODE             its processes die and the link stays: peers hear RST
       rig.py start NODE             boots a killed or crashed node; its /tmp and /var/spool are as they were
       rig.py freeze|thaw NODE       stops all its processes (SIGSTOP); lets them go on
       rig.py cut|heal NODE          takes the network away; gives it back, at full speed
       rig.py slow NODE MS RATE      its packets take MS ms more each way and at most RATE (20mbit, 1gbit)

A node is a set of name spaces: it has its own network card (10.77.0.x, on a switch that touches nothing else), host name,
processes, /tmp, /run, /var/spool, /dev/shm, sshd, munged and slurmd. Else it sees this machine's files. /srv is the folder
that all share. `head` runs slurmctld; the others compute, in the partitions `main` and `urgent`, which preempts `main`.
Nothing listens on this machine's own network. Nodes share the kernel: clocks, boot id and cores are the same everywhere.

In a test, `with Rig(4) as rig:` is a rig of its own in a temporary folder. It ends with the block, and also where the test is
killed: a guard in a session of its own waits for that. The command line keeps one rig, in the folder $TRELLIS_RIG
(/var/tmp/trellis-rig). Exit status: the command's; 2 for a wrong call; 77 where there can be no rig.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES = {"slurmctld": "slurm-wlm", "munged": "munge", "sshd": "openssh-server", "ip": "iproute2", "sshfs": "sshfs"}
SPACES = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
SLURM = ("srun", "sbatch", "salloc", "scancel", "scontrol", "squeue", "sinfo")
ON_A_NODE = ("kill", "crash", "start", "freeze", "thaw", "cut", "heal")
SECONDS_TO_BOOT = 60
CONF = """\
ClusterName=rig
SlurmctldHost=head
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
ReturnToService=2
SlurmdTimeout={silent}
SchedulerParameters=bf_interval=2,sched_interval=5
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmdParameters=config_overrides
GresTypes=gpu
{more}
NodeName=n[1-{count}] CPUs={cpus} RealMemory=2000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES PriorityTier=1 GraceTime=3 PreemptMode=REQUEUE
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF
"""
SSHD = """\
HostKey /run/rig/host_key
AuthorizedKeysFile /run/rig/key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile /run/sshd.pid
MaxStartups 100
Subsystem sftp internal-sftp
"""
SSH = """\
Host *
  IdentityFile /run/rig/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


class Missing(Exception):
    """This machine can have no rig; the text says what it lacks."""


class Wrong(Exception):
    """The rig cannot do that as it stands."""


def require(sshfs=False):
    """Throws Missing where there can be no rig."""
    if os.geteuid() != 0:
        raise Missing("nodes need root")
    lacking = [package for program, package in PACKAGES.items()
               if (sshfs or program != "sshfs") and not shutil.which(program, path=PATH)]
    if lacking:
        raise Missing(f"nodes need the packages {' '.join(lacking)} (tools/setup/packages.sh cluster)")
    probe = "mount -t tmpfs none /run && ip link add one type veth peer name two && ip link add three type bridge"
    done = subprocess.run([*SPACES, "sh", "-c", probe], capture_output=True, text=True, env={**os.environ, "PATH": PATH})
    if done.returncode != 0:
        raise Missing(f"nodes need the right to make name spaces with network cards: {' '.join(done.stderr.split())}")


def fields(process):
    """Those of /proc/N/stat that follow the name; nothing where there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(") ")[2].split()


def started(process):
    """When it started, in ticks: with this, a number that was given to somebody else is never taken for it."""
    found = fields(process)
    return found[19] if found and found[0] not in "ZX" else None


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def address(node):
    number = re.fullmatch(r"n([1-9]\d?)", node)
    if node != "head" and not number:
        raise Wrong(f"there is no node {node}")
    return f"10.77.0.{1 if node == 'head' else 10 + int(number[1])}"


class Rig:
    """head and `count` nodes. `silent`: seconds until Slurm gives up a node that says nothing (its own default is 300).
    `conf`: lines for slurm.conf. `visible`: folders that nodes see although they lie in /tmp. `room`: where the rig keeps its
    files; without it, a temporary folder."""

    def __init__(self, count=4, sshfs=False, silent=20, conf="", visible=(), room=None):
        self.count, self.sshfs, self.silent, self.conf, self.visible = count, sshfs, silent, conf, visible
        self.room = pathlib.Path(room) if room else None
        self._guard = None

    @property
    def shared(self):
        """The folder that nodes see as /srv."""
        return self.room / "shared"

    @property
    def nodes(self):
        return [f"n{i}" for i in range(1, self.count + 1)]

    def __enter__(self):
        require(self.sshfs)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        if not self.room:
            self.room = pathlib.Path(tempfile.mkdtemp(prefix="trellis-cluster-"))
        self._guard = subprocess.Popen([sys.executable, "-B", __file__, "guard", str(self.room)], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            self.up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.down()
        finally:
            self._guard.stdin.close()
            self._guard.wait()

    # --- life

    def up(self):
        self._configure()
        self._spawn("switch", ["sleep", "infinity"])
        self._ip("switch", "link add br0 type bridge", "link set br0 up")
        for node in ["head", *self.nodes]:
            self._boot(node)
        self.wait_for_idle()

    def wait_for_idle(self, nodes=None, seconds=SECONDS_TO_BOOT):
        """Waits until Slurm calls these nodes idle (all of them)."""
        wanted = set(nodes or self.nodes)
        end = time.monotonic() + seconds
        while True:
            listed = self.slurm("sinfo", "-h", "-N", "-p", "main", "-t", "idle", "-o", "%N", timeout=20).stdout.split()
            if wanted <= set(listed):
                return
            if time.monotonic() > end:
                states = self.slurm("sinfo", "-h", "-N", "-p", "main", "-o", "%N %T %E").stdout
                raise Wrong(f"not idle within {seconds} s: {sorted(wanted - set(listed))}; {states}{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        """The last lines of all logs."""
        found = ""
        for path in [*self.room.glob("log/*"), *self.room.glob("nodes/*/log/*")]:
            lines = path.read_text(errors="replace").splitlines()[-5:]
            found += "\n".join([f"== {path.relative_to(self.room)}", *lines, ""])
        return found

    def down(self):
        if not self.room.is_dir():
            return
        names = [path.name for path in self.room.glob("pid/*")]
        for name in sorted(names, key=lambda name: (not name.startswith("slow-"), name == "switch", name == "head")):
            self._end(name)
        if f" {self.room}/" in pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8"):
            raise Wrong(f"{self.room} has mounts, it is left as it is")
        shutil.rmtree(self.room)

    def _configure(self):
        etc = self.room / "etc"
        for name in ("etc/slurm", "pid", "log", "shared", "nodes"):
            (self.room / name).mkdir(parents=True, exist_ok=True)
        for path in (self.room, etc, self.shared):
            path.chmod(0o755)
        hosts = ["127.0.0.1 localhost", *(f"{address(node)} {node}" for node in ["head", *self.nodes])]
        (etc / "hosts").write_text("\n".join(hosts) + "\n")
        (etc / "visible").write_text("".join(f"{pathlib.Path(path).resolve()}\n" for path in self.visible))
        if self.sshfs:
            (etc / "sshfs").touch()
        key = etc / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        shutil.chown(key, "munge")
        for name in ("key", "host_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(etc / name)], check=True)
        (etc / "sshd_config").write_text(SSHD)
        (etc / "ssh_config").write_text(SSH)
        conf = CONF.format(silent=self.silent, more=self.conf, count=self.count, cpus=os.cpu_count())
        (etc / "slurm/slurm.conf").write_text(conf)
        (etc / "slurm/gres.conf").write_text("Name=gpu File=/run/gpu[0-1] Flags=nvidia_gpu_env\n")

    def _spawn(self, name, command):
        """Starts a process in name spaces of its own, which is remembered under that name."""
        with open(self.room / "log" / name, "ab") as log:
            outer = subprocess.Popen([*SPACES, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                     start_new_session=True)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            for process in processes():
                found = fields(process)
                if found and int(found[1]) == outer.pid:
                    self._keep(name, process)
                    return
            time.sleep(0.01)
        raise Wrong(f"{name} did not start: {(self.room / 'log' / name).read_text(errors='replace')}")

    def _boot(self, node):
        own = self.room / "nodes" / node
        for name in ("tmp", "spool", "log"):
            (own / name).mkdir(parents=True, exist_ok=True)
        (own / "tmp").chmod(0o1777)
        (own / "ready").unlink(missing_ok=True)
        self._spawn(node, ["sh", str(HERE / "node.sh"), str(self.room), node])
        with contextlib.suppress(Wrong):  # what is left where a node crashed
            self._ip("switch", f"link del p-{node}")
        # The same hardware address each time: the others would send to the old one for a minute.
        hardware = f"02:00:0a:4d:00:{int(address(node).split('.')[3]):02x}"
        self._ip("switch", f"link add p-{node} type veth peer name eth0 address {hardware} netns {self._alive(node)}",
                 f"link set p-{node} master br0 up")
        self._ip(node, f"addr add {address(node)}/24 dev eth0", "link set eth0 up", "link set lo up")
        (own / "plugged").touch()

    # --- processes

    def _keep(self, name, process):
        (self.room / "pid" / name).write_text(f"{process} {started(process)}")

    def _pid(self, name):
        """Its process, or nothing where that has ended."""
        try:
            process, start = (self.room / "pid" / name).read_text().split()
        except (OSError, ValueError):
            return None
        return int(process) if started(process) == start else None

    def _alive(self, name):
        process = self._pid(name)
        if not process:
            raise Wrong(f"{name} is not running")
        return process

    def _end(self, name):
        process = self._pid(name)
        if process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            self._resume(process)
            end = time.monotonic() + 30
            while self._pid(name):
                if time.monotonic() > end:
                    raise Wrong(f"{name} (process {process}) does not end")
                time.sleep(0.01)
        (self.room / "pid" / name).unlink(missing_ok=True)

    @staticmethod
    def _resume(first):
        """Lets the commands in that node go on: nsenter stops itself together with its child, and a name space of processes
        ends only when each member was reaped by its parent."""
        for process in processes():
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
                if words[:3] == [b"nsenter", b"-t", str(first).encode()]:
                    os.kill(process, signal.SIGCONT)

    def _ip(self, where, *lines):
        done = subprocess.run(["nsenter", "-t", str(self._alive(where)), "-n", "ip", "-batch", "-"],
                              input="\n".join(lines) + "\n", capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"{where}: ip {'; '.join(lines)}: {done.stderr}")

    def _signal(self, node, name):
        """Sends a signal to all processes of a node but the first one."""
        command = ["nsenter", "-t", str(self._alive(node)), "-p", "-m", "sh", "-c", f"kill -{name} -1"]
        subprocess.run(command, capture_output=True)

    # --- commands

    def _inside(self, node, command):
        """The command that runs this one on a node, without TMPDIR and the variables of a Slurm job around the test."""
        drop = ["TMPDIR", *(name for name in os.environ if name.startswith(("SLURM_", "SLURMD_", "SBATCH_", "TRELLIS_RIG")))]
        unset = [word for name in drop for word in ("-u", name)]
        enter = ["nsenter", "-t", str(self._alive(node)), "-m", "-u", "-i", "-n", "-p", "--"]
        return [*enter, "env", "-C", "/srv", *unset, f"PATH={PATH}", *map(str, command)]

    def run(self, node, *command, timeout=60, **options):
        """Runs a command on a node, in /srv, and returns it when it is done."""
        options = {"capture_output": True, "text": True, **options}
        return subprocess.run(self._inside(node, command), timeout=timeout, **options)

    def popen(self, node, *command, **options):
        """Starts a command on a node, in /srv. What ends is not the command where this process is ended."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.Popen(self._inside(node, command), **options)

    def slurm(self, command, *words, **options):
        """srun, sbatch, scancel, ... on head."""
        return self.run("head", command, *words, **options)

    def threads(self, node):
        """A line of /proc for each thread on a node, without asking the node."""
        space = os.readlink(f"/proc/{self._alive(node)}/ns/pid")
        found = []
        for process in processes():
            with contextlib.suppress(OSError):  # it has ended
                if os.readlink(f"/proc/{process}/ns/pid") == space:
                    found += [path.read_text() for path in pathlib.Path(f"/proc/{process}/task").glob("*/stat")]
        return found

    # --- what becomes of nodes

    def kill(self, node):
        self._alive(node)
        self._unslow(node)
        self._ip("switch", f"link del p-{node}")
        self._end(node)

    def crash(self, node):
        self._signal(node, "KILL")
        self._end(node)

    def start(self, node):
        if self._pid(node):
            raise Wrong(f"{node} is running")
        self._boot(node)
        end = time.monotonic() + SECONDS_TO_BOOT
        while not (self.room / "nodes" / node / "ready").exists():
            if time.monotonic() > end:
                raise Wrong(f"{node} does not start: {self.logs()}")
            time.sleep(0.02)

    def freeze(self, node):
        self._signal(node, "STOP")

    def thaw(self, node):
        self._signal(node, "CONT")
        self._resume(self._alive(node))

    def cut(self, node):
        self._alive(node)
        self._unslow(node)
        self._ip("switch", f"link set p-{node} nomaster")

    def heal(self, node):
        self._alive(node)
        self._unslow(node)
        self._ip("switch", f"link set p-{node} master br0")

    def slow(self, node, milliseconds, rate):
        self._alive(node)
        self._unslow(node)
        netem = ["root", "netem", "delay", f"{milliseconds}ms", "rate", str(rate), "limit", "20000"]
        if self._tc("switch", "add", f"p-{node}", *netem):
            self._tc(node, "add", "eth0", *netem)
            return
        self._ip("switch", f"link set p-{node} nomaster promisc on", f"link add q-{node} type veth peer name r-{node}",
                 f"link set q-{node} up promisc on", f"link set r-{node} master br0 up")
        enter = ["nsenter", "-t", str(self._alive("switch")), "-n", sys.executable, "-B", str(HERE / "delay.py")]
        with open(self.room / "log" / f"slow-{node}", "ab") as log:
            relay = subprocess.Popen([*enter, f"p-{node}", f"q-{node}", str(milliseconds), str(rate)],
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self._keep(f"slow-{node}", relay.pid)

    def limit(self, node, rate):
        """What it sends leaves with at most that rate, which the kernel sees to: without a relay's use of a core."""
        if not self._tc(node, "add", "eth0", "root", "tbf", "rate", rate, "burst", "256kb", "latency", "100ms"):
            raise Missing("this kernel limits no rates (tbf)")

    def _unslow(self, node):
        relayed = (self.room / "pid" / f"slow-{node}").exists()
        self._end(f"slow-{node}")
        if relayed:
            self._ip("switch", f"link del q-{node}", f"link set p-{node} promisc off master br0")
        else:
            self._tc("switch", "del", f"p-{node}", "root")
            self._tc(node, "del", "eth0", "root")

    def _tc(self, where, verb, card, *words):
        command = ["nsenter", "-t", str(self._alive(where)), "-n", "tc", "qdisc", verb, "dev", card, *words]
        return subprocess.run(command, capture_output=True).returncode == 0


def guard(room):
    """Takes a rig down when the process that holds the other end of standard input has ended."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    Rig(room=room).down()


def bring_up(room, words):
    if (room / "pid").exists():
        raise Wrong("it is up already, or half down: rig.py down first")
    counts = [int(word) for word in words if word.isdigit()]
    if len(counts) > 1 or set(words) - {"sshfs"} - {word for word in words if word.isdigit()}:
        raise Wrong("up [N] [sshfs]")
    sshfs = "sshfs" in words
    require(sshfs)
    rig = Rig(counts[0] if counts else 4, sshfs, room=room)
    rig.up()
    print(f"up: head and {rig.count} nodes, /srv is {rig.shared}")


def call(verb, words):
    """What the command line asks for; returns the exit status."""
    room = pathlib.Path(os.environ.get("TRELLIS_RIG", "/var/tmp/trellis-rig"))
    rig = Rig(room=room)
    through = {"stdin": None, "capture_output": False, "timeout": None}
    if verb == "up":
        bring_up(room, words)
    elif verb == "down":
        rig.down()
    elif verb == "run" and len(words) > 1:
        return rig.run(*words, **through).returncode
    elif verb in SLURM:
        return rig.slurm(verb, *words, **through).returncode
    elif verb in ON_A_NODE and len(words) == 1:
        address(words[0])
        getattr(rig, verb)(words[0])
    elif verb == "slow" and len(words) == 3:
        rig.slow(*words)
    elif verb == "guard" and len(words) == 1:
        guard(words[0])
    else:
        raise Wrong("what? rig.py --help says what there is")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        return call(options.verb, options.words)
    except Missing as error:
        print(f"skipped: {error}")
        return SKIP
    except Wrong as error:
        print(f"rig.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
