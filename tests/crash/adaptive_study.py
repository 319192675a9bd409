"""Studies whose networks change their shape while they train, and everything that must be equal in equal runs of them."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import small_study as small

SEARCH = """\
method: random
parameters:
  lr: {min: 1e-4, max: 1e-2, scale: log}
  width: {type: int, min: 64, max: 160, scale: log}
early_stop: {type: asha, min: 2e8, eta: 2, unit: flops}
parallel: 2
limits: {trials: 3}
"""
STUDY = """\
name: small
seed: 3
data: {csv: points.csv, target: label, split: {valid: 0.25, test: 0.25}}
network:
  - dense: {name: fc1, units: WIDTH, activation: relu}
  - dense: {name: fc2, units: 64, activation: relu}
train: {loss: cross_entropy, optimizer: {type: adam, lr: RATE}, batch: 16, epochs: 4}
checkpoint: {overhead: 100%}
metric: {name: valid.accuracy, goal: maximize}
adapt: ADAPT
"""
POLICIES = {
    "auto": "auto",
    "race": "{policy: race, every: 1, length: 0.5, factor: 1.5, patience: 9}",
    "plateau": "{policy: plateau, points: 4, window: 3, falling: 1, length: 2, factor: 1.5, gap: 9, deepen: true, price: 1e-6}",
    "schedule": "{policy: schedule, at: {1: {widen: {layer: fc1, by: 32}}, 1.5: {shrink: {layer: fc2, by: 24}}, "
                "2.5: {deepen: {layer: fc1}}}}",
    "plugin": "{plugin: PLUGIN, every: 0.5, by: 16}",
    "folds": "{policy: race, every: 1, length: 0.5, factor: 1.5, patience: 9}",
}
PLUGIN = "examples/policies/bottleneck.so"  # in the build folder


def adapting(programs, policy):
    study = STUDY.replace("split: {valid: 0.25,", "folds: 3, split: {") if policy == "folds" else STUDY
    return study.replace("ADAPT", POLICIES[policy].replace("PLUGIN", str(Path(programs).resolve().parent / PLUGIN)))


def search(programs, policy):
    return adapting(programs, policy).replace("WIDTH", "$width").replace("RATE", "$lr") + SEARCH


def training(programs, policy):
    """One network, for `train` or as the only trial of a sweep."""
    return adapting(programs, policy).replace("WIDTH", "96").replace("RATE", "1e-3")


def going_on(study):
    """The same of a model that goes on, whose network is another one."""
    begin, end = study.index("network:"), study.index("train:")
    return study[:begin] + "from: {model: old.safetensors, replay: old.csv}\n" + study[end:]


def write_model(place):
    """`old.safetensors`: a small network that knows three of the four kinds of points by seven of their eight columns."""
    lines = [line.split(",") for line in (place.folder / "points.csv").read_text().splitlines()]
    old = [",".join(words[:7] + words[8:]) for words in lines if words[-1] != "k3"]
    (place.folder / "old.csv").write_text("\n".join(old) + "\n")
    study = place.folder / "old.yaml"
    study.write_text("data: {csv: old.csv, target: label}\ntrain: {epochs: 2, batch: 16}\n"
                     "network: [dense: {name: fc1, units: 12}, dense: {name: fc2, units: 8}]\n")
    subprocess.run([place.trellis, "train", str(study), "--dir", str(place.folder / "before")], check=True, capture_output=True)
    shutil.copyfile(place.folder / "before/old/model-optimizer.safetensors", place.folder / "old.safetensors")


def write_points(folder):
    """Four kinds of points that overlap, in eight dimensions."""
    chance = random.Random(1)
    lines = ["a,b,c,d,e,f,g,h,label"]
    shifts = (1, -1, 0.5, 0.7, -0.8, 0.3, 0.9, -0.4)
    for i in range(3000):
        kind = i % 4
        lines.append(",".join(f"{chance.gauss((kind >> j % 2 & 1) * s, 1.0):.4f}" for j, s in enumerate(shifts)) + f",k{kind}")
    (folder / "points.csv").write_text("\n".join(lines) + "\n")


def files(runs, names):
    return {name: (Path(runs) / "small" / name).read_bytes() for name in names}


class Sweep(small.Sweep):
    """A search over adapting networks."""

    def __init__(self, programs, policy, continued=False):
        study = search(programs, policy)
        if continued:
            study = going_on(study).replace("  width: {type: int, min: 64, max: 160, scale: log}\n", "")
        super().__init__(programs, study)
        self.may_keep = continued and policy == "auto"  # what was trained before is large enough
        write_points(self.place.folder)
        if continued:
            write_model(self.place)

    def outcome(self, runs, printed):
        """With what was tried, the front and the bytes of the best network."""
        status = json.loads(self.place.read(runs, "status", "--json").stdout)
        assert status["state"] == "finished" and status["trials"]["running"] == status["trials"]["waiting"] == 0, status
        best = json.loads(self.place.read(runs, "best", "--json").stdout) | {"model": ""}
        return {**super().outcome(runs, printed), "export --candidates": self.place.export(runs, "--candidates"), "best": best,
                **files(runs, ["best.safetensors", "candidates.csv", "front.csv", "front.svg"])}


class Training(Sweep):
    """One adapting network with `train`."""

    def __init__(self, programs, policy, continued=False):
        super().__init__(programs, policy, continued)
        study = training(programs, policy)
        self.place.study.write_text(going_on(study) if continued else study)

    def command(self, runs, *more):
        return [self.place.trellis, "train", str(self.place.study), "--dir", str(runs), "--json", *more]

    def outcome(self, runs, printed):
        result = json.loads(printed) | {"seconds": 0, "model": ""}
        beside = ["optimizer.safetensors", "candidates.csv", "front.csv", "front.svg"]
        left = ["model.safetensors", *(f"model-{name}" for name in beside)]
        return {"result": result, **files(runs, left)}

    def check_wreck(self, runs, progress):
        del runs, progress  # it has no log; what it announced comes again


def add_choice(parser):
    """Which study a test runs: a plain search, a network that adapts, or a population."""
    parser.add_argument("programs")
    parser.add_argument("--adapt", choices=sorted(POLICIES))
    parser.add_argument("--population", action="store_true")


def chosen(options, long=False):
    """The run of the study that was chosen; `long`: with more work than a moment can hit between start and end."""
    if options.adapt:
        run = Sweep(options.programs, options.adapt)
        changes = {"epochs: 4": "epochs: 12"}
    else:
        run = small.Sweep(options.programs, study=small.population() if options.population else small.STUDY)
        changes = {"min: 4, max: 32": "min: 512, max: 1024", "train:": "  - dense: {units: $width, activation: relu}\ntrain:"}
        if not options.population:
            changes |= {"epochs: 9": "epochs: 27", "trials: 10": "trials: 30"}
    for line, longer in changes.items() if long else ():
        text = run.place.study.read_text()
        assert text.count(line) == 1, line
        run.place.study.write_text(text.replace(line, longer))
    return run
