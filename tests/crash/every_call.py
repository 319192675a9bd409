"""Kills a sweep before every system call that changes a file or tells somebody, in each thread, and checks that the same
command again ends the study byte for byte as if nothing had happened.

usage: every_call.py PROGRAMS KILL_AT [--sample N] [--calls A,B] [--twice] [--contained]
  KILL_AT      the helper of this folder that counts and kills (kill_at.cpp)
  --sample N   only N kills, spread evenly over all of them
  --twice      also kills the run that repairs, at the same place
  --contained  each run in a container (unshare) in which its processes have the numbers of those that died

A dry run counts how often each thread makes each call; then every (thread, call, n) has a run of its own that dies there.
"""

import argparse
import collections
import functools
import operator
import shutil
import subprocess
import sys

import small_study as small

# How many events share a commit is a matter of time, so the last places of a thread are not in every run. A place that every
# dry run had must be hit; one that only some had is tried as often.
TRIES = 6
DRY_RUNS = 4


class Places:
    """Where a sweep can be killed: what each thread does in an undisturbed run."""

    def __init__(self, place, kill_at, calls):
        self.kill_at = kill_at
        self.names = {}
        dry = [self.count(place, place.folder / f"counted-{attempt}", calls) for attempt in range(DRY_RUNS)]
        self.counts = functools.reduce(operator.or_, dry)  # the most of all runs
        self.always = functools.reduce(operator.and_, dry)  # the least

    def count(self, place, runs, calls):
        log = place.folder / "calls.txt"
        done = place.sweep(runs, "--workers", "1", before=[self.kill_at, "--log", str(log)])
        if done.returncode == small.SKIP:
            small.skip("may not trace here")
        assert done.returncode == 0, done.stderr
        counts = collections.Counter()
        for line in log.read_text().splitlines():
            thread, name, call, n = line.split()
            if calls and call not in calls:
                continue
            self.names[int(thread)] = name
            counts[int(thread), call] = int(n)
        return counts

    def all(self):
        return [(thread, call, n) for (thread, call), most in sorted(self.counts.items()) for n in range(1, most + 1)]

    def is_certain(self, where):
        """Whether every dry run came there."""
        thread, call, n = where
        return n <= self.always[thread, call]

    def words(self):
        """`0 trellis-engine: 3 fsync, 40 pwrite64; 2 CPU-0: ...`"""
        lines = []
        for thread, name in sorted(self.names.items()):
            calls = [f"{n} {call}" for (of, call), n in sorted(self.counts.items()) if of == thread]
            lines.append(f"thread {thread} {name}: " + ", ".join(calls))
        return "; ".join(lines)


def kill_once(place, where, runs, kill_at):
    """One run that dies at the place, if it comes there."""
    thread, call, n = where
    run = place.sweep(runs, "--workers", "1", before=[kill_at, "--at", f"{thread}:{call}:{n}"])
    assert run.returncode in (0, 128 + 9), f"exit code {run.returncode}: {run.stderr}"
    small.check_wreck(place, runs, run.stderr)
    return small.killed(run)


def kill_at_place(place, where, kill_at, expected, twice):
    """True when the place was reached."""
    runs = place.folder / "runs"
    for _ in range(TRIES):
        shutil.rmtree(runs, ignore_errors=True)
        died = kill_once(place, where, runs, kill_at)
        if died and twice:
            kill_once(place, where, runs, kill_at)
        small.check_repaired(place, runs, expected)
        if died:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("kill_at")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--calls", default="")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--contained", action="store_true")
    options = parser.parse_args()
    if options.contained:
        small.require_containers()
    with small.Place(options.programs, contained=options.contained) as place:
        expected = place.reference()
        places = Places(place, options.kill_at, [call for call in options.calls.split(",") if call])
        points = places.all()
        print(f"{len(points)} places: {places.words()}", flush=True)
        if options.sample:
            points = [points[i * len(points) // options.sample] for i in range(options.sample)]
        missed = []
        for where in points:
            try:
                if not kill_at_place(place, where, options.kill_at, expected, options.twice):
                    missed.append(where)
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                print(f"killed at {where}: {error}")
                return 1
        certain = [where for where in missed if places.is_certain(where)]
        print(f"{len(points) - len(missed)} of {len(points)} places hit, 0 lost, 0 doubled, 0 left running; {len(missed)} are "
              f"not in every run and were not there in {TRIES}")
        if certain:
            print(f"never reached, but in every dry run: {certain}")
        return 1 if certain else 0


if __name__ == "__main__":
    sys.exit(main())
