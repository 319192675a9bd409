"""Networks exported as ONNX, run without us: by a reader of plain Python, and by onnx's checker and onnxruntime where they are
installed. Both give the probabilities or numbers that `trellis predict` gives for the same rows, to 1e-5 of the
largest.

usage: onnx.py PROGRAMS
"""

import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from model_file import write_idx
from onnx_reader import run

sys.path.pop(0)  # this file must not stand for the package of the same name

TABLE_LAYERS = """\
network:
  - dense: {name: fc1, units: 9, activation: relu}
  - batch_norm
  - residual: {name: b1, of: [dense: {units: 9, activation: tanh}, layer_norm], activation: relu}
  - dropout: {rate: 0.2}
  - dense: {name: fc2, units: 5, activation: tanh}
"""
IMAGE_LAYERS = {
    "padded": "[conv2d: {units: 3, kernel: 2, padding: same}, batch_norm, max_pool: {kernel: 2}, flatten, dense: {units: 4}]",
    "pooled": "[conv2d: {units: 2, kernel: 3, padding: 1, stride: 2}, avg_pool: {kernel: 2, stride: 1}, layer_norm, "
              "conv2d: {units: 3, kernel: 1, activation: tanh}, global_pool]",
    "grouped": "[conv2d: {units: 4, kernel: 2, activation: gelu}, conv2d: {units: 6, kernel: 2, dilation: 2, groups: 2, "
               "activation: sigmoid}, flatten]",
}


class Tried:
    """A folder with a study, trained; what each kind of reader says of its rows."""

    def __init__(self, trellis, folder, name, text):
        self.trellis, self.folder, self.name = trellis, folder, name
        (folder / f"{name}.yaml").write_text(text)
        self.call("train", f"{name}.yaml", "--quiet")
        self.call("export", name, "--format", "onnx", "--output", f"{name}.onnx")

    def call(self, *arguments):
        done = subprocess.run([self.trellis, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{self.name}: {arguments}: {done.stderr}"
        return done.stdout

    def predicted(self, table, *more):
        lines = list(csv.DictReader(self.call("predict", self.name, table, "--quiet", *more).splitlines()))
        columns = [c for c in lines[0] if c.startswith("proba.")] or [c for c in lines[0] if c.startswith("prediction")]
        return [float(line[c]) for line in lines for c in columns]

    def given(self, table):
        """The classes of the rows as `predict` names them."""
        return [line["prediction"] for line in csv.DictReader(self.call("predict", self.name, table, "--quiet").splitlines())]

    def compare_classes(self, table, rows, names):
        """By the threshold, which the model has."""
        path, expected = self.folder / f"{self.name}.onnx", self.given(table)
        found = {"the reader": run(path, rows)[0]["class"][1], **by_runtime(path, rows, "class")}
        for reader, places in found.items():
            assert [names[place] for place in places] == expected, f"{self.name}: {reader} gives other classes"
        return expected

    def compare(self, expected, rows, output):
        path = self.folder / f"{self.name}.onnx"
        outputs, used = run(path, rows)
        found = {"the reader": outputs[output][1]}
        found.update(by_runtime(path, rows, output))
        for reader, values in found.items():
            largest = max(1, *map(abs, expected))
            worst = max(abs(a - b) / largest for a, b in zip(values, expected, strict=True))
            assert worst <= 1e-5, f"{self.name}: {reader} differs by {worst}"
        return used, len(found) > 1


def by_runtime(path, rows, output):
    """What onnxruntime says; nothing where it is not installed."""
    try:
        import numpy
        import onnx
        import onnxruntime
    except ImportError:
        return {}
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    kind = numpy.float64 if entry.type == "tensor(double)" else numpy.float32
    x = numpy.array(rows, dtype=kind).reshape([len(rows)] + entry.shape[1:])
    return {"onnxruntime": session.run([output], {entry.name: x})[0].ravel().tolist()}


def tables(trellis, folder, chance):
    rows = [[round(chance.gauss(40, 9), 2), round(chance.uniform(-1, 3), 3), chance.choice(["red", "blue"])] for _ in range(120)]
    targets = {"classes": lambda r: "abc"[int(r[0] > 40) + (r[2] == "red")], "numbers": lambda r: 1e3 * r[1] + r[0],
               "pairs": lambda r: "no" if r[0] > 40 else "yes"}
    # Of several targets the first is that of "numbers".
    targets["several"] = targets["numbers"]
    losses = {"classes": "cross_entropy", "numbers": "huber", "pairs": "{bce: {class_weights: balanced}}", "several": "mse"}
    for task, target in targets.items():
        with open(folder / f"{task}.csv", "w", encoding="utf-8") as out:
            csv.writer(out).writerows([["size", "rate", "colour", "y", "z"],
                                        *([*row, target(row), row[0] * row[1]] for row in rows)])
        numbers = task in ("numbers", "several")
        kind = "regression" if numbers else "classification"
        columns = "[y, z]" if task == "several" else "y, ignore: [z]"
        tried = Tried(trellis, folder, task, f"data: {{csv: {task}.csv, target: {columns}, task: {kind}}}\n{TABLE_LAYERS}"
                      f"train: {{loss: {losses[task]}, optimizer: {{adam: {{lr: 0.01}}}}, epochs: 5}}\n")
        inputs = [[size, rate, colour == "blue", colour == "red"] for size, rate, colour in rows]
        proba = [] if numbers else ["--proba"]
        yield tried.compare(tried.predicted(f"{task}.csv", *proba), inputs, "probabilities" if proba else "prediction")


def moments(trellis, folder, chance):
    """Seconds of one minute since 1970, which floats cannot tell apart."""
    rows = [[1.7e9 + chance.randrange(60), round(chance.gauss(0, 1), 2)] for _ in range(150)]
    with open(folder / "moments.csv", "w", encoding="utf-8") as out:
        csv.writer(out).writerows([["when", "z", "y"], *([int(when), z, 2 * (when - 1.7e9) + z] for when, z in rows)])
    tried = Tried(trellis, folder, "moments", f"data: {{csv: moments.csv, task: regression}}\n{TABLE_LAYERS}"
                  "train: {optimizer: {adam: {lr: 0.01}}, epochs: 5}\n")
    predicted = tried.predicted("moments.csv")
    assert len({round(value, 2) for value in predicted}) > 30, "one number for different seconds"
    yield tried.compare(predicted, rows, "prediction")


def rare(trellis, folder, chance):
    """One of ten rows is positive, so the threshold is not 0.5; a large rate makes the network too sure of itself."""
    rows = [[round(chance.gauss(0, 1), 3), round(chance.gauss(0, 1), 3)] for _ in range(4000)]
    with open(folder / "rare.csv", "w", encoding="utf-8") as out:
        csv.writer(out).writerows([["a", "b", "y"], *([*row, "yes" if row[0] * row[1] + chance.gauss(0, 1) > 1.6 else "no"]
                                                      for row in rows)])
    tried = Tried(trellis, folder, "rare", "data: {csv: rare.csv}\nmetric: valid.auc\nnetwork: [dense: {units: 32}]\n"
                  "train: {optimizer: {adam: {lr: 0.02}}, epochs: 60}\n")
    given = tried.compare_classes("rare.csv", rows, ["no", "yes"])
    shares = tried.predicted("rare.csv", "--proba")[1::2]
    largest = ["yes" if share > 0.5 else "no" for share in shares]
    assert given.count("yes") > largest.count("yes"), "the threshold changes nothing"
    yield tried.compare(tried.predicted("rare.csv", "--proba"), rows, "probabilities")


def images(trellis, folder, chance):
    (folder / "images").mkdir()
    write_idx(folder / "images", "train", 90, chance)
    rows = [pixels for pixels, _ in write_idx(folder / "images", "t10k", 12, chance)]
    with open(folder / "pixels.csv", "w", encoding="utf-8") as out:
        csv.writer(out).writerows(rows)
    for name, layers in IMAGE_LAYERS.items():
        tried = Tried(trellis, folder, name, f"data: {{idx: images}}\nnetwork: {layers}\ntrain: {{epochs: 3}}\n")
        yield tried.compare(tried.predicted("pixels.csv", "--proba"), rows, "probabilities")


def main():
    trellis, chance = str(Path(sys.argv[1]) / "trellis"), random.Random(5)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = [*tables(trellis, folder, chance), *moments(trellis, folder, chance), *rare(trellis, folder, chance),
                   *images(trellis, folder, chance)]
        empty = subprocess.run([trellis, "export", "classes", "--format", "onnx"], cwd=folder, capture_output=True, text=True,
                               check=False)
        assert empty.returncode == 2 and "works only with --output FILE" in empty.stderr, empty.stderr
    operations = sorted({operation for used, _ in results for operation in used})
    runtime = "agrees" if all(agreed for _, agreed in results) else "is not installed"
    print(json.dumps({"networks": len(results), "operations": operations, "onnxruntime": runtime}))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
