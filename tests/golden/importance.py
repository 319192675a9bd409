"""Writes importance.json: trials of made-up studies with what Optuna's PED-ANOVA says of them, for
tests/hpo/importance/importance_test.cpp.

usage: python3 importance.py > importance.json        (needs optuna; the numbers that are stored came from 5.0.0)
"""

import json
import math
import random
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.importance import PedAnovaImportanceEvaluator


def described(domain):
    if isinstance(domain, CategoricalDistribution):
        return {"kind": "words", "choices": list(domain.choices)}
    kind = "float" if isinstance(domain, FloatDistribution) else "int"
    return {"kind": kind, "low": domain.low, "high": domain.high, "log": domain.log}


def drawn(domain, chance):
    if isinstance(domain, CategoricalDistribution):
        return chance.choice(domain.choices)
    if isinstance(domain, IntDistribution):
        return chance.randint(domain.low, domain.high)
    if domain.log:
        return math.exp(chance.uniform(math.log(domain.low), math.log(domain.high)))
    return chance.uniform(domain.low, domain.high)


def case(name, space, count, loss):
    chance = random.Random(name)
    trials = [{key: drawn(domain, chance) for key, domain in space.items()} for _ in range(count)]
    study = optuna.create_study()
    for params in trials:
        study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=loss(params)))
    found = optuna.importance.get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {"name": name, "space": {key: described(domain) for key, domain in space.items()},
            "trials": [{"params": params, "loss": loss(params)} for params in trials], "importance": found}


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    floats = {"x": FloatDistribution(-5, 5), "y": FloatDistribution(-5, 5), "lr": FloatDistribution(1e-5, 1, log=True)}
    mixed = {"units": IntDistribution(1, 40), "depth": IntDistribution(1, 4), "kind": CategoricalDistribution(["a", "b", "c"]),
             "rate": FloatDistribution(0, 1)}
    cases = [
        case("floats", floats, 200, lambda p: p["x"] ** 2 + 0.2 * p["y"] ** 2 + abs(math.log10(p["lr"]) + 3)),
        case("few", floats, 12, lambda p: p["x"] - p["y"]),
        case("mixed", mixed, 150,
             lambda p: abs(p["units"] - 30) / 10 + (p["kind"] != "b") + 0.1 * p["depth"] + 0.3 * p["rate"]),
    ]
    json.dump(cases, sys.stdout, indent=None, separators=(",", ":"))
    print()


main()
