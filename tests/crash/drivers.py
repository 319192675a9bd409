"""Several drivers on one study, and drivers that are asked to stop.

usage: drivers.py PROGRAMS NO_LOCKS [--rounds N]
  NO_LOCKS    the library of this folder that makes a file system lie about locks (no_locks.cpp)
  --rounds N  races of eight drivers on each kind of folder
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import small_study as small


# How a folder's locks are: real ones; granted to everybody, as sshfs does between machines; refused. On one machine or
# on as many as there are drivers: an older driver's process is seen, or can only be asked.
KINDS = {"locks": None, "granted, one machine": ("granted", False), "granted, many machines": ("granted", True),
         "refused, one machine": ("refused", False), "refused, many machines": ("refused", True)}
DRIVERS = 8


def without_locks(library, locks, host=None):
    """The environment of a program on such a folder, on a machine of that name or on this one."""
    named = {"TEST_HOST": host} if host else {}
    return {**os.environ, "LD_PRELOAD": str(library), "TEST_LOCKS": locks, **named}


def start(place, runs, *more, env=None):
    return subprocess.Popen(place.command(runs, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=env or place.environment)


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


def freeze(process):
    """Stops all of its threads: while one waits for the disk, the others go on."""
    process.send_signal(signal.SIGSTOP)
    while process.poll() is None:
        with contextlib.suppress(OSError):  # a thread has ended meanwhile
            stats = [(path / "stat").read_text() for path in Path(f"/proc/{process.pid}/task").iterdir()]
            if all(stat.rsplit(")", 1)[1].split()[0] == "T" for stat in stats):
                return
        time.sleep(0.002)


def drive_frozen(place, runs):
    for _ in range(50):
        process = drive(place, runs)
        freeze(process)
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


def check_log(runs, sessions):
    """The log is whole, so many sessions opened it, and the first did all the work."""
    with contextlib.closing(sqlite3.connect(f"file:{runs}/small/study.db?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT epoch FROM holder").fetchone() == (sessions,)
        opened = [epoch for (epoch,) in db.execute("SELECT epoch FROM events WHERE kind = 'opened' ORDER BY seq")]
        assert opened == list(range(1, sessions + 1)), opened
        worked = db.execute("SELECT DISTINCT epoch FROM events WHERE kind IN ('created', 'reported', 'ended')")
        assert worked.fetchall() == [(1,)]


def race(place, expected, rounds, kind, library):
    """Drivers that start together: one does the study; each other one finds it done, or is told who does it."""
    locks = KINDS[kind]
    runs = place.folder / "race"
    place.environment = without_locks(library, locks[0]) if locks else None
    refused = 0
    for _ in range(rounds):
        shutil.rmtree(runs, ignore_errors=True)
        hosts = [without_locks(library, locks[0], f"h{i}") if locks and locks[1] else None for i in range(DRIVERS)]
        codes = []
        for process in [start(place, runs, env=env) for env in hosts]:
            _, progress = process.communicate(timeout=120)
            codes.append(process.returncode)
            assert process.returncode in (0, 5), f"exit code {process.returncode}: {progress}"
            assert process.returncode == 0 or " is in use by " in progress, progress
        check_log(runs, codes.count(0))
        assert place.export(runs) == expected
        refused += codes.count(5)
    place.environment = None
    return f"{kind}: {rounds} races of {DRIVERS}, {refused} drivers refused"


def has_work_left(runs):
    with contextlib.closing(sqlite3.connect(f"file:{runs}/small/study.db?mode=ro", uri=True)) as db:
        return db.execute("SELECT count(*) FROM events WHERE kind = 'finished'").fetchone() == (0,)


def drive_between_writes(place, runs):
    """A driver that was stopped in its tracks, not while it wrote and not behind its last event."""
    for _ in range(50):
        process = drive_frozen(place, runs)
        if not (runs / "small" / "study.db-journal").exists() and has_work_left(runs):
            return process
        process.send_signal(signal.SIGCONT)
        process.communicate()
    raise AssertionError("no driver was stopped between its writes")


def just_begun(place, library, locks):
    """Who reads a study that is just being made leaves the journal of its first write alone."""
    study = place.folder / f"begun-{locks}" / "small"
    study.mkdir(parents=True)
    (study / "study.db").touch()
    journal = study / "study.db-journal"
    journal.write_bytes(bytes(512))
    place.environment = without_locks(library, locks)
    listed = place.read(study.parent, "status")
    place.environment = None
    assert listed.returncode == 4 and "there is no study in" in listed.stderr, listed
    assert journal.exists(), "a reader removed a driver's journal"


def taken_over(place, expected, library, locks):
    """Without locks: another machine leaves a driver alone that answers, and goes on with the study of one that does
    not. If that one comes to itself, it writes nothing."""
    runs = place.folder / "taken"
    place.environment = without_locks(library, locks, "h1")
    other = without_locks(library, locks, "h2")
    first = drive(place, runs)
    second = place.sweep(runs, env=other)
    if first.poll() is None:
        assert second.returncode == 5, f"exit code {second.returncode}: {second.stderr}"
        assert f"process {first.pid} on h1" in second.stderr, second.stderr
    assert second.returncode in (0, 5), second.stderr
    _, progress = first.communicate(timeout=60)
    assert first.returncode == 0, f"exit code {first.returncode}: {progress}"
    assert place.export(runs) == expected, "the export differs though the first driver was left alone"

    first = drive_between_writes(place, runs)
    second = place.sweep(runs, env=other)
    assert second.returncode == 0, f"exit code {second.returncode}: {second.stderr}"
    assert place.export(runs) == expected, "the export of the study that was taken over differs"
    log = (runs / "small" / "study.db").read_bytes()
    first.send_signal(signal.SIGCONT)
    _, progress = first.communicate(timeout=60)
    assert first.returncode == 5, f"exit code {first.returncode}: {progress}"
    assert "process " in progress and " on h2, which took it over" in progress, progress
    assert (runs / "small" / "study.db").read_bytes() == log, "a driver that lost its study wrote"

    first = drive(place, runs)
    first.kill()
    first.communicate()
    second = place.sweep(runs, env=other)
    assert second.returncode == 0, f"exit code {second.returncode}: {second.stderr}"
    assert place.export(runs) == expected, "the export differs after a kill"
    place.environment = None


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
    parser.add_argument("no_locks")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with small.Place(options.programs) as place:
        try:
            expected = place.reference()
            second_driver(place, expected)
            for kind in KINDS:
                print(race(place, expected, options.rounds, kind, options.no_locks), flush=True)
            for locks in ("granted", "refused"):
                just_begun(place, options.no_locks, locks)
                taken_over(place, expected, options.no_locks, locks)
            resumable = stopped(place, expected, random.Random(1), min(options.rounds * 2, 50))
            stopped_twice(place, expected)
        except AssertionError as error:
            print(error)
            return 1
    print(f"a second driver is refused; one that is silent is followed; {resumable} runs stopped and continued")
    return 0


if __name__ == "__main__":
    sys.exit(main())
