"""Programs on several agents: their trials are what they are beside the driver, whatever becomes of the agents or the driver.

usage: agent_programs.py PROGRAMS [--losses N] [--drivers N] [--seed N]
"""

import argparse
import random
import signal
import subprocess
import sys
import time

import agents
import small_study as small

STUDY = """\
name: small
seed: 3
command: [python3, steps.py, $lr]
parameters: {lr: {min: 0.0, max: 1.0}}
metric: {name: valid.accuracy, goal: maximize}
method: tpe
early_stop: {type: asha, min: 1, eta: 2, max: 4}
limits: {trials: 12, grace: 1s}
order: virtual
parallel: 4
"""
STEPS = """\
import json, os, sys, time

lr = float(sys.argv[1])
mark = os.path.join(os.environ["TRELLIS_CHECKPOINT_DIR"], "step")
begin = int(open(mark).read()) if os.path.exists(mark) else 0
for step in range(begin + 1, 5):
    time.sleep(0.03)
    with open(os.environ["TRELLIS_METRICS"], "a") as metrics:
        metrics.write(json.dumps({"step": step, "valid.accuracy": 1 - (lr - 0.3) ** 2 - 0.5 / step}) + "\\n")
    with open(mark + ".new", "w") as new:
        new.write(str(step))
    os.replace(mark + ".new", mark)
"""
HOWS = [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM]
AT_ONCE = 3 + 1  # seconds: a frozen agent's silence, and the end of its programs


def outcome(place, runs, done):
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return {"export": place.export(runs), "events": small.events(runs)}


def start(place, runs):
    return subprocess.Popen(place.command(runs, *agents.hosts(3)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lose_agents(place, expected, options, usual):
    """One of three agents dies, freezes or is asked to leave, while programs run on it."""
    chance = random.Random(options.seed)
    longest = 0
    for number in range(options.losses):
        runs = place.folder / f"loss-{number}"
        begun = time.monotonic()
        driver = start(place, runs)
        time.sleep(chance.uniform(0.3, max(0.9 * usual, 0.5)))
        there = agents.agents_of(runs)
        victim = chance.choice(there) if there else None
        how = HOWS[number % len(HOWS)]
        if victim:
            agents.signal_to(victim, how)
        out, errors = driver.communicate(timeout=90)
        longest = max(longest, time.monotonic() - begun - usual)
        if victim:
            agents.signal_to(victim, signal.SIGKILL)
        found = outcome(place, runs, subprocess.CompletedProcess([], driver.returncode, out, errors))
        wrong = small.differences(expected, found)
        assert not wrong, f"{how.name}, {number}: differs in {wrong}"
    print(f"{options.losses} agents lost, {longest:.1f} s longer at most")
    assert longest < AT_ONCE + usual, "a lost agent holds the study up"


def lose_drivers(place, expected, options, usual):
    """The driver dies at a random moment, and with it all programs; the next one goes on."""
    chance = random.Random(options.seed)
    for number in range(options.drivers):
        runs = place.folder / f"driver-{number}"
        driver = start(place, runs)
        time.sleep(chance.uniform(0.3, max(0.9 * usual, 0.5)))
        driver.kill()
        driver.communicate()
        found = outcome(place, runs, place.sweep(runs, *agents.hosts(3)))
        for agent in agents.agents_of(runs):
            agents.signal_to(agent, signal.SIGKILL)
        wrong = small.differences({"export": expected["export"]}, {"export": found["export"]})
        assert not wrong, f"driver {number}: differs in {wrong}"
    print(f"{options.drivers} drivers lost")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--losses", type=int, default=0)
    parser.add_argument("--drivers", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    agents.require_network(options.programs)
    with small.Place(options.programs, study=STUDY) as place:
        (place.folder / "steps.py").write_text(STEPS)
        reference = place.folder / "reference"
        expected = outcome(place, reference, place.sweep(reference))
        usual = 0
        for count in (1, 3):
            runs = place.folder / f"agents-{count}"
            begun = time.monotonic()
            done = place.sweep(runs, *agents.hosts(count))
            usual = time.monotonic() - begun
            wrong = small.differences(expected, outcome(place, runs, done))
            assert not wrong, f"{count} agents: differs in {wrong}"
        print(f"{len(expected['events'])} events, equal on 0, 1 and 3 agents")
        lose_agents(place, expected, options, usual)
        lose_drivers(place, expected, options, usual)


if __name__ == "__main__":
    sys.exit(main())
