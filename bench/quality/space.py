"""Search problems: parameters, some of which exist under conditions, and a loss to be minimised."""
import dataclasses
import functools
import math
import random
import statistics
from typing import Callable

DRAWS = 1000  # random points behind the middling loss that regrets are a share of


@dataclasses.dataclass(frozen=True)
class Parameter:
    """`kind` is float, int or choice; ranges hold both ends. `when` lists (name, values), all of which must hold."""
    name: str
    kind: str = "float"
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    choices: tuple = ()
    when: tuple = ()

    def exists(self, params):
        return all(params.get(name) in values for name, values in self.when)

    def place(self, value):
        """Where a number lies in its range, from 0 to 1, on its scale."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def drawn(self, stream):
        if self.kind == "choice":
            return stream.choice(self.choices)
        low, high = (self.low - 0.5, self.high + 0.5) if self.kind == "int" else (self.low, self.high)
        value = math.exp(stream.uniform(math.log(low), math.log(high))) if self.log else stream.uniform(low, high)
        value = min(max(value, self.low), self.high)
        return round(value) if self.kind == "int" else value


@dataclasses.dataclass(frozen=True)
class Problem:
    """`loss` takes a dict of the parameters that exist; `best` is the smallest loss there is. With several metrics it gives a
    list of losses, and `best` is the volume that their front covers."""
    name: str
    family: str
    parameters: tuple
    loss: Callable
    best: float
    metrics: int = 1

    def drawn(self, stream):
        params = {}
        for parameter in self.parameters:
            if parameter.exists(params):
                params[parameter.name] = parameter.drawn(stream)
        return params

    @functools.cached_property
    def middling(self):
        """The median loss of random points."""
        stream = random.Random("middling " + self.name)
        return statistics.median(self.loss(self.drawn(stream)) for _ in range(DRAWS))

    def regret(self, loss):
        """0: the best there is; 1: no better than a middling random point."""
        return min(1.0, max(0.0, (loss - self.best) / (self.middling - self.best)))
