#!/usr/bin/env python3
"""Writes torch_steps.json: what PyTorch computes in 50 steps for every layer, activation, loss, optimizer and schedule.

    python3 tests/golden/torch_steps.py

Needs torch, of which tools/setup/rivals.sh installs the pinned version (the numbers are those of 2.15.0 in f64); the
test that reads them needs nothing. A case says what is trained, in the words of a study file. Inputs, targets and first
weights follow from names by `draws`, here and in tests/nn/torch_test.cpp, so that only results are stored: the loss of
every step and the weights after the last one.
"""
import json
import math
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

ROWS, BATCH, STEPS = 20, 4, 50
MASK = 0xFFFFFFFF


def draws(name, count):
    """`count` numbers in [-1, 1), each a multiple of 2^-23: FNV-1a of the name, then a hash of the place."""
    salt = 2166136261
    for byte in name.encode():
        salt = ((salt ^ byte) * 16777619) & MASK
    out = []
    for i in range(count):
        h = (i * 2654435761 + salt) & MASK
        h ^= h >> 15
        h = (h * 2246822519) & MASK
        h ^= h >> 13
        out.append((h >> 8) / (1 << 23) - 1)
    return torch.tensor(out)


def layer(kind, name, **fields):
    return {"kind": kind, "name": name, **fields}


def dense(name, units, activation="tanh"):
    return layer("dense", name, units=units, activation=activation)


ACTIVATIONS = {"none": lambda x: x, "relu": F.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "gelu": F.gelu}


class Net:
    """The layers over rows [n, features] or images [n, height, width, channels], weights in the order of the layers."""

    def __init__(self, shape, layers):
        self.layers, self.trained, self.state = layers, {}, {}
        self.training = False
        self.forward(torch.zeros(2, *shape))
        self.training = True

    def weight(self, name, dims, fan_in):
        if name not in self.trained:
            values = draws(name, math.prod(dims)) * math.sqrt(3 / fan_in)
            self.trained[name] = values.reshape(dims).requires_grad_()
        return self.trained[name]

    def vector(self, name, size, middle, spread):
        if name not in self.trained:
            self.trained[name] = (middle + spread * draws(name, size)).requires_grad_()
        return self.trained[name]

    def forward(self, x):
        skips = []
        for one in self.layers:
            x = getattr(self, one["kind"])(x, one, skips)
        return x

    def dense(self, x, one, _):
        w = self.weight(one["name"] + ".weight", (x.shape[1], one["units"]), x.shape[1])
        b = self.vector(one["name"] + ".bias", one["units"], 0, 0.1)
        return ACTIVATIONS[one["activation"]](F.linear(x, w.t(), b))

    def conv2d(self, x, one, _):
        k, groups, dilation = one["kernel"], one.get("groups", 1), one.get("dilation", 1)
        stride, padding = one.get("stride", 1), one.get("padding", "valid")
        read = x.shape[3] // groups
        w = self.weight(one["name"] + ".weight", (one["units"], k, k, read), k * k * read)
        b = self.vector(one["name"] + ".bias", one["units"], 0, 0.1)
        image = x.permute(0, 3, 1, 2)
        if padding == "same":
            reach, pads = (k - 1) * dilation + 1, []
            for size in (x.shape[2], x.shape[1]):
                out = (size + stride - 1) // stride
                zeros = max((out - 1) * stride + reach - size, 0)
                pads += [zeros // 2, zeros - zeros // 2]
            image = F.pad(image, pads)
        zeros = padding if isinstance(padding, int) else 0
        y = F.conv2d(image, w.permute(0, 3, 1, 2), b, stride, zeros, dilation, groups)
        return ACTIVATIONS[one["activation"]](y.permute(0, 2, 3, 1))

    def pool(self, x, one, function):
        y = function(x.permute(0, 3, 1, 2), one["kernel"], one.get("stride", one["kernel"]))
        return y.permute(0, 2, 3, 1)

    def max_pool(self, x, one, _):
        return self.pool(x, one, F.max_pool2d)

    def avg_pool(self, x, one, _):
        return self.pool(x, one, F.avg_pool2d)

    def global_pool(self, x, _one, _):
        return F.adaptive_avg_pool2d(x.permute(0, 3, 1, 2), 1).flatten(1)

    def flatten(self, x, _one, _):
        return x.flatten(1)

    def scale_and_shift(self, one, size):
        return (self.vector(one["name"] + ".scale", size, 1, 0.2), self.vector(one["name"] + ".shift", size, 0, 0.2))

    def batch_norm(self, x, one, _):
        name, size = one["name"], x.shape[-1]
        scale, shift = self.scale_and_shift(one, size)
        mean = self.state.setdefault(name + ".mean", torch.zeros(size))
        variance = self.state.setdefault(name + ".variance", torch.ones(size))
        flat = x.reshape(-1, size)
        y = F.batch_norm(flat, mean, variance, scale, shift, self.training, one.get("momentum", 0.1), 1e-5)
        return ACTIVATIONS[one["activation"]](y.reshape(x.shape))

    def layer_norm(self, x, one, _):
        scale, shift = self.scale_and_shift(one, x.shape[-1])
        return ACTIVATIONS[one["activation"]](F.layer_norm(x, (x.shape[-1],), scale, shift, 1e-5))

    def residual_begin(self, x, _one, skips):
        skips.append(x)
        return x

    def residual_end(self, x, one, skips):
        return ACTIVATIONS[one["activation"]](x + skips.pop())


def loss_of(case, out, rows, data):
    """The mean over the batch: weighted rows are summed and divided by their number."""
    fields = case.get("loss_fields", {})
    kind, smoothing = case["loss"], fields.get("label_smoothing", 0)
    weights = fields.get("class_weights")
    if kind in ("cross_entropy", "bce"):
        labels = data["labels"][rows]
        weights = None if weights is None else torch.tensor(list(weights.values()))
        if kind == "cross_entropy":
            total = F.cross_entropy(out, labels, weights, reduction="sum", label_smoothing=smoothing)
        else:
            target = labels * (1 - smoothing) + smoothing / 2
            of_rows = None if weights is None else weights[labels]
            total = F.binary_cross_entropy_with_logits(out[:, 0], target, of_rows, reduction="sum")
        return total / len(rows)
    target = data["targets"][rows]
    if kind == "huber":
        return F.huber_loss(out, target, delta=fields.get("delta", 1.0))
    return F.mse_loss(out, target) if kind == "mse" else F.l1_loss(out, target)


class Layerwise(torch.optim.Optimizer):
    """Optimizers of the papers that torch lacks. A group is a layer: its weights and biases have one norm."""

    def norm(self, values):
        return torch.sqrt(sum((v * v).sum() for v in values))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            self.step_layer(group["params"], group)


class Lars(Layerwise):
    """You, Gitman & Ginsburg 2017, algorithm 1."""

    def __init__(self, layers, lr, trust=1e-3, momentum=0.9, weight_decay=0):
        super().__init__(layers, {"lr": lr, "trust": trust, "momentum": momentum, "decay": weight_decay})

    def step_layer(self, weights, f):
        w, g = self.norm(weights), self.norm([p.grad for p in weights])
        local = f["trust"] * w / (g + f["decay"] * w)
        for p in weights:
            v = self.state[p].setdefault("v", torch.zeros_like(p))
            v.mul_(f["momentum"]).add_(f["lr"] * local * (p.grad + f["decay"] * p))
            p.sub_(v)


class Lamb(Layerwise):
    """You et al. 2020, algorithm 2 with phi(z) = z."""

    def __init__(self, layers, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01):
        super().__init__(layers, {"lr": lr, "betas": betas, "eps": eps, "decay": weight_decay})
        self.steps = 0

    def step(self):
        self.steps += 1
        super().step()

    def step_layer(self, weights, f):
        (beta1, beta2), directions = f["betas"], []
        for p in weights:
            state = self.state[p]
            m, v = (state.setdefault(k, torch.zeros_like(p)) for k in "mv")
            m.mul_(beta1).add_((1 - beta1) * p.grad)
            v.mul_(beta2).add_((1 - beta2) * p.grad * p.grad)
            unbiased = m / (1 - beta1 ** self.steps), v / (1 - beta2 ** self.steps)
            directions.append(unbiased[0] / (unbiased[1].sqrt() + f["eps"]) + f["decay"] * p)
        ratio = self.norm(weights) / self.norm(directions)
        for p, direction in zip(weights, directions):
            p.sub_(f["lr"] * ratio * direction)


def layers_of(trained):
    """The weights by the layer in their names, as groups of an optimizer."""
    groups = {}
    for name, weight in trained.items():
        groups.setdefault(name.split(".")[0], []).append(weight)
    return [{"params": params} for params in groups.values()]


def optimizer_of(case, trained):
    fields = dict(case.get("optimizer_fields", {}))
    kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
            "rmsprop": torch.optim.RMSprop, "lars": Lars, "lamb": Lamb}[case["optimizer"]]
    if "beta1" in fields:
        fields["betas"] = (fields.pop("beta1"), fields.pop("beta2"))
    if "epsilon" in fields:
        fields["eps"] = fields.pop("epsilon")
    return kind(layers_of(trained), **fields)


def schedule_of(case, optimizer):
    """Steps are torch's unit here; an epoch of ours has ROWS / BATCH of them."""
    schedule, steps = case.get("schedule"), ROWS // BATCH
    if schedule is None:
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    lr, f = case["optimizer_fields"]["lr"], schedule.get("fields", {})
    if schedule["kind"] == "step":
        return torch.optim.lr_scheduler.StepLR(optimizer, f["every"] * steps, f["factor"])
    if schedule["kind"] == "cosine":
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS, f["floor"] * lr)
    if schedule["kind"] == "warmup":
        return torch.optim.lr_scheduler.LinearLR(optimizer, f["start"], 1.0, f["epochs"] * steps)
    # torch counts from the first step to the last one, we from the beginning to the end.
    rise = f["rise"] * STEPS
    return torch.optim.lr_scheduler.OneCycleLR(
        optimizer, lr, total_steps=STEPS + 1, pct_start=(rise + 1) / (STEPS + 1), cycle_momentum=False,
        div_factor=1 / f["start"], final_div_factor=f["start"] / f["floor"])


def run(case):
    shape, outputs = case["input"], case["outputs"]
    inputs = math.prod(shape)
    x = draws("x", ROWS * inputs).reshape(ROWS, *shape)
    data = {"labels": ((draws("label", ROWS) + 1) / 2 * outputs).long(), "targets": draws("target", ROWS * outputs)}
    data["targets"] = data["targets"].reshape(ROWS, outputs)
    net = Net(shape, case["layers"])
    weights = list(net.trained.values())
    optimizer = optimizer_of(case, net.trained)
    schedule = schedule_of(case, optimizer)
    losses = []
    for step in range(STEPS):
        rows = [(step * BATCH + i) % ROWS for i in range(BATCH)]
        optimizer.zero_grad()
        loss = loss_of(case, net.forward(x[rows]), rows, data)
        loss.backward()
        if "clip" in case:
            torch.nn.utils.clip_grad_norm_(weights, case["clip"])
        optimizer.step()
        schedule.step()
        losses.append(float(f"{loss.item():.8g}"))
    tensors = {**net.trained, **net.state}
    case["losses"] = losses
    case["weights"] = {name: [float(f"{v:.7g}") for v in values.detach().flatten().tolist()]
                       for name, values in tensors.items()}
    return case


def mlp(hidden="tanh", outputs=3):
    return [dense("fc", 5, hidden), dense("output", outputs, "none")]


def images(*layers, outputs=2):
    return [*layers, layer("flatten", "flat"), dense("output", outputs, "none")]


def conv(name, units, kernel=3, activation="tanh", **more):
    return layer("conv2d", name, units=units, kernel=kernel, activation=activation, **more)


def cases():
    base = {"input": [4], "outputs": 3, "layers": mlp(), "loss": "cross_entropy", "optimizer": "sgd",
            "optimizer_fields": {"lr": 0.1, "momentum": 0.9}}
    plain = {**base, "optimizer_fields": {"lr": 0.05}}

    for activation in ACTIVATIONS:
        yield "activation " + activation, {**plain, "layers": mlp(activation)}

    nets = {
        "conv2d": images(conv("c", 2)),
        "conv2d gelu": images(conv("c", 2, activation="gelu")),
        "conv2d same": images(conv("c", 2, kernel=2, padding="same")),
        "conv2d stride padding": images(conv("c", 3, stride=2, padding=1)),
        "conv2d dilation": images(conv("c", 2, kernel=2, dilation=2)),
        "conv2d groups": images(conv("a", 4, kernel=2), conv("c", 4, kernel=2, groups=2)),
        "conv2d depthwise": images(conv("c", 2, groups=2, dilation=2, padding=2)),
        "max_pool": images(conv("c", 2, kernel=2, padding="same"), layer("max_pool", "p", kernel=2, stride=1)),
        "avg_pool": images(conv("c", 2, kernel=2), layer("avg_pool", "p", kernel=2)),
        "global_pool": [conv("c", 3), layer("global_pool", "p"), dense("output", 2, "none")],
        "batch_norm images": images(conv("c", 2, kernel=2, activation="none"),
                                    layer("batch_norm", "n", activation="gelu")),
        "layer_norm images": images(conv("c", 6, kernel=2, activation="none"),
                                    layer("layer_norm", "n", activation="relu")),
        "residual images": images(conv("c", 2, padding="same"), layer("residual_begin", "r"),
                                  conv("d", 2, padding="same"),
                                  layer("residual_end", "r_end", activation="gelu")),
    }
    for name, layers in nets.items():
        yield name, {**plain, "input": [4, 5, 2], "outputs": 2, "layers": layers}
    rows = {
        "batch_norm": [dense("fc", 4, "none"), layer("batch_norm", "n", activation="relu", momentum=0.2)],
        "layer_norm": [dense("fc", 4, "none"), layer("layer_norm", "n", activation="gelu")],
        "residual": [dense("a", 4), layer("residual_begin", "r"), dense("b", 3, "relu"), dense("c", 4, "none"),
                     layer("residual_end", "r_end", activation="sigmoid")],
    }
    for name, layers in rows.items():
        yield name, {**plain, "layers": layers + [dense("output", 3, "none")]}

    weighted = {"class_weights": {"c0": 0.5, "c1": 2, "c2": 1.5}}
    yield "label smoothing", {**plain, "loss_fields": {"label_smoothing": 0.1}}
    yield "class weights", {**plain, "loss_fields": weighted}
    yield "class weights and label smoothing", {**plain, "loss_fields": {**weighted, "label_smoothing": 0.2}}
    two = {**plain, "outputs": 2, "layers": mlp(outputs=1), "loss": "bce"}
    yield "bce", two
    yield "bce weights and smoothing", {
        **two, "loss_fields": {"class_weights": {"c0": 0.5, "c1": 2}, "label_smoothing": 0.1}}
    numbers = {**plain, "outputs": 2, "layers": mlp(outputs=2)}
    for loss in ("mse", "mae"):
        yield loss, {**numbers, "loss": loss}
    yield "huber", {**numbers, "loss": "huber", "loss_fields": {"delta": 0.3}}

    optimizers = {
        "sgd": {"lr": 0.1},
        "sgd momentum": {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01},
        "sgd nesterov": {"lr": 0.05, "momentum": 0.9, "nesterov": True},
        "adam": {"lr": 0.02},
        "adam weight decay": {"lr": 0.02, "beta1": 0.8, "beta2": 0.95, "weight_decay": 0.05},
        "adamw": {"lr": 0.02, "weight_decay": 0.3},
        "rmsprop": {"lr": 0.01},
        "lars": {"lr": 2.0, "trust": 0.01, "weight_decay": 0.01},
        "lars plain": {"lr": 5.0, "momentum": 0.0},
        "lamb": {"lr": 0.02},
        "lamb betas": {"lr": 0.02, "beta1": 0.8, "beta2": 0.95, "epsilon": 0.001, "weight_decay": 0.2},
        "rmsprop momentum": {"lr": 0.005, "alpha": 0.9, "epsilon": 0.001, "momentum": 0.5, "weight_decay": 0.01},
    }
    for name, fields in optimizers.items():
        yield "optimizer " + name, {**base, "optimizer": name.split()[0], "optimizer_fields": fields}
    yield "clip", {**base, "clip": 0.3}

    schedules = {
        "step": {"every": 3, "factor": 0.5},
        "cosine": {"floor": 0.1},
        "warmup": {"epochs": 4, "start": 0.2},
        "one_cycle": {"rise": 0.3, "start": 0.1, "floor": 0.001},
    }
    for kind, fields in schedules.items():
        yield "schedule " + kind, {**base, "schedule": {"kind": kind, "fields": fields}}


def main():
    out = {name: run(json.loads(json.dumps(case))) for name, case in cases()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in out.items())
    pathlib.Path(__file__).with_suffix(".json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    print(len(out), "cases")


main()
