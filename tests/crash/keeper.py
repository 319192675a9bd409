#!/usr/bin/env python3
"""Many processes ask and tell one study while its keeper is killed: no trial may be lost or doubled, and what was
answered must be in the log.

usage: keeper.py BUILD_CLI_FOLDER [--trials N] [--clients N] [--kills N] [--method NAME]

Without kills it is a measurement: the time of a call as its client sees it, and calls a second of all.
"""
import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import trellis  # noqa: E402


def value_of(params):
    """What a trial is told: a function of its params, so that any mix-up shows."""
    return params["x"] + 1000 * params["n"]


def client(folder, answers):
    """Asks and tells until the study is over; hands in what it was answered, and how long each call took."""
    study, mine, times = trellis.load_study(folder), [], []
    while True:
        begun = time.perf_counter()
        try:
            trial = study.ask()
        except trellis.StudyOver:
            break
        asked = time.perf_counter()
        state = study.tell(trial, value_of(trial.params))
        times += [asked - begun, time.perf_counter() - asked]
        mine.append((trial.number, trial.params, state))
    answers.put((mine, times))


def client_or_nothing(folder, answers):
    """So that a client that fails is not waited for."""
    try:
        client(folder, answers)
    except BaseException:
        answers.put(None)
        raise


def killer(folder, kills, over):
    """Kills whoever holds the lock, at random moments."""
    dice, done = random.Random(7), 0
    while done < kills and not over.wait(dice.uniform(0.0, 0.25)):
        try:
            holder = Path(folder, "study.lock").read_text(encoding="utf-8").split("\n")
            os.kill(int(holder[2]), signal.SIGKILL)
            done += 1
        except (OSError, IndexError, ValueError):
            continue
    return done


def check(study, answers, trials):
    asked = [trial for mine, _ in answers for trial in mine]
    doubled = [number for number, count in collections.Counter(t[0] for t in asked).items() if count > 1]
    assert not doubled, f"handed out twice: {doubled}"
    logged = {trial.number: trial for trial in study.trials}
    assert sorted(logged) == list(range(trials)), f"{len(logged)} trials in the log, expected {trials}"
    assert len(asked) == trials, f"{len(asked)} trials were answered for, expected {trials}"
    for number, params, state in asked:
        row = logged[number]
        assert row.params == params, f"trial {number}: {row.params} in the log, {params} was answered"
        assert (row.state, state) == ("complete", "complete"), f"trial {number} is {row.state}, {state} was answered"
        assert row.value == value_of(params), f"trial {number}: {row.value} in the log, {value_of(params)} was told"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--method", default="random")
    options = parser.parse_args()
    os.environ["TRELLIS_PROGRAM"] = str(Path(options.programs, "trellis").resolve())
    with tempfile.TemporaryDirectory(prefix="trellis-keeper-") as folder:
        study = trellis.create_study("many", parameters={"x": {"min": 0.0, "max": 1.0},
                                                         "n": {"type": "int", "min": 0, "max": 9}},
                                     metric="y", method=options.method, trials=options.trials, directory=folder)
        answers, over = multiprocessing.Queue(), threading.Event()
        clients = [multiprocessing.Process(target=client_or_nothing, args=(study.folder, answers))
                   for _ in range(options.clients)]
        hunts, begun = [], time.perf_counter()
        for process in clients:
            process.start()
        hunter = threading.Thread(target=lambda: hunts.append(killer(study.folder, options.kills, over)))
        hunter.start()
        got = [answers.get() for _ in clients]
        assert None not in got, "a client ended with an error"
        seconds = time.perf_counter() - begun
        for process in clients:
            process.join()
        over.set()
        hunter.join()
        check(study, got, options.trials)
        times = sorted(t for _, mine in got for t in mine)
        with contextlib.suppress(trellis.TrellisError):  # the last keeper may have been killed
            trellis.program.run("stop", study.folder)
    assert not options.kills or hunts[0] > 0, "nobody was killed"
    print(json.dumps({"trials": options.trials, "clients": options.clients, "kills": hunts[0], "method": options.method,
                      "seconds": round(seconds, 3), "calls_per_second": round(len(times) / seconds),
                      "ms_per_call": {"mean": round(1000 * statistics.fmean(times), 3),
                                      "median": round(1000 * times[len(times) // 2], 3),
                                      "p99": round(1000 * times[int(len(times) * 0.99)], 3),
                                      "of_all": round(1000 * seconds / len(times), 3)}}))


if __name__ == "__main__":
    main()
