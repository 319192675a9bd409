"""Trains the networks of one workload of `trellis bench networks` with another library.

usage: networks.py torch|loader|jax|vmap JOB.json [whole]
JOB.json: {"train_rows", "columns", "side" (0: no images), "batch", "epochs", "cores", "classes",
"nets": [[[units, kernel]...]...]}; beside it JOB.json.x and JOB.json.y, the rows (f32, i32), training rows first.
  torch   tensors indexed by hand, fused Adam, denormals flushed, channels last
  loader  the usual DataLoader and Adam
  jax     the steps of an epoch in one compiled lax.scan; compiling is not counted
  vmap    the same, networks of one shape side by side in one program
Several networks are dealt out to a process a core; one network gets all cores as threads.
Prints {"seconds", "accuracy"}: seconds of the epochs, mean test accuracy.
With `whole` behind the job nothing is done ahead of the epochs that is not needed for them: for a caller who times the program.
"""
import json
import multiprocessing as mp
import os
import sys
import time

import numpy as np

LR, BETAS, EPSILON = 1e-3, (0.9, 0.999), 1e-8


def read_job(path):
    with open(path) as f:
        job = json.load(f)
    x = np.fromfile(path + ".x", np.float32).reshape(-1, job["columns"])
    y = np.fromfile(path + ".y", np.int32)
    rows = job["train_rows"]
    return job, (x[:rows], y[:rows]), (x[rows:], y[rows:])


def torch_net(torch, job, layers):
    nn, parts = torch.nn, []
    side, channels, features = job["side"], 1, job["columns"]
    for units, kernel in layers:
        if kernel:
            parts += [nn.Conv2d(channels, units, kernel), nn.ReLU(), nn.MaxPool2d(2)]
            side, channels = (side - kernel + 1) // 2, units
            features = side * side * channels
        else:
            if parts and isinstance(parts[-1], nn.MaxPool2d):
                parts.append(nn.Flatten())
            parts += [nn.Linear(features, units), nn.ReLU()]
            features = units
    return nn.Sequential(*parts, nn.Linear(features, job["classes"]))


def torch_side(job, nets, train, test, threads, loader, warms):
    import torch

    torch.set_num_threads(threads)
    torch.set_flush_denormal(not loader)
    torch.manual_seed(1)
    convolutions = nets[0][0][1] > 0
    shape = (-1, 1, job["side"], job["side"]) if convolutions else (-1, job["columns"])

    def tensors(part):
        return torch.from_numpy(part[0]).reshape(shape), torch.from_numpy(part[1]).long()

    x, y = tensors(train)
    made = [torch_net(torch, job, layers) for layers in nets]
    if convolutions and not loader:
        x = x.contiguous(memory_format=torch.channels_last)
        made = [net.to(memory_format=torch.channels_last) for net in made]
    loss_of = torch.nn.CrossEntropyLoss()

    def step(net, optimizer, xb, yb):
        optimizer.zero_grad(set_to_none=True)
        loss_of(net(xb), yb).backward()
        optimizer.step()

    def epochs(net, optimizer, count, rows):
        if loader:
            from torch.utils.data import DataLoader, TensorDataset

            batches = DataLoader(TensorDataset(x[:rows], y[:rows]), batch_size=job["batch"], shuffle=True)
            for _ in range(count):
                for xb, yb in batches:
                    step(net, optimizer, xb, yb)
            return
        for _ in range(count):
            order = torch.randperm(rows)
            for i in range(0, rows, job["batch"]):
                at = order[i : i + job["batch"]]
                step(net, optimizer, x[at], y[at])

    optimizers = [torch.optim.Adam(net.parameters(), lr=LR, betas=BETAS, eps=EPSILON, fused=not loader) for net in made]
    if warms:
        warm = torch_net(torch, job, nets[0])
        epochs(warm, torch.optim.Adam(warm.parameters(), lr=LR, fused=not loader), 1, min(len(y), 10 * job["batch"]))
    yield
    for net, optimizer in zip(made, optimizers):
        epochs(net, optimizer, job["epochs"], len(y))
    yield
    xt, yt = tensors(test)
    with torch.no_grad():
        yield [(net(xt).argmax(1) == yt).float().mean().item() for net in made]


def jax_side(job, nets, train, test, side_by_side, warms):
    import jax
    import jax.numpy as jnp

    x, y = jnp.asarray(train[0]), jnp.asarray(train[1])
    steps, batch = len(train[1]) // job["batch"], job["batch"]
    tail = len(train[1]) - steps * batch

    def begin(key, layers):
        sizes = [job["columns"], *(units for units, _ in layers), job["classes"]]
        weights = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            key, part = jax.random.split(key)
            bound = (6 / inputs) ** 0.5
            weights.append((jax.random.uniform(part, (inputs, outputs), minval=-bound, maxval=bound), jnp.zeros(outputs)))
        zeros = jax.tree.map(jnp.zeros_like, weights)
        return weights, zeros, zeros, 0.0

    def outputs_of(weights, xb):
        for w, b in weights[:-1]:
            xb = jax.nn.relu(xb @ w + b)
        return xb @ weights[-1][0] + weights[-1][1]

    def loss(weights, xb, yb):
        return -jnp.take_along_axis(jax.nn.log_softmax(outputs_of(weights, xb)), yb[:, None], 1).mean()

    def step(state, at):
        weights, m, v, t = state
        gradient = jax.grad(loss)(weights, x[at], y[at])
        t = t + 1
        m = jax.tree.map(lambda a, g: BETAS[0] * a + (1 - BETAS[0]) * g, m, gradient)
        v = jax.tree.map(lambda a, g: BETAS[1] * a + (1 - BETAS[1]) * g * g, v, gradient)
        rate = LR * jnp.sqrt(1 - BETAS[1] ** t) / (1 - BETAS[0] ** t)
        weights = jax.tree.map(lambda w, a, b: w - rate * a / (jnp.sqrt(b) + EPSILON), weights, m, v)
        return (weights, m, v, t), None

    def epoch(state, order):
        state, _ = jax.lax.scan(step, state, order[: steps * batch].reshape(steps, batch))
        return step(state, order[steps * batch :])[0] if tail else state

    states = [begin(jax.random.PRNGKey(i), layers) for i, layers in enumerate(nets)]
    order = jnp.arange(len(train[1]))
    if side_by_side:
        states = [jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *states)]
        epoch = jax.vmap(epoch, in_axes=(0, None))
    compiled, programs = {}, []
    for state, layers in zip(states, nets):
        shape = str(layers)
        if shape not in compiled:
            compiled[shape] = jax.jit(epoch).lower(state, order).compile()
        programs.append(compiled[shape])
    if warms:
        jax.block_until_ready(programs[0](states[0], order))
    rng = np.random.default_rng(1)
    yield
    for i, program in enumerate(programs):
        for _ in range(job["epochs"]):
            states[i] = program(states[i], jnp.asarray(rng.permutation(len(train[1]))))
        jax.block_until_ready(states[i])
    yield
    xt, yt = jnp.asarray(test[0]), jnp.asarray(test[1])
    accuracy = lambda weights: (outputs_of(weights, xt).argmax(1) == yt).mean()
    if side_by_side:
        yield [float(a) for a in jax.vmap(accuracy)(states[0][0])]
    else:
        yield [float(accuracy(state[0])) for state in states]


def use_cores(cores):
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(len(cores))
    if len(cores) == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def work(library, path, nets, cores, barrier, answers, warms):
    use_cores(cores)
    job, train, test = read_job(path)
    if library in ("torch", "loader"):
        side = torch_side(job, nets, train, test, len(cores), library == "loader", warms)
    else:
        side = jax_side(job, nets, train, test, library == "vmap", warms)
    next(side)
    barrier.wait()
    next(side)
    barrier.wait()
    answers.put(next(side))


def main():
    library, path, *whole = sys.argv[1:]
    with open(path) as f:
        job = json.load(f)
    cores = sorted(os.sched_getaffinity(0))[: job["cores"]]
    teams = [{core} for core in cores] if len(job["nets"]) > 1 else [set(cores)]
    context = mp.get_context("spawn")
    barrier, answers = context.Barrier(len(teams) + 1), context.Queue()
    started = [
        context.Process(target=work, args=(library, path, job["nets"][i :: len(teams)], team, barrier, answers, not whole))
        for i, team in enumerate(teams)
    ]
    for process in started:
        process.start()
    barrier.wait()
    begun = time.perf_counter()
    barrier.wait()
    seconds = time.perf_counter() - begun
    accuracy = [value for _ in started for value in answers.get()]
    print(json.dumps({"seconds": seconds, "accuracy": sum(accuracy) / len(accuracy)}))


if __name__ == "__main__":
    main()
