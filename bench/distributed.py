"""One network trained by two nodes of a rig (tests/cluster/rig.py) with a link between them, by one tool.

usage: distributed.py TOOL RATE BATCH STEPS FOLDER RIVALS PYTHON
TOOL: gang, late (train.late: 1), alone (one process of ours), ddp-MB (torch.distributed with buckets of MB megabytes) or
torch (one process of it). RATE: of the link, as tc takes it, or none. FOLDER has our program, PYTHON torch. Each process has
one thread. Prints {"seconds": [...], "ratio": r}: of a step, and of ours the share of its time that a member computes. Exit
status 77 where there can be no rig.

A step of ours is what STEPS more of them add to a whole training, so scores and start are not in it.
"""
import json
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))

from rig import SKIP, Missing, Rig  # noqa: E402

PIXELS, SHARDS, TIMES = 784, 8, 3
ADDRESS = "10.77.0.11"  # of the first node
STUDY = """\
name: net
data: {{npy: {{x: x.npy, y: y.npy}}, split: {{valid: .02, test: .02}}}}
network:
  - flatten
  - dense: {{units: 1024}}
  - dense: {{units: 1024}}
  - dense: {{units: 1024}}
train: {{optimizer: {{sgd: {{lr: 0.01}}}}, batch: {batch}, shards: {shards}, epochs: {epochs}{more}}}
metric: valid.loss
report: off
"""


def must(done):
    if done.returncode != 0:
        raise SystemExit(f"exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def npy(kind, shape, content):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


class Options:
    def __init__(self, rate, batch, steps, folder, rivals, python):
        self.rate, self.batch, self.steps = rate, int(batch), int(steps)
        self.folder, self.rivals, self.python = pathlib.Path(folder), pathlib.Path(rivals), python


def write_data(folder, rows):
    draw = random.Random(1)
    (folder / "x.npy").write_bytes(npy("|u1", (rows, 28, 28), draw.randbytes(rows * PIXELS)))
    (folder / "y.npy").write_bytes(npy("|u1", (rows,), bytes(i % 10 for i in range(rows))))


def ours(rig, options, tool):
    """An epoch has ten steps."""
    folder = rig.shared / tool
    folder.mkdir()
    write_data(folder, int(9.98 * options.batch / 0.96))

    def train(epochs, number):
        more = ", late: 1" if tool == "late" else ""
        text = STUDY.format(batch=options.batch, shards=SHARDS, epochs=epochs, more=more)
        (folder / "net.yaml").write_text(text)
        words = [options.folder / "trellis", "train", f"/srv/{tool}/net.yaml", "--dir", f"/srv/{tool}/runs{number}-{epochs}",
                 "--json", "--no-sharing", "--workers", "1"]
        if tool == "alone":
            done = rig.run("n1", *words, "--execution", "serial", timeout=600)
        else:
            done = rig.slurm("srun", "-N", 2, "-c", 1, "--no-kill", *words, timeout=600)
        return json.loads(must(done))

    seconds, ratios = [], []
    for number in range(TIMES):
        short, long = train(1, number), train(1 + options.steps // 10, number)
        seconds.append((long["seconds"] - short["seconds"]) / (options.steps // 10 * 10))
        if "gang" in long:
            ratios.append(long["gang"]["ratio"])
    return {"seconds": seconds, "ratio": sorted(ratios)[len(ratios) // 2] if ratios else None}


def theirs(rig, options, tool, bucket=25):
    script = [options.python, "-B", options.rivals / "distributed.py", "train"]
    ranks = 1 if tool == "torch" else 2
    words = [ranks, ADDRESS, options.batch, options.steps, bucket]
    others = [rig.popen(rig.nodes[rank], *script, rank, *words) for rank in range(1, ranks)]
    try:
        first = json.loads(must(rig.run(rig.nodes[0], *script, 0, *words, timeout=600)).splitlines()[-1])
    finally:
        for process in others:
            process.kill()
    return {"seconds": first["seconds"], "ratio": None}


def main():
    if len(sys.argv) != 8:
        raise SystemExit(__doc__)
    tool, options = sys.argv[1], Options(*sys.argv[2:])
    try:
        with Rig(2) as rig:
            if options.rate != "none":
                for node in rig.nodes:
                    rig.limit(node, options.rate)
            kind, *bucket = tool.split("-")
            measured = theirs(rig, options, kind, *bucket) if kind in ("ddp", "torch") else ours(rig, options, kind)
    except Missing as missing:
        print(f"distributed: {missing}", file=sys.stderr)
        return SKIP
    print(json.dumps(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
