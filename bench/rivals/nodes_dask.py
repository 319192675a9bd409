"""Naps on the nodes of a cluster by Dask distributed: a scheduler on head, one worker a node with as many threads as slots.

usage: nodes_dask.py head HEAD | node HEAD SLOTS ... | search HEAD SLOTS NAPS SECONDS TIMES
`search` prints {"seconds": [...]}: of `map` and `gather` alone, after all workers are there.
"""
import json
import os
import sys
import time

from distributed import Client

PORT = 8786
NODES = 4


def search(head, slots, naps, nap, times):
    found = []
    with Client(f"tcp://{head}:{PORT}") as client:
        client.wait_for_workers(NODES)
        while sum(client.nthreads().values()) < NODES * slots:
            time.sleep(0.05)
        for turn in range(times):
            begun = time.perf_counter()
            client.gather(client.map(lambda number: time.sleep(nap) or number, range(turn * naps, (turn + 1) * naps), pure=False))
            found.append(time.perf_counter() - begun)
    print(json.dumps({"seconds": found}))


def main():
    verb, head = sys.argv[1:3]
    run = [sys.executable, "-m", "distributed.cli.dask_scheduler" if verb == "head" else "distributed.cli.dask_worker"]
    if verb == "head":
        print("ready", flush=True)
        os.execv(run[0], [*run, "--host", head, "--port", str(PORT), "--no-dashboard"])
    elif verb == "node":
        os.execv(run[0], [*run, f"tcp://{head}:{PORT}", "--nthreads", sys.argv[3], "--nworkers", "1", "--no-dashboard"])
    else:
        search(head, int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]))


if __name__ == "__main__":
    main()
