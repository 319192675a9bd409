#!/usr/bin/env python3
"""Scripts made for W&B, swept as they are: `wandb.config` has the parameters, and what they log is reported, with a stand-in
for the package, and with --packages with two versions of the package itself, which it installs.

usage: from_wandb.py BUILD_CLI_FOLDER [--packages]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# The first writes what was logged at once; the second at its end, in another form.
PACKAGES = (("wandb==0.31.0",), ("wandb==0.16.6", "setuptools<70"))

# Its parameters are arguments, and it reports as it runs.
ARGUMENTS = """\
import argparse, time
import wandb
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--epochs", type=int, default=9)
parser.add_argument("--wait", type=float, default=0.3)
args = parser.parse_args()
wandb.init(project="p", config=args)
assert wandb.config.lr == args.lr and wandb.config.epochs == args.epochs, dict(wandb.config)
for epoch in range(wandb.config.epochs):
    wandb.log({"batch": epoch})
    wandb.log({"val_loss": wandb.config.lr / (epoch + 1), "nested": {"epoch": epoch}, "name": "text"})
    time.sleep(args.wait)
"""
SWEEP = """\
program: train.py
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.5, 1.0e-05, 2]}
  epochs: {value: %d}
  wait: {value: %s}
"""
RULE = "early_terminate: {type: hyperband, min_iter: 1, max_iter: 9, eta: 3}\n"

# It has no arguments, reads nested values and values of several types, and only sums up.
CONFIG = """\
import wandb
run = wandb.init()
config = run.config
assert config["use_bn"] is (config["model"]["width"] == 4), dict(config)
assert config["layers"] == [64, 32] and config["opt.name"] == "adam" and config["rate"] == 1e-7, dict(config)
run.summary["best_acc"] = 0.5 + config["model"]["width"] / 100
"""
CONFIG_SWEEP = """\
program: train.py
command: [python3, "${program}"]
method: grid
metric: {name: best_acc, goal: maximize}
parameters:
  model: {parameters: {width: {values: [4, 8]}}}
  use_bn: {values: [true, false]}
  layers: {value: [64, 32]}
  opt.name: {value: adam}
  rate: {value: 1.0e-7}
"""


class Place:
    def __init__(self, programs, environment):
        self.programs, self.environment = programs, environment

    def run(self, folder, *words, code=0):
        done = subprocess.run([self.programs / "trellis", *words], cwd=folder, env=self.environment, capture_output=True,
                              text=True, timeout=180, check=False)
        assert done.returncode == code, f"trellis {' '.join(words)}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def trials(self, script, sweep, code=0):
        """The trials of an import and a sweep, and what they reported, by their parameters."""
        with tempfile.TemporaryDirectory(prefix="trellis-wandb-") as name:
            folder = pathlib.Path(name)
            (folder / "train.py").write_text(script)
            (folder / "sweep.yaml").write_text(sweep)
            said = self.run(folder, "import", "sweep.yaml", "--output", "study.yaml")
            self.run(folder, "check", "study.yaml")
            said += self.run(folder, "sweep", "study.yaml", "--quiet", code=code)
            trials = json.loads(self.run(folder, "trials", "study", "--json"))
            for trial in trials:
                path = folder / "runs" / "study" / "trials" / f"{trial['trial']:04}"
                trial["lines"] = [json.loads(line) for line in (path / "metrics.jsonl").read_text().split("\n") if line]
                trial["log"] = (path / "log").read_text()
            again = trials[0]["trial"]
            if code == 0:
                assert "val_loss" in self.run(folder, "rerun", "study", str(again)) or "best_acc" in sweep
            return trials, said


def check_reports(place):
    trials, said = place.trials(ARGUMENTS, SWEEP % (3, 0))
    assert "wandb.log" not in said, said
    assert sorted(trial["params"]["lr"] for trial in trials) == [1e-05, 0.5, 2], trials
    for trial in trials:
        lr = trial["params"]["lr"]
        assert trial["state"] == "complete" and trial["step"] == 3 and trial["value"] == lr / 3, trial
        assert [line for line in trial["lines"] if "val_loss" in line] == [
            {"val_loss": lr / step, "nested.epoch": step - 1, "name": "text"} for step in (1, 2, 3)], trial["lines"]


def check_config(place):
    # Two of the four points fail by the first assertion of the script: true with 8, false with 4.
    trials, said = place.trials(CONFIG, CONFIG_SWEEP)
    for trial in trials:
        right = trial["params"]["use_bn"] == (trial["params"]["model_width"] == 4)
        assert (trial["state"] == "complete") == right, (trial, said)
        if right:
            assert trial["value"] == 0.5 + trial["params"]["model_width"] / 100, trial
    assert len(trials) == 4, trials


def check_rule(place):
    """What is reported in time is stopped in time."""
    trials, _ = place.trials(ARGUMENTS, SWEEP % (9, 0.3) + RULE)
    steps = sorted(trial["step"] for trial in trials)
    assert steps[-1] == 9 and steps[0] < 9, f"no trial was stopped early: {steps}"
    assert any(trial["state"] == "stopped" for trial in trials), trials


def check_lack(place):
    """A metric that is never logged is asked for in the words of the package."""
    script = ARGUMENTS.replace('"val_loss"', '"loss_val"')
    _, said = place.trials(script, SWEEP % (1, 0), code=1)
    assert 'expected wandb.log({"val_loss": 0.5})' in said and "it reported" in said and "loss_val" in said, said


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    stand_in = str(pathlib.Path(__file__).resolve().parent / "stand_in")
    place = Place(programs, environment | {"PYTHONPATH": stand_in})
    for check in (check_reports, check_config, check_rule, check_lack):
        check(place)
    print("scripts with a stand-in for wandb run as they are")
    if "--packages" not in sys.argv[2:]:
        return 0
    from readers import python_with
    for packages in PACKAGES:
        python = pathlib.Path(python_with(*packages))
        real = Place(programs, environment | {"PATH": f"{python.parent}:{environment['PATH']}"})
        for check in (check_reports, check_config):
            check(real)
        if packages == PACKAGES[0]:
            check_rule(real)
        print(f"scripts with {packages[0]} run as they are")
    return 0


if __name__ == "__main__":
    sys.exit(main())
