"""Trials with an empty body in Ray Tune, as its tutorial writes them: two float parameters, one reported value.

usage: trials_ray.py COUNT
Prints one JSON object: {"trials", "seconds"}; seconds cover `fit` alone, after ray.init.
"""
import json
import sys
import tempfile
import time

import ray
from ray import tune


def body(config):
    return {"value": config["x"]}


def main():
    count = int(sys.argv[1])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(
            body,
            param_space={"x": tune.uniform(0, 1), "y": tune.uniform(0, 1)},
            tune_config=tune.TuneConfig(num_samples=count, metric="value", mode="min"),
            run_config=tune.RunConfig(storage_path=folder, verbose=0),
        )
        begun = time.perf_counter()
        tuner.fit()
        print(json.dumps({"trials": count, "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
