"""Cells as CSV, and a policy's rows as a table for people."""
import csv
import io
import math

import study

COLUMNS = ("task", "nature", "kind", "width", "depth", "seed", "score", "valid", "train", "row", "shape", "seconds")


def csv_of(results):
    """`results`: {cell: result}."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell, result in results.items():
        width, depth = cell.size or ("", "")
        writer.writerow([cell.task.name, cell.task.nature, cell.kind, width, depth, cell.seed, f"{result['score']:.4f}",
                         f"{result['valid']:.4f}", f"{result['train']:.0f}", f"{result['row']:.0f}", result["shape"],
                         result["seconds"]])
    return out.getvalue()


def known(value):
    return "-" if math.isnan(value) else f"{value:.2f}"


def table(method, rows):
    """One line for each task and start."""
    lines = [f"{method:<16} {'start':>6} {'score':>6} {'best':>13} {'lost':>6} {'+-':>5} {'alone':>6} {'sweep':>6} "
             f"{'cost':>6} {'fair':>6} {'row':>6}"]
    for row in rows:
        best = f"{row['best_score']:.1f} {study.label(row['best'])}"
        lines.append(f"{row['task']:<16} {study.label(row['start']):>6} {row['score']:6.1f} {best:>13} {row['lost']:6.2f} "
                     f"{known(row['error']):>5} {row['alone']:6.2f} {row['sweep_score']:6.1f} {row['cost']:6.2f} "
                     f"{row['fair_cost']:6.2f} {row['row_ratio']:6.2f}")
    return "\n".join(lines)


def plain(row):
    """A row as JSON can hold it: no NaN, sizes as words."""
    sizes = {key: study.label(row[key]) for key in ("start", "best", "small")}
    return {**{key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}, **sizes}
