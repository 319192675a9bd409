"""Tasks by geometry: boards, spirals, parities and folds."""
import functools
import math
import operator

import teachers


def checkerboard(fields, angle, wrong):
    """The color of a turned board; `fields` lie across the square."""
    cos, sin = math.cos(angle), math.sin(angle)

    def draw(stream):
        x, y = stream.uniform(-1, 1), stream.uniform(-1, 1)
        color = math.floor((cos * x - sin * y) * fields / 2) + math.floor((sin * x + cos * y) * fields / 2)
        return [x, y], teachers.flipped(stream, color % 2, 2, wrong)
    return draw


def spirals(turns, arms, noise, wrong=0.0):
    """On which of the arms a point lies."""
    def draw(stream):
        arm, way = stream.randrange(arms), math.sqrt(stream.uniform(0.02, 1))
        angle = 2 * math.pi * (way * turns + arm / arms)
        point = [way * math.cos(angle) + noise * stream.gauss(0, 1), way * math.sin(angle) + noise * stream.gauss(0, 1)]
        return point, teachers.flipped(stream, arm, arms, wrong)
    return draw


def parity(inputs, signs, wrong, binary):
    """The product of the first `signs` signs; the other inputs mean nothing, and training begins on a plateau."""
    def draw(stream):
        row = [stream.choice((-1.0, 1.0)) for _ in range(inputs)] if binary else teachers.gauss_row(stream, inputs)
        product = functools.reduce(operator.mul, row[:signs])
        return row, teachers.flipped(stream, int(product > 0), 2, wrong)
    return draw


def folds(inputs, times, noise):
    """x -> |2x - 1| several times over, between sums of neighbors: 2^times pieces along each input."""
    def draw(stream):
        row = [stream.random() for _ in range(inputs)]
        values = row
        for _ in range(times):
            values = [abs(2 * v - 1) for v in values]
            values = [(a + b) / 2 for a, b in zip(values, values[1:] + values[:1])]
        return row, sum(values) / inputs + noise * stream.gauss(0, 1)
    return draw
