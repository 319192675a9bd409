#!/usr/bin/env python3
"""Draws two graphs of what is in bench/results/: docs/bench-sweeps.png (whole searches, from start to end) and
docs/bench-networks.png (an epoch of networks of many shapes).

usage: bench/plot.py          (needs matplotlib, which bench/requirements.txt pins)
The results are what `trellis bench digits --json`, `bench grid --json` and `bench networks --json` printed.
"""
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HOUSE = pathlib.Path(__file__).resolve().parent.parent
OURS, THEIRS, TEXT = "#2f6f4f", "#b9c4be", "#333333"
SWEEPS = (("digits", "digits: 60 trials"), ("grid", "Fashion-MNIST: 27 trials"))


def cases(name):
    with open(HOUSE / "bench" / "results" / f"{name}.json") as f:
        return json.load(f)


def finish(figure, name, machine):
    figure.text(0.99, -0.03, machine, ha="right", va="top", fontsize=7, color=TEXT)
    figure.savefig(HOUSE / "docs" / name, dpi=150, bbox_inches="tight", metadata={"Software": None})


def bars(axes, rows, title, unit):
    """Horizontal bars on a logarithmic axis; rows are (label, value, ours), the first at the top."""
    rows = rows[::-1]
    axes.barh([r[0] for r in rows], [r[1] for r in rows], color=[OURS if r[2] else THEIRS for r in rows])
    axes.set_xscale("log")
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(unit, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    for i, (_, value, _) in enumerate(rows):
        axes.text(value * 1.05, i, f"{value:.3g}", va="center", fontsize=8, color=TEXT)
    axes.set_xlim(min(r[1] for r in rows) / 4, max(r[1] for r in rows) * 3)


def sweeps():
    figure, panels = plt.subplots(1, len(SWEEPS), figsize=(11, 2.6), layout="constrained")
    for axes, (name, title) in zip(panels, SWEEPS):
        timed = [c for c in cases(name) if c["unit"] == "s"]
        rows = [("Trellis", timed[0]["ours"], True)]
        rows += sorted(((c["rival"], c["rival_value"], False) for c in timed), key=lambda r: r[1])
        bars(axes, rows, title, "seconds, from the start of the program to its end")
    finish(figure, "bench-sweeps.png", timed[0]["machine"])


def networks():
    best = {}
    for case in cases("networks"):
        ourselves = case["case"].endswith(", packs")
        if case["unit"] != "s/epoch" or case["rival"] is None or ourselves:
            continue
        if case["case"] not in best or case["rival_value"] < best[case["case"]]["rival_value"]:
            best[case["case"]] = case
    figure, axes = plt.subplots(figsize=(8, 0.45 * len(best) + 1), layout="constrained")
    names = list(best)[::-1]
    axes.barh(names, [best[n]["ratio"] for n in names], color=OURS)
    axes.axvline(1, color=TEXT, linewidth=1)
    for i, name in enumerate(names):
        ratio, rival = best[name]["ratio"], best[name]["rival"]
        axes.text(ratio + 0.03, i, f"{ratio:.2f}  {rival}", va="center", fontsize=8, color=TEXT)
    axes.set_title("An epoch: times as fast as the fastest of the others", loc="left", fontsize=10)
    axes.set_xlim(0, max(c["ratio"] for c in best.values()) * 1.6)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    finish(figure, "bench-networks.png", next(iter(best.values()))["machine"])


if __name__ == "__main__":
    sweeps()
    networks()
