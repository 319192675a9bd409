#!/usr/bin/env python3
"""Every trap of traps.py is named where the table says, and no honest twin is warned of anything.

usage: judge_traps.py PROGRAMS [--pairs] [--seeds N] [--only NAME]..."""
import argparse
import functools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import pairs  # noqa: E402  (they are beside this script)
import traps  # noqa: E402

WITHOUT_TWIN = {*traps.WITHOUT_TWIN, "coupon-letters"}
# What a verdict or a note says of a fault.
DOUBTS = sorted({word for _, word in traps.TRAPS.values()} | {"more than chance", "split: {", "do not use"})


class Judged:
    """What the program says of one table."""

    def __init__(self, trellis, folder):
        def run(*words):
            done = subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, f"{words}: {done.returncode}: {done.stdout}{done.stderr}"
            return done

        self.check = run("check", "study.yaml").stdout
        swept = run("sweep", "study.yaml")
        self.notes = swept.stderr
        self.verdict = json.loads(run("best", "study", "--json").stdout)["verdict"]
        assert f"verdict: {self.verdict['text']}\n" in swept.stdout, "the end of the sweep does not say the verdict"

    def at(self, place):
        return self.verdict["text"] if place in ("verdict", "false") else getattr(self, place)


def faults_of_trap(places, word, judged):
    for place in places:
        if word not in judged.at(place):
            yield f"{place} does not say '{word}': {judged.at(place)}"
    if "false" in places and judged.verdict["beats"] is not False:
        yield f"beats is {judged.verdict['beats']}: {judged.verdict['text']}"


def faults_of_twin(judged):
    for place in ("check", "notes", "verdict"):
        for word in DOUBTS:
            if word in judged.at(place):
                yield f"{place} says '{word}': {judged.at(place)}"
    if judged.verdict["beats"] is not True:
        yield f"beats is {judged.verdict['beats']}: {judged.verdict['text']}"


def tables(options):
    """(name, places, word, seed, honest, what writes the table into a folder) of each table that is asked for."""
    known = {name: (*expected, functools.partial(traps.write, name)) for name, expected in traps.TRAPS.items()}
    if options.pairs:
        known = {name: (places, word, functools.partial(write_pair, name, maker))
                 for name, (maker, word, places) in pairs.PAIRS.items()}
    for name in options.only or known:
        places, word, write = known[name]
        for seed in range(1, options.seeds + 1):
            for honest in (False, True):
                if not (honest and name in WITHOUT_TWIN):
                    yield name, places, word, seed, honest, functools.partial(write, honest, seed)


def write_pair(name, maker, honest, seed, folder):
    traps.write_table(folder, *maker(random.Random(f"{name} {seed}"), honest))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--pairs", action="store_true", help="the pairs of pairs.py in place of the traps")
    options = parser.parse_args()
    trellis = options.programs.resolve() / "trellis"
    wrong = 0
    for name, places, word, seed, honest, write in tables(options):
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            write(folder)
            judged = Judged(trellis, folder)
        faults = list(faults_of_twin(judged) if honest else faults_of_trap(places, word, judged))
        wrong += bool(faults)
        print(f"{name} {seed} {'twin' if honest else 'trap'}:", "; ".join(faults) or judged.verdict["text"], flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
