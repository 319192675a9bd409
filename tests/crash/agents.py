"""A study on several agents is the same as on none, whatever becomes of the agents or the driver.

usage: agents.py PROGRAMS [--adapt POLICY | --population] [--losses N] [--drivers N] [--seed N]
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import adaptive_study
import small_study as small

MOST = 4  # seconds that a lost agent may hold a study up


def hosts(count):
    return ["--hosts", ",".join(["localhost"] * count)]


def require_network(programs):
    build = os.path.dirname(os.path.abspath(programs))
    if not os.path.exists(os.path.join(build, "runtime", "net", "grpc", "trellis-net.so")):
        small.skip("built without gRPC (tools/setup/setup network)")


def outcome(run, runs, *options):
    done = run.place.sweep(runs, *options)
    assert done.returncode == 0, done.stderr
    return run.outcome(runs, done.stdout)


def agents_of(runs):
    """The processes of the agents of a study under that folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:  # it has ended meanwhile
            continue
        if len(words) > 2 and words[1] == b"agent" and words[2].startswith(f"{runs}/".encode()):
            found.append(int(entry.name))
    return found


def signal_to(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def start(run, runs):
    return subprocess.Popen(run.place.command(runs, *hosts(3)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lose_agents(run, expected, options, usual):
    """One of three agents dies or freezes at a random moment; the study notices, and nothing else."""
    chance = random.Random(options.seed)
    longest = 0
    for number in range(options.losses):
        runs = run.place.folder / f"loss-{number}"
        begun = time.monotonic()
        driver = start(run, runs)
        time.sleep(chance.uniform(0.05, max(0.9 * usual, 0.3)))
        agents = agents_of(runs)
        victim = chance.choice(agents) if agents else None
        how = chance.choice([signal.SIGKILL, signal.SIGSTOP])
        if victim:
            signal_to(victim, how)
        out, errors = driver.communicate(timeout=60)
        took = time.monotonic() - begun
        if victim:
            signal_to(victim, signal.SIGKILL)
        assert driver.returncode == 0, f"{how.name}: {errors}"
        wrong = small.differences(expected, run.outcome(runs, out))
        assert not wrong, f"{how.name}, {number}: differs in {wrong}"
        longest = max(longest, took - usual)
    print(f"{options.losses} agents lost, {longest:.1f} s longer at most")
    assert longest < MOST + usual, "a lost agent holds the study up"


def lose_drivers(run, expected, options, usual):
    """The driver dies at a random moment; the next one goes on, with the agents that still wait and new ones."""
    chance = random.Random(options.seed)
    for number in range(options.drivers):
        runs = run.place.folder / f"driver-{number}"
        driver = start(run, runs)
        time.sleep(chance.uniform(0.05, max(0.9 * usual, 0.3)))
        driver.kill()
        driver.communicate()
        done = run.place.sweep(runs, *hosts(3))
        for agent in agents_of(runs):
            signal_to(agent, signal.SIGKILL)
        assert done.returncode == 0, done.stderr
        wrong = small.differences(expected, run.outcome(runs, done.stdout))
        assert not wrong, f"driver {number}: differs in {wrong}"
    print(f"{options.drivers} drivers lost")


def main():
    parser = argparse.ArgumentParser()
    adaptive_study.add_choice(parser)
    parser.add_argument("--losses", type=int, default=0)
    parser.add_argument("--drivers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require_network(options.programs)
    run = adaptive_study.chosen(options)
    with run.place as place:
        expected = outcome(run, place.folder / "reference")
        usual = 0
        for count in (1, 2, 3):
            begun = time.monotonic()
            found = outcome(run, place.folder / f"agents-{count}", *hosts(count))
            usual = time.monotonic() - begun
            wrong = small.differences(expected, found)
            assert not wrong, f"{count} agents: differs in {wrong}"
        print(f"{len(expected['events'])} events, equal on 0 to 3 agents")
        lose_agents(run, expected, options, usual)
        lose_drivers(run, expected, options, usual)


if __name__ == "__main__":
    sys.exit(main())
