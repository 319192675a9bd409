"""Kills a sweep at random moments of each phase of its life, with SIGKILL from outside, and checks that the same command
again ends the study byte for byte as if nothing had happened.

usage: any_moment.py PROGRAMS [--each N] [--seed S] [--population]
  --each N       kills in each phase (default 20)
  --population   of a study by population based training with reshapes

A phase is told from what the process touches: the harness reads a trace of its system calls while it runs, picks a random
one of those that belong to the phase, and kills a random moment (up to a few milliseconds) after it.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import small_study as small

# What each phase touches. Training touches nothing: it is what happens a while after a commit.
PHASES = {
    "creation": re.compile(r"study\.(yaml|lock)|study\.db(?!-wal)"),
    "training": None,
    "checkpoint": re.compile(r"/store/"),
    "decision": re.compile(r"pwrite64\(.*study\.db-wal"),
    "end": re.compile(r"best\.safetensors"),
}
TRACED = "trace=openat,write,pwrite64,fdatasync,fsync,rename"


def kill_in(place, phase, runs, chance):
    """True when the process died of our hand."""
    pattern = PHASES[phase]
    read, write = os.pipe()
    trace = ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-e", TRACED, "-o", f"/dev/fd/{write}"]
    if phase == "end":  # three calls away from the process's own end: they are stretched so that a signal can get there
        trace += ["-e", "inject=fsync,rename:delay_enter=4000:delay_exit=4000"]
    skip = {"creation": chance.randrange(0, 8), "end": chance.randrange(0, 3), "decision": chance.randrange(0, 40),
            "checkpoint": chance.randrange(0, 60), "training": chance.randrange(0, 40)}[phase]
    process = subprocess.Popen([*trace, *place.command(runs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               pass_fds=[write], start_new_session=True)
    os.close(write)
    seen = 0
    with os.fdopen(read, errors="replace") as lines:
        for line in lines:
            if (pattern or PHASES["decision"]).search(line):
                seen += 1
                if seen > skip:
                    break
        time.sleep(chance.uniform(0.002, 0.02) if phase == "training" else chance.uniform(0, 0.002))
        alive = process.poll() is None
        if alive:
            os.killpg(process.pid, signal.SIGKILL)
        for _ in lines:
            pass
    _, progress = process.communicate(timeout=60)
    small.check_wreck(place, runs, progress)
    return alive and small.killed(process)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--population", action="store_true")
    options = parser.parse_args()
    small.require_strace()
    chance = random.Random(options.seed)
    counts = dict.fromkeys(PHASES, 0)
    with small.Place(options.programs, study=small.population() if options.population else small.STUDY) as place:
        expected = place.reference()
        runs = place.folder / "runs"
        for phase in PHASES:
            for attempt in range(options.each * 4):
                if counts[phase] == options.each:
                    break
                shutil.rmtree(runs, ignore_errors=True)
                try:
                    counts[phase] += kill_in(place, phase, runs, chance)
                    small.check_repaired(place, runs, expected)
                except (AssertionError, OSError) as error:
                    print(f"killed in {phase}, attempt {attempt}, seed {options.seed}: {error}")
                    return 1
    print(", ".join(f"{phase} {n}" for phase, n in counts.items()) + " kills: 0 lost, 0 doubled, 0 left running")
    return 0 if min(counts.values()) >= options.each else 1


if __name__ == "__main__":
    sys.exit(main())
