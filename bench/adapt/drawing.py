"""A figure: for each task what fixed networks reach by the cost of a row, and where the sweep and the policies end."""
import html
import math

import study

WIDE, HIGH, MARGIN, COLUMNS, TOP = 230, 170, 34, 4, 46
COLORS = ("#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65")
GRAY = "#8a8a8a"


def scale(low, high, begin, end):
    span = (high - low) or 1.0
    return lambda value: begin + (value - low) / span * (end - begin)


def average(cells, key):
    return sum(one[key] for one in cells) / len(cells)


def word(x, y, content, size=10, anchor="start", color="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{html.escape(content)}</text>'


def grouped(task, results):
    """{(kind, size): [results of all seeds]}"""
    found = {}
    for cell, result in results.items():
        if cell.task is task:
            found.setdefault((cell.kind, cell.size), []).append(result)
    return {key: (math.log10(average(own, "row")), average(own, "score")) for key, own in found.items()}


def curves(points):
    """Fixed networks of one depth, in the order of their widths."""
    depths = sorted({size[1] for kind, size in points if kind == "fixed"})
    return [[points["fixed", (width, depth)] for width in study.WIDTHS if ("fixed", (width, depth)) in points]
            for depth in depths]


def panel(task, points, methods, left, top):
    xs, ys = [p[0] for p in points.values()], [p[1] for p in points.values()]
    # A network that learns nothing must not flatten all others.
    floor = max(min(ys), max(ys) - 30)
    across = scale(min(xs), max(xs), left + MARGIN, left + WIDE - 12)
    up = scale(floor, max(ys), top + HIGH - 24, top + 24)

    def at(point):
        return across(point[0]), up(max(point[1], floor))
    out = [word(left + MARGIN, top + 12, f"{task.name} ({task.nature})", 11),
           f'<rect x="{left + MARGIN - 6}" y="{top + 18}" width="{WIDE - MARGIN}" height="{HIGH - 36}" fill="none" '
           'stroke="#ddd"/>',
           word(left + MARGIN - 9, up(max(ys)) + 4, f"{max(ys):.1f}", 9, "end"),
           word(left + MARGIN - 9, up(floor) + 4, f"{floor:.1f}", 9, "end"),
           word(across(min(xs)), top + HIGH - 7, f"{10 ** min(xs):.2g}", 9),
           word(across(max(xs)), top + HIGH - 7, f"{10 ** max(xs):.2g}", 9, "end")]
    for curve in curves(points):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, curve))
        out.append(f'<polyline points="{line}" fill="none" stroke="{GRAY}"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{GRAY}"/>' for x, y in map(at, curve)]
    if ("sweep", ()) in points:
        x, y = at(points["sweep", ()])
        out.append(f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z" fill="none" stroke="#222"/>')
    for color, method in zip(COLORS, methods):
        for size in study.starts(task):
            if (method, size) in points:
                x, y = at(points[method, size])
                out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}" fill-opacity="0.6"/>' +
                           word(x + 5, y + 3, str(size[0]), 8, color=color))
    return out


def figure(suite, methods, results):
    """`methods`: the names in the order of their colors."""
    lines = -(-len(suite) // COLUMNS)
    wide, high = COLUMNS * WIDE + 10, TOP + lines * HIGH
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" font-family="sans-serif">',
           f'<rect width="{wide}" height="{high}" fill="white"/>',
           word(10, 16, "Test points by the FLOPs of one row; gray: fixed networks; diamond: the best of a sweep of them; "
                        "the number beside a policy's point is the width that it began with", 11)]
    for number, (color, method) in enumerate(zip(COLORS, methods)):
        out.append(f'<circle cx="{16 + number * 150}" cy="30" r="4" fill="{color}"/>' + word(24 + number * 150, 34, method, 11))
    for number, task in enumerate(suite):
        out += panel(task, grouped(task, results), methods, number % COLUMNS * WIDE, TOP + number // COLUMNS * HIGH)
    return "\n".join([*out, "</svg>"]) + "\n"
