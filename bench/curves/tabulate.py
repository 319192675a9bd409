#!/usr/bin/env python3
"""Makes NAME.json: how models of scikit-learn learn on its own data sets, stage by stage, at points of the cube.

usage: tabulate.py [NAME...]; without names all tables that are not there. Takes a few minutes; needs scikit-learn. A table is
{"points": [[rate, size, decay]...], "losses": [[after each of 81 stages]...]}.
"""
import json
import os
import pathlib
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
from sklearn import datasets, ensemble, linear_model, metrics, neural_network

FOLDER = pathlib.Path(__file__).parent
POINTS, STAGES = 128, 81
WORST = 10.0


def halton(i, base):
    share, sum_ = 1.0, 0.0
    i += 1
    while i > 0:
        share /= base
        sum_ += share * (i % base)
        i //= base
    return sum_


def scaled(low, high, place):
    return low * (high / low) ** place


def parts(loader, rows=None, divisor=1):
    """Rows to learn from and their targets, rows to measure on and theirs: 65% and 35%."""
    x, y = loader(return_X_y=True)
    order = numpy.random.RandomState(0).permutation(len(y))[:rows]
    held = int(len(order) * 0.35)
    x = x / divisor
    return x[order[held:]], y[order[held:]], x[order[:held]], y[order[:held]]


def log_loss(target, chances):
    return metrics.log_loss(target, numpy.clip(chances, 1e-4, 1 - 1e-4))


def boosting_diabetes(rate, size, part):
    x, y, held, target = parts(datasets.load_diabetes)
    model = ensemble.GradientBoostingRegressor(n_estimators=STAGES, learning_rate=scaled(0.005, 1, rate), random_state=0,
                                               max_depth=1 + int(6 * size), subsample=0.3 + 0.7 * part).fit(x, y)
    return [numpy.mean((guess - target) ** 2) / numpy.var(target) for guess in model.staged_predict(held)]


def boosting_cancer(rate, size, part):
    x, y, held, target = parts(datasets.load_breast_cancer)
    model = ensemble.GradientBoostingClassifier(n_estimators=STAGES, learning_rate=scaled(0.005, 1, rate), random_state=0,
                                                max_depth=1 + int(4 * size), max_features=0.05 + 0.4 * part, subsample=0.6)
    model.fit(x, y)
    return [log_loss(target, chances) for chances in model.staged_predict_proba(held)]


def linear_digits(rate, decay, mix):
    x, y, held, target = parts(datasets.load_digits, 900, 16)
    model = linear_model.SGDClassifier(loss="log_loss", learning_rate="constant", eta0=scaled(1e-4, 3, rate),
                                       alpha=scaled(1e-7, 1e-1, decay), penalty="elasticnet", l1_ratio=mix, random_state=0)
    return [log_loss(target, model.partial_fit(x, y, classes=numpy.unique(y)).predict_proba(held)) for _ in range(STAGES)]


def network_digits(rate, size, batch):
    x, y, held, target = parts(datasets.load_digits, 700, 16)
    model = neural_network.MLPClassifier((int(scaled(6, 96, size)),), learning_rate_init=scaled(1e-4, 0.3, rate),
                                         batch_size=int(scaled(8, 200, batch)), random_state=0)
    return [numpy.mean(model.partial_fit(x, y, classes=numpy.unique(y)).predict(held) != target) for _ in range(STAGES)]


MAKERS = {"boosting-diabetes": boosting_diabetes, "boosting-cancer": boosting_cancer, "linear-digits": linear_digits,
          "network-digits": network_digits}


def main():
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or MAKERS:
        path = FOLDER / (name + ".json")
        if path.exists() and name not in sys.argv[1:]:
            continue
        points = [[halton(i, base) for base in (2, 3, 5)] for i in range(POINTS)]
        losses = [[float(f"{min(WORST, loss):.5g}") for loss in MAKERS[name](*point)] for point in points]
        points = [[round(u, 6) for u in point] for point in points]
        path.write_text(json.dumps({"points": points, "losses": losses}) + "\n", encoding="utf-8")
        print(f"{name}: best {min(map(min, losses))}")


if __name__ == "__main__":
    main()
