"""Kills runs with adapting networks with SIGKILL, at random moments of their life, and checks that the same command again
ends byte for byte as if nothing had happened: log, tables, front and the weights of the network.

usage: adaptive.py PROGRAMS [--policy P] [--verb sweep|train] [--from] [--kills N] [--seed S]
  --policy P   race (default), auto, folds (of networks that race), plateau, plugin or schedule
  --from       the networks go on from a model, with a column and a class that it does not know, and a replay
  --kills N    runs that are killed, evenly over the phases (default 100)

An undisturbed run with a trace tells how many tasks there are of each name and how long they take. A run writes down, at
TRELLIS_MISS_LOG, each result that it is about to compute: the harness reads the system calls of a run, waits for a random task
of the phase, and kills at a random moment within the time that the task takes. One run in three is killed again while it goes
on, at any moment.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import adaptive_study
import small_study as small

TRACED = "trace=openat,write,pwrite64,fdatasync,fsync,rename"
MISS_LOG = "/dev/null"
MISS = re.compile(rf'write\(\d+<{MISS_LOG}>, "(.+) [0-9a-f]{{8}}')
# The task whose miss begins the phase. Those of the others are told by a file.
TASKS = {"training": "evaluate", "race": "score", "statistics": "unit statistics", "reshape": "reshape"}
FILES = {
    "creation": re.compile(r"study\.(yaml|lock)|train\.lock|study\.db(?!-wal)|points\.csv"),
    "checkpoint": re.compile(r"/store/../\.tmp"),
    "end": re.compile(r"(best|model)\.safetensors"),
}
PHASES = ["creation", "training", "race", "statistics", "reshape", "checkpoint", "end"]


class Tasks:
    """The tasks of an undisturbed run."""

    def __init__(self, trace):
        spans = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "task"]
        self.names = {key: e["name"] for e in spans for key in e["args"].get("results", "").split()}
        self.seconds = {}
        for name in {e["name"] for e in spans}:
            times = sorted(e["dur"] * 1e-6 for e in spans if e["name"] == name)
            self.seconds[name] = times[len(times) // 2]

    def count(self, name):
        return sum(known == name for known in self.names.values())

    def in_phase(self, phase, line):
        """Whether the line of a system call belongs to the phase."""
        if phase in FILES:
            return FILES[phase].search(line) is not None
        found = MISS.search(line)
        return found is not None and found[1] == TASKS[phase]

    def choose(self, phase, chance):
        """How many calls of the phase to let pass, and how long to wait then."""
        if phase == "creation":
            return chance.randrange(8), chance.uniform(0, 0.01)
        if phase == "end":
            return chance.randrange(3), chance.uniform(0, 0.002)
        if phase == "checkpoint":
            return chance.randrange(self.count("train")), chance.uniform(0, 0.001)
        wait = {"training": "train", "race": "train"}.get(phase, TASKS[phase])
        return chance.randrange(self.count(TASKS[phase])), chance.uniform(0, self.seconds[wait])


def end(process):
    """Kills what is still there; whether it was, and what it wrote to standard error."""
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    _, progress = process.communicate(timeout=60)
    return alive and small.killed(process), progress


def kill_in(run, tasks, phase, runs, chance):
    """True when the run died of our hand."""
    read, write = os.pipe()
    trace = ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-e", TRACED, "-o", f"/dev/fd/{write}"]
    if phase == "end":  # a few calls away from the process's own end: they are stretched so that a signal can get there
        trace += ["-e", "inject=fsync,rename:delay_enter=4000:delay_exit=4000"]
    skip, wait = tasks.choose(phase, chance)
    process = subprocess.Popen([*trace, *run.command(runs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               pass_fds=[write], start_new_session=True, env=os.environ | {"TRELLIS_MISS_LOG": MISS_LOG})
    os.close(write)
    with os.fdopen(read, errors="replace") as lines:
        for line in lines:
            if tasks.in_phase(phase, line):
                skip -= 1
                if skip < 0:
                    break
        time.sleep(wait)
        died, progress = end(process)
    run.check_wreck(runs, progress)
    return died


def kill_at_any_moment(run, runs, seconds, chance):
    process = subprocess.Popen(run.command(runs), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    time.sleep(chance.uniform(0, seconds))
    died, progress = end(process)
    run.check_wreck(runs, progress)
    return died


def finish(run, runs, *more):
    done = subprocess.run(run.command(runs, *more), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"failed with {done.returncode}: {done.stdout}{done.stderr}"
    return run.outcome(runs, done.stdout)


def reference(run, verb, policy):
    """What an undisturbed run gives, how long it takes, and its tasks. A lone training has those of a sweep of one trial."""
    folder = run.place.folder
    begun = time.monotonic()
    expected = finish(run, folder / "reference")
    seconds = time.monotonic() - begun
    traced = run.place.sweep(folder / "traced", "--trace")
    assert traced.returncode == 0, traced.stderr
    tasks = Tasks(folder / "traced" / "small" / "trace.json")
    tried = "candidates.csv" if verb == "sweep" else "model-candidates.csv"
    accepted = [line for line in expected[tried].decode().splitlines() if ",true," in line and ",keep," not in line]
    assert accepted or run.may_keep, f"no {policy} of the {verb} changed a network"
    if policy not in ("plugin", "schedule"):
        races = tasks.count("row scores" if policy == "auto" else "score")
        assert races > 2 * len(accepted), "nothing was raced"
    return expected, seconds, tasks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--policy", default="race", choices=sorted(adaptive_study.POLICIES))
    parser.add_argument("--verb", default="sweep", choices=["sweep", "train"])
    parser.add_argument("--from", action="store_true", dest="continued")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    small.require_strace()
    chance = random.Random(options.seed)
    run = (adaptive_study.Sweep if options.verb == "sweep" else adaptive_study.Training)(
        options.programs, options.policy, options.continued)
    with run.place:
        expected, seconds, tasks = reference(run, options.verb, options.policy)
        phases = [phase for phase in PHASES if phase not in TASKS or tasks.count(TASKS[phase])]
        counts, again = dict.fromkeys(phases, 0), 0
        runs = run.place.folder / "runs"
        for number in range(options.kills * 4):
            if sum(counts.values()) >= options.kills:
                break
            phase = min(phases, key=lambda name: (counts[name], chance.random()))
            shutil.rmtree(runs, ignore_errors=True)
            try:
                counts[phase] += kill_in(run, tasks, phase, runs, chance)
                if chance.random() < 1 / 3:
                    again += kill_at_any_moment(run, runs, seconds, chance)
                wrong = small.differences(expected, finish(run, runs))
                assert not wrong, f"differs from the undisturbed run: {wrong}"
            except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                print(f"killed in {phase}, run {number}, seed {options.seed}: {error}")
                return 1
    total = sum(counts.values())
    print(f"{total} of {total} runs killed in " + ", ".join(f"{phase} {n}" for phase, n in counts.items()) +
          f" ({again} of them twice) ended with the same bytes")
    return 0 if total >= options.kills else 1


if __name__ == "__main__":
    sys.exit(main())
