"""Problems whose parameters are of several kinds, and conditional ones, with formulas that look like what they stand for."""
import functools
import itertools
import math
import random

from functions import rotation, sphere
from space import Parameter, Problem


def training():
    """Rate, regularisation, width, depth, batch and three words: a valley in the logarithms, bent, with words that interact."""
    parameters = (
        Parameter("rate", low=1e-5, high=1.0, log=True), Parameter("decay", low=1e-6, high=1e-1, log=True),
        Parameter("width", "int", 8, 512, log=True), Parameter("depth", "int", 1, 8), Parameter("dropout", high=0.8),
        Parameter("optimizer", "choice", choices=("a", "b", "c")),
        Parameter("activation", "choice", choices=("p", "q", "r", "s")),
        Parameter("batch", "choice", choices=(16, 32, 64, 128, 256)))
    rates = {"a": 0.45, "b": 0.7, "c": 0.55}
    extra = {"a": 0.0, "b": 0.08, "c": 0.03}
    shape = {"p": 0.05, "q": 0.0, "r": 0.12, "s": 0.02}

    def loss(params):
        at = {p.name: p.place(params[p.name]) for p in parameters if p.kind != "choice"}
        batch = (16, 32, 64, 128, 256).index(params["batch"]) / 4
        rate = at["rate"] - rates[params["optimizer"]] - 0.15 * (batch - 0.25)
        valley = 6 * rate * rate + 0.6 * (at["decay"] - 0.4) ** 2 + 0.8 * (at["width"] - 6 / 7 * 0.9) ** 2
        bend = (at["dropout"] - 0.35 - 0.4 * (at["width"] - 6 / 7 * 0.9)) ** 2
        deep = 0.5 * (params["depth"] / 8 - 0.5) ** 2 + (0.06 if params["activation"] == "r" and params["depth"] > 4 else 0)
        return valley + bend + deep + extra[params["optimizer"]] + shape[params["activation"]] + 0.04 * batch

    # Everything but width (whole numbers) is met exactly; the nearest widths are looked at.
    exact = {"depth": 4, "optimizer": "a", "activation": "q", "batch": 16}

    def at_width(width):
        w = parameters[2].place(width)
        rate = 1e-5 * (1e5 ** (rates["a"] - 0.15 * 0.25))
        dropout = 0.8 * min(1, max(0, 0.35 + 0.4 * (w - 6 / 7 * 0.9)))
        return loss({**exact, "rate": rate, "decay": 1e-6 * 1e5 ** 0.4, "width": width, "dropout": dropout})
    return Problem("training-8", "mixed", parameters, loss, min(at_width(w) for w in range(8, 513)))


def words():
    """Eight words of three to six letters whose worth is a sum of single and of paired tables."""
    stream = random.Random("words-8")
    sizes = [stream.randint(3, 6) for _ in range(8)]
    single = [[stream.random() for _ in range(size)] for size in sizes]
    pairs = [(i, i + 1, [[0.7 * stream.random() for _ in range(sizes[i + 1])] for _ in range(sizes[i])]) for i in range(0, 8, 2)]
    parameters = tuple(Parameter(f"w{i}", "choice", choices=tuple("abcdef"[:size])) for i, size in enumerate(sizes))

    def worth(ranks):
        return sum(table[r] for table, r in zip(single, ranks)) + sum(table[ranks[i]][ranks[j]] for i, j, table in pairs)

    # The pairs do not overlap: the best of each is the best of all.
    best = sum(min(single[i][a] + single[j][b] + table[a][b] for a, b in itertools.product(range(sizes[i]), range(sizes[j])))
               for i, j, table in pairs)
    return Problem("words-8", "mixed", parameters, lambda params: worth([ord(params[p.name]) - 97 for p in parameters]), best)


def steps():
    """Ten whole numbers of 2 to 60 values, a turned bowl over them and a float."""
    stream = random.Random("steps-8")
    tops = [1, 4, 7, 9, 15, 30, 59]
    rows = rotation(8, stream)
    target = [stream.randint(0, top) / top for top in tops] + [stream.uniform(0.2, 0.8)]
    parameters = tuple(Parameter(f"n{i}", "int", 0, top) for i, top in enumerate(tops)) + (Parameter("x"),)

    def loss(params):
        z = [p.place(params[p.name]) - t for p, t in zip(parameters, target)]
        turned = [sum(a * b for a, b in zip(row, z)) for row in rows]
        return sum((1 + 4 * i) * x * x for i, x in enumerate(turned)) + 0.1 * sphere(z)
    return Problem("steps-8", "mixed", parameters, loss, 0.0)


def branches():
    """A word that brings two to four numbers of its own; branches differ in what they can reach and how hard that is."""
    stream = random.Random("branches")
    kinds = {"a": (2, 0.10, 2.0), "b": (3, 0.0, 1.5), "c": (4, 0.04, 3.0), "d": (2, 0.3, 0.5), "e": (3, 0.2, 1.0)}
    parameters, targets = [Parameter("kind", "choice", choices=tuple(kinds)), Parameter("shared")], {}
    for kind, (count, _, _) in kinds.items():
        for i in range(count):
            parameters.append(Parameter(f"{kind}{i}", when=(("kind", (kind,)),)))
            targets[f"{kind}{i}"] = stream.uniform(0.15, 0.85)

    def loss(params):
        count, floor, weight = kinds[params["kind"]]
        own = sum((params[f"{params['kind']}{i}"] - targets[f"{params['kind']}{i}"]) ** 2 for i in range(count))
        return floor + weight * own + 0.5 * (params["shared"] - 0.6) ** 2
    return Problem("branches-5", "conditional", tuple(parameters), loss, 0.0)


def nested():
    """Words below words, three levels deep, with numbers at each level."""
    stream = random.Random("nested")
    parameters = [Parameter("top", "choice", choices=("l", "r")), Parameter("x")]
    target, floor = {"x": stream.uniform(0.2, 0.8)}, {}
    for top in "lr":
        parameters += [Parameter(top + "y", when=(("top", (top,)),)),
                       Parameter(top, "choice", choices=("l", "m", "r"), when=(("top", (top,)),))]
        target[top + "y"] = stream.uniform(0.1, 0.9)
        for low in "lmr":
            name = top + low
            parameters += [Parameter(name + str(i), when=((top, (low,)),)) for i in range(2)]
            target.update({name + str(i): stream.uniform(0.1, 0.9) for i in range(2)})
            floor[name] = stream.uniform(0.02, 0.4)
    least = min(floor.values())

    def loss(params):
        low = params["top"] + params[params["top"]]
        distance = sum((value - target[name]) ** 2 for name, value in params.items() if name in target)
        return floor[low] - least + distance + 0.03 * (1 - math.cos(14 * (params["x"] - target["x"])))
    return Problem("nested-3", "conditional", tuple(parameters), loss, 0.0)


@functools.cache
def problems():
    return [training(), words(), steps(), branches(), nested()]
