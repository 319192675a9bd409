"""Problems read from tables/*.json: what models of scikit-learn reached on its own data sets (tabulate.py made them).

A table has the losses on a grid; between its lines numbers are interpolated linearly, on their own scale.
"""
import functools
import itertools
import json
import math
import pathlib

from space import Parameter, Problem

FOLDER = pathlib.Path(__file__).parent / "tables"


class Table:
    """`axes`: [{name, kind, values, log}], `losses`: flat, the last axis changing fastest."""

    def __init__(self, content):
        self.axes, self.losses = content["axes"], content["losses"]
        assert len(self.losses) == math.prod(len(axis["values"]) for axis in self.axes)

    def parameters(self, when=(), prefix=""):
        return tuple(Parameter(prefix + axis["name"], axis["kind"], choices=tuple(axis["values"]), when=when)
                     if axis["kind"] == "choice" else
                     Parameter(prefix + axis["name"], axis["kind"], axis["values"][0], axis["values"][-1], axis["log"], when=when)
                     for axis in self.axes)

    def best(self):
        return min(self.losses)

    def at(self, params, prefix=""):
        corners = [(0, 1.0)]
        for axis in self.axes:
            value, count = params[prefix + axis["name"]], len(axis["values"])
            corners = [(index * count + i, weight * share)
                       for (index, weight), (i, share) in itertools.product(corners, shares(axis, value))]
        return sum(self.losses[index] * weight for index, weight in corners)


def shares(axis, value):
    """The lines of an axis around a value, and the share of each."""
    values = axis["values"]
    if axis["kind"] == "choice":
        return [(values.index(value), 1.0)]
    upper = next((i for i, v in enumerate(values) if v >= value), len(values) - 1)
    if upper == 0 or values[upper] == value:
        return [(upper, 1.0)]
    scale = math.log if axis["log"] else float
    low, high = scale(values[upper - 1]), scale(values[upper])
    share = (scale(value) - low) / (high - low)
    return [(upper - 1, 1 - share), (upper, share)]


@functools.cache
def table(name):
    return Table(json.loads((FOLDER / (name + ".json")).read_text(encoding="utf-8")))


def alone(name):
    return Problem(name, "table", table(name).parameters(), table(name).at, table(name).best())


def pipeline(data, models):
    """A model that brings its own parameters."""
    tables = {model: table(f"{model}-{data}") for model in models}
    parameters = [Parameter("model", "choice", choices=tuple(models))]
    for model, one in tables.items():
        parameters += one.parameters((("model", (model,)),), model + ".")

    def loss(params):
        return tables[params["model"]].at(params, params["model"] + ".")
    return Problem("pipeline-" + data, "conditional", tuple(parameters), loss, min(one.best() for one in tables.values()))


def depth():
    """A network's depth, and a width for each of its layers."""
    depths = {n: table(f"net{n}-digits") for n in (1, 2, 3)}
    deepest = depths[3].parameters()
    parameters = [Parameter("depth", "int", 1, 3), deepest[0]]
    for i, width in enumerate(deepest[1:], 1):
        when = () if i == 1 else (("depth", tuple(range(i, 4))),)
        parameters.append(Parameter(width.name, "int", width.low, width.high, width.log, when=when))
    return Problem("depth-digits", "conditional", tuple(parameters), lambda params: depths[params["depth"]].at(params),
                   min(one.best() for one in depths.values()))


ALONE = ("svm-wine", "tree-cancer", "tree-digits", "forest-diabetes", "forest-digits", "boosting-diabetes", "net-digits",
         "elastic-diabetes")


@functools.cache
def problems():
    return [alone(name) for name in ALONE] + [
        pipeline("cancer", ("svm", "tree", "knn", "logistic")), pipeline("digits", ("svm", "tree", "knn", "forest")), depth()]
