#!/usr/bin/env python3
"""Makes tables/*.json: the losses of scikit-learn's models on its own data sets, over grids of their parameters.

usage: tabulate.py [NAME...]; without names all tables that are not there. Takes a few minutes; needs scikit-learn.
"""
import itertools
import json
import math
import os
import sys
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
from sklearn import datasets, ensemble, linear_model, model_selection, neighbors, neural_network, pipeline, preprocessing
from sklearn import svm, tree

import tables

FOLDS = 3


def floats(name, low, high, count, log=True):
    places = [i / (count - 1) for i in range(count)]
    values = [low * (high / low) ** t if log else low + (high - low) * t for t in places]
    return {"name": name, "kind": "float", "values": [float(f"{v:.6g}") for v in values], "log": log}


def wholes(name, values, log=False):
    return {"name": name, "kind": "int", "values": list(values), "log": log}


def words(name, *values):
    return {"name": name, "kind": "choice", "values": list(values), "log": False}


def data_of(name, rows=None):
    loaded = {"digits": datasets.load_digits, "wine": datasets.load_wine, "cancer": datasets.load_breast_cancer,
              "diabetes": datasets.load_diabetes}[name](return_X_y=True)
    x, y = loaded
    order = numpy.random.RandomState(0).permutation(len(y))[:rows]
    return x[order], y[order]


def scored(model, data, regression=False):
    """The mean over folds of the error rate, or of the mean square error as a share of the variance."""
    x, y = data
    folds = (model_selection.KFold if regression else model_selection.StratifiedKFold)(FOLDS)
    losses = []
    for fit, test in folds.split(x, y):
        model.fit(x[fit], y[fit])
        guess = model.predict(x[test])
        losses.append(numpy.mean((guess - y[test]) ** 2) / numpy.var(y) if regression else numpy.mean(guess != y[test]))
    return float(numpy.mean(losses))


def scaled(kind, model):
    scalers = {"none": "passthrough", "standard": preprocessing.StandardScaler(), "minmax": preprocessing.MinMaxScaler()}
    return pipeline.make_pipeline(scalers[kind], model)


def svm_rbf(data):
    def run(C, gamma):
        return scored(scaled("standard", svm.SVC(C=C, gamma=gamma)), data)
    return [floats("C", 1e-2, 1e4, 10), floats("gamma", 1e-6, 1e1, 11)], run


def svm_wine():
    data = data_of("wine")

    def run(C, gamma, kernel, scale):
        return scored(scaled(scale, svm.SVC(C=C, gamma=gamma, kernel=kernel, max_iter=20000)), data)
    return [floats("C", 1e-3, 1e3, 7), floats("gamma", 1e-5, 1e1, 7), words("kernel", "rbf", "poly", "sigmoid"),
            words("scale", "none", "standard", "minmax")], run


def one_tree(data):
    def run(depth, leaf, features, criterion):
        return scored(tree.DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, max_features=features,
                                                  criterion=criterion, random_state=0), data)
    return [wholes("depth", (1, 2, 3, 4, 6, 8, 11, 15)), wholes("leaf", (1, 2, 4, 8, 16, 32, 64), log=True),
            floats("features", 0.1, 1.0, 5, log=False), words("criterion", "gini", "entropy")], run


def knn(data):
    def run(k, power, weights, scale):
        return scored(scaled(scale, neighbors.KNeighborsClassifier(k, p=power, weights=weights)), data)
    return [wholes("k", (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50), log=True), wholes("power", (1, 2, 3)),
            words("weights", "uniform", "distance"), words("scale", "none", "standard", "minmax")], run


def logistic(data):
    def run(C, tolerance, scale):
        return scored(scaled(scale, linear_model.LogisticRegression(C=C, tol=tolerance, max_iter=200)), data)
    return [floats("C", 1e-5, 1e3, 9), floats("tolerance", 1e-5, 1e0, 4), words("scale", "standard", "minmax")], run


def forest(data, regression):
    kind = ensemble.RandomForestRegressor if regression else ensemble.RandomForestClassifier

    def run(trees, depth, leaf, features):
        model = kind(trees, max_depth=depth, min_samples_leaf=leaf, max_features=features, random_state=0)
        return scored(model, data, regression)
    return [wholes("trees", (3, 10, 32, 100), log=True), wholes("depth", (2, 4, 7, 12)),
            wholes("leaf", (1, 3, 9, 27, 81), log=True), floats("features", 0.1, 1.0, 4, log=False)], run


def boosting(data):
    stages = (5, 10, 20, 40, 80, 160)

    def run_all(rate, depth, part):
        model = ensemble.GradientBoostingRegressor(n_estimators=max(stages), learning_rate=rate, max_depth=depth, subsample=part,
                                                   random_state=0)
        x, y = data
        losses = numpy.zeros(len(stages))
        for fit, test in model_selection.KFold(FOLDS).split(x, y):
            model.fit(x[fit], y[fit])
            guesses = list(model.staged_predict(x[test]))
            losses += [numpy.mean((guesses[n - 1] - y[test]) ** 2) / numpy.var(y) / FOLDS for n in stages]
        return losses.tolist()
    axes = [floats("rate", 0.003, 1.0, 7), wholes("depth", (1, 2, 3, 4, 5, 7)), floats("part", 0.2, 1.0, 4, log=False),
            wholes("stages", stages, log=True)]
    return axes, run_all


def network(data, layers, **options):
    x, y = data
    half = len(y) // 2
    model = neural_network.MLPClassifier(layers, max_iter=12, random_state=0, **options)
    model.fit(x[:half] / 16, y[:half])
    return float(numpy.mean(model.predict(x[half:] / 16) != y[half:]))


def net_digits():
    data = data_of("digits", 1000)

    def run(rate, width, decay, batch, activation):
        return network(data, (width,), learning_rate_init=rate, alpha=decay, batch_size=batch, activation=activation)
    return [floats("rate", 1e-4, 1.0, 9), wholes("width", (4, 10, 25, 64), log=True), floats("decay", 1e-6, 1e1, 5),
            wholes("batch", (8, 32, 128), log=True), words("activation", "relu", "tanh", "logistic")], run


def net_deep(layers):
    data = data_of("digits", 800)

    def run(rate, **widths):
        return network(data, tuple(widths.values()), learning_rate_init=rate, batch_size=32)
    return [floats("rate", 1e-4, 1e-1, 5)] + [wholes(f"width{i}", (4, 11, 32, 91), log=True) for i in range(1, layers + 1)], run


def elastic():
    x, y = data_of("diabetes")
    x = preprocessing.StandardScaler().fit_transform(preprocessing.PolynomialFeatures(2).fit_transform(x))

    def run(alpha, mix):
        return scored(linear_model.ElasticNet(alpha=alpha, l1_ratio=mix, max_iter=2000), (x, y), True)
    return [floats("alpha", 1e-3, 1e2, 11), floats("mix", 0.02, 1.0, 8, log=False)], run


MAKERS = {
    "svm-digits": lambda: svm_rbf(data_of("digits", 900)),
    "svm-cancer": lambda: svm_rbf(data_of("cancer")),
    "svm-wine": svm_wine,
    "tree-cancer": lambda: one_tree(data_of("cancer")),
    "tree-digits": lambda: one_tree(data_of("digits", 900)),
    "knn-cancer": lambda: knn(data_of("cancer")),
    "knn-digits": lambda: knn(data_of("digits", 600)),
    "logistic-cancer": lambda: logistic(data_of("cancer")),
    "forest-diabetes": lambda: forest(data_of("diabetes"), True),
    "forest-digits": lambda: forest(data_of("digits", 600), False),
    "boosting-diabetes": lambda: boosting(data_of("diabetes")),
    "net-digits": net_digits,
    "net1-digits": lambda: net_deep(1),
    "net2-digits": lambda: net_deep(2),
    "net3-digits": lambda: net_deep(3),
    "elastic-diabetes": elastic,
}


def losses_of(axes, run):
    losses = []
    names = [axis["name"] for axis in axes]
    staged = axes[-1]["name"] == "stages"
    for values in itertools.product(*(axis["values"] for axis in (axes[:-1] if staged else axes))):
        loss = run(**dict(zip(names, values)))
        losses += loss if staged else [loss]
    return [round(loss, 6) if math.isfinite(loss) else 10.0 for loss in losses]


def main():
    warnings.simplefilter("ignore")
    tables.FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MAKERS:
        path = tables.FOLDER / (name + ".json")
        if path.exists() and name not in sys.argv[1:]:
            continue
        axes, run = MAKERS[name]()
        content = {"axes": axes, "losses": losses_of(axes, run)}
        path.write_text(json.dumps(content) + "\n", encoding="utf-8")
        print(f"{name}: {len(content['losses'])} points, best {min(content['losses'])}")


if __name__ == "__main__":
    main()
