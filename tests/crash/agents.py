"""A study on several agents is the same as on none, whatever becomes of the agents or the driver.

usage: agents.py PROGRAMS [--adapt POLICY | --population] [--losses N] [--kinds KIND,...]
                          [--drivers N] [--seed N]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import types

import adaptive_study
import small_study as small
from relay import Relays

TO_BE_CONTINUED = 75  # an exit code
MOST = 4  # seconds that a lost agent may hold a study up
SIGNALS = {"kill": signal.SIGKILL, "freeze": signal.SIGSTOP}  # to an agent's process
CUTS = {"reset": 0, "swallow": 5, "hold": 1}  # what a relay does to its connections, for how many seconds


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


def agents_of(runs, name=""):
    """The processes of the agents of a study under that folder; of the one that is called so."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:  # it has ended meanwhile
            continue
        if len(words) > 2 and words[1] == b"agent" and words[2].startswith(f"{runs}/{name}".encode()):
            found.append(int(entry.name))
    return found


def signal_to(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def start(run, runs, *options, **more):
    command = run.place.command(runs, *(options or hosts(3)))
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def run_through_relays(run, runs, disturb):
    """A study whose agents reach it through relays; `disturb` is called with those once each agent has come."""
    begun = time.monotonic()
    with Relays(runs / "small", 3) as relays:
        driver = start(run, runs, *relays.options(), env=relays.environment())
        try:
            while driver.poll() is None and not relays.all_connected() and time.monotonic() < begun + 60:
                time.sleep(0.005)
            ready = time.monotonic()
            hit = disturb(relays) and driver.poll() is None
            out, errors = driver.communicate(timeout=60)
            ended = time.monotonic()
        finally:
            driver.kill()
            for agent in agents_of(runs):
                signal_to(agent, signal.SIGKILL)
    assert driver.returncode == 0, f"ended with {driver.returncode}: {errors}"
    return types.SimpleNamespace(out=out, errors=errors, took=ended - begun, worked=ended - ready, hit=hit)


def lose(run, expected, kind, options, usual):
    """One of three agents is lost in that way at a random moment; the study notices, and nothing else."""
    chance = random.Random(f"{options.seed} {kind}")
    hits, lost, longest, tried = 0, 0, 0, 0
    while hits < options.losses:
        tried += 1
        assert tried <= 5 * options.losses, f"{kind}: only {hits} studies were still running"
        runs = run.place.folder / f"{kind}-{tried}"
        agent, moment = chance.randrange(3), chance.uniform(0, 0.9 * usual.worked)
        which = chance.choice([slice(None), slice(0, 1), slice(1, 2)])  # an agent has two connections

        def disturb(relays):
            time.sleep(moment)
            if kind in CUTS:
                return relays.cut(agent, kind, which, CUTS[kind]) > 0
            processes = agents_of(runs, relays.seen_from(agent))
            for process in processes:
                signal_to(process, SIGNALS[kind])
            return bool(processes)

        done = run_through_relays(run, runs, disturb)
        wrong = small.differences(expected, run.outcome(runs, done.out))
        assert not wrong, f"{kind}, {tried}: differs in {wrong}"
        shutil.rmtree(runs)
        if not done.hit:
            continue
        hits += 1
        lost += "was lost" in done.out + done.errors
        if done.worked > MOST + 2 * usual.worked:  # because the machine has more to do than it had before?
            now = run_through_relays(run, runs, lambda relays: False)
            shutil.rmtree(runs)
            usual = max(usual, now, key=lambda one: one.worked)
        longer = done.worked - usual.worked
        assert longer < MOST + usual.worked, f"{kind}, {tried}: {longer:.1f} s longer: {done.out}{done.errors}"
        longest = max(longest, longer)
    print(f"{kind}: {hits} agents hit, {lost} of them lost, {longest:.1f} s longer at most", flush=True)
    assert lost == 0 or kind != "hold", "an agent is lost that was only slow"


def lose_drivers(run, expected, options, usual):
    """The driver dies at a random moment; the next one goes on, with the agents that still wait and new ones."""
    chance = random.Random(options.seed)
    for number in range(options.drivers):
        runs = run.place.folder / f"driver-{number}"
        driver = start(run, runs)
        time.sleep(chance.uniform(0.05, 0.9 * usual.took))
        driver.kill()
        driver.communicate()
        done = run.place.sweep(runs, *hosts(3))
        for agent in agents_of(runs):
            signal_to(agent, signal.SIGKILL)
        assert done.returncode == 0, done.stderr
        wrong = small.differences(expected, run.outcome(runs, done.stdout))
        assert not wrong, f"driver {number}: differs in {wrong}"
    print(f"{options.drivers} drivers lost")


def stop_between(run, expected):
    """A driver is asked to stop: the agents that it started end, and one that came by itself waits for the next driver."""
    runs = run.place.folder / "stopped"
    driver = start(run, runs, *hosts(1))
    until(lambda: (runs / "small/net/driver.json").exists(), "a driver")
    # It shares the cores with the driver's, as if it did not see that one.
    own = subprocess.Popen([run.place.trellis, "agent", runs / "small", "--node", "own"],
                           env={**os.environ, "TRELLIS_CLAIMS": str(run.place.folder / "claims")}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    until(lambda: "own" in working(run, runs), "the agent that came by itself")
    driver.terminate()
    said = driver.communicate(timeout=60)
    assert driver.returncode == TO_BE_CONTINUED, f"the study was over before, or failed: {driver.returncode}: {said}"
    assert agents_of(runs) == [own.pid], "an agent that the driver started is left"
    again = run.place.sweep(runs, *hosts(1))
    assert again.returncode == 0, again.stderr
    assert "node own has come" in again.stderr, again.stderr
    out, _ = own.communicate(timeout=30)
    assert own.returncode == 0, f"the agent that waited ended with {own.returncode}: {out}"
    wrong = small.differences(expected, run.outcome(runs, again.stdout))
    assert not wrong, f"differs in {wrong}"
    print("a driver stopped, an agent waited for the next one", flush=True)


def working(run, runs):
    done = subprocess.run([run.place.trellis, "status", "small", "--dir", runs, "--json"], capture_output=True, text=True)
    nodes = json.loads(done.stdout)["nodes"] if done.returncode == 0 else []
    return [node["node"] for node in nodes if node["state"] == "working"]


def until(done, what, seconds=30):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"waited for {seconds} s: {what}"
        time.sleep(0.02)


def lose_all(options):
    """Losses need a study that is still at work when they happen."""
    run = adaptive_study.chosen(options, long=True)
    with run.place as place:
        expected = outcome(run, place.folder / "reference")
        undisturbed = [run_through_relays(run, place.folder / f"usual-{i}", lambda relays: False) for i in range(3)]
        for i, done in enumerate(undisturbed):
            wrong = small.differences(expected, run.outcome(place.folder / f"usual-{i}", done.out))
            assert not wrong, f"through relays: differs in {wrong}"
        usual = max(undisturbed, key=lambda done: done.worked)
        print(f"{len(expected['events'])} events, {usual.worked:.1f} s of work", flush=True)
        for kind in options.kinds.split(",") if options.losses else ():
            lose(run, expected, kind, options, usual)
        lose_drivers(run, expected, options, usual)
        stop_between(run, expected)


def main():
    parser = argparse.ArgumentParser()
    adaptive_study.add_choice(parser)
    parser.add_argument("--losses", type=int, default=0, help="of each kind")
    parser.add_argument("--kinds", default=",".join([*SIGNALS, *CUTS]))
    parser.add_argument("--drivers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require_network(options.programs)
    run = adaptive_study.chosen(options)
    with run.place as place:
        expected = outcome(run, place.folder / "reference")
        for count in (1, 2, 3):
            wrong = small.differences(expected, outcome(run, place.folder / f"agents-{count}", *hosts(count)))
            assert not wrong, f"{count} agents: differs in {wrong}"
        print(f"{len(expected['events'])} events, equal on 0 to 3 agents", flush=True)
    if options.losses + options.drivers > 0:
        lose_all(options)


if __name__ == "__main__":
    sys.exit(main())
