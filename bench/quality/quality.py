#!/usr/bin/env python3
"""How good searches are: our samplers through `trellis solver`, beside Optuna's and Rustuna's, on the problems of this folder.

A method is a word of `method:`, or optuna-tpe, optuna-gp, optuna-cmaes, optuna-random, optuna-qmc, rustuna-tpe; with @8 eight
trials run at once in virtual time. Standard output: one JSON object, {"regrets": {method: {problem: [seed: [at 25, 50,
100 trials]]}}, "cases": [...]}; progress goes to standard error. Rivals' searches are kept in --cache.
"""
import argparse
import hashlib
import json
import pathlib
import sys
import time

import figures
import play
import problems
import rivals
import solver

METHODS = ("random", "sobol", "tpe", "gp", "auto", "tpe@8", "gp@8", "auto@8", "optuna-random", "optuna-tpe", "optuna-gp",
           "rustuna-tpe", "optuna-tpe@8", "rustuna-tpe@8")


def fingerprint(problem):
    """Changes when a problem does: its space, and its losses at a few random points."""
    import random
    stream = random.Random("fingerprint")
    points = [problem.loss(problem.drawn(stream)) for _ in range(5)]
    text = repr((problem.parameters, [f"{loss:.9g}" for loss in points]))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Players:
    """Plays searches; keeps programs open and rivals' results on disk."""

    def __init__(self, options):
        self.options, self.programs = options, {}

    def play(self, method, problem, seed):
        name, _, slots = method.partition("@")
        slots = int(slots or 1)
        if name in rivals.NAMES:
            return self.kept(method, problem, seed,
                             lambda: play.losses(problem, rivals.Search(name, problem, seed), seed, slots, self.options.trials))
        if name not in self.programs:
            self.programs[name] = solver.Program(self.options.trellis, name)
        try:
            return play.losses(problem, self.programs[name].search(problem, seed), seed, slots, self.options.trials)
        except solver.Refused:
            return None

    def kept(self, method, problem, seed, run):
        folder = pathlib.Path(self.options.cache) / f"{problem.name}-{fingerprint(problem)}"
        folder /= f"{method}-{rivals.version(method)}"
        path = folder / f"{seed}.json"
        told = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        if len(told) >= self.options.trials:
            return told[:self.options.trials]
        told = run()
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(told), encoding="utf-8")
        return told

    def close(self):
        for program in self.programs.values():
            program.close()


def table_of(players, method, suite, seeds):
    """{problem: [seed: regrets]}, without the problems that the method refuses."""
    table, begun = {}, time.perf_counter()
    for problem in suite:
        told = [players.play(method, problem, seed) for seed in range(seeds)]
        if None not in told:
            table[problem.name] = [play.regrets(problem, one) for one in told]
    reached = sum(trials <= players.options.trials for trials in play.CHECKPOINTS)
    means = ", ".join(f"{figures.mean(table, c):.4f}" for c in range(reached)) if table else "refused all"
    print(f"{method}: {means} after {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    return table


def is_rival(method):
    return method.partition("@")[0] in rivals.NAMES


def best_rival(regrets, slots, checkpoint):
    """The rival, one trial at a time, whose mean over all problems is the smallest."""
    found = [(figures.mean(table, checkpoint), method) for method, table in regrets.items()
             if is_rival(method) and method.partition("@")[2] == slots and len(table) == max(map(len, regrets.values()))]
    return min(found)[1] if found else None


def cases_of(regrets, suite, most):
    cases = []
    families = {problem.name: problem.family for problem in suite}
    for method, table in regrets.items():
        if is_rival(method) or not table:
            continue
        name, _, slots = method.partition("@")
        for checkpoint, trials in enumerate(play.CHECKPOINTS):
            if trials > most:
                continue
            against = {best_rival(regrets, slots, checkpoint)}
            if name == "tpe":
                against.add("optuna-tpe" + ("@" + slots if slots else ""))
            for rival in sorted(one for one in against if one in regrets):
                cases += figures.compared(method, table, rival, regrets[rival], checkpoint, trials)
            if not slots and name != "random" and "random" in regrets:
                own = {p: seeds for p, seeds in table.items() if families[p] == "conditional"}
                for problem, seeds in own.items():
                    cases += figures.compared(f"{method} on {problem}", {problem: seeds}, "random", regrets["random"], checkpoint,
                                              trials)[:1]
            if slots and name in regrets:
                cases += figures.compared(f"{method} against one by one", table, name, regrets[name], checkpoint, trials)[:1]
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trellis", required=True, help="the program")
    parser.add_argument("--cache", required=True, help="folder for what rivals found")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=play.TRIALS)
    parser.add_argument("--problems", default="", help="names, families or wildcards, with commas between them; default: all")
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    try:
        suite = problems.chosen([word for word in options.problems.split(",") if word])
    except ValueError as error:
        sys.exit(f"quality: {error}")
    players, regrets = Players(options), {}
    for method in options.methods.split(","):
        regrets[method] = table_of(players, method, suite, options.seeds)
    players.close()
    print(json.dumps({"regrets": regrets, "cases": cases_of(regrets, suite, options.trials)}))


if __name__ == "__main__":
    main()
