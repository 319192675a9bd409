"""What a proposal costs in Optuna and in Rustuna, as their users ask for one: study.ask, suggest, study.tell, in memory.

usage: samplers.py optuna|rustuna SAMPLER SPACE TRIALS METRICS
SAMPLER is tpe, gp, cmaes, nsga2, random or sobol; SPACE is float40 or mixed10 (bench/samplers.cpp says what they are).
Prints one JSON object: {"trials", "seconds", "last"}; "last" is the seconds of the last tenth of the trials.
"""
import argparse
import importlib
import json
import time
import warnings


def float40(trial):
    return [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(40)]


def mixed10(trial):
    values = [trial.suggest_float(f"f{i}", 0.0, 1.0) for i in range(3)]
    values += [trial.suggest_float(f"l{i}", 1e-5, 1.0, log=True) for i in range(2)]
    values += [trial.suggest_int(f"i{i}", 1, 512) / 512 for i in range(2)]
    words = [trial.suggest_categorical(f"c{i}", ["a", "b", "c"]) for i in range(2)]
    if words[0] == "a":
        values.append(trial.suggest_float("m", 0.0, 1.0))
    return values


def sampler_of(module, name):
    kinds = {"tpe": "TPESampler", "gp": "GPSampler", "cmaes": "CmaEsSampler", "nsga2": "NSGAIISampler",
             "random": "RandomSampler", "sobol": "QMCSampler"}
    options = {"scramble": True} if name == "sobol" else {}
    return getattr(module.samplers, kinds[name])(seed=1, **options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=["optuna", "rustuna"])
    parser.add_argument("sampler")
    parser.add_argument("space", choices=["float40", "mixed10"])
    parser.add_argument("trials", type=int)
    parser.add_argument("metrics", type=int, choices=[1, 2])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    module = importlib.import_module(args.library)
    if args.library == "optuna":
        module.logging.set_verbosity(module.logging.ERROR)
    suggest = {"float40": float40, "mixed10": mixed10}[args.space]
    study = module.create_study(sampler=sampler_of(module, args.sampler), directions=["minimize"] * args.metrics)
    marks = [time.perf_counter()]
    for _ in range(args.trials):
        trial = study.ask()
        numbers = suggest(trial)
        study.tell(trial.number, [sum((x - best) ** 2 for x in numbers) for best in (0.3, 0.7)[:args.metrics]])
        marks.append(time.perf_counter())
    last = max(1, args.trials // 10)
    print(json.dumps({"trials": args.trials, "seconds": marks[-1] - marks[0], "last": marks[-1] - marks[-1 - last]}))


if __name__ == "__main__":
    main()
