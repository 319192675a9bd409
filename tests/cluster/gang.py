"""One network on members of several nodes has the bits of one process: over ssh, as tasks of a step, on slow links, and while
nodes lose power, are cut off, or end.

usage: gang.py PROGRAMS [--full]
"""

import json
import pathlib
import random
import sys
import time

import study as studies

NODES = 3
STUDY = """\
name: net
data: {csv: rows.csv, target: kind}
network:
  - dense: {units: 256}
  - batch_norm
  - dropout: {rate: 0.3}
  - dense: {units: 64}
train: {optimizer: {adam: {lr: 0.003}}, epochs: EPOCHS, batch: 128, shards: 8}
seed: 3
"""
EPOCHS = 60
SILENT, LOUD = 8, 3  # seconds until the next step after a node is gone, with what joining costs on a busy machine


class Gang:
    def __init__(self, rig, programs):
        self.rig = rig
        self.trellis = str(pathlib.Path(programs).resolve() / "trellis")
        folder = rig.shared / "gang"
        folder.mkdir()
        draw = random.Random(1)
        rows = ["a,b,c,d,kind"]
        for _ in range(3000):
            values = [draw.uniform(-1, 1) for _ in range(4)]
            rows.append(",".join(f"{value:.4f}" for value in values) + "," + "xyz"[int(3 * abs(values[0] + values[1]) / 2) % 3])
        (folder / "rows.csv").write_text("\n".join(rows) + "\n")
        (folder / "net.yaml").write_text(STUDY.replace("EPOCHS", str(EPOCHS)))
        self.folder = folder
        done = rig.run("head", *self.words("alone", "--execution", "serial"))
        assert done.returncode == 0, done.stderr
        self.expected = self.network("alone")

    def words(self, runs, *how):
        return [self.trellis, "train", "/srv/gang/net.yaml", "--dir", f"/srv/gang/{runs}", "--json", *how]

    def network(self, runs):
        return (self.folder / runs / "net/model.safetensors").read_bytes()

    def check(self, runs, code, output, errors, members):
        """What it says, as JSON."""
        assert code == 0, f"{runs}: {code}: {output}{errors}"
        said = json.loads(output)
        assert said["gang"]["members"] == members, said
        assert min(member["bytes"] for member in said["members"]) > 0, f"{runs}: {said['members']}: {errors}"
        assert self.network(runs) == self.expected, f"{runs}: other bits than one process has: {errors}"
        return said

    def train(self, runs, members, *how, before=()):
        begun = time.monotonic()
        done = self.rig.run("head", *before, *self.words(runs, *how), timeout=200)
        said = self.check(runs, done.returncode, done.stdout, done.stderr, members)
        print(f"{runs}: {members} members, {time.monotonic() - begun:.1f} s, {said['gang']['bytes'] / 1e6:.1f} MB sent; equal",
              flush=True)

    def struck(self, runs, hurt, heal, limit):
        """Something happens to a node in the middle of a training, and the gang goes on."""
        node = self.rig.nodes[-1]
        with self.rig.popen("head", *self.words(runs, "--hosts", ",".join(self.rig.nodes))) as training:
            for line in training.stderr:
                if "epoch 1/" in line:
                    break
            hurt(node)
            output, errors = training.communicate(timeout=200)
        heal(node)
        said = self.check(runs, training.returncode, output, errors, 1 + len(self.rig.nodes))
        assert "is lost" in errors and said["changes"]["lost"] >= 1, f"{runs}: {said}: {errors}"
        pause = said["changes"]["longest_pause_seconds"]
        assert pause < limit, f"{runs}: {pause} s until the next step: {errors}"
        print(f"{runs}: next step after {pause:.2f} s, {said['changes']['lost']} lost, {said['changes']['joined']} joined; equal",
              flush=True)


def kill_member(rig, node):
    """Ends what the training has started there; ssh starts another one."""
    done = rig.run(node, "pkill", "-KILL", "-f", "[ ]member --orders")
    assert done.returncode == 0, "there is no member"


def row(rig, options):
    gang = Gang(rig, options.programs)
    gang.train("over-ssh", 1 + NODES, "--hosts", ",".join(rig.nodes))
    gang.train("two-a-node", 6, "--hosts", ",".join(rig.nodes), "--execution", "gang:6")
    step = ["srun", "--no-kill", "-N", str(NODES)]
    gang.train("in-a-step", NODES, before=step)
    gang.train("stages", NODES, "--execution", "pipeline:3", before=step)
    for number in range(5 if options.full else 1):
        gang.struck(f"killed-{number}", lambda node: kill_member(rig, node), lambda node: None, LOUD)
        gang.struck(f"no-power-{number}", rig.kill, rig.start, SILENT)
        gang.struck(f"cut-off-{number}", rig.cut, rig.heal, SILENT)
    for node in rig.nodes:
        rig.slow(node, 1, "1gbit")
    gang.train("slow", 1 + NODES, "--hosts", ",".join(rig.nodes))


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=NODES))
