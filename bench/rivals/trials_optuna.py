"""Trials with an empty body in Optuna on SQLite, as its users run it: two float parameters, random search, one value.

usage: trials_optuna.py COUNT [--storage FILE.db]
Prints one JSON object: {"trials", "seconds"}; seconds cover the optimisation alone, after the import and the creation
of the study.
"""
import argparse
import json
import os
import tempfile
import time

import optuna


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    trial.suggest_float("y", 0.0, 1.0)
    return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    args = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        storage = "sqlite:///" + os.path.join(folder, "study.db")
        study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=0))
        begun = time.perf_counter()
        study.optimize(objective, n_trials=args.count)
        print(json.dumps({"trials": args.count, "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
