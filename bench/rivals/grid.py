"""The grid of `trellis bench grid` (three optimizers x three batch sizes x three lengths) with other tools, from reading the
data to the last result.

usage: grid.py jax|shared|torch|ray JOB.json
JOB.json: {"folder" (four IDX files), "train" and "valid" (rows), "units", "rates": {optimizer: lr}, "batches",
"epochs", "seed", "processes"}
  jax     a process a core, the steps of an epoch in one compiled lax.scan
  shared  the same; trials that differ in length alone are one training
  torch   a process a core, tensors indexed by hand, fused optimizers
  ray     a trainable with the usual DataLoader, as Ray Tune's tutorial has it
Prints {"accuracy": mean validation accuracy over the trials}.
"""
import gzip
import itertools
import json
import multiprocessing as mp
import os
import sys

import numpy as np

STATE = None


def read_idx(path, skip):
    with gzip.open(path) as f:
        return np.frombuffer(f.read(), np.uint8)[skip:]


def read_data(job):
    x = read_idx(f"{job['folder']}/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    y = read_idx(f"{job['folder']}/train-labels-idx1-ubyte.gz", 8)
    return {part: (x[job[part]].astype(np.float32) / 255, y[job[part]].astype(np.int32)) for part in ("train", "valid")}


def take_core(job, taken):
    with taken.get_lock():
        core = taken.value
        taken.value += 1
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[core % job["processes"]]})
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def start(library, job, taken):
    global STATE
    take_core(job, taken)
    STATE = (Torch if library == "torch" else Jax)(job)


class Torch:
    def __init__(self, job):
        import torch

        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        self.torch, self.job = torch, job
        self.parts = {k: (torch.from_numpy(x), torch.from_numpy(y).long()) for k, (x, y) in read_data(job).items()}

    def net(self):
        nn, layers, inputs = self.torch.nn, [], 784
        for units in self.job["units"]:
            layers += [nn.Linear(inputs, units), nn.ReLU()]
            inputs = units
        net = nn.Sequential(*layers, nn.Linear(inputs, 10))
        for layer in net[::2]:
            nn.init.zeros_(layer.bias)
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
        nn.init.xavier_uniform_(net[-1].weight)
        return net

    def optimizer(self, net, kind, **more):
        kinds = {"adam": self.torch.optim.Adam, "sgd": self.torch.optim.SGD, "rmsprop": self.torch.optim.RMSprop}
        return kinds[kind](net.parameters(), lr=self.job["rates"][kind], **({} if kind == "rmsprop" else more))

    def accuracy(self, net, part):
        x, y = self.parts[part]
        with self.torch.no_grad():
            return (net(x).argmax(1) == y).float().mean().item()

    def train(self, kind, batch, lengths):
        torch, loss_of = self.torch, self.torch.nn.CrossEntropyLoss()
        x, y = self.parts["train"]
        torch.manual_seed(1000 * self.job["seed"] + batch)
        net = self.net()
        optimizer, found = self.optimizer(net, kind, fused=True), []
        for epoch in range(1, max(lengths) + 1):
            order = torch.randperm(len(y))
            for i in range(0, len(y), batch):
                rows = order[i : i + batch]
                optimizer.zero_grad(set_to_none=True)
                loss_of(net(x[rows]), y[rows]).backward()
                optimizer.step()
            value = self.accuracy(net, "valid")
            if epoch in lengths:
                found.append(value)
        return found


class Jax:
    def __init__(self, job):
        import jax

        self.jax, self.job = jax, job
        self.parts = {k: (jax.numpy.asarray(x), jax.numpy.asarray(y)) for k, (x, y) in read_data(job).items()}
        self.compiled = {}

    def outputs(self, weights, x):
        for w, b in weights[:-1]:
            x = self.jax.nn.relu(x @ w + b)
        return x @ weights[-1][0] + weights[-1][1]

    def program(self, kind, batch):
        if (kind, batch) in self.compiled:
            return self.compiled[kind, batch]
        jax, jnp, lr = self.jax, self.jax.numpy, self.job["rates"][kind]
        x, y = self.parts["train"]
        steps, tail = divmod(len(y), batch)
        tree = jax.tree.map

        def loss(weights, at):
            return -jnp.take_along_axis(jax.nn.log_softmax(self.outputs(weights, x[at])), y[at][:, None], 1).mean()

        def step(state, at):
            weights, m, v, t = state
            g, t = jax.grad(loss)(weights, at), t + 1
            if kind == "sgd":
                return (tree(lambda w, d: w - lr * d, weights, g), m, v, t), None
            if kind == "rmsprop":
                v = tree(lambda a, d: 0.99 * a + 0.01 * d * d, v, g)
                return (tree(lambda w, d, a: w - lr * d / (jnp.sqrt(a) + 1e-8), weights, g, v), m, v, t), None
            m = tree(lambda a, d: 0.9 * a + 0.1 * d, m, g)
            v = tree(lambda a, d: 0.999 * a + 0.001 * d * d, v, g)
            rate = lr * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            return (tree(lambda w, a, b: w - rate * a / (jnp.sqrt(b) + 1e-8), weights, m, v), m, v, t), None

        def epoch(state, order):
            state, _ = jax.lax.scan(step, state, order[: steps * batch].reshape(steps, batch))
            return step(state, order[steps * batch :])[0] if tail else state

        self.compiled[kind, batch] = jax.jit(epoch)
        return self.compiled[kind, batch]

    def train(self, kind, batch, lengths):
        jax, jnp, epoch = self.jax, self.jax.numpy, self.program(kind, batch)
        sizes, key, weights = [784, *self.job["units"], 10], jax.random.PRNGKey(1000 * self.job["seed"] + batch), []
        for inputs, units in zip(sizes, sizes[1:]):
            key, part = jax.random.split(key)
            bound = (6 / (inputs + units if units == 10 else inputs)) ** 0.5
            weights.append((jax.random.uniform(part, (inputs, units), minval=-bound, maxval=bound), jnp.zeros(units)))
        zeros = jax.tree.map(jnp.zeros_like, weights)
        state, rng, found = (weights, zeros, zeros, 0.0), np.random.default_rng(1000 * self.job["seed"] + batch), []
        if "accuracy" not in self.compiled:
            self.compiled["accuracy"] = jax.jit(lambda w, x, y: (self.outputs(w, x).argmax(1) == y).mean())
        accuracy = self.compiled["accuracy"]
        for number in range(1, max(lengths) + 1):
            state = epoch(state, jnp.asarray(rng.permutation(len(self.parts["train"][1]))))
            value = float(accuracy(state[0], *self.parts["valid"]))
            if number in lengths:
                found.append(value)
        return found


def trial(job):
    return STATE.train(*job)


def pool(library, job):
    kinds, batches, lengths = list(job["rates"]), job["batches"], job["epochs"]
    if library == "shared":
        trials = [(kind, batch, lengths) for kind, batch in itertools.product(kinds, batches)]
    else:
        trials = [(k, b, [e]) for k, b, e in itertools.product(kinds, batches, lengths)]
    trials.sort(key=lambda t: -max(t[2]) / t[1])
    context = mp.get_context("spawn")
    with context.Pool(job["processes"], start, (library, job, context.Value("i", 0))) as workers:
        return [value for found in workers.imap_unordered(trial, trials) for value in found]


def body(config):
    from ray import tune
    from torch.utils.data import DataLoader, TensorDataset

    side = Torch(config["job"])
    loss_of = side.torch.nn.CrossEntropyLoss()
    net = side.net()
    optimizer = side.optimizer(net, config["optimizer"])
    batches = DataLoader(TensorDataset(*side.parts["train"]), batch_size=config["batch"], shuffle=True)
    for _ in range(config["epochs"]):
        for x, y in batches:
            optimizer.zero_grad()
            loss_of(net(x), y).backward()
            optimizer.step()
        tune.report({"valid": side.accuracy(net, "valid")})


def ray_tune(job):
    import tempfile

    import ray
    from ray import tune

    ray.init(num_cpus=job["processes"], include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    space = {key: tune.grid_search(values) for key, values in
             (("optimizer", list(job["rates"])), ("batch", job["batches"]), ("epochs", job["epochs"]))}
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(body, param_space={**space, "job": job}, run_config=tune.RunConfig(storage_path=folder, verbose=0),
                           tune_config=tune.TuneConfig(metric="valid", mode="max"))
        results = tuner.fit()
        return [result.metrics["valid"] for result in results]


def main():
    library, path = sys.argv[1:]
    with open(path) as f:
        job = json.load(f)
    found = ray_tune(job) if library == "ray" else pool(library, job)
    print(json.dumps({"accuracy": sum(found) / len(found)}))


if __name__ == "__main__":
    main()
