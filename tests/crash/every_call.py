"""Kills a sweep before every system call that changes a file, in each thread, and checks that the same command again ends
the study byte for byte as if nothing had happened.

usage: every_call.py PROGRAMS [--sample N] [--calls A,B] [--twice]
  --sample N   only N kills, spread evenly over all of them
  --twice      also kills the run that repairs, at the same call
"""

import argparse
import collections
import re
import shutil
import sys

import small_study as small

CALLS = ["write", "pwrite64", "fdatasync", "fsync", "rename", "renameat", "renameat2", "ftruncate", "unlink", "openat"]
# Opening a file only counts where it may make one; a filter by flags is beyond strace.
COUNTED = re.compile(r"^(\d+)\s+(\w+)\((.*)")


def strace(calls, out, inject=()):
    filters = [item for rule in inject for item in ("-e", f"inject={rule}")]
    # No --seccomp-bpf: with it strace 6.1 counts but does not inject.
    return ["strace", "-f", "-qq", "-e", "trace=" + ",".join(calls), "-o", str(out), *filters]


def count_calls(place, calls):
    """How often the thread that makes it most often makes each call in an undisturbed run."""
    out = place.folder / "calls.txt"
    done = place.sweep(place.folder / "counted", "--workers", "1", before=strace(calls, out))
    assert done.returncode == 0, done.stderr
    counts = collections.Counter()
    for line in out.read_text(errors="replace").splitlines():
        if match := COUNTED.match(line):
            counts[match[1], match[2]] += 1
    most = collections.Counter()
    for (_, call), n in counts.items():
        most[call] = max(most[call], n)
    return most


def kill_at(place, call, n, expected, twice):
    """True when the call was reached. `when` counts in each thread for itself: the first to get there dies with all."""
    runs = place.folder / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    rule = f"{call}:signal=KILL:when={n}"
    run = place.sweep(runs, "--workers", "1", before=strace([call], "/dev/null", [rule]))
    small.check_wreck(place, runs, run.stderr)
    if twice:
        again = place.sweep(runs, "--workers", "1", before=strace([call], "/dev/null", [rule]))
        small.check_wreck(place, runs, again.stderr)
    small.check_repaired(place, runs, expected)
    return small.killed(run)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--calls", default="write,pwrite64,fdatasync,fsync,rename,renameat2,ftruncate,unlink")
    parser.add_argument("--twice", action="store_true")
    options = parser.parse_args()
    small.require_strace()
    calls = options.calls.split(",")
    assert set(calls) <= set(CALLS), f"unknown calls in {calls}"
    with small.Place(options.programs) as place:
        expected = place.reference()
        counts = count_calls(place, calls)
        points = [(call, n) for call in calls for n in range(1, counts[call] + 1)]
        print(f"{len(points)} places: " + ", ".join(f"{counts[call]} {call}" for call in calls))
        if options.sample:
            points = [points[i * len(points) // options.sample] for i in range(options.sample)]
        kills = 0
        for call, n in points:
            try:
                kills += kill_at(place, call, n, expected, options.twice)
            except (AssertionError, OSError) as error:
                print(f"killed before {call} number {n}: {error}")
                return 1
        print(f"{kills} kills in {len(points)} runs, 0 lost, 0 doubled, 0 left running")
        # How many commits share a write is a matter of time, so the last places are not always there.
        return 0 if kills >= len(points) * 0.7 else 1


if __name__ == "__main__":
    sys.exit(main())
