"""Images, made here: strokes and shapes at random places, with noise; or Fashion-MNIST made smaller."""
import functools
import gzip
import math
import os
import pathlib
import random

import teachers

FOLDERS = (os.environ.get("TRELLIS_DATA", ""), "/usr/share/datasets")
FASHION = {"train": "train-images-idx3-ubyte train-labels-idx1-ubyte", "test": "t10k-images-idx3-ubyte t10k-labels-idx1-ubyte"}


def as_bytes(side, ink, noise, stream):
    """Gray values 0 .. 255 of the ink at each pixel's center, and noise of so many deviations."""
    out = []
    for y in range(side):
        for x in range(side):
            value = ink((x + 0.5) / side, (y + 0.5) / side) + noise * stream.gauss(0, 1)
            out.append(int(min(max(value, 0.0), 1.0) * 255))
    return out


def to_segment(x, y, a, b):
    """The distance of a point from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = ((x - a[0]) * dx + (y - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - a[0] - along * dx, y - a[1] - along * dy)


def strokes(name, side, classes, corners, jitter, noise):
    """Each class is a random line of some corners, which every image moves."""
    drawn = random.Random(f"strokes {name}")
    lines = [[(drawn.uniform(0.15, 0.85), drawn.uniform(0.15, 0.85)) for _ in range(corners)] for _ in range(classes)]

    def draw(stream):
        label = stream.randrange(classes)
        moved = [stream.gauss(0, jitter), stream.gauss(0, jitter)]
        line = [(x + moved[0] + stream.gauss(0, jitter), y + moved[1] + stream.gauss(0, jitter)) for x, y in lines[label]]
        width = stream.uniform(0.5, 1.0) * 1.2 / side

        def ink(x, y):
            return max(0.0, 1.3 - min(to_segment(x, y, a, b) for a, b in zip(line, line[1:])) / width)
        return as_bytes(side, ink, noise, stream), label
    return draw


def ring(x, y, size):
    return abs(math.hypot(x, y) - size)


def square(x, y, size):
    return abs(max(abs(x), abs(y)) - size * 0.9)


def diamond(x, y, size):
    return abs(abs(x) + abs(y) - size * 1.2) * 0.7


def cross(x, y, size):
    return min(abs(x), abs(y)) + max(0.0, max(abs(x), abs(y)) - size)


def slanted(x, y, size):
    return min(abs(x - y), abs(x + y)) * 0.7 + max(0.0, max(abs(x), abs(y)) - size)


def bars(x, y, size):
    return abs(abs(x) - size * 0.6) + max(0.0, abs(y) - size)


def beams(x, y, size):
    return bars(y, x, size)


SHAPES = (ring, square, diamond, cross, slanted, bars, beams)


def shapes(side, names, noise):
    """Which of the shapes lies somewhere in the image."""
    def draw(stream):
        label = stream.randrange(len(names))
        size = stream.uniform(0.18, 0.3)
        left, top = stream.uniform(size, 1 - size), stream.uniform(size, 1 - size)

        def ink(x, y):
            return max(0.0, 1.2 - names[label](x - left, y - top, size) * side / 1.1)
        return as_bytes(side, ink, noise, stream), label
    return draw


@functools.lru_cache(maxsize=2)
def fashion_part(part):
    """(images, labels) of Fashion-MNIST; None where it is not on this machine."""
    for folder in FOLDERS:
        paths = [pathlib.Path(folder) / "fashion-mnist" / f"{name}.gz" for name in FASHION[part].split()]
        if folder and all(path.exists() for path in paths):
            images, labels = (gzip.open(path).read() for path in paths)
            return images[16:], labels[8:]
    return None


def fashion_there():
    return fashion_part("train") is not None


def fashion(side, part, half, wrong):
    """Rows of one half of a part, each pixel the mean of a square of theirs; a share of the labels is another one."""
    step = 28 // side

    def draw(stream):
        images, labels = fashion_part(part)
        at = 2 * stream.randrange(len(labels) // 2) + half
        image = images[at * 784:(at + 1) * 784]
        out = []
        for y in range(0, 28, step):
            rows = [image[(y + i) * 28:(y + i + 1) * 28] for i in range(step)]
            out += [sum(sum(row[x:x + step]) for row in rows) // (step * step) for x in range(0, 28, step)]
        return out, teachers.flipped(stream, labels[at], 10, wrong)
    return draw
