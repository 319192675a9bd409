#!/usr/bin/env python3
"""How near searches for two metrics come to the front: ours, through `trellis solver`, beside Optuna's and Rustuna's.

usage: fronts.py TRELLIS [--seeds N] [--slots N] METHOD...
METHOD is one of ours (nsga2, tpe, random) or of a rival (optuna-nsga2, optuna-tpe, rustuna-nsga2, rustuna-tpe). Prints for each
problem and method the share of the volume between the front and the reference that the trials leave uncovered, a mean over seeds.
"""
import argparse
import math
import statistics

import play
import rivals
import solver
import space

CHECKPOINTS = (100, 200, 400)
REFERENCE = (1.1, 6.0)
FINE = 20_000  # points on the front, for the volume that it covers


def volume(points):
    """What points of two losses cover before the reference."""
    covered, least = 0.0, REFERENCE[1]
    for first, second in sorted(points):
        if first < REFERENCE[0] and second < least:
            covered += (REFERENCE[0] - first) * (least - second)
            least = second
    return covered


def zdt(number, axes):
    """ZDT1 to 3 of Zitzler, Deb and Thiele, Evolutionary Computation 8, 2000. The front has g = 1."""
    def second(x, g):
        share = x / g
        bend = {1: math.sqrt(share), 2: share ** 2, 3: math.sqrt(share) + share * math.sin(10 * math.pi * x)}[number]
        return g * (1 - bend)

    def loss(params):
        rest = [params[f"x{i}"] for i in range(1, axes)]
        return [params["x0"], second(params["x0"], 1 + 9 * statistics.fmean(rest))]

    front = [(i / FINE, second(i / FINE, 1.0)) for i in range(FINE + 1)]
    return space.Problem(name=f"zdt{number}-{axes}", family="front", loss=loss, best=volume(front), metrics=2,
                         parameters=tuple(space.Parameter(f"x{i}") for i in range(axes)))


def mixed():
    """The size of a network against its error: words, ints and a float on a log scale."""
    def loss(params):
        weights = params["width"] * params["depth"] * (1.5 if params["kind"] == "wide" else 1.0)
        slip = abs(math.log10(params["lr"]) + 2.5) / 5
        error = 1 / (1 + weights / 40) + slip * (2 if params["kind"] == "deep" else 1) + 0.1 * (params["kind"] == "plain")
        return [weights / 1000, 6 * error]

    kinds = ("plain", "wide", "deep")
    best = [loss({"width": width, "depth": depth, "lr": 10 ** -2.5, "kind": kind})
            for width in range(4, 257) for depth in range(1, 5) for kind in kinds]
    return space.Problem(name="mixed-4", family="front", loss=loss, best=volume(best), metrics=2, parameters=(
        space.Parameter("width", "int", 4, 256, log=True), space.Parameter("depth", "int", 1, 4),
        space.Parameter("lr", "float", 1e-5, 1.0, log=True), space.Parameter("kind", "choice", choices=kinds)))


def uncovered(problem, search, seed, slots):
    told = play.losses(problem, search, seed, slots, max(CHECKPOINTS))
    return [1 - volume(told[:count]) / problem.best for count in CHECKPOINTS]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("trellis")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("methods", nargs="+")
    args = parser.parse_args()
    print(f"{'problem':10} {'method':16} " + " ".join(f"{count:>8}" for count in CHECKPOINTS))
    for problem in (zdt(1, 10), zdt(2, 10), zdt(3, 10), mixed()):
        for method in args.methods:
            ours = "-" not in method
            program = solver.Program(args.trellis, method) if ours else None
            rows = [uncovered(problem, program.search(problem, seed) if ours else rivals.Search(method, problem, seed), seed,
                              args.slots) for seed in range(args.seeds)]
            print(f"{problem.name:10} {method:16} " + " ".join(f"{statistics.fmean(column):8.3f}" for column in zip(*rows)))
            if ours:
                program.close()


if __name__ == "__main__":
    main()
