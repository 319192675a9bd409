#!/usr/bin/env python3
"""A growing network of GroMo (Verbockhaven et al., TMLR 2024) on the rows of a task; run by the Python that has it.

GroMo says which units to add and leaves open when: here it begins with 8 units a layer and adds up to 16 to the layer that gains
the most after each epoch of the first half, then trains to the end at a falling rate. usage: rivals.py FILE TASK-AS-JSON
"""
import importlib.metadata
import json
import math
import struct
import sys

import torch
from gromo.containers.growing_mlp import GrowingMLP

START, ADDED, FACTORS = 8, 16, (0.0, 0.25, 0.5, 1.0)
KINDS = {"F32": torch.float32, "U8": torch.uint8}


def tensors(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    found = {}
    for name, one in json.loads(content[8:8 + size]).items():
        begin, end = one["data_offsets"]
        part = bytearray(content[8 + size + begin:8 + size + end])
        found[name] = torch.frombuffer(part, dtype=KINDS[one["dtype"]]).reshape(one["shape"])
    return found


class Training:
    """The same rows, scaling, batches and optimizer as ours; FLOPs are counted as 2 a weight forward and 4 backward."""

    def __init__(self, path, task):
        torch.manual_seed(task["seed"])
        self.task, found = task, tensors(path)
        x, test = (found[name].flatten(1).float() for name in ("x", "x_test"))
        rows = round(len(x) * (1 - task["valid"]))
        mean, deviation = x[:rows].mean(0), x[:rows].std(0).clamp_min(1e-6)
        self.x, self.test = ((part - mean) / deviation for part in (x[:rows], test))
        if task["classes"]:
            self.y, self.answers, outputs = found["y"][:rows].long(), found["y_test"].long(), int(found["y"].max()) + 1
            self.loss = torch.nn.CrossEntropyLoss()
        else:
            mean, deviation = found["y"][:rows].mean(), found["y"][:rows].std()
            self.y, self.answers = ((found[name] - mean) / deviation for name in ("y", "y_test"))
            self.y, outputs, self.loss = self.y[:rows, None], 1, torch.nn.MSELoss()
        self.model = GrowingMLP(self.x.shape[1], outputs, START, 2, activation=torch.nn.ReLU(), device=torch.device("cpu"))
        self.flops, self.grown, self.optimizer = 0.0, False, None

    def weights(self):
        return sum(layer.weight.numel() for layer in self.model.layers)

    def batches(self):
        for part in torch.randperm(len(self.x)).split(self.task["batch"]):
            yield self.x[part], self.y[part]

    def epoch(self, number):
        # Adam anew in each epoch that follows a growth: its moments have other shapes.
        if self.optimizer is None or self.grown:
            self.optimizer = torch.optim.Adam(self.model.parameters())
        rate = 0.003 * (1 + math.cos(math.pi * number / self.task["epochs"])) / 2
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        for x, y in self.batches():
            self.optimizer.zero_grad()
            self.loss(self.model(x), y).backward()
            self.optimizer.step()
        self.flops += 6 * self.weights() * len(self.x)

    def grow(self):
        model = self.model
        model.init_computation()
        for x, y in self.batches():
            model.zero_grad()
            self.loss(model(x), y).backward()
            model.update_computation()
        self.flops += 6 * self.weights() * len(self.x)
        model.compute_optimal_updates(maximum_added_neurons=ADDED)
        model.select_best_update()
        layer = model.currently_updated_layer
        losses = []
        with torch.no_grad():
            for factor in FACTORS:
                model.set_scaling_factor(factor)
                losses.append(float(self.loss(model.extended_forward(self.x), self.y)))
                self.flops += 2 * self.weights() * len(self.x)
        best = losses.index(min(losses))
        model.reset_computation()
        self.grown = best > 0
        if self.grown:
            model.set_scaling_factor(FACTORS[best])
            model.apply_change()
        else:
            layer.delete_update()

    def run(self):
        for number in range(self.task["epochs"]):
            self.epoch(number)
            self.grown = False
            if number < self.task["epochs"] // 2:
                self.grow()
        with torch.no_grad():
            said = self.model(self.test)
        if self.task["classes"]:
            score = float((said.argmax(1) == self.answers).float().mean())
        else:
            score = float(1 - ((said[:, 0] - self.answers) ** 2).mean() / self.answers.var(unbiased=False))
        shape = [self.x.shape[1]] + [layer.weight.shape[0] for layer in self.model.layers]
        return {"score": 100 * score, "valid": 0.0, "train": self.flops, "row": 2.0 * self.weights(),
                "shape": "-".join(map(str, shape))}


def main():
    if sys.argv[1] == "--version":
        print(importlib.metadata.version("gromo"))
        return
    torch.set_num_threads(1)
    print(json.dumps(Training(sys.argv[1], json.loads(sys.argv[2])).run()))


if __name__ == "__main__":
    main()
