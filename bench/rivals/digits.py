"""The search of `trellis bench digits` with other tools: 60 networks on the digits, asynchronous successive halving at 1, 3, 9
and 27 epochs, from reading the data to the best network's accuracy.

usage: digits.py pool|optuna-torch|optuna-jax|ray JOB.json SEED
JOB.json: {"x", "y" (all rows, scaled), "train", "valid", "test" (rows), "trials", "processes"}
  pool          random search in a pool of processes with PyTorch, one thread each
  optuna-torch  Optuna's TPE and halving, processes that share its journal; tensors indexed by hand, fused optimizers
  optuna-jax    the same with the steps of an epoch in one compiled lax.scan
  ray           Ray Tune's ASHA and a trainable with the usual DataLoader, as its tutorial has it
Prints {"valid", "test"}: accuracies of the best complete network.
"""
import json
import math
import multiprocessing as mp
import os
import random
import sys
import tempfile

RUNGS, ETA, CLASSES = (1, 3, 9, 27), 3, 10
STATE = None


class Torch:
    def __init__(self, job):
        import torch

        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        self.torch = torch
        x, y = torch.tensor(job["x"], dtype=torch.float32), torch.tensor(job["y"], dtype=torch.long)
        self.parts = {name: (x[job[name]], y[job[name]]) for name in ("train", "valid", "test")}

    def begin(self, params, seed, fused=True):
        nn, width = self.torch.nn, params["width"]
        self.torch.manual_seed(seed)
        net = nn.Sequential(nn.Linear(len(self.parts["train"][0][0]), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
                            nn.Linear(width, CLASSES))
        if params["optimizer"] == "adam":
            return net, self.torch.optim.Adam(net.parameters(), lr=params["lr"], fused=fused)
        return net, self.torch.optim.SGD(net.parameters(), lr=params["lr"], momentum=params["momentum"], fused=fused)

    def epoch(self, state, batch):
        net, optimizer = state
        x, y = self.parts["train"]
        order = self.torch.randperm(len(y))
        for i in range(0, len(y), batch):
            rows = order[i : i + batch]
            optimizer.zero_grad(set_to_none=True)
            self.torch.nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
            optimizer.step()
        return state

    def accuracy(self, state, part):
        x, y = self.parts[part]
        with self.torch.no_grad():
            return (state[0](x).argmax(1) == y).float().mean().item()


class Jax:
    def __init__(self, job):
        import jax
        import numpy as np

        self.jax, self.np = jax, np
        x, y = np.asarray(job["x"], np.float32), np.asarray(job["y"], np.int32)
        on_device = jax.numpy.asarray
        self.parts = {name: (on_device(x[job[name]]), on_device(y[job[name]])) for name in ("train", "valid", "test")}
        self.compiled = {kind: jax.jit(self.program(kind)) for kind in ("adam", "sgd")}
        self.scores = jax.jit(lambda w, x, y: (self.outputs(w, x).argmax(1) == y).mean())

    def outputs(self, weights, x):
        for w, b in weights[:-1]:
            x = self.jax.nn.relu(x @ w + b)
        return x @ weights[-1][0] + weights[-1][1]

    def program(self, kind):
        jax, jnp = self.jax, self.jax.numpy
        x, y = self.parts["train"]
        tree = jax.tree.map

        def loss(weights, at):
            return -jnp.take_along_axis(jax.nn.log_softmax(self.outputs(weights, x[at])), y[at][:, None], 1).mean()

        def step(state, at):
            weights, m, v, t, lr, momentum = state
            g, t = jax.grad(loss)(weights, at), t + 1
            if kind == "sgd":
                m = tree(lambda a, d: momentum * a + d, m, g)
                return (tree(lambda w, a: w - lr * a, weights, m), m, v, t, lr, momentum), None
            m = tree(lambda a, d: 0.9 * a + 0.1 * d, m, g)
            v = tree(lambda a, d: 0.999 * a + 0.001 * d * d, v, g)
            rate = lr * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            return (tree(lambda w, a, b: w - rate * a / (jnp.sqrt(b) + 1e-8), weights, m, v), m, v, t, lr, momentum), None

        def epoch(state, whole, tail):
            state, _ = jax.lax.scan(step, state, whole)
            return step(state, tail)[0] if len(tail) else state

        return epoch

    def begin(self, params, seed):
        jax, jnp = self.jax, self.jax.numpy
        sizes, weights = [len(self.parts["train"][0][0]), params["width"], params["width"], CLASSES], []
        rng = self.np.random.default_rng(seed)
        for inputs, units in zip(sizes, sizes[1:]):
            bound = (6 / inputs) ** 0.5
            weights.append((jnp.asarray(rng.uniform(-bound, bound, (inputs, units)).astype(self.np.float32)), jnp.zeros(units)))
        zeros = jax.tree.map(jnp.zeros_like, weights)
        state = (weights, zeros, zeros, *(jnp.float32(number) for number in (0, params["lr"], params.get("momentum", 0))))
        return self.compiled[params["optimizer"]], rng, state

    def epoch(self, made, batch):
        program, rng, state = made
        order = rng.permutation(len(self.parts["train"][1])).astype(self.np.int32)
        whole = len(order) // batch * batch
        return program, rng, program(state, order[:whole].reshape(-1, batch), order[whole:])

    def accuracy(self, made, part):
        return float(self.scores(made[2][0], *self.parts[part]))


def train(side, params, seed, goes_on):
    """Trains until `goes_on(rung, epoch, value)` is false or the end: whether complete, and accuracies."""
    state, epoch, value = side.begin(params, seed), 0, 0.0
    for rung, limit in enumerate(RUNGS):
        while epoch < limit:
            state, epoch = side.epoch(state, params["batch"]), epoch + 1
        value = side.accuracy(state, "valid")
        if limit < RUNGS[-1] and not goes_on(rung, epoch, value):
            break
    return epoch == RUNGS[-1], value, side.accuracy(state, "test")


def best_of(results):
    complete = [r for r in results if r[0]] or results
    return max(complete, key=lambda r: r[1])[1:]


def take_core(number, job):
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[number % job["processes"]]})
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def proposals(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        params = {
            "lr": 10 ** rng.uniform(-4, -1),
            "width": round(math.exp(rng.uniform(math.log(16), math.log(256)))),
            "batch": rng.choice([16, 32, 64]),
            "optimizer": rng.choice(["adam", "sgd"]),
        }
        if params["optimizer"] == "sgd":
            params["momentum"] = rng.uniform(0.0, 0.99)
        yield params


def start_pool(job, seed, seen, lock, taken):
    global STATE
    with lock:
        number = taken.value
        taken.value += 1
    take_core(number, job)
    STATE = Torch(job), seed, seen, lock


def pool_trial(numbered):
    number, params = numbered
    side, seed, seen, lock = STATE

    def goes_on(rung, _, value):
        with lock:
            seen[rung] = values = seen[rung] + [value]
        return sorted(values, reverse=True).index(value) < max(1, len(values) // ETA)

    return train(side, params, seed * 1000 + number, goes_on)


def pool(job, seed):
    context = mp.get_context("fork")
    with context.Manager() as manager:
        seen = manager.dict({rung: [] for rung in range(len(RUNGS))})
        arguments = (job, seed, seen, context.Lock(), context.Value("i", 0, lock=False))
        with context.Pool(job["processes"], start_pool, arguments) as workers:
            return best_of(list(workers.imap_unordered(pool_trial, enumerate(proposals(seed, job["trials"])))))


def optuna_worker(library, job, seed, number, journal, taken, answers):
    take_core(number, job)
    import optuna
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    side = Torch(job) if library == "torch" else Jax(job)
    study = optuna.create_study(
        storage=optuna.storages.JournalStorage(JournalFileBackend(journal)), study_name="digits", load_if_exists=True,
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed * 100 + number),
        pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=RUNGS[0], reduction_factor=ETA))
    results = []
    while True:
        with taken.get_lock():
            if taken.value == job["trials"]:
                break
            taken.value += 1
        trial = study.ask()
        params = {
            "lr": trial.suggest_float("lr", 1e-4, 1e-1, log=True),
            "width": trial.suggest_int("width", 16, 256, log=True),
            "batch": trial.suggest_categorical("batch", [16, 32, 64]),
            "optimizer": trial.suggest_categorical("optimizer", ["adam", "sgd"]),
        }
        if params["optimizer"] == "sgd":
            params["momentum"] = trial.suggest_float("momentum", 0.0, 0.99)

        def goes_on(_, epoch, value):
            trial.report(value, epoch)
            return not trial.should_prune()

        results.append(train(side, params, seed * 1000 + trial.number, goes_on))
        complete, value, _ = results[-1]
        states = optuna.trial.TrialState
        study.tell(trial, value if complete else None, states.COMPLETE if complete else states.PRUNED)
    answers.put(results)


def optuna_search(library, job, seed):
    context = mp.get_context("fork")
    taken, answers = context.Value("i", 0), context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            context.Process(target=optuna_worker, args=(library, job, seed, i, folder + "/journal", taken, answers))
            for i in range(job["processes"])
        ]
        for worker in workers:
            worker.start()
        return best_of([result for _ in workers for result in answers.get()])


def ray_body(config):
    from ray import tune
    from torch.utils.data import DataLoader, TensorDataset

    side = Torch(config["job"])
    net, optimizer = side.begin(config, config["seed"], fused=False)
    batches = DataLoader(TensorDataset(*side.parts["train"]), batch_size=config["batch"], shuffle=True)
    for _ in range(RUNGS[-1]):
        for x, y in batches:
            optimizer.zero_grad()
            side.torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        state = net, optimizer
        tune.report({"valid": side.accuracy(state, "valid"), "test": side.accuracy(state, "test")})


def ray_search(job, seed):
    import ray
    from ray import tune

    ray.init(num_cpus=job["processes"], include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    space = {
        "lr": tune.loguniform(1e-4, 1e-1),
        "width": tune.lograndint(16, 257),
        "batch": tune.choice([16, 32, 64]),
        "optimizer": tune.choice(["adam", "sgd"]),
        "momentum": tune.uniform(0.0, 0.99),
    }
    scheduler = tune.schedulers.ASHAScheduler(max_t=RUNGS[-1], grace_period=RUNGS[0], reduction_factor=ETA)
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(
            ray_body, param_space={**space, "job": job, "seed": seed}, run_config=tune.RunConfig(storage_path=folder, verbose=0),
            tune_config=tune.TuneConfig(metric="valid", mode="max", num_samples=job["trials"], scheduler=scheduler))
        results = [(r.metrics["training_iteration"] == RUNGS[-1], r.metrics["valid"], r.metrics["test"]) for r in tuner.fit()]
    return best_of(results)


def main():
    word, path, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path) as f:
        job = json.load(f)
    if word.startswith("optuna-"):
        valid, test = optuna_search(word.removeprefix("optuna-"), job, seed)
    else:
        valid, test = {"pool": pool, "ray": ray_search}[word](job, seed)
    print(json.dumps({"valid": valid, "test": test}))


if __name__ == "__main__":
    main()
