"""A shared folder without locks between nodes, which hangs while a node is cut off, costs the study that node at most.

usage: storage.py PROGRAMS [--cuts N] [--seed N] [--full]
"""

import random
import sys
import time

import study as studies

NODES = 3
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
    chance = random.Random(options.seed)
    cuts = max(options.cuts, 10) if options.full else options.cuts
    longest = max(cut_off(rig, study, number, chance) for number in range(cuts))
    print(f"{longest:.1f} s longer at most (bar {MOST}) where the folder of a node hangs; equal", flush=True)


def arguments(parser):
    parser.add_argument("--cuts", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=NODES, sshfs=True))
