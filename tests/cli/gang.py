#!/usr/bin/env python3
"""`train FILE --execution E`: a network that several processes train has the bits of one that a process trains alone, and the
same keys, and no member that is killed or stopped changes that.

usage: gang.py BUILD_CLI_FOLDER [--kills N]"""
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import children_of
from tables import write_kinds

# Members of several hosts need the transport, which needs gRPC.
SEVERAL_HOSTS = (pathlib.Path(sys.argv[1]).resolve().parent / "runtime/net/grpc/trellis-net.so").exists()
PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
STUDY = """
name: {name}
data: {{csv: rows.csv, target: kind}}
network:
  - dense: {{units: 48}}
  - batch_norm
  - dropout: {{rate: 0.3}}
  - dense: {{units: 24}}
train: {{optimizer: {{adam: {{lr: 0.01}}}}, epochs: {epochs}, batch: 64, shards: 8}}
seed: 3
{more}
"""
CONV = """
name: {name}
data: {{npy: {{x: x.npy, y: y.npy}}}}
network:
  - conv2d: {{units: 6, kernel: 3}}
  - batch_norm
  - max_pool: {{kernel: 2}}
  - dropout: {{rate: 0.2}}
  - flatten
  - dense: {{units: 16}}
train: {{optimizer: {{sgd: {{lr: 0.02, momentum: 0.9}}}}, epochs: {epochs}, batch: 64, shards: 16}}
seed: 5
{more}
"""
HOSTS = ("--hosts", "localhost") if SEVERAL_HOSTS else ()
KILLS = int(sys.argv[sys.argv.index("--kills") + 1]) if "--kills" in sys.argv else 7


def npy(kind, shape, content):
    """The bytes of a NumPy array."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


class Folder:
    def __init__(self, name):
        self.path = pathlib.Path(name)
        draw = random.Random(1)
        write_kinds(self.path / "rows.csv", 1200, draw)
        labels = [draw.randrange(3) for _ in range(600)]
        pixels = bytes(min(255, draw.randrange(120) + 60 * label * (place % 3 == label)) for label in labels
                       for place in range(100))
        (self.path / "x.npy").write_bytes(npy("|u1", (600, 10, 10), pixels))
        (self.path / "y.npy").write_bytes(npy("|u1", (600,), bytes(labels)))

    def write(self, name, epochs=6, more="", study=STUDY):
        file = f"{name}.yaml"
        (self.path / file).write_text(study.format(name=name, epochs=epochs, more=more), encoding="utf-8")
        return file

    def words(self, file, runs, *more):
        return [PROGRAM, "train", file, "--dir", runs, "--quiet", *more]

    def train(self, file, runs, *more, code=0):
        ran = subprocess.run(self.words(file, runs, *more), cwd=self.path, capture_output=True, text=True, timeout=120,
                             check=False)
        assert ran.returncode == code, (more, ran.returncode, ran.stdout, ran.stderr)
        return ran

    def network(self, name, runs):
        return (self.path / runs / name / "model.safetensors").read_bytes()


def same_bits(folder):
    file = folder.write("same")
    folder.train(file, "alone", "--execution", "serial")
    expected = folder.network("same", "alone")
    for execution in ("shards", "auto", "gang:2", "gang:3", "gang:5", "gang:9", "pipeline:1", "pipeline:2", "pipeline:3"):
        runs = execution.replace(":", "-")
        said = json.loads(folder.train(file, runs, "--json", "--execution", execution).stdout)
        assert folder.network("same", runs) == expected, f"{execution} has other bits than serial"
        members = said.get("members", [])
        assert len(members) == (int(execution[5:]) if "gang" in execution else 0), said
        for number, member in enumerate(members):
            assert member["bytes"] > 0 and member["busy_seconds"] > 0 and member["waiting_seconds"] > 0, (number, member)
        if members:
            gang = said["gang"]
            assert gang["members"] == len(members) and gang["bytes"] == sum(member["bytes"] for member in members), gang
            assert 0 < gang["ratio"] < 1 and 0 <= gang["overlap"] < 1, gang
        else:
            assert "gang" not in said, said


def same_keys(folder):
    """What a gang has trained answers a training by one process, and the other way round."""
    file, longer = folder.write("keys"), folder.write("keys", epochs=8)
    folder.train(file, "runs", "--execution", "gang:2")
    before = folder.network("keys", "runs")
    assert " train" not in folder.train(file, "runs").stderr
    said = json.loads(folder.train(file, "runs", "--json", "--execution", "gang:3").stdout)
    assert all(member["bytes"] == 0 for member in said["members"]), "a training that the store has was trained again"
    assert folder.network("keys", "runs") == before
    folder.train(longer, "runs", "--execution", "pipeline:2")
    folder.train(longer, "fresh")
    assert folder.network("keys", "runs") == folder.network("keys", "fresh"), "going on as a gang"


def start(folder, file, runs, *how):
    words = [word for word in folder.words(file, runs, "--json", *how) if word != "--quiet"]
    return subprocess.Popen(words, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def killed(folder, study, name, execution, kills, seed, hosts):
    """Kills members at random moments; with `hosts` they are members that another machine could have. Returns the longest
    pauses before a next step, and until a new member took part."""
    draw = random.Random(seed)
    file = folder.write(name, epochs=150, study=study)
    folder.train(file, f"{name}-alone")
    pauses, joins, lost = [], [], 0
    for attempt in itertools.count():
        if kills == 0:
            break
        # A folder of its own: a training that the store has would be over at once.
        runs = f"{name}-{attempt}"
        sent = 0
        with start(folder, file, runs, "--execution", execution, *hosts) as training:
            while training.poll() is None and kills > 0:
                time.sleep(draw.uniform(0.05, 0.4))
                others = children_of(training.pid) if training.poll() is None else []
                if others:
                    os.kill(draw.choice(others), signal.SIGKILL)
                    sent += 1
                    kills -= 1
            output, errors = training.communicate(timeout=240)
        assert training.returncode == 0, (training.returncode, errors)
        assert folder.network(name, runs) == folder.network(name, f"{name}-alone"), f"{name}: {sent} kills changed bits"
        changes = json.loads(output)["changes"]
        # A member that is killed after the last step is missed by nobody.
        assert changes["lost"] <= sent, (changes, sent)
        lost += changes["lost"]
        pauses.append(changes["longest_pause_seconds"])
        joins.append(changes["longest_join_seconds"])
    return pauses, joins, lost


def random_kills(folder, kills):
    pauses, joins, lost = [], [], 0
    cases = [(STUDY, "gang:3", HOSTS), (CONV, "gang:4", ()), (STUDY, "gang:2", ()), (CONV, "gang:5", HOSTS),
             (STUDY, "gang:8", ())]
    if SEVERAL_HOSTS:
        cases += [(STUDY, "pipeline:3", HOSTS), (CONV, "pipeline:2", HOSTS)]
    for number, (study, execution, hosts) in enumerate(cases):
        share = kills // len(cases) + (number < kills % len(cases))
        if share == 0:
            continue
        found = killed(folder, study, f"killed-{number}", execution, share, number, hosts)
        pauses += found[0]
        joins += found[1]
        lost += found[2]
    assert lost > 0, f"none of {kills} kills met a member that trained"
    print(f"{kills} kills: longest pauses {[round(pause, 3) for pause in sorted(pauses)]} s, "
          f"longest joins {[round(join, 3) for join in sorted(joins)]} s")


def struck(folder, name, signal_, said, *how):
    """Sends a signal to a member of a gang of 3. Returns how long the next step took."""
    file = folder.write(name, epochs=600)
    folder.train(file, f"{name}-alone")
    with start(folder, file, name, *how) as training:
        while "epoch 1/" not in training.stderr.readline():
            assert training.poll() is None, training.communicate()
        member = children_of(training.pid)[0]
        os.kill(member, signal_)
        while said not in training.stderr.readline():
            assert training.poll() is None, training.communicate()
        limit = time.monotonic() + 10
        while os.path.exists(f"/proc/{member}"):
            assert time.monotonic() < limit, "a member that is given up keeps its process"
            time.sleep(0.01)
        assert training.poll() is None, "too short a training to tell what ended its member"
        output, errors = training.communicate(timeout=120)
    assert training.returncode == 0, (training.returncode, errors)
    changes = json.loads(output)["changes"]
    assert changes["lost"] == 1, changes
    assert folder.network(name, name) == folder.network(name, f"{name}-alone"), f"{name} has other bits"
    return changes["longest_pause_seconds"]


def silent(folder, name, said, execution, *how):
    """A member that does nothing more without ending is replaced, too."""
    pause = struck(folder, name, signal.SIGSTOP, said, "--execution", execution, *how)
    assert 0.5 < pause < 6, pause
    print(f"a silent member: {pause:.2f} s until the next step")


def ends_with_the_first(folder, *how):
    """Nothing is left of a gang whose first process is killed, and Ctrl-C ends all of it in good order."""
    for signal_, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 75)):
        file = folder.write(f"ended-{len(how)}-{signal_.name.lower()}", epochs=2000)
        words = folder.words(file, "ended", "--execution", "gang:3", *how)
        with subprocess.Popen(words, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
            while training.poll() is None and len(children_of(training.pid)) < 2:
                time.sleep(0.01)
            time.sleep(1)
            others = children_of(training.pid)
            training.send_signal(signal_)
            _, errors = training.communicate(timeout=60)
        assert training.returncode == code, (training.returncode, errors)
        limit = time.monotonic() + 4
        while any(os.path.exists(f"/proc/{pid}") for pid in others):
            assert time.monotonic() < limit, f"members go on without the first one after {signal_.name}"
            time.sleep(0.01)


def on_hosts(folder):
    """Members that another machine could have: the bits of one process, and what is said of hosts that have none."""
    file = folder.write("there")
    folder.train(file, "alone", "--execution", "serial")
    for runs, members, how in (("there", 3, ("--hosts", "localhost,localhost")),
                               ("there-5", 5, ("--execution", "gang:5", *HOSTS))):
        said = json.loads(folder.train(file, runs, "--json", *how).stdout)
        assert said["gang"]["members"] == members and min(member["bytes"] for member in said["members"]) > 0, said
        assert folder.network("there", runs) == folder.network("there", "alone"), f"{how}: other bits than alone"
    in_stages(folder, file)
    if shutil.which("ssh") is None:
        ran = folder.train(file, "nowhere", "--hosts", "no-such-host.invalid", code=2)
        assert "'no-such-host.invalid' is reached by ssh, which is not here" in ran.stderr, ran.stderr
        return
    with start(folder, file, "nowhere", "--hosts", "no-such-host.invalid") as training:
        _, errors = training.communicate(timeout=60)
    assert training.returncode == 0, errors
    assert errors.count("member 1 of the gang of 2 is lost: ") == 2 and "the others go on without it" in errors, errors
    assert folder.network("there", "nowhere") == folder.network("there", "alone"), "other bits without the member"


def in_stages(folder, file):
    """Stages of a network on members that another machine could have, or on tasks of a step: the bits and the key of one
    process."""
    conv = folder.write("conv", study=CONV)
    folder.train(conv, "alone", "--execution", "serial")
    for name, members, how in ((file, 2, ("--hosts", "localhost", "--execution", "pipeline:2")),
                               (file, 3, ("--hosts", "localhost,localhost", "--execution", "pipeline:3")),
                               (conv, 2, ("--hosts", "localhost", "--execution", "pipeline:2"))):
        runs, network = f"{name}-stages-{members}", name.removesuffix(".yaml")
        said = json.loads(folder.train(name, runs, "--json", *how).stdout)
        assert said["gang"]["members"] == said["gang"]["stages"] == members, said
        for member in said["members"]:
            assert member["bytes"] > 0 and member["busy_seconds"] > 0 and member["communication_seconds"] > 0, said
        assert folder.network(network, runs) == folder.network(network, "alone"), f"{how}: other bits than alone"
        assert " train" not in folder.train(name, runs).stderr
        again = folder.train(name, runs, *how)
        assert "pipeline:" not in again.stdout, "a training that the store has was trained again"
    said = folder.train(file, "said", "--hosts", "localhost", "--execution", "pipeline:2").stdout
    assert "  pipeline: 2 members with a stage each, sent " in said, said
    tasks = [subprocess.Popen(folder.words(file, "step", "--json", "--execution", "pipeline:2"), cwd=folder.path, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=task_of_two(rank)) for rank in (0, 1)]
    for rank, task in enumerate(tasks):
        output, errors = task.communicate(timeout=120)
        assert task.returncode == 0, (rank, output, errors)
        if rank == 0:
            assert json.loads(output)["gang"]["stages"] == 2, output
    assert folder.network("there", "step") == folder.network("there", "alone"), "other bits in a step"


def not_on_hosts(folder, file):
    ran = folder.train(file, "refused", *HOSTS, "--execution", "serial", code=2)
    assert "--execution: 'serial', expected gang:N, pipeline:N or auto beside --hosts" in ran.stderr, ran.stderr
    for text, more, execution in (("it can't be trained in 4 stages: only 3 of its layers multiply", "", "pipeline:4"),
                                  ("`adapt` trains several networks", "adapt: auto", "pipeline:2")):
        ran = folder.train(folder.write("unstaged", more=more), "refused", *HOSTS, "--execution", execution, code=2)
        assert f"trellis: --execution: {execution}: {text}" in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr
        assert not (folder.path / "refused/unstaged/net").exists(), "members were started before a refusal"


def task_of_two(rank):
    """The environment that mpirun gives one of two tasks on this machine."""
    return {**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2",
            "OMPI_COMM_WORLD_LOCAL_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
            "OMPI_MCA_orte_precondition_transports": "405d0a8a6bb531df-e213e317b70d75a0"}


def refused(folder):
    def says(code, text, execution, file):
        ran = folder.train(file, "refused", "--execution", execution, code=code)
        assert text in ran.stderr and len(ran.stderr.splitlines()) == 1, ran.stderr

    file = folder.write("refused")
    says(2, "trellis: --execution: 'serail', expected serial, shards, gang:N, pipeline:N or auto; did you mean 'serial'?",
         "serail", file)
    for word in ("gang:0", "gang:", "gang:x", "gang:257"):
        says(2, f"--execution: '{word}', expected gang: and a number from 1 to 256", word, file)
    says(2, "--execution: 'pipeline:65', expected pipeline: and a number from 1 to 64", "pipeline:65", file)
    says(2, "--execution: pipeline:4: it can't be trained in 4 stages: only 3 of its layers multiply", "pipeline:4", file)
    if SEVERAL_HOSTS:
        not_on_hosts(folder, file)
    one = folder.write("one")
    text = (folder.path / one).read_text(encoding="utf-8").replace("shards: 8", "shards: 1")
    (folder.path / one).write_text(text, encoding="utf-8")
    says(2, "--execution: pipeline:2: it can't be trained in 2 stages: stages work on different shards of a batch, and a batch "
         "has 1", "pipeline:2", one)
    adapts = folder.write("adapts", more="adapt: auto")
    says(2, "--execution: gang:2: `adapt` trains several networks", "gang:2", adapts)
    folds = folder.write("folds")
    text = (folder.path / folds).read_text(encoding="utf-8").replace("target: kind}", "target: kind, folds: 3}")
    (folder.path / folds).write_text(text, encoding="utf-8")
    says(2, "--execution: gang:2: `data.folds` trains several networks", "gang:2", folds)
    if not SEVERAL_HOSTS:
        return
    for key, several in (("adapt", "adapts.yaml"), ("data.folds", folds)):
        ran = folder.train(several, "refused", "--hosts", "localhost", code=2)
        assert ran.stderr == (f"trellis: --hosts: `{key}` trains several networks side by side, but a gang trains one; expected "
                              "no --hosts\n"), ran.stderr
        assert not list((folder.path / "refused" / several[:-5]).rglob("member-*.log")), "a member was started before"


def chosen(folder):
    """`resources.members` lets the costs of a step decide, which `plan` tells beforehand."""
    def way(members, *more):
        file = folder.write("chosen", more=f"resources: {{members: {members}}}")
        words = folder.words(file, f"chosen-{members}-{len(more)}", "--no-sharing", *more)
        words.remove("--quiet")
        ran = subprocess.run(words, cwd=folder.path, capture_output=True, text=True, timeout=120, check=False)
        assert ran.returncode == 0, ran.stderr
        assert folder.network("chosen", f"chosen-{members}-{len(more)}") == folder.network("chosen", "alone"), members
        return [line for line in ran.stderr.splitlines() if line.startswith("execution: ")]

    folder.train(folder.write("chosen"), "alone")
    assert way(1) == []
    auto, = way("auto")
    assert auto.startswith(("execution: serial, about ", "execution: shards, about ")), auto
    if SEVERAL_HOSTS:
        # Such a small network is trained by one process, whatever hosts there are.
        far, = way(3, *HOSTS)
        assert far.endswith("; links of 1 Gbit/s are assumed") and "execution: gang" not in far, far
    platform = folder.path / "nodes.yaml"
    platform.write_text("name: nodes\ncpu: {count: 1, peak: 1e9, half: 2e5, launch: 1e-6, bandwidth: 8e9, memory: 1GB}\n"
                        "nodes: {count: 4, link: {latency: 1e-6, bandwidth: 1e11}}\n", encoding="utf-8")
    for more, expected in (("resources: {members: auto}", "gang:4"), ("resources: {members: 3}", "gang:3"),
                           ("resources: {members: 1}", None), ("resources: {members: auto}\nadapt: auto", None)):
        file = folder.write("chosen", more=more)
        ran = subprocess.run([PROGRAM, "plan", file, "--platform", platform, "--json"], cwd=folder.path, capture_output=True,
                             text=True, timeout=120, check=True)
        told = json.loads(ran.stdout)["execution"]
        assert told is None if expected is None else told.startswith(f"{expected}, about "), (more, told)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        same_bits(folder)
        same_keys(folder)
        chosen(folder)
        random_kills(folder, KILLS)
        silent(folder, "silent", "is lost: its process was ended by signal 9", "gang:3")
        if SEVERAL_HOSTS:
            silent(folder, "silent-there", "is lost: on localhost, it stopped responding", "gang:3", *HOSTS)
            silent(folder, "silent-stage", "is lost: on localhost, it stopped responding", "pipeline:3", *HOSTS)
        ends_with_the_first(folder)
        if SEVERAL_HOSTS:
            ends_with_the_first(folder, *HOSTS)
            on_hosts(folder)
        refused(folder)


if __name__ == "__main__":
    main()
