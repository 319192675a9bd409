"""Sums and data-parallel training by torch.distributed with gloo, one thread a process.

usage: distributed.py sum TIMES
       distributed.py train RANK RANKS ADDRESS BATCH STEPS BUCKET_MB
`sum` sums vectors of 4 B and of 4 MiB over two processes of this machine and prints {"small": s, "large": s}: the medians of
TIMES sums, of each the slower process's. `train` is one of RANKS processes that train 784-1024x3-10 with SGD and ReLU by
DistributedDataParallel, on batches of BATCH rows of noise in all; process 0 is at ADDRESS and prints {"seconds": [...]}, one
number a step.
"""
import datetime
import json
import multiprocessing as mp
import os
import statistics
import sys
import time

PORT = "29517"
WARM = 5
WIDTH, CLASSES, PIXELS = 1024, 10, 784


def join(rank, ranks, address):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR=address, MASTER_PORT=PORT)
    dist.init_process_group("gloo", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=120))
    return torch, dist


def sums(rank, times, answer):
    torch, dist = join(rank, 2, "127.0.0.1")
    medians = []
    for count, repeats in ((1, 10 * times), (1 << 20, times)):
        values, seconds = torch.ones(count), []
        for _ in range(repeats + WARM):
            dist.barrier()
            begun = time.perf_counter()
            dist.all_reduce(values)
            seconds.append(time.perf_counter() - begun)
            values.fill_(1)
        both = [torch.zeros(len(seconds), dtype=torch.float64) for _ in range(2)]
        dist.all_gather(both, torch.tensor(seconds, dtype=torch.float64))
        medians.append(statistics.median(torch.maximum(*both)[WARM:].tolist()))
    dist.destroy_process_group()
    if rank == 0:
        answer.put(medians)


def sum_by_two(times):
    context = mp.get_context("spawn")
    answer = context.Queue()
    processes = [context.Process(target=sums, args=(rank, times, answer)) for rank in range(2)]
    for process in processes:
        process.start()
    small, large = answer.get(timeout=300)
    for process in processes:
        process.join()
    return {"small": small, "large": large}


def train(rank, ranks, address, batch, steps, bucket):
    torch, dist = join(rank, ranks, address)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    sizes = (PIXELS, WIDTH, WIDTH, WIDTH)
    layers = [layer for a, b in zip(sizes, sizes[1:]) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(WIDTH, CLASSES))
    if ranks > 1:
        net = torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=bucket, gradient_as_bucket_view=True)
    optimizer, loss = torch.optim.SGD(net.parameters(), lr=0.01), torch.nn.CrossEntropyLoss()
    x, y = torch.randn(batch // ranks, PIXELS), torch.randint(CLASSES, (batch // ranks,))
    seconds = []
    for _ in range(steps + WARM):
        begun = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss(net(x), y).backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begun)
    dist.destroy_process_group()
    return {"seconds": seconds[WARM:]}


def main():
    words = sys.argv[1:]
    if words[:1] == ["sum"]:
        print(json.dumps(sum_by_two(int(words[1]))))
    elif words[:1] == ["train"] and len(words) == 7:
        rank, ranks, address = int(words[1]), int(words[2]), words[3]
        measured = train(rank, ranks, address, int(words[4]), int(words[5]), float(words[6]))
        if rank == 0:
            print(json.dumps(measured))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
