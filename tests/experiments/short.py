"""Runs a study of experiments/, most of them in a shortened form, and checks what its first lines promise.

usage: short.py PROGRAMS EXPERIMENTS NAME
Skipped (exit code 77) where its data is not on this machine.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77


class Study:
    """A shortened copy of a study file in a folder of its own, and the program to run it with."""

    def __init__(self, programs, experiments, name, folder):
        self.trellis = str(Path(programs).resolve() / "trellis")
        self.patience = 170 * (10 if b"__tsan_init" in Path(self.trellis).read_bytes() else 1)
        self.name = name
        self.folder, self.experiments = Path(folder), Path(experiments).resolve()
        text = (Path(experiments) / f"{name}.yaml").read_text()
        self.promises = text.split("name:")[0]
        self.put(name, text)
        for ending in ("py", "sh", "c"):
            for program in Path(experiments).glob(f"*.{ending}"):
                shutil.copy(program, self.folder)
        if (Path(experiments) / "data").exists():
            shutil.copytree(Path(experiments) / "data", self.folder / "data")

    def run(self, *words):
        return subprocess.run([self.trellis, *words], cwd=self.folder, capture_output=True, text=True, timeout=self.patience)

    def read(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def read_json(self, *words):
        return json.loads(self.read(*words, "--json"))

    def put(self, name, text):
        """A study of experiments/ in the folder, shortened."""
        for line, short in SHORTENED.get(name, []):
            assert text.count(line) == 1, f"{name}.yaml has no line {line!r}, or several"
            text = text.replace(line, short)
        (self.folder / f"{name}.yaml").write_text(text)

    def trained(self, name):
        """The model of another study of experiments/, which is trained here."""
        self.put(name, (self.experiments / f"{name}.yaml").read_text())
        self.read("train", f"{name}.yaml", "--quiet")
        return f"runs/{name}/model.safetensors"

    def sweep(self):
        return self.read("sweep", f"{self.name}.yaml", "--quiet")


# What is put in place of what.
SHORTENED = {
    "adaptive-fashion": [("  split: {valid: 0.02}\n", "  split: {valid: 0.1}\n  rows: 3000\n"), ("epochs: 10}", "epochs: 5}")],
    "adaptive-mnist": [("  split: {valid: 0.1}\n", "  split: {valid: 0.1}\n  rows: 20000\n")],
    "friedman": [("limits: {trials: 40}\n", "limits: {trials: 16}\n")],
    "least": [("target: yield}\n", "target: yield}\nlimits: {trials: 16}\n")],
    "augmented-mnist": [("  epochs: 30\n", "  epochs: 12\n")],
    "fashion": [
        ("  scale: unit\n", "  scale: unit\n  rows: 1500\n"),
        ("epochs: 27}", "epochs: 3}"),
        ("limits: {trials: 30}", "limits: {trials: 3}"),
    ],
    "pbt-digits": [("  epochs: 20\n", "  epochs: 6\n")],
    "growing": [("rows: 20000", "rows: 2000"), ("limits: {trials: 40}", "limits: {trials: 12}")],
    "continued-nine": [("epochs: 20", "epochs: 2")],
    "continued-ten": [("  epochs: 30\n", "  epochs: 3\n")],
    "large-batch": [("  split: {valid: 0.1}\n", "  rows: 600\n  split: {valid: 0.1}\n"), ("  epochs: 10\n", "  epochs: 3\n")],
    "mnist-grid": [("  rows: 6000\n", "  rows: 120\n")],
    "pruned-digits": [("epochs: 40}", "epochs: 10}"), ("strength: 0.2, until: 30}", "strength: 0.6, until: 8}")],
    "pruned-fashion": [("rows: 18000", "rows: 1200"), ("epochs: 40}", "epochs: 4}"),
                       ("strength: 0.3, until: 20}", "strength: 1.5, until: 3}")],
    "commanded-digits": [("epochs: 12}", "epochs: 4}")],
    "command-shell": [("limits: {trials: 60}", "limits: {trials: 30}")],
    "command-sklearn": [("--trees=120", "--trees=30"), ("max: 120}", "max: 30}"), ("trials: 24", "trials: 4")],
    "command-pytorch": [("--epochs=27", "--epochs=6"), ("max: 27}", "max: 6}"), ("trials: 24", "trials: 3")],
    "command-c": [("limits: {trials: 100,", "limits: {trials: 30,")],
}


def promised(study, pattern):
    """The numbers in what the file's first lines say to expect."""
    found = re.search(pattern, study.promises)
    assert found, f"{study.name}.yaml does not say {pattern!r}"
    return [float(number) for number in found.groups()]


def digits(study):
    study.sweep()
    best = study.read_json("best", "digits")
    least, most = promised(study, r"\((\.\d+) to (\.\d+),")
    assert best["state"] == "complete" and least <= best["metrics"]["test.accuracy"] <= most, best
    status = study.read_json("status", "digits")
    assert status["trials"]["stopped"] > 0 and sum(status["trials"].values()) == 60, status
    return f"test accuracy {best['metrics']['test.accuracy']:.3f}"


def baselines(study, run):
    """What `best` says in words that the two baselines reach, by name."""
    lines = study.read("best", run).split("baselines\n")[1].splitlines()
    rows = [line for line in lines if line.startswith("  ")]
    return {line.split(":")[0].strip(): float(line.rsplit(" = ", 1)[1]) for line in rows}


def friedman(study):
    study.sweep()
    best = study.read_json("best", "friedman")["metrics"]
    rows = baselines(study, "friedman")
    assert rows["ridge regression"] < rows["mean"], rows
    assert 1 < best["test.mse"] < 3 < rows["ridge regression"], (best, rows)
    return f"test mse {best['test.mse']:.2f}, ridge regression {rows['ridge regression']:.2f}"


def least(study):
    said = study.run("check", "least.yaml").stdout
    assert "only counts the rows" in said and "dates: " in said and "task: regression" in said, said
    study.sweep()
    best = study.read_json("best", "least")["metrics"]
    assert best["test.rmse"] < 1.7 < 2.2 < baselines(study, "least")["ridge regression"], best
    return f"test rmse {best['test.rmse']:.2f}"


def fashion(study):
    require_package()
    study.sweep()
    best = study.read_json("best", "fashion")["metrics"]
    assert best["test.accuracy"] > 0.6 > baselines(study, "fashion")["majority class"], best
    return f"test accuracy {best['test.accuracy']:.3f}"


def augmented_mnist(study):
    require_images()
    study.sweep()
    by_shift = {trial["params"]["shift"]: trial["value"] for trial in study.read_json("trials", "augmented-mnist")}
    assert sorted(by_shift) == [0, 1, 2, 3] and min(by_shift.values()) > 0.6, by_shift
    if has_images(IMAGES[0]):
        assert max(by_shift.values()) > by_shift[0], by_shift
    return f"accuracy by shift {by_shift}"


def pbt_digits(study):
    study.sweep()
    trials = study.read_json("trials", "pbt-digits")
    assert [trial["state"] for trial in trials] == ["complete"] * 8, trials
    taken_over = [trial["trial"] for trial in trials if trial["parent"] is not None]
    assert len(taken_over) >= 2, trials
    for trial in taken_over:
        lineage = study.read_json("show", "pbt-digits", str(trial))["lineage"]
        assert lineage[0]["epoch"] == 0 and lineage[-1]["trial"] == trial and len(lineage) > 1, lineage
    best = study.read_json("best", "pbt-digits")
    assert best["metrics"]["test.accuracy"] > 0.9, best
    return f"test accuracy {best['metrics']['test.accuracy']:.3f}, {len(taken_over)} of 8 took over a network"


IMAGES = [Path(os.environ.get("TRELLIS_DATA", "/nowhere")) / "mnist", Path("/usr/share/datasets/fashion-mnist")]


def has_images(folder):
    return (folder / "train-images-idx3-ubyte.gz").exists()


def require_images():
    """Ends the test as skipped where no images are on this machine."""
    if not any(has_images(folder) for folder in IMAGES):
        print("skipped: no MNIST under $TRELLIS_DATA, and no package dataset-fashion-mnist")
        sys.exit(SKIP)


def require_package():
    if not has_images(IMAGES[1]):
        print("skipped: no package dataset-fashion-mnist")
        sys.exit(SKIP)


def adaptive_mnist(study):
    require_images()
    hard = study.read_json("train", "adaptive-mnist.yaml", "--quiet")
    text = (study.folder / "adaptive-mnist.yaml").read_text()
    # Digits 0 and 1, or trousers and boots: two that are told apart whatever rows the split takes.
    two = "[0, 1]" if (Path(os.environ.get("TRELLIS_DATA", "/nowhere")) / "mnist").exists() else "[1, 9]"
    (study.folder / "easy.yaml").write_text(text.replace("  rows:", f"  classes: {two}\n  rows:"))
    easy = study.read_json("train", "easy.yaml", "--name", "easy", "--quiet")
    assert easy["metrics"]["test.accuracy"] > hard["metrics"]["test.accuracy"], (easy["metrics"], hard["metrics"])
    assert 4 * easy["flops"]["inference"] <= hard["flops"]["inference"], (easy["shape"], hard["shape"])
    return f"two classes end with {easy['shape']}, ten with {hard['shape']}"


def require_mnist():
    if not has_images(IMAGES[0]):
        print("skipped: no MNIST under $TRELLIS_DATA")
        sys.exit(SKIP)


def adaptive_mnist_01(study):
    require_mnist()
    least, most = promised(study, r"at ([\d.]+) to ([\d.]+) kFLOP a row")
    run = study.read_json("train", "adaptive-mnist-01.yaml", "--quiet")
    assert least <= run["flops"]["inference"] / 1000 <= most and run["metrics"]["test.accuracy"] > 0.995, run
    return f"ends with {run['shape']}"


def adaptive_digits(study):
    least, most = promised(study, r"\(([.\d]+) to ([.\d]+), eight")
    run = study.read_json("train", "adaptive-digits.yaml", "--quiet")
    sizes = [int(size) for size in run["shape"].split("-")]
    assert len(sizes) > 3 and max(sizes) > 16, run["shape"]
    assert least <= run["metrics"]["test.accuracy"] <= most, run
    return f"ends with {run['shape']}"


def adaptive_fashion(study):
    require_package()
    run = study.read_json("train", "adaptive-fashion.yaml", "--quiet")
    sizes = [int(size) for size in run["shape"].split("-")[-3:-1]]
    assert all(64 <= size < 512 for size in sizes), run["shape"]
    assert run["metrics"]["test.accuracy"] > 0.7, run
    return f"ends with {run['shape']}"


def growing(study):
    require_images()
    study.sweep()
    best = study.read_json("best", "growing")
    assert "28x28x1-512-512-10" in (study.folder / "runs/growing/candidates.csv").read_text(), best
    if not (Path(study.trellis).parent.parent / "runtime/starpu/trellis-starpu-simgrid.so").exists():
        return "grown; not simulated: no StarPU with SimGrid"
    platform = study.experiments / "platforms/16-cores-4-gpus.yaml"
    words = [word for name in ("trellis", "as-born") for word in ("--scheduler", name)]
    told = study.read_json("simulate", "growing.yaml", "--platform", str(platform), *words)
    seconds = {run["scheduler"]: run["seconds"] for run in told["schedulers"]}
    assert seconds["as-born"] > 1.5 * seconds["trellis"], seconds
    kinds = {device["device"].split()[0] for device in told["schedulers"][0]["devices"] if device["tasks"] > 0}
    assert len(kinds) == 2, kinds
    return f"simulated: {seconds['as-born'] / seconds['trellis']:.1f} times as long where networks stay as they were born"


def remembered(metrics):
    return metrics["replay_before.accuracy"] - metrics["replay.accuracy"]


def census(study):
    run = study.read_json("train", "census.yaml", "--quiet")
    assert run["metrics"]["test.accuracy"] > 0.84, run
    return f"test accuracy {run['metrics']['test.accuracy']:.3f}"


def continued_nine(study):
    require_mnist()
    run = study.read_json("train", "continued-nine.yaml", "--quiet")
    assert run["shape"] == "28x28x1-256-9" and run["metrics"]["test.accuracy"] > 0.95, run
    return f"test accuracy {run['metrics']['test.accuracy']:.3f} of nine digits"


def continued_census(study):
    model = study.trained("census")
    run = study.read_json("train", "continued-census.yaml", "--from", model, "--quiet")
    metrics = run["metrics"]
    assert run["shape"].startswith("34-64-64-2"), run["shape"]
    assert metrics["test.accuracy"] > 0.84 and abs(remembered(metrics)) < 0.03, metrics
    return f"test accuracy {metrics['test.accuracy']:.3f}, {remembered(metrics):+.3f} forgotten"


def continued_ten(study):
    require_mnist()
    model = study.trained("continued-nine")
    run = study.read_json("train", "continued-ten.yaml", "--from", model, "--quiet")
    metrics = run["metrics"]
    assert run["shape"] == "28x28x1-256-10" and metrics["test.accuracy"] > 0.85, run
    assert metrics["replay.accuracy"] > 0.94 and remembered(metrics) < 0.03, metrics
    return f"{metrics['test.accuracy']:.3f} of the nines, {remembered(metrics):+.3f} forgotten of the others"


def published_grid(study):
    asked, distinct = promised(study, r"Expect (\d+) epochs asked for and (\d+) run")
    plan = study.read_json("plan", "published-grid.yaml")
    assert (plan["epochs"], plan["distinct_epochs"]) == (asked, distinct), plan
    for words, epochs in (([], distinct), (["--no-sharing", "--dir", "apart"], asked)):
        study.read("sweep", "published-grid.yaml", "--quiet", *words)
        work = study.read_json("status", "published-grid", *words[1:])["work"]
        assert (work["epochs"], work["distinct_epochs"]) == (asked, epochs), work
    assert study.read("export", "published-grid") == study.read("export", "published-grid", "--dir", "apart")
    return f"{distinct:.0f} of {asked:.0f} epochs were run"


def large_batch(study):
    require_images()
    study.sweep()
    trials = study.read_json("trials", "large-batch")
    kinds = {}
    for trial in trials:
        params = trial["params"]
        kinds.setdefault((params["batch"], params["optimizer"], params["warmup"]), set()).add(params["lr"])
    assert sorted(kinds) == [(64, "sgd", 0), (4096, "lars", 0), (4096, "lars", 2), (4096, "sgd", 0), (4096, "sgd", 2)], kinds
    assert all(len(rates) == 8 for rates in kinds.values()), kinds
    return f"{len(trials)} trials of {len(kinds)} kinds"


def mnist_grid(study):
    require_images()
    plan = study.read_json("plan", "mnist-grid.yaml")
    # 3 optimizers x 3 batch sizes, each for 1, 2 and 5 epochs: the shorter ones are beginnings of the longest.
    assert (plan["trials"], plan["epochs"], plan["distinct_epochs"]) == (27, 9 * 8, 9 * 5), plan
    study.sweep()
    trials = study.read_json("trials", "mnist-grid")
    results = {tuple(trial["params"].values()): trial["value"] for trial in trials if trial["state"] == "complete"}
    assert len(trials) == len(results) == 27, f"{len(results)} results of {len(trials)} trials"
    work = study.read_json("status", "mnist-grid")["work"]
    assert work["datasets_loaded"] == 1, work
    assert (work["epochs"], work["distinct_epochs"]) == (plan["epochs"], plan["distinct_epochs"]), work
    return f"27 results, {work['distinct_epochs']} of {work['epochs']} epochs were run"


def shape_of(study):
    """Sizes of the layers that a training ends with; of the input 0 where it is an image."""
    lines = study.read("train", f"{study.name}.yaml", "--quiet").splitlines()
    shape = next(line.split()[1].rstrip(",") for line in lines if line.startswith("  shape: "))
    return [int(size) if size.isdigit() else 0 for size in shape.split("-")]


def pruned_digits(study):
    shape = shape_of(study)
    assert shape[1] < 64 and shape[2] < 48, shape
    return f"{shape} from 64 units a layer"


def pruned_fashion(study):
    require_package()
    shape = shape_of(study)
    assert sum(shape[1:5]) < 48 + 48 + 96 + 96, shape
    return f"{shape} from 48, 48, 96 and 96 channels"


def commanded_digits(study):
    shape = shape_of(study)
    assert shape[1] >= 24 and shape[2] >= 24, shape
    return f"{shape} from 16 units a layer"


def command_shell(study):
    study.sweep()
    best = study.read_json("best", "command-shell")
    assert best["value"] < 5, best
    assert len(study.read_json("trials", "command-shell")) == 30
    return f"{best['value']:.3f} at {best['params']}"


def require_module(*names):
    for name in names:
        if subprocess.run(["python3", "-c", f"import {name}"], capture_output=True).returncode != 0:
            print(f"skipped: python3 has no module {name}")
            sys.exit(SKIP)


def command_sklearn(study):
    require_module("numpy", "sklearn")
    study.sweep()
    best = study.read_json("best", "command-sklearn")
    assert best["value"] > 0.9 and best["metrics"].keys() == {"valid.accuracy"}, best
    return f"validation accuracy {best['value']:.3f}"


def command_pytorch(study):
    require_module("numpy", "torch")
    study.sweep()
    best = study.read_json("best", "command-pytorch")
    assert best["value"] > 0.8 and best["metrics"].keys() == {"valid.accuracy", "train.loss"}, best
    assert list(study.folder.glob("runs/command-pytorch/trials/*/checkpoint/digits.pt")), "no checkpoint"
    return f"validation accuracy {best['value']:.3f}"


def command_c(study):
    if shutil.which("cc") is None:
        print("skipped: no C compiler")
        sys.exit(SKIP)
    subprocess.run(["cc", "-O2", "-o", "spring", "spring.c", "-lm"], cwd=study.folder, check=True)
    study.sweep()
    trials = study.read_json("trials", "command-c")
    assert [trial["state"] for trial in trials] == ["complete"] * 30, trials
    best = study.read_json("best", "command-c")
    assert 4 < best["params"]["damping"] < 9, best
    return f"at rest after {best['value']:.2f} s with a damping of {best['params']['damping']:.1f}"


def main():
    programs, experiments, name = sys.argv[1:]
    checks = {
        "digits": digits, "adaptive-mnist": adaptive_mnist, "adaptive-mnist-01": adaptive_mnist_01,
        "mnist-grid": mnist_grid, "large-batch": large_batch, "pbt-digits": pbt_digits,
        "pruned-digits": pruned_digits, "pruned-fashion": pruned_fashion,
        "commanded-digits": commanded_digits, "command-shell": command_shell,
        "command-sklearn": command_sklearn, "command-pytorch": command_pytorch, "command-c": command_c,
        "friedman": friedman, "least": least, "fashion": fashion, "augmented-mnist": augmented_mnist,
        "census": census, "growing": growing, "continued-nine": continued_nine,
        "continued-census": continued_census, "continued-ten": continued_ten,
        "adaptive-digits": adaptive_digits, "adaptive-fashion": adaptive_fashion, "published-grid": published_grid
    }
    check = checks[name]
    with tempfile.TemporaryDirectory() as folder:
        print(f"{name}: {check(Study(programs, experiments, name, folder))}")


if __name__ == "__main__":
    main()
