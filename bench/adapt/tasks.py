"""The tasks: held-out ones, which nothing may be tuned to, and development ones of the same kinds, called dev-..."""
import dataclasses
import fnmatch
import functools
import hashlib
import random
from typing import Callable

import files
import images
import points
import study
import tables
import teachers

TEST_ROWS = 5000
SAMPLE = 20  # rows that a fingerprint sees


@dataclasses.dataclass(frozen=True)
class Task:
    """`draw(stream)` gives a row: (values, answer). `network` is dense, conv or deep, see study.py."""
    name: str
    nature: str
    make: Callable  # () -> draw, or (names, draw) of a table
    rows: int  # to train on
    epochs: int
    batch: int = 32
    classes: bool = True
    network: str = "dense"
    image: tuple = ()
    make_test: Callable | None = None  # where test rows come from elsewhere
    there: Callable = lambda: True

    @functools.cached_property
    def made(self):
        found = self.make()
        return found if isinstance(found, tuple) else (None, found)

    @property
    def is_table(self):
        return self.made[0] is not None

    @property
    def metric(self):
        return "accuracy" if self.classes else "r2"

    def drawn(self, part, count):
        """Rows of `part`: another part, other rows."""
        stream = random.Random(f"{self.name} {part}")
        draw = self.make_test() if part == "test" and self.make_test else self.made[1]
        return [draw(stream) for _ in range(count)]

    @functools.cached_property
    def test(self):
        """The same rows for all seeds, so that no difference between seeds is one of test rows."""
        return self.drawn("test", TEST_ROWS)

    @functools.cached_property
    def fingerprint(self):
        """Changes when the data do: a few rows tell."""
        text = repr((self.drawn("sample", SAMPLE), self.rows, TEST_ROWS))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def files(self, seed):
        """{file name: a function that gives its bytes}; each seed has training rows of its own."""
        rows = round(self.rows / (1 - study.VALID))
        if self.is_table:
            names = self.made[0]
            return {f"rows-{seed}.csv": lambda: files.table(names, self.drawn(seed, rows)),
                    "test.csv": lambda: files.table(names, self.test)}
        return {f"rows-{seed}.safetensors": lambda: files.arrays({"": self.drawn(seed, rows), "_test": self.test}, self.image,
                                                                 self.classes)}


def two(name, nature, make, **how):
    """A held-out task and its development twin: `make` takes "" or "dev-" and what differs."""
    for prefix, values in (("", how.pop("held")), ("dev-", how.pop("dev"))):
        full = prefix + name
        more = {key: values[key] for key in ("rows", "epochs", "image") if key in values}
        given = {key: value for key, value in values.items() if key not in more}
        yield Task(full, nature, functools.partial(make, full, **given), **{**how, **more})


def unnamed(make):
    """For generators that no random teacher stands behind."""
    return lambda _, **values: make(**values)


def fashion(_, side, half, part="train", wrong=0.0):
    return images.fashion(side, part, half, wrong if part == "train" else 0.0)


def fashion_tasks(name, nature, network, epochs, rows, held, dev):
    for prefix, values in (("", held), ("dev-", dev)):
        full = prefix + name
        yield Task(full, nature, functools.partial(fashion, full, **values), rows, epochs, network=network,
                   image=(values["side"], values["side"]), make_test=functools.partial(fashion, full, part="test", **values),
                   there=images.fashion_there)


def all_tasks():
    yield from two("line", "easy", teachers.classes, rows=2000, epochs=30,
                   held={"inputs": 12, "hidden": (), "count": 3, "wrong": 0.02},
                   dev={"inputs": 20, "hidden": (), "count": 2, "wrong": 0.05})
    yield from two("teacher-small", "easy", teachers.numbers, rows=2000, epochs=30, classes=False,
                   held={"inputs": 10, "hidden": (2,), "noise": 0.3},
                   dev={"inputs": 14, "hidden": (3,), "noise": 0.2})
    yield from two("board", "hard", unnamed(points.checkerboard), rows=4000, epochs=40,
                   held={"fields": 4, "angle": 0.5, "wrong": 0.0},
                   dev={"fields": 3.6, "angle": 0.9, "wrong": 0.02})
    yield from two("teacher-large", "hard", teachers.numbers, rows=4000, epochs=30, classes=False,
                   held={"inputs": 16, "hidden": (64, 64), "noise": 0.05},
                   dev={"inputs": 12, "hidden": (48, 48), "noise": 0.1})
    yield from two("waves", "hard", teachers.waves, rows=4000, epochs=30, classes=False,
                   held={"inputs": 6, "count": 40, "frequency": 2.5, "noise": 0.02},
                   dev={"inputs": 8, "count": 30, "frequency": 2, "noise": 0.04})
    yield from two("noisy-teacher", "noisy", teachers.classes, rows=2000, epochs=40,
                   held={"inputs": 10, "hidden": (10,), "count": 2, "wrong": 0.3},
                   dev={"inputs": 15, "hidden": (6,), "count": 3, "wrong": 0.3})
    yield from two("noisy-spirals", "noisy", unnamed(points.spirals), rows=2000, epochs=40,
                   held={"turns": 0.8, "arms": 3, "noise": 0.05, "wrong": 0.3},
                   dev={"turns": 1.0, "arms": 2, "noise": 0.06, "wrong": 0.3})
    yield from two("table-classes", "small table", tables.classes, rows=500, epochs=40,
                   held={"skewed": 5, "plain": 4, "categories": (4, 9), "missing": 0.03, "noise": 0.8},
                   dev={"skewed": 7, "plain": 3, "categories": (3, 5, 12), "missing": 0.02, "noise": 0.6})
    yield from two("table-numbers", "small table", tables.numbers, rows=500, epochs=40, classes=False,
                   held={"skewed": 4, "plain": 5, "categories": (6,), "missing": 0.02, "noise": 0.6},
                   dev={"skewed": 6, "plain": 2, "categories": (5, 8), "missing": 0.05, "noise": 0.5})
    yield from two("parity", "plateau", unnamed(points.parity), epochs=40,
                   held={"inputs": 9, "signs": 3, "wrong": 0.02, "binary": False, "rows": 1500},
                   dev={"inputs": 10, "signs": 3, "wrong": 0.0, "binary": False, "rows": 2500})
    yield from two("parity-sparse", "plateau", unnamed(points.parity), rows=1500, epochs=40,
                   held={"inputs": 20, "signs": 4, "wrong": 0.0, "binary": True},
                   dev={"inputs": 16, "signs": 4, "wrong": 0.02, "binary": True})
    yield from two("spirals", "middle", unnamed(points.spirals), rows=1500, epochs=60,
                   held={"turns": 2.0, "arms": 2, "noise": 0.01},
                   dev={"turns": 1.5, "arms": 3, "noise": 0.015})
    yield from two("friedman", "middle", unnamed(teachers.friedman), rows=1500, epochs=40, classes=False,
                   held={"inputs": 10, "noise": 1.0},
                   dev={"inputs": 7, "noise": 2.0})
    yield from two("teacher-deep", "middle", teachers.classes, rows=3000, epochs=30,
                   held={"inputs": 12, "hidden": (16, 16, 16), "count": 4, "wrong": 0.0},
                   dev={"inputs": 16, "hidden": (20, 20), "count": 3, "wrong": 0.05})
    yield from two("strokes", "image", images.strokes, rows=2000, epochs=25,
                   held={"side": 10, "classes": 10, "corners": 4, "jitter": 0.07, "noise": 0.25, "image": (10, 10)},
                   dev={"side": 8, "classes": 6, "corners": 3, "jitter": 0.08, "noise": 0.2, "image": (8, 8)})
    yield from two("shapes", "image, convolutions", unnamed(images.shapes), rows=1500, epochs=20, network="conv",
                   held={"side": 12, "names": images.SHAPES, "noise": 0.15, "image": (12, 12)},
                   dev={"side": 10, "names": images.SHAPES[:5], "noise": 0.2, "image": (10, 10)})
    yield from two("folds", "depth", unnamed(points.folds), epochs=25, classes=False, network="deep",
                   held={"inputs": 3, "times": 2, "noise": 0.02, "rows": 2000},
                   dev={"inputs": 2, "times": 3, "noise": 0.01, "rows": 2500})
    yield from fashion_tasks("fashion", "image", "dense", 25, 2000, held={"side": 14, "half": 0},
                             dev={"side": 7, "half": 1, "wrong": 0.1})
    yield from fashion_tasks("fashion-conv", "image, convolutions", "conv", 15, 1500, held={"side": 14, "half": 0},
                             dev={"side": 14, "half": 1, "wrong": 0.1})


TASKS = {task.name: task for task in all_tasks()}


def chosen(words):
    """The tasks of these names, wildcards allowed; all held-out ones where there are no words. Throws ValueError."""
    if not words:
        return [task for task in TASKS.values() if not task.name.startswith("dev-")]
    for word in words:
        if not fnmatch.filter(TASKS, word):
            raise ValueError(f"no task is called '{word}': there are {', '.join(TASKS)}")
    return [task for name, task in TASKS.items() if any(fnmatch.fnmatchcase(name, word) for word in words)]
