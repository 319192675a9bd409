"""A shared folder without locks between nodes, which hangs while a node is cut off, costs the study that node at most.

usage: storage.py PROGRAMS [--cuts N] [--seed N] [--full]
"""

import random
import sys
import time

import study as studies
from leaving import wait_until

import drivers  # isort: skip  (beside this folder, as study.py says)

NODES = 3
IN_USE = 5  # an exit code
MOST = 4  # seconds that a lost node may hold a study up
ALLOWED = 2 * MOST  # where the machine has other work


def cut_off(rig, study, number, chance):
    """The network of one node is gone until the study is over, and with it that node's view of the shared folder. Returns how
    much longer the driver took, and srun's code."""
    runs, node = f"cut-{number}", chance.choice(rig.nodes[1:NODES])
    rig.wait_for_idle()
    step = study.step(runs, NODES)
    step.wait_for_agents(NODES)
    time.sleep(chance.uniform(0, 0.5 * study.usual))
    rig.cut(node)
    code, took = step.wait_for_driver()
    longer = took - study.usual
    print(f"  {node} cut off: {longer:.1f} s longer", flush=True)
    rig.heal(node)
    healed = time.monotonic()
    ended = step.wait(30)
    waited = time.monotonic() - healed
    assert code == 0, f"{runs}: the driver ended with {code}: {step.out}{step.errors}"
    study.check(runs)
    print(f"  srun ended with {ended}, {waited:.1f} s after {node} was healed", flush=True)
    assert ended == 0, f"{runs}: srun ended with {ended}: {step.errors}"
    assert longer < ALLOWED + study.usual, f"{runs}: {longer:.1f} s longer: {step.errors}"
    return longer


def freeze_whole(rig, node):
    """Freezes a node with all threads of its driver: one that waits for the shared folder does not stop, and the others go on."""
    for _ in range(50):
        rig.freeze(node)
        if all(thread.rpartition(") ")[2].startswith("T") for thread in rig.threads(node) if "(trellis" in thread):
            return
        rig.thaw(node)
        time.sleep(0.05)
    raise AssertionError(f"{node} never stood still")


def taken_over(rig, study, number):
    """A driver freezes with its node, another one takes the study over, and the first comes to itself."""
    runs = f"over-{number}"
    first = rig.popen("n1", *study.command(runs, "--hosts", "localhost"))
    wait_until(lambda: study.nodes(runs), f"an agent of {runs}")
    own = rig.popen("n2", study.trellis, "agent", f"{study.home}/{runs}/small", "--node", "own")
    wait_until(lambda: "own" in study.nodes(runs), "the agent that came by itself")
    freeze_whole(rig, "n1")
    begun = time.monotonic()
    second = rig.popen("n3", *study.command(runs, "--hosts", "localhost"))
    wait_until(lambda: " on n3 since " in study.read(runs, "status").stdout or second.poll() is not None, "the second driver")
    assert second.poll() is None, f"the second driver: {second.returncode}: {second.communicate()}"
    took = time.monotonic() - begun
    wait_until(lambda: "own" in study.nodes(runs) or second.poll() is not None, "the agent that waits")
    rig.thaw("n1")
    said = first.communicate(timeout=30)
    assert first.returncode == IN_USE, f"the first driver ended with {first.returncode}: {said}"
    out, errors = second.communicate(timeout=90)
    assert second.returncode == 0, f"the second driver: {second.returncode}: {out}{errors}"
    assert "node own has come" in errors, f"the agent of the first driver has not come to the second: {errors}"
    study.check(runs)
    ended = own.communicate(timeout=30)
    assert own.returncode == 0, f"the agent ended with {own.returncode}: {ended}"
    print(f"a frozen driver was followed after {took:.1f} s, with its agent, and ended with {IN_USE}; equal", flush=True)


def race(rig, study, rounds):
    """Drivers that start together on all nodes: one does the study; each other one finds it done, or is told who does it."""
    refused = 0
    for number in range(rounds):
        runs = f"race-{number}"
        started = [rig.popen(rig.nodes[i % NODES], *study.command(runs)) for i in range(drivers.DRIVERS)]
        codes = []
        for process in started:
            _, progress = process.communicate(timeout=120)
            codes.append(process.returncode)
            assert process.returncode in (0, IN_USE), f"exit code {process.returncode}: {progress}"
            assert process.returncode == 0 or " is in use by " in progress, progress
        drivers.check_log(study.folder / runs, codes.count(0))
        study.check(runs)
        refused += codes.count(IN_USE)
    print(f"{rounds} races of {drivers.DRIVERS} drivers on {NODES} nodes, {refused} refused; one did each study", flush=True)


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=60)
    study.reference()
    rig.wait_for_idle()
    step = study.step("usual", NODES)
    code = step.wait()
    assert code == 0, step.errors
    study.usual = time.monotonic() - step.begun
    study.check("usual")
    print(f"equal, {study.usual:.1f} s on {NODES} nodes (alone on a local folder {study.alone:.1f} s), with "
          f"{step.errors.count('was damaged')} lines about a damaged store", flush=True)
    short = studies.Study(rig, options.programs, name="short")
    short.reference()
    race(rig, short, 100 if options.full else 2)
    long = studies.Study(rig, options.programs, "asha", trials=300, name="long")
    long.reference()
    for number in range(5 if options.full else 1):
        taken_over(rig, long, number)
    chance = random.Random(options.seed)
    cuts = max(options.cuts, 10) if options.full else options.cuts
    longest = max(cut_off(rig, study, number, chance) for number in range(cuts))
    print(f"{longest:.1f} s longer at most (bar {MOST}) where the folder of a node hangs; equal", flush=True)


def arguments(parser):
    parser.add_argument("--cuts", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=NODES, sshfs=True))
