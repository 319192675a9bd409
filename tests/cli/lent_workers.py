#!/usr/bin/env python3
"""A sweep over agents whose idle workers join the trainings of other agents (`resources: {members: N}`): the results are those of
one machine, whoever is lent, taken back or killed.

usage: lent_workers.py BUILD_CLI_FOLDER"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import children_of
from tables import write_kinds

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
STUDY = """
name: {name}
data: {{csv: rows.csv, target: kind}}
network:
  - dense: {{units: 192}}
  - batch_norm
  - dropout: {{rate: 0.3}}
  - dense: {{units: 192}}
train: {{optimizer: {{adam: {{lr: $lr}}}}, epochs: {epochs}, batch: 64, shards: 8}}
metric: {{name: valid.accuracy, goal: maximize}}
method: random
early_stop: none
parallel: 3
parameters: {{lr: {{min: 0.001, max: 0.01, scale: log}}}}
limits: {{trials: {trials}}}
resources: {{members: {members}}}
"""
EPOCHS = 300  # that take a second or more
SECONDS = 4.0  # of a training on all cores that is to be joined, left and joined again
PROMPT = 3.0  # seconds until a worker is back, on a busy machine


class Folder:
    def __init__(self, name):
        self.path = pathlib.Path(name)
        self.epochs = EPOCHS
        write_kinds(self.path / "rows.csv", 2400, random.Random(1))

    def fit(self):
        """Lets trainings last long enough on this machine."""
        begun = time.monotonic()
        self.end("probe", self.start("probe", 0))
        self.epochs = round(EPOCHS * max(1.0, SECONDS / (time.monotonic() - begun)))

    def start(self, runs, agents, trials=1, members=2):
        """Starts a sweep with so many agents of one worker each; 0: on this machine."""
        file = self.path / f"{runs}.yaml"
        study = STUDY.format(name="s", epochs=self.epochs, trials=trials, members=members)
        file.write_text(study, encoding="utf-8")
        words = [PROGRAM, "sweep", file.name, "--dir", runs, "--workers", "1" if agents else "2"]
        if agents:
            words += ["--hosts", ",".join(["localhost"] * agents)]
        return subprocess.Popen(words, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, runs, sweep):
        output, errors = sweep.communicate(timeout=240)
        assert sweep.returncode == 0, (runs, sweep.returncode, output, errors)
        return errors

    def ask(self, runs, verb, *more, begun=True):
        words = [PROGRAM, verb, "s", "--dir", runs, *more]
        return subprocess.run(words, cwd=self.path, capture_output=True, text=True, timeout=60, check=begun).stdout

    def results(self, runs):
        network = (self.path / runs / "s" / "best.safetensors").read_bytes()
        return self.ask(runs, "export", "--format", "csv"), network

    def lent(self, runs):
        """The line of `status` about workers that were lent; empty: none was."""
        return "".join(line for line in self.ask(runs, "status", begun=False).splitlines() if line.startswith("lent: "))


def is_word(process, word):
    try:
        return word in pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def runs(process):
    """False for one that has ended, whether somebody has waited for it or not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def agents_of(sweep):
    return [pid for pid in children_of(sweep.pid) if is_word(pid, b"agent")]


def members_of(sweep):
    """The processes that lent workers run, by the agent that lends them."""
    return {agent: pid for agent in agents_of(sweep) for pid in children_of(agent) if is_word(pid, b"--orders")}


def await_(sweep, event, what):
    limit = time.monotonic() + 60
    while True:
        found = event()
        if found:
            return found
        assert sweep.poll() is None, (f"it ended before {what}", sweep.communicate())
        assert time.monotonic() < limit, f"{what}: not in a minute"
        time.sleep(0.01)


def joined(folder, runs, sweep):
    """Waits until a lent worker has joined a training. Returns the agents that lend one, with its process."""
    await_(sweep, lambda: folder.lent(runs), "a worker was lent")
    return await_(sweep, lambda: members_of(sweep), "a worker was lent")


def same_results(folder):
    for trials, agents in ((1, 2), (3, 4)):
        alone, apart, together = (f"{how}-{trials}" for how in ("alone", "apart", "together"))
        folder.end(alone, folder.start(alone, 0, trials))
        folder.end(apart, folder.start(apart, agents, trials, members=1))
        sweep = folder.start(together, agents, trials)
        nodes = []

        def someone_lends():
            said = folder.ask(together, "status", "--json", begun=False)
            nodes.append(sum(node["lent"] for node in json.loads(said or '{"nodes": []}')["nodes"]))
            return nodes[-1] > 0

        begun = time.monotonic()
        await_(sweep, someone_lends, "a worker was lent")
        print(f"{trials} trials: a worker is lent after {time.monotonic() - begun:.1f} s")
        errors = folder.end(together, sweep)
        assert max(nodes) == 1, nodes
        assert not folder.lent(apart), folder.lent(apart)
        assert folder.lent(together), "nobody joined a training"
        assert folder.lent(together) in errors.splitlines(), errors
        print(folder.lent(together))
        expected = folder.results(alone)
        assert folder.results(apart) == expected, "agents have other results than one machine"
        assert folder.results(together) == expected, "lent workers changed results"
    return folder.results("alone-1")


def lost_members(folder, expected):
    """Members that are killed are missed by no bit, and others come."""
    sweep = folder.start("members", 2)
    for _ in range(2):
        member = next(iter(joined(folder, "members", sweep).values()))
        os.kill(member, signal.SIGKILL)
        await_(sweep, lambda gone=member: gone not in members_of(sweep).values(), "the member was gone")
    folder.end("members", sweep)
    assert folder.results("members") == expected, "a member that was killed changed results"


def lost_lender(folder, expected):
    """An agent that lends its worker is killed: the member ends with it, and the training goes on."""
    sweep = folder.start("lender", 2)
    lender, member = next(iter(joined(folder, "lender", sweep).items()))
    os.kill(lender, signal.SIGKILL)
    await_(sweep, lambda: not runs(member), "the member was gone")
    errors = folder.end("lender", sweep)
    assert "was lost" in errors, errors
    assert folder.results("lender") == expected, "a lender that was killed changed results"


def lost_trainer(folder, expected):
    """The agent that trains is killed: its training runs again on the one that had lent its worker."""
    sweep = folder.start("trainer", 2)
    lender = next(iter(joined(folder, "trainer", sweep)))
    trainer = next(agent for agent in agents_of(sweep) if agent != lender)
    os.kill(trainer, signal.SIGKILL)
    errors = folder.end("trainer", sweep)
    assert "was lost" in errors, errors
    assert folder.results("trainer") == expected, "a trainer that was killed changed results"


def taken_back(folder):
    """A task that becomes ready, because its agent was lost, gets the worker that was lent."""
    folder.end("two-alone", folder.start("two-alone", 0, trials=2))
    sweep = folder.start("two", 3, trials=2)
    lender, member = next(iter(joined(folder, "two", sweep).items()))
    others = [agent for agent in agents_of(sweep) if agent != lender]
    os.kill(others[0], signal.SIGKILL)
    begun = time.monotonic()
    await_(sweep, lambda: not runs(member), "the worker was taken back")
    took = time.monotonic() - begun
    folder.end("two", sweep)
    assert took < PROMPT, f"a worker came back after {took:.2f} s"
    print(f"a worker came back {took:.3f} s after another agent was killed")
    assert folder.results("two") == folder.results("two-alone"), "a lost agent changed results"


def by_cost(folder, expected):
    """With `auto`, how quick this machine is decides who is lent, and no result."""
    folder.end("auto", folder.start("auto", 2, members="auto"))
    print("auto:", folder.lent("auto") or "nobody is lent")
    assert folder.results("auto") == expected, "auto has other results"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        folder.fit()
        expected = same_results(folder)
        lost_members(folder, expected)
        lost_lender(folder, expected)
        lost_trainer(folder, expected)
        taken_back(folder)
        by_cost(folder, expected)
    return 0


if __name__ == "__main__":
    sys.exit(main())
