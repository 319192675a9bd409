"""What the tables of pairs.py are made of: smooth targets, bands, units, gaps, slow processes."""
import math

R2, R3 = math.sqrt(2.0), math.sqrt(3.0)

def smooth(kind, x):
    """A smooth oblique function of gaussian inputs, by name."""
    if kind == "six-a":
        a = (x[0] + x[1] - x[2]) / R3
        b = (x[1] + x[2] + x[3]) / R3
        c = (x[3] - x[4] + x[5]) / R3
        return a * b + math.sin(2 * c)
    if kind == "six-b":
        a = (x[0] - x[1] + x[4]) / R3
        b = (x[1] + x[2] - x[5]) / R3
        c = (x[0] + x[3] + x[5]) / R3
        return b * c + 1.2 * math.sin(1.9 * a)
    if kind == "six-c":
        a = (x[0] + x[2] + x[5]) / R3
        b = (x[1] - x[3] + x[4]) / R3
        c = (x[0] + x[3] - x[2]) / R3
        return 0.9 * a * b + math.sin(2 * c) + 0.4 * b
    if kind == "five-a":
        a = (x[0] + x[1] + x[2]) / R3
        b = (x[1] - x[2] + x[3]) / R3
        c = (x[0] - x[3] + x[4]) / R3
        return a * b + math.sin(2 * c)
    if kind == "five-b":
        a = (x[0] - x[2] + x[4]) / R3
        b = (x[1] + x[2] + x[3]) / R3
        c = (x[0] + x[1] - x[3]) / R3
        return math.sin(1.8 * a) + 0.8 * b * c + 0.3 * c
    if kind == "four-a":
        a = (x[0] + x[1] + x[2] + x[3]) / 2
        b = (x[0] - x[1] + x[2] - x[3]) / 2
        c = (x[0] + x[1] - x[2] - x[3]) / 2
        return a * b + math.sin(2 * c)
    raise ValueError(kind)


DIM = {"six-a": 6, "six-b": 6, "six-c": 6, "five-a": 5, "five-b": 5, "four-a": 4}


def standard(v):
    m = sum(v) / len(v)
    s = math.sqrt(sum((a - m) ** 2 for a in v) / len(v)) or 1.0
    return [(a - m) / s for a in v]


def base(r, n, kind, noise):
    """Inputs (n rows of gaussians) and a standardized, slightly noisy signal."""
    xs = [[r.gauss(0, 1) for _ in range(DIM[kind])] for _ in range(n)]
    s = standard([smooth(kind, x) for x in xs])
    return xs, standard([a + noise * r.gauss(0, 1) for a in s])


def bands(s, shares, names):
    """Classes as bands of s, from low to high, with the given shares."""
    order = sorted(range(len(s)), key=lambda i: s[i])
    out, start, total = [None] * len(s), 0, 0.0
    for k, (share, name) in enumerate(zip(shares, names)):
        total += share
        stop = len(s) if k == len(names) - 1 else round(total * len(s))
        for i in order[start:stop]:
            out[i] = name
        start = stop
    return out


def even(k):
    return [1.0 / k] * k


def unit(v, mean, spread, digits):
    """A gaussian value in a realistic unit, as text."""
    v = mean + spread * v
    return str(int(round(v))) if digits == 0 else f"{v:.{digits}f}"


def units(x, scales):
    return [unit(v, *sc) for v, sc in zip(x, scales)]


def blank(r, cell, share):
    """The cell, or a missing value in that share of the rows."""
    return "" if r.random() < share else cell


def ar1(r, n, phi):
    """A standardized autocorrelated series."""
    v, out = r.gauss(0, 1), []
    for _ in range(n):
        out.append(v)
        v = phi * v + math.sqrt(1 - phi * phi) * r.gauss(0, 1)
    return standard(out)


def mixed(r, rows):
    rows = list(rows)
    r.shuffle(rows)
    return rows


def drop(header, rows, column):
    k = header.index(column)
    return ([h for h in header if h != column],
            [row[:k] + row[k + 1:] for row in rows])
