"""The whole search, every event of it, is the same on any number of workers, one of them slowed, and the sequential
executor.

usage: workers.py PROGRAMS
"""

import contextlib
import os
import sqlite3
import subprocess
import sys

import small_study as small


def events(runs):
    """The log without its sessions and without real time."""
    with contextlib.closing(sqlite3.connect(f"file:{runs}/small/study.db?mode=ro", uri=True)) as db:
        return db.execute("SELECT vtime, trial, kind, payload FROM events WHERE kind <> 'opened' ORDER BY seq").fetchall()


def burn(cpu):
    """Something that keeps a core busy, so that the worker bound to it gets a fifth of it."""
    return subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))


def main():
    with small.Place(sys.argv[1]) as place:
        expected = place.reference()
        log = events(place.folder / "reference")
        ways = {
            "1 worker": ["--workers", "1"],
            "2 workers": ["--workers", "2"],
            "4 workers": ["--workers", "4"],
            "sequential": ["--executor", "sequential"],
            "one worker slowed": ["--workers", "2"],
        }
        for number, (name, options) in enumerate(ways.items()):
            runs = place.folder / f"runs-{number}"
            slow = name == "one worker slowed"
            burners = [burn(min(os.sched_getaffinity(0))) for _ in range(4 if slow else 0)]
            try:
                done = place.sweep(runs, *options)
            finally:
                for burner in burners:
                    burner.kill()
                    burner.wait()
            assert done.returncode == 0, f"{name}: {done.stderr}"
            assert place.export(runs) == expected, f"{name}: the export differs"
            assert events(runs) == log, f"{name}: the events differ"
        print(f"{len(log)} events, equal in {len(ways)} ways to run")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
