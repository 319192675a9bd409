"""Trials that nap, on the nodes of a cluster by Ray Tune: its head without cores of its own, a raylet a node.

usage: nodes_ray.py head HEAD | node HEAD SLOTS ... | search HEAD SLOTS NAPS SECONDS TIMES
`search` prints {"seconds": [...]}: of `fit` alone, after all nodes are there. Results are written to the shared folder.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

PORT = 6379
NODES = 4


def start(*words):
    """A raylet that keeps the foreground, with its files in this node's own /tmp."""
    ray = str(pathlib.Path(sys.executable).parent / "ray")
    os.execv(ray, [ray, "start", *words, "--block", "--disable-usage-stats", "--object-store-memory=100000000"])


def search(head, slots, naps, nap, times):
    import ray
    from ray import tune

    ray.init(address=f"{head}:{PORT}", log_to_driver=False, logging_level="ERROR")
    while ray.cluster_resources().get("CPU", 0) < NODES * slots:
        time.sleep(0.1)

    def objective(config):
        time.sleep(nap)
        return {"value": config["x"]}

    found = []
    for _ in range(times):
        with tempfile.TemporaryDirectory(dir="/srv") as folder:
            tuner = tune.Tuner(
                objective,
                param_space={"x": tune.uniform(0, 1)},
                tune_config=tune.TuneConfig(num_samples=naps, metric="value", mode="min"),
                run_config=tune.RunConfig(storage_path=folder, verbose=0),
            )
            begun = time.perf_counter()
            tuner.fit()
            found.append(time.perf_counter() - begun)
    print(json.dumps({"seconds": found}))


def main():
    verb, head = sys.argv[1:3]
    if verb == "head":
        own = subprocess.Popen([sys.executable, "-B", __file__, "raylet", head], stdout=sys.stderr)
        while own.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((head, PORT)) == 0:
                    print("ready", flush=True)
                    break
            time.sleep(0.1)
        sys.exit(own.wait())
    elif verb == "raylet":
        start("--head", f"--node-ip-address={head}", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false")
    elif verb == "node":
        start(f"--address={head}:{PORT}", f"--num-cpus={sys.argv[3]}")
    else:
        search(head, int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]))


if __name__ == "__main__":
    main()
