"""The search of experiments/digits.yaml as a careful PyTorch user writes it: random search with asynchronous successive
halving (1, 3, 9, 27 epochs) in a pool of processes, one thread each, tensors indexed by hand (no DataLoader).

usage: digits_torch_pool.py SPLIT.json [--seed N] [--trials 60] [--processes 2]
SPLIT.json: {"x": [[...]], "y": [...], "train": [rows], "valid": [rows], "test": [rows]}, already scaled.
Prints one JSON object: {"seconds", "valid", "test", "epochs", "peak_mb"}; seconds exclude the interpreter's own start,
which the caller times from outside.
"""
import argparse
import json
import math
import multiprocessing as mp
import random
import resource
import time

RUNGS = (1, 3, 9, 27)
ETA = 3


def proposals(seed, count):
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        p = {
            "lr": 10 ** rng.uniform(-4, -1),
            "width": int(round(math.exp(rng.uniform(math.log(16), math.log(256))))),
            "batch": rng.choice([16, 32, 64]),
            "optimizer": rng.choice(["adam", "sgd"]),
        }
        if p["optimizer"] == "sgd":
            p["momentum"] = rng.uniform(0.0, 0.99)
        out.append(p)
    return out


def keep_going(rung, value, shared, lock):
    with lock:
        seen = shared[rung]
        seen.append(value)
        shared[rung] = seen
        return sorted(seen, reverse=True).index(value) < max(1, len(seen) // ETA)


def start(split, shared, lock, seed):
    import torch

    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    global STATE
    x = torch.tensor(split["x"], dtype=torch.float32)
    y = torch.tensor(split["y"], dtype=torch.long)
    parts = {k: (x[split[k]], y[split[k]]) for k in ("train", "valid", "test")}
    STATE = (torch, parts, shared, lock, seed)


def accuracy(torch, net, part):
    with torch.no_grad():
        return (net(part[0]).argmax(1) == part[1]).float().mean().item()


def trial(job):
    number, p = job
    torch, parts, shared, lock, seed = STATE
    torch.manual_seed(seed * 1000 + number)
    x, y = parts["train"]
    w = p["width"]
    net = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], w), torch.nn.ReLU(), torch.nn.Linear(w, w), torch.nn.ReLU(), torch.nn.Linear(w, 10)
    )
    if p["optimizer"] == "adam":
        opt = torch.optim.Adam(net.parameters(), lr=p["lr"], fused=True)
    else:
        opt = torch.optim.SGD(net.parameters(), lr=p["lr"], momentum=p["momentum"], fused=True)
    loss_of = torch.nn.CrossEntropyLoss()
    value, epoch = 0.0, 0
    for rung, limit in enumerate(RUNGS):
        while epoch < limit:
            order = torch.randperm(len(y))
            for i in range(0, len(y), p["batch"]):
                rows = order[i : i + p["batch"]]
                opt.zero_grad(set_to_none=True)
                loss_of(net(x[rows]), y[rows]).backward()
                opt.step()
            epoch += 1
        value = accuracy(torch, net, parts["valid"])
        if limit == RUNGS[-1] or not keep_going(rung, value, shared, lock):
            break
    complete = epoch == RUNGS[-1]
    return complete, value, accuracy(torch, net, parts["test"]), epoch, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("split")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    with open(args.split) as f:
        split = json.load(f)
    begun = time.perf_counter()
    with mp.Manager() as manager:
        shared = manager.dict({i: [] for i in range(len(RUNGS))})
        lock = manager.Lock()
        with mp.get_context("fork").Pool(args.processes, start, (split, shared, lock, args.seed)) as pool:
            results = list(pool.imap_unordered(trial, enumerate(proposals(args.seed, args.trials))))
    complete = [r for r in results if r[0]] or results
    best = max(complete, key=lambda r: r[1])
    peak = max(r[4] for r in results) * args.processes / 1024
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - begun,
                "valid": best[1],
                "test": best[2],
                "epochs": sum(r[3] for r in results),
                "peak_mb": peak,
            }
        )
    )


if __name__ == "__main__":
    main()
