"""Tasks that a random network, or a formula, teaches: classes and numbers, clean or with noise."""
import math
import operator
import random

CALIBRATION = 400  # rows behind the mean and the deviation that outputs are scaled by


def dot(a, b):
    return sum(map(operator.mul, a, b))


def gauss_row(stream, inputs):
    return [stream.gauss(0, 1) for _ in range(inputs)]


def flipped(stream, label, classes, wrong):
    """The label, or with probability `wrong` one of the others."""
    if stream.random() >= wrong:
        return label
    return (label + stream.randrange(1, classes)) % classes


class Teacher:
    """A random ReLU network whose outputs have mean 0 and deviation 1 each."""

    def __init__(self, name, sizes):
        stream = random.Random(f"teacher {name}")
        self.layers = []
        for fan, units in zip(sizes, sizes[1:]):
            weights = [[stream.gauss(0, math.sqrt(2 / fan)) for _ in range(fan)] for _ in range(units)]
            self.layers.append((weights, [stream.gauss(0, 0.5) for _ in range(units)]))
        outputs = [self.raw(gauss_row(stream, sizes[0])) for _ in range(CALIBRATION)]
        self.scales = []
        for column in zip(*outputs):
            mean = sum(column) / len(column)
            self.scales.append((mean, math.sqrt(sum((v - mean) ** 2 for v in column) / len(column))))

    def raw(self, row):
        for number, (weights, biases) in enumerate(self.layers):
            row = [dot(w, row) + b for w, b in zip(weights, biases)]
            if number + 1 < len(self.layers):
                row = [max(0.0, v) for v in row]
        return row

    def __call__(self, row):
        return [(v - mean) / deviation for v, (mean, deviation) in zip(self.raw(row), self.scales)]


def numbers(name, inputs, hidden, noise):
    """A number: what the teacher says, and `noise` deviations of it."""
    teacher = Teacher(name, (inputs, *hidden, 1))

    def draw(stream):
        row = gauss_row(stream, inputs)
        return row, teacher(row)[0] + noise * stream.gauss(0, 1)
    return draw


def classes(name, inputs, hidden, count, wrong):
    """The largest of the teacher's outputs; a share `wrong` of the labels is another one."""
    teacher = Teacher(name, (inputs, *hidden, count))

    def draw(stream):
        row = gauss_row(stream, inputs)
        outputs = teacher(row)
        return row, flipped(stream, outputs.index(max(outputs)), count, wrong)
    return draw


def friedman(inputs, noise):
    """Friedman's first function (Annals of Statistics 19, 1991) over its deviation; the other inputs mean nothing."""
    def draw(stream):
        x = [stream.random() for _ in range(inputs)]
        value = 10 * math.sin(math.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
        return x, (value + noise * stream.gauss(0, 1)) / 5
    return draw


def waves(name, inputs, count, frequency, noise):
    """A sum of waves in random directions, `frequency` half-periods across the cube at most."""
    stream = random.Random(f"waves {name}")
    terms = []
    for _ in range(count):
        direction = gauss_row(stream, inputs)
        length = stream.uniform(0.5, 1) * frequency * math.pi / 2 / math.sqrt(dot(direction, direction))
        terms.append(([v * length for v in direction], stream.uniform(0, 2 * math.pi)))
    scale = math.sqrt(2 / count)

    def draw(stream):
        x = [stream.uniform(-1, 1) for _ in range(inputs)]
        return x, scale * sum(math.sin(dot(w, x) + phase) for w, phase in terms) + noise * stream.gauss(0, 1)
    return draw
