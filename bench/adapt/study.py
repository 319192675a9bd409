"""Study files: a network of a fixed size, the sweep of sizes that a person would run, and a policy that begins with a size."""
import json

WIDTHS = (8, 16, 32, 64, 128, 256, 512)
STARTS = (8, 64, 512)
DEPTHS = (1, 2, 3, 4)
VALID = 0.2  # of the rows that are not test rows: a quarter of the training rows
CHANNELS = 8  # units of a dense layer for each channel of a convolution


def sizes(task):
    """The fixed networks: (width, depth)."""
    return [(width, depth) for depth in (DEPTHS if task.network == "deep" else (2,)) for width in WIDTHS]


def starts(task):
    return [(width, 1 if task.network == "deep" else 2) for width in STARTS]


def label(size):
    return f"{size[0]}x{size[1]}"


def dense(name, units):
    return f"  - dense: {{name: {name}, units: {units}, activation: relu}}"


def conv(name, units):
    return f"  - conv2d: {{name: {name}, units: {units}, kernel: 3, padding: same, activation: relu}}\n  - max_pool"


def layers(task, width, channels, depth):
    """`width` and `depth` are numbers or references."""
    if task.network == "conv":
        return [conv("conv1", channels), conv("conv2", channels), "  - flatten", dense("fc1", width)]
    flat = ["  - flatten"] if task.image else []
    if isinstance(depth, str):
        return flat + [f"  - repeat: {{times: {depth}, of: [{dense('fc', width).strip(' -')}]}}"]
    return flat + [dense(f"fc{i + 1}", width) for i in range(depth)]


def common(task, data, test, seed):
    other = f", test: {test}" if test else ""
    kind = "csv" if test else "safetensors"
    scale = ", scale: unit" if task.image else ""
    what = "classification" if task.classes else "regression"
    # A test share of nothing: the test rows come in a file, or in tensors, of their own.
    return [f"name: cell\nseed: {seed}",
            f"data: {{{kind}: {data}{other}, task: {what}{scale}, split: {{valid: {VALID}, seed: {seed}}}}}",
            f"train: {{optimizer: {{adam: {{lr: 0.003}}}}, schedule: cosine, batch: {task.batch}, epochs: {task.epochs}}}"]


def fixed(task, data, seed, size):
    return text(common(task, *data, seed), layers(task, size[0], size[0] // CHANNELS, size[1]))


def sweep(task, data, seed):
    """Every size, and asha stops what falls behind."""
    parameters = {"width": list(WIDTHS)}
    forbidden = []
    if task.network == "conv":
        # A channel for each eight units: a grid has no parameter that follows another one.
        parameters["channels"] = [width // CHANNELS for width in WIDTHS]
        forbidden = [f"  - {{channels: {width // CHANNELS}, width: {[other for other in WIDTHS if other != width]}}}"
                     for width in WIDTHS]
    if task.network == "deep":
        parameters["depth"] = list(DEPTHS)
    depth = "$depth" if task.network == "deep" else 2
    more = ["method: grid", "early_stop: {type: asha, eta: 3}", "parameters:"]
    more += [f"  {name}: {{values: {values}}}" for name, values in parameters.items()]
    more += ["forbid:", *forbidden] if forbidden else []
    return text(common(task, *data, seed), layers(task, "$width", "$channels", depth), more)


def adaptive(task, data, seed, size, policy):
    return text(common(task, *data, seed), layers(task, size[0], size[0] // CHANNELS, size[1]), [f"adapt: {policy}"])


def for_rival(task, seed):
    """What a rival is told instead of a study file."""
    return json.dumps({"seed": seed, "valid": VALID, "classes": task.classes, "batch": task.batch, "epochs": task.epochs})


def text(head, network, more=()):
    return "\n".join([*head, "network:", *network, *more]) + "\n"
