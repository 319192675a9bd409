"""Standard test functions, moved and turned so that neither the middle of the range nor an axis is special.

Formulas: Jamil and Yang, "A literature survey of benchmark functions for global optimization problems" (2013); Dixon and
Szegoe (1978) for branin and hartmann. A turned function is f(R (x - s)): s a point within the middle of the box, R a rotation.
"""
import functools
import math
import random

from space import Parameter, Problem


def sphere(z):
    return sum(x * x for x in z)


def ellipsoid(z):
    """Axes whose weights grow from 1 to 1000."""
    return sum(10 ** (3 * i / max(1, len(z) - 1)) * x * x for i, x in enumerate(z))


def rosenbrock(z):
    """The minimum is at 0."""
    y = [x + 1 for x in z]
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(y, y[1:]))


def rastrigin(z):
    return sum(x * x + 10 - 10 * math.cos(2 * math.pi * x) for x in z)


def ackley(z):
    far = math.exp(-0.2 * math.sqrt(sphere(z) / len(z)))
    waves = math.exp(sum(math.cos(2 * math.pi * x) for x in z) / len(z))
    return 20 - 20 * far + math.e - waves


def griewank(z):
    waves = math.prod(math.cos(x / math.sqrt(i + 1)) for i, x in enumerate(z))
    return 1 + sphere(z) / 4000 - waves


def levy(z):
    """The minimum is at 0."""
    w = [1 + x / 4 for x in z]
    inner = sum((a - 1) ** 2 * (1 + 10 * math.sin(math.pi * a + 1) ** 2) for a in w[:-1])
    return math.sin(math.pi * w[0]) ** 2 + inner + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def branin(x):
    a, b = 15 * x[0] - 5, 15 * x[1]
    bend = b - 5.1 / (4 * math.pi ** 2) * a * a + 5 / math.pi * a - 6
    return bend * bend + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def michalewicz(x):
    return -sum(math.sin(math.pi * t) * math.sin((i + 1) * math.pi * t * t) ** 20 for i, t in enumerate(x))


def styblinski(x):
    return sum(t ** 4 - 16 * t * t + 5 * t for t in (10 * u - 5 for u in x)) / 2


HARTMANN_WEIGHTS = (1.0, 1.2, 3.0, 3.2)
HARTMANN_SHARPNESS = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
HARTMANN_CENTRES = ((0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886), (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
                    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650), (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381))


def hartmann(x):
    return -sum(weight * math.exp(-sum(a * (t - p) ** 2 for a, t, p in zip(sharp, x, centre)))
                for weight, sharp, centre in zip(HARTMANN_WEIGHTS, HARTMANN_SHARPNESS, HARTMANN_CENTRES))


def rotation(n, stream):
    """Rows of a random rotation (Gram and Schmidt)."""
    rows = []
    while len(rows) < n:
        row = [stream.gauss(0, 1) for _ in range(n)]
        for other in rows:
            share = sum(a * b for a, b in zip(row, other))
            row = [a - share * b for a, b in zip(row, other)]
        length = math.sqrt(sphere(row))
        rows.append([a / length for a in row])
    return rows


class Turned:
    """f(R (x - shift)) over the unit cube blown up to a box of side `side`; `used` axes matter, the others do not."""

    def __init__(self, name, function, axes, side, turned=True, used=None):
        stream = random.Random(name)
        self.function, self.side, self.axes, self.used = function, side, axes, used or axes
        self.shift = [stream.uniform(0.2, 0.8) for _ in range(self.used)]
        self.order = sorted(stream.sample(range(axes), self.used))
        self.rows = rotation(self.used, stream) if turned else None

    def __call__(self, x):
        z = [self.side * (x[i] - s) for i, s in zip(self.order, self.shift)]
        return self.function([sum(a * b for a, b in zip(row, z)) for row in self.rows] if self.rows else z)

    def minimum(self):
        """A point where the value is 0."""
        x = [0.5] * self.axes
        for i, s in zip(self.order, self.shift):
            x[i] = s
        return x


def over_cube(name, function, axes, best):
    def loss(params):
        return function([params[f"x{i}"] for i in range(axes)])
    return Problem(name, "function", tuple(Parameter(f"x{i}") for i in range(axes)), loss, best)


TURNED = {
    "sphere-5": (sphere, 5, 10, False),
    "rastrigin-4": (rastrigin, 4, 6, False),
    "rastrigin-10-turned": (rastrigin, 10, 6),
    "rosenbrock-6": (rosenbrock, 6, 4, False),
    "griewank-4-turned": (griewank, 4, 60),
    "levy-8-turned": (levy, 8, 20),
    "ackley-12-turned": (ackley, 12, 30),
    "ellipsoid-10-turned": (ellipsoid, 10, 10),
    "ellipsoid-20": (ellipsoid, 20, 10, False),
    "sphere-20-turned": (sphere, 20, 10),
    "ackley-15-few": (ackley, 15, 30, False, 4),
}
FIXED = {
    "branin-2": (branin, 2, 0.39788735772973816),
    "hartmann-6": (hartmann, 6, -3.322368011415515),
    "michalewicz-5": (michalewicz, 5, -4.687658179088148),
    "styblinski-7": (styblinski, 7, 7 * -39.16616570377142),
}


@functools.cache
def problems():
    moved = [over_cube(name, Turned(name, *how), how[1], 0.0) for name, how in TURNED.items()]
    return moved + [over_cube(name, *how) for name, how in FIXED.items()]
