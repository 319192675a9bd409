"""Gradient boosting on the digits, one trial of command-sklearn.yaml.

Reports after every ten trees: a line of JSON at the end of the file that TRELLIS_METRICS names. Run by hand, without
that variable, it prints the same lines.
"""

import argparse
import json
import os

import numpy
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split

parser = argparse.ArgumentParser()
parser.add_argument("--trees", type=int, default=120)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--depth", type=int, default=3)
parser.add_argument("--subsample", type=float, default=1.0)
options = parser.parse_args()

table = numpy.loadtxt("data/digits.csv.gz", delimiter=",")
train_x, valid_x, train_y, valid_y = train_test_split(
    table[:, :-1], table[:, -1], test_size=0.25, random_state=0, stratify=table[:, -1])

model = GradientBoostingClassifier(
    learning_rate=options.lr, max_depth=options.depth, subsample=options.subsample, max_features="sqrt",
    warm_start=True, random_state=0)
with open(os.environ.get("TRELLIS_METRICS", "/dev/stdout"), "a") as metrics:
    for trees in range(10, options.trees + 1, 10):
        model.set_params(n_estimators=trees)
        model.fit(train_x, train_y)
        report = {"step": trees, "valid.accuracy": model.score(valid_x, valid_y)}
        print(json.dumps(report), file=metrics, flush=True)
