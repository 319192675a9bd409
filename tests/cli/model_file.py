"""The model file of a network that was reshaped, read without us: by Python's safetensors where it is installed, and by a
reader of a few lines; a forward pass in plain Python over all test rows gives the test metrics that `train` printed, and
`predict` on a table of the same rows gives them to the last digit.

usage: model_file.py PROGRAMS
"""

import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SIDE, CLASSES = 4, 3
STUDY = """\
name: shape
data: {idx: images, split: {valid: 0.25}}
network:
  - flatten
  - dense: {name: fc1, units: 12, activation: relu}
  - batch_norm
  - dense: {name: fc2, units: 8, activation: tanh}
train: {optimizer: {adam: {lr: 0.01}}, batch: 16, epochs: 4}
adapt: {policy: schedule, at: {1: {widen: {layer: fc1, by: 7}}, 2: {shrink: {layer: fc2, by: 3}}, 3: {deepen: {layer: fc1}}}}
"""


def write_idx(folder, part, rows, chance):
    """Images of noise with a bright stripe that says the class; what was written, as (image, label)."""
    made = []
    for i in range(rows):
        label = i % CLASSES
        image = [min(255, max(0, int(chance.gauss(90 + 60 * (x == label), 40)))) for _ in range(SIDE) for x in range(SIDE)]
        made.append((image, label))
    images = b"".join(bytes(image) for image, _ in made)
    (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">4B3I", 0, 0, 8, 3, rows, SIDE, SIDE) + images)
    labels = bytes(label for _, label in made)
    (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">4BI", 0, 0, 8, 1, rows) + labels)
    return made


def read_safetensors(path):
    """{name: (shape, values)} and the metadata, by the format's own description."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    body, end = data[8 + size:], 0
    tensors = {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        width, letter = {"F32": (4, "f"), "I64": (8, "q")}[entry["dtype"]]
        assert begin == end and stop - begin == width * math.prod(entry["shape"]), f"{name} lies wrong: {entry}"
        tensors[name] = (entry["shape"], struct.unpack_from(f"<{(stop - begin) // width}{letter}", body, begin))
        end = stop
    assert end == len(body), "bytes behind the last tensor"
    return tensors, metadata


def same_as_library(path, tensors):
    """Whether Python's safetensors reads the same; false where it is not installed."""
    try:
        from safetensors import safe_open
    except ImportError:
        return False
    with safe_open(path, framework="np") as file:
        assert set(file.keys()) == set(tensors)
        for name, (shape, values) in tensors.items():
            read = file.get_tensor(name)
            assert list(read.shape) == shape and tuple(read.ravel().tolist()) == values, name
    return True


ACTIVATIONS = {"none": lambda x: x, "relu": lambda x: max(x, 0.0), "tanh": math.tanh}


def dense(layer, tensors, row):
    (fan_in, units), weights = tensors[layer["name"] + ".weight"]
    bias = tensors[layer["name"] + ".bias"][1]
    assert fan_in == len(row) and units == layer["units"] == len(bias), layer
    sums = (bias[j] + sum(row[i] * weights[i * units + j] for i in range(fan_in)) for j in range(units))
    return [ACTIVATIONS[layer.get("activation", "none")](x) for x in sums]


def batch_norm(layer, tensors, row):
    scale, shift, mean, variance = (tensors[f"{layer['name']}.{part}"][1] for part in
                                    ("scale", "shift", "mean", "variance"))
    act = ACTIVATIONS[layer.get("activation", "none")]
    return [act(scale[i] * (x - mean[i]) / math.sqrt(variance[i] + layer["epsilon"]) + shift[i]) for i, x in enumerate(row)]


def forward(spec, tensors, row):
    """The logits of one row, or of a residual block what it adds to."""
    entered = []
    for layer in spec["layers"]:
        kind = layer["kind"]
        if kind == "dense":
            row = dense(layer, tensors, row)
        elif kind == "batch_norm":
            row = batch_norm(layer, tensors, row)
        elif kind == "residual_begin":
            entered.append(row)
        elif kind == "residual_end":
            act = ACTIVATIONS[layer.get("activation", "none")]
            row = [act(a + b) for a, b in zip(entered.pop(), row)]
        else:
            assert kind == "flatten", f"a layer of kind {kind} is new here"
    return row


def scores(spec, tensors, preprocessing, rows):
    """Mean cross-entropy and accuracy."""
    shift, factor = ([value] * len(rows[0][0]) if isinstance(value, float) else value
                     for value in (preprocessing["shift"], preprocessing["factor"]))
    loss = right = 0
    for image, label in rows:
        logits = forward(spec, tensors, [(x - s) * f for x, s, f in zip(image, shift, factor)])
        top = max(logits)
        loss += top + math.log(sum(math.exp(x - top) for x in logits)) - logits[label]
        right += logits.index(top) == label
    return loss / len(rows), right / len(rows)


def predicted(trellis, folder, model, rows):
    """What `predict` measures on a table of rows: pixels c1, c2, ..., then the label."""
    names = [f"c{i + 1}" for i in range(len(rows[0][0]))] + ["label"]
    lines = [",".join(map(str, line)) for line in [names, *([*image, label] for image, label in rows)]]
    (folder / "test.csv").write_text("\n".join(lines) + "\n")
    words = [trellis, "predict", str(model), str(folder / "test.csv"), "--output", str(folder / "out.csv"), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    given = [int(line) for line in (folder / "out.csv").read_text().splitlines()[1:]]
    return json.loads(done.stdout), given


def main():
    trellis = str(Path(sys.argv[1]) / "trellis")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "images").mkdir()
        chance = random.Random(5)
        write_idx(folder / "images", "train", 240, chance)
        rows = write_idx(folder / "images", "t10k", 90, chance)
        (folder / "shape.yaml").write_text(STUDY)
        done = subprocess.run([trellis, "train", str(folder / "shape.yaml"), "--dir", str(folder), "--json"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        model = Path(result["model"])
        tensors, metadata = read_safetensors(model)
        library = same_as_library(model, tensors)
        scored, given = predicted(trellis, folder, model, rows)
    spec = json.loads(metadata["spec"])
    widths = [layer["units"] for layer in spec["layers"] if layer["kind"] == "dense"]
    assert widths[0] == 19 and 5 in widths and len(widths) > 3, f"the network was not reshaped: {widths}"
    loss, accuracy = scores(spec, tensors, json.loads(metadata["preprocessing"]), rows)
    metrics = result["metrics"]
    assert abs(loss - metrics["test.loss"]) <= 1e-5 * max(1, loss), f"loss {loss}, train said {metrics}"
    assert accuracy == metrics["test.accuracy"], f"accuracy {accuracy}, train said {metrics}"
    told = {name.removeprefix("test."): value for name, value in metrics.items() if name.startswith("test.")}
    assert scored["metrics"] == told, f"predict says {scored['metrics']}, train said {metrics}"
    assert sum(a == b for a, (_, b) in zip(given, rows, strict=True)) == accuracy * len(rows)
    assert sum(map(sum, scored["confusion"]["counts"])) == len(rows), scored["confusion"]
    print(f"{len(tensors)} tensors, {len(rows)} rows: loss {loss:.7f}, accuracy {accuracy:.4f}"
          f"; the safetensors package {'agrees' if library else 'is not installed'}")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
