"""Random search over scikit-learn's MLPClassifier or MLPRegressor on one table, the way its guide says: numbers imputed by
their mean and standardised, texts one-hot, early values chosen on the same validation rows.

usage: tables_sklearn.py SPLIT.json [--trials 60] [--seed 0]
SPLIT.json: {"csv": FILE, "target": COLUMN, "task": "classification"|"regression", "train": [rows], "valid": [rows],
"test": [rows]}; rows count those that have a target, from 0. Each trial is fitted on train; the best on valid is scored on
test, and so is a linear model (logistic regression, ridge). Prints one JSON object:
{"seconds", "valid", "test", "linear_valid", "linear_test"}, accuracies or root mean squared errors.
"""
import argparse
import json
import math
import random
import time
import warnings

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def prepared(split):
    table = pandas.read_csv(split["csv"], na_values=["?"])
    table = table[table[split["target"]].notna()].reset_index(drop=True)
    y = table.pop(split["target"])
    numbers = [name for name in table if pandas.api.types.is_numeric_dtype(table[name])]
    texts = [name for name in table if name not in numbers]
    transform = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts)], sparse_threshold=0)
    transform.fit(table.iloc[split["train"]])
    y = y.astype(str).to_numpy() if split["task"] == "classification" else y.to_numpy(dtype=float)
    return {part: (transform.transform(table.iloc[split[part]]), y[split[part]]) for part in ("train", "valid", "test")}


def score(model, rows, task, unit=(0.0, 1.0)):
    said = model.predict(rows[0])
    if task == "classification":
        return float(numpy.mean(said == rows[1]))
    return float(numpy.sqrt(numpy.mean((said * unit[1] + unit[0] - rows[1]) ** 2)))


def trials(parts, task, count, seed):
    """Scores on valid and test of each trial; a regressor sees its targets standardised."""
    rng = random.Random(seed)
    x, y = parts["train"]
    unit = (0.0, 1.0) if task == "classification" else (float(y.mean()), float(y.std()))
    kind = MLPClassifier if task == "classification" else MLPRegressor
    for number in range(count):
        width = int(round(math.exp(rng.uniform(math.log(16), math.log(256)))))
        model = kind(hidden_layer_sizes=(width, width), learning_rate_init=10 ** rng.uniform(-4, -1),
                     alpha=10 ** rng.uniform(-5, -1), batch_size=min(rng.choice([32, 64, 128]), len(x)), random_state=number)
        try:
            model.fit(x, y if task == "classification" else (y - unit[0]) / unit[1])
            yield tuple(score(model, parts[part], task, unit) for part in ("valid", "test"))
        except ValueError:  # its weights are no numbers any more
            continue


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("split")
    arguments.add_argument("--trials", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=0)
    options = arguments.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    with open(options.split, encoding="utf-8") as file:
        split = json.load(file)
    task = split["task"]
    started = time.monotonic()
    parts = prepared(split)
    better = max if task == "classification" else min
    valid, test = better(trials(parts, task, options.trials, options.seed), key=lambda scores: scores[0])
    seconds = time.monotonic() - started
    linear = (LogisticRegression(max_iter=1000) if task == "classification" else Ridge()).fit(*parts["train"])
    print(json.dumps({"seconds": seconds, "valid": valid, "test": test,
                      "linear_valid": score(linear, parts["valid"], task), "linear_test": score(linear, parts["test"], task)}))


if __name__ == "__main__":
    main()
