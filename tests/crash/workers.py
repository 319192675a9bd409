"""The whole search, every event of it, is the same on any number of workers, one of them slowed, and the sequential
executor. With networks that adapt, so are the outcome of every race and the weights of the best network.

usage: workers.py PROGRAMS [--adapt POLICY | --population]
"""

import argparse
import os
import subprocess
import sys

import adaptive_study
import small_study as small

WAYS = {
    "1 worker": ["--workers", "1"],
    "2 workers": ["--workers", "2"],
    "4 workers": ["--workers", "4"],
    "sequential": ["--executor", "sequential"],
    "one worker slowed": ["--workers", "2"],
}


def burn(cpu):
    """Something that keeps a core busy, so that the worker bound to it gets a fifth of it."""
    return subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))


def outcome(run, runs, *options):
    done = run.place.sweep(runs, *options)
    assert done.returncode == 0, done.stderr
    return run.outcome(runs, done.stdout)


def main():
    parser = argparse.ArgumentParser()
    adaptive_study.add_choice(parser)
    options = parser.parse_args()
    run = adaptive_study.chosen(options)
    with run.place as place:
        expected = outcome(run, place.folder / "reference")
        for number, (name, how) in enumerate(WAYS.items()):
            slow = name == "one worker slowed"
            burners = [burn(min(os.sched_getaffinity(0))) for _ in range(4 if slow else 0)]
            try:
                found = outcome(run, place.folder / f"runs-{number}", *how)
            finally:
                for burner in burners:
                    burner.kill()
                    burner.wait()
            wrong = small.differences(expected, found)
            assert not wrong, f"{name}: differs in {wrong}"
        print(f"{len(expected['events'])} events, equal in {len(WAYS)} ways to run")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
