"""Trains the networks of `trellis bench gpu-small` with PyTorch on one GPU, f32, the rows resident there.

usage: gpu.py torch|graph|vmap|vmap-graph JOB.json RATES [cpu]
JOB.json, JOB.json.x, JOB.json.y: as for networks.py, the nets all alike. RATES: their learning rates, commas between.
  torch       one network after another, fused Adam
  graph       the same, the steps of an epoch as one CUDA graph that all networks share
  vmap        the networks stacked: vmap of a functional call's gradient, Adam on the stacked weights, the same batches for all
  vmap-graph  the same, the steps of an epoch as one CUDA graph
Prints {"seconds", "accuracy"}: seconds of the epochs, without what is needed once (kernels loaded, graphs captured); mean
accuracy on the scored rows. With `cpu` at the end the two without graphs run there, to try them.
"""
import json
import sys
import time

import torch

from networks import BETAS, EPSILON, read_job, torch_net


class Side:
    """What all ways have in common: rows on the device, batches by their places in a shuffled order."""

    def __init__(self, job, train, test, device):
        self.job, self.device = job, device
        self.x, self.y = self.tensors(train)
        self.tested = self.tensors(test)
        self.order = torch.arange(len(self.y), device=device)

    def tensors(self, part):
        return torch.from_numpy(part[0]).to(self.device), torch.from_numpy(part[1]).long().to(self.device)

    def net(self):
        return torch_net(torch, self.job, self.job["nets"][0]).to(self.device)

    def steps(self):
        for i in range(0, len(self.y), self.job["batch"]):
            at = self.order[i : i + self.job["batch"]]
            self.step(self.x[at], self.y[at])

    def captured(self, warm_steps=3):
        """The steps of an epoch as a CUDA graph."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(warm_steps):
                self.step(self.x[: self.job["batch"]], self.y[: self.job["batch"]])
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.steps()
        return graph.replay

    def epochs(self, epoch):
        for _ in range(self.job["epochs"]):
            self.order.copy_(torch.randperm(len(self.y), device=self.device))
            epoch()


class OneByOne(Side):
    def begin(self, rate, capturable):
        self.model = self.net()
        lr = torch.tensor(rate, device=self.device) if capturable else rate
        self.adam = torch.optim.Adam(self.model.parameters(), lr=lr, betas=BETAS, eps=EPSILON, fused=True, capturable=capturable)

    def step(self, xb, yb):
        self.adam.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(self.model(xb), yb).backward()
        self.adam.step()

    def begin_again(self, rate):
        """A fresh network in the tensors of the one before."""
        with torch.no_grad():
            for old, new in zip(self.model.parameters(), self.net().parameters()):
                old.copy_(new)
            for state in self.adam.state.values():
                for value in state.values():
                    value.zero_()
            self.adam.param_groups[0]["lr"].fill_(rate)

    def train(self, rates, graph):
        self.begin(rates[0], graph)
        epoch = self.captured() if graph else self.steps
        if not graph:
            self.step(self.x[: self.job["batch"]], self.y[: self.job["batch"]])
        yield
        right = []
        for rate in rates:
            self.begin_again(rate) if graph else self.begin(rate, False)
            self.epochs(epoch)
            with torch.no_grad():
                right.append((self.model(self.tested[0]).argmax(1) == self.tested[1]).float().mean())
        yield torch.stack(right)


class Stacked(Side):
    def begin(self, rates):
        nets = [self.net() for _ in rates]
        self.weights, _ = torch.func.stack_module_state(nets)
        self.weights = {name: value.detach() for name, value in self.weights.items()}
        self.m = {name: torch.zeros_like(value) for name, value in self.weights.items()}
        self.v = {name: torch.zeros_like(value) for name, value in self.weights.items()}
        column = torch.tensor(rates, device=self.device)
        self.rate = {name: column.reshape(-1, *[1] * (value.dim() - 1)) for name, value in self.weights.items()}
        self.powers = torch.ones(2, device=self.device)
        self.betas = torch.tensor(BETAS, device=self.device)
        model = nets[0]

        def loss(weights, xb, yb):
            return torch.nn.functional.cross_entropy(torch.func.functional_call(model, weights, (xb,)), yb)

        self.gradient = torch.func.vmap(torch.func.grad(loss), in_dims=(0, None, None))
        self.outputs = torch.func.vmap(lambda weights, xb: torch.func.functional_call(model, weights, (xb,)), in_dims=(0, None))

    @torch.no_grad()
    def step(self, xb, yb):
        gradient = self.gradient(self.weights, xb, yb)
        self.powers.mul_(self.betas)
        unbias = torch.sqrt(1 - self.powers[1]) / (1 - self.powers[0])
        for name, value in self.weights.items():
            self.m[name].lerp_(gradient[name], 1 - BETAS[0])
            self.v[name].mul_(BETAS[1]).addcmul_(gradient[name], gradient[name], value=1 - BETAS[1])
            value.sub_(self.rate[name] * unbias * self.m[name] / (self.v[name].sqrt() + EPSILON))

    def train(self, rates, graph):
        self.begin(rates)
        if graph:
            epoch = self.captured()
            with torch.no_grad():  # what the warm-up did
                fresh, _ = torch.func.stack_module_state([self.net() for _ in rates])
                for name, value in self.weights.items():
                    value.copy_(fresh[name])
                    self.m[name].zero_()
                    self.v[name].zero_()
                self.powers.fill_(1)
        else:
            epoch = self.steps
            self.gradient(self.weights, self.x[: self.job["batch"]], self.y[: self.job["batch"]])
        yield
        self.epochs(epoch)
        with torch.no_grad():
            yield (self.outputs(self.weights, self.tested[0]).argmax(2) == self.tested[1]).float().mean(1)


def main():
    way, path, rates, *device = sys.argv[1:]
    device = torch.device(device[0] if device else "cuda")
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    side = (Stacked if way.startswith("vmap") else OneByOne)(*read_job(path), device)
    training = side.train([float(rate) for rate in rates.split(",")], way.endswith("graph"))
    next(training)
    wait()
    begun = time.perf_counter()
    accuracy = next(training)
    wait()
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "accuracy": accuracy.mean().item()}))


if __name__ == "__main__":
    main()
