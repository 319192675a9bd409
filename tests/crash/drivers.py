"""Several drivers on one study, and drivers that are asked to stop.

usage: drivers.py PROGRAMS [--rounds N]
"""

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import time

import small_study as small


def start(place, runs, *more):
    return subprocess.Popen(place.command(runs, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def is_driven(place, runs):
    listed = place.read(runs, "status", "--json")
    return listed.returncode == 0 and json.loads(listed.stdout)["state"] == "running"


def drive(place, runs):
    """A driver at work; another one where it ended before anybody looked, as on a busy machine it may."""
    for _ in range(50):
        shutil.rmtree(runs, ignore_errors=True)
        process = start(place, runs)
        while process.poll() is None:
            if is_driven(place, runs):
                return process
            time.sleep(0.002)
        process.communicate()
    raise AssertionError("the driver never appeared")


def drive_frozen(place, runs):
    for _ in range(50):
        process = drive(place, runs)
        process.send_signal(signal.SIGSTOP)
        if process.poll() is None and is_driven(place, runs):
            return process
        process.send_signal(signal.SIGCONT)
        process.communicate()
    raise AssertionError("no driver was stopped in its tracks")


def second_driver(place, expected):
    """While one driver is stopped in its tracks, another is refused by name; then the first one ends as if alone."""
    runs = place.folder / "second"
    first = drive_frozen(place, runs)
    try:
        second = place.sweep(runs)
        assert second.returncode == 5, f"exit code {second.returncode}: {second.stderr}"
        last = second.stderr.strip().splitlines()[-1]
        assert str(first.pid) in last and " since " in last and str(runs) in last, last
        assert place.read(runs, "trials").returncode == 0, "a frozen driver blocks readers"
    finally:
        first.send_signal(signal.SIGCONT)
    _, progress = first.communicate(timeout=60)
    assert first.returncode == 0, progress
    assert place.export(runs) == expected


def race(place, expected, rounds):
    """Drivers that start together: each one either does the study, finds it done, or is told who does it."""
    runs = place.folder / "race"
    for _ in range(rounds):
        shutil.rmtree(runs, ignore_errors=True)
        all_of_them = [start(place, runs) for _ in range(4)]
        codes = []
        for process in all_of_them:
            _, progress = process.communicate(timeout=120)
            codes.append(process.returncode)
            assert process.returncode in (0, 5), f"exit code {process.returncode}: {progress}"
        assert 0 in codes, codes
        assert place.export(runs) == expected


def stopped(place, expected, chance, rounds):
    """Ctrl-C (or TERM) at random moments: exit code 75 or the end, nothing running, and the rest is as if undisturbed.
    As often as asked for, and until one came before the end: where others keep the machine busy, few do."""
    runs = place.folder / "stopped"
    resumable = done = 0
    while done < rounds or (resumable == 0 and done < 30 * rounds):
        done += 1
        process = drive(place, runs)
        time.sleep(chance.uniform(0, 0.05))
        sent = chance.choice([signal.SIGINT, signal.SIGTERM])
        process.send_signal(sent)
        _, progress = process.communicate(timeout=60)
        # Behind its last words a program has nothing to end in order, so the signal may end it.
        assert process.returncode in (0, 75) or (process.returncode == -sent and "\nnext: " in progress), (
            f"exit code {process.returncode}: {progress}")
        if process.returncode == 75:
            resumable += 1
            assert "trellis sweep" in progress.strip().splitlines()[-1], f"it does not say how to go on: {progress}"
        small.check_wreck(place, runs, progress)
        small.check_repaired(place, runs, expected)
    assert resumable > 0, "no run was stopped in time"
    return resumable


def stopped_twice(place, expected):
    runs = place.folder / "twice"
    process = drive(place, runs)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    _, progress = process.communicate(timeout=60)
    assert process.returncode in (0, 75), f"exit code {process.returncode}: {progress}"
    small.check_repaired(place, runs, expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with small.Place(options.programs) as place:
        try:
            expected = place.reference()
            second_driver(place, expected)
            race(place, expected, options.rounds)
            resumable = stopped(place, expected, random.Random(1), options.rounds * 2)
            stopped_twice(place, expected)
        except AssertionError as error:
            print(error)
            return 1
    print(f"a second driver is refused; {options.rounds} races of four; {resumable} runs stopped and continued")
    return 0


if __name__ == "__main__":
    sys.exit(main())
