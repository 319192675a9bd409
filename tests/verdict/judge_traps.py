#!/usr/bin/env python3
"""Every trap of traps.py is named where the table says, and no honest twin is warned of anything.

usage: judge_traps.py PROGRAMS [--seeds N] [--only NAME]..."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import traps  # noqa: E402  (it is beside this script)

# What a verdict or a note says of a fault.
DOUBTS = sorted({word for _, word in traps.TRAPS.values()} | {"more than chance", "split: {", "do not use"})


class Judged:
    """What the program says of one table."""

    def __init__(self, trellis, folder):
        def run(*words):
            done = subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, f"{words}: {done.returncode}: {done.stdout}{done.stderr}"
            return done

        self.check = run("check", "study.yaml").stderr
        swept = run("sweep", "study.yaml")
        self.notes = swept.stderr
        self.verdict = json.loads(run("best", "study", "--json").stdout)["verdict"]
        assert f"verdict: {self.verdict['text']}\n" in swept.stdout, "the end of the sweep does not say the verdict"

    def at(self, place):
        return self.verdict["text"] if place in ("verdict", "false") else getattr(self, place)


def faults_of_trap(name, judged):
    places, word = traps.TRAPS[name]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    trellis = options.programs.resolve() / "trellis"
    wrong = 0
    for name in options.only or traps.TRAPS:
        for seed in range(1, options.seeds + 1):
            for honest in (False, True):
                if honest and name in traps.WITHOUT_TWIN:
                    continue
                with tempfile.TemporaryDirectory() as text:
                    folder = pathlib.Path(text)
                    traps.write(name, honest, seed, folder)
                    judged = Judged(trellis, folder)
                faults = list(faults_of_twin(judged) if honest else faults_of_trap(name, judged))
                wrong += bool(faults)
                print(f"{name} {seed} {'twin' if honest else 'trap'}:", "; ".join(faults) or judged.verdict["text"],
                      flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
