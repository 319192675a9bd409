"""Nodes that lose power, crash, freeze or lose their network while a study runs on them cost seconds, and nothing else.

usage: loss.py PROGRAMS [--losses N] [--drivers N] [--seed N] [--trials N] [--full]
"""

import random
import sys
import time

import study as studies

NODES = 4
MOST = 4  # seconds that a lost node may hold a study up
ALLOWED = 2 * MOST  # where the machine has other work
LOSSES = {"kill": "start", "freeze": "thaw", "crash": "start", "cut": "heal"}
AWAY = (2, 5)  # seconds: less and more than the silence by which an agent is lost
SLURM_NOTICES = 60  # seconds until srun no longer waits for a node that is gone


def give_up(rig, node):
    """Slurm gives the node up, as it does by itself later."""
    rig.slurm("scontrol", "update", f"nodename={node}", "state=down", "reason=gone")


def lose(rig, study, number, chance, patient):
    """One node is lost at a random moment and comes back; returns what happened and the seconds until the driver ended.

    One that is dead comes back when Slurm has seen that: where a node boots before, srun ends the whole step ("io error and
    missing step"), --no-kill or not."""
    kind = list(LOSSES)[number % len(LOSSES)]
    node, away = chance.choice(rig.nodes[1:]), AWAY[number // len(LOSSES) % 2]
    runs = f"loss-{number}"
    rig.wait_for_idle()
    step = study.step(runs, NODES)
    step.wait_for_agents(NODES)
    time.sleep(chance.uniform(0, 0.7 * study.usual))
    hit = step.news() == ["running"]
    getattr(rig, kind)(node)
    if LOSSES[kind] != "start":
        time.sleep(away)
        getattr(rig, LOSSES[kind])(node)
    code, took = step.wait_for_driver()
    if LOSSES[kind] == "start" and not patient:
        give_up(rig, node)
    ended = step.wait(SLURM_NOTICES)
    if LOSSES[kind] == "start":
        rig.start(node)
    study.check(runs)
    assert code == 0, f"{runs}, {kind} {node}: the driver ended with {code}: {step.out}{step.errors}"
    return kind, node, away, hit, took, ended, "was lost" in step.errors


def lose_agents(rig, study, options):
    chance = random.Random(options.seed)
    hits, lost, longest, unwell, number = 0, 0, 0, [], 0
    while hits < options.losses:
        assert number < 3 * options.losses, f"only {hits} of {number} studies were still running"
        kind, node, away, hit, took, ended, told = lose(rig, study, number, chance, options.full)
        number += 1
        hits, lost = hits + hit, lost + told
        longer = took - study.usual
        longest = max(longest, longer) if hit else longest
        if ended != 0:
            unwell.append(f"{kind} {ended}")
        away = f" for {away} s" if LOSSES[kind] != "start" else ""
        print(f"  {kind} {node}{away}{'' if hit else ', too late'}: {longer:.1f} s longer, srun {ended}", flush=True)
        assert longer < ALLOWED + study.usual, f"{kind} {node}: {longer:.1f} s longer"
    print(f"{hits} nodes hit, {lost} of them lost, {longest:.1f} s longer at most (bar {MOST}); equal; srun's code was not 0 for "
          f"{unwell or 'none'}", flush=True)


def lose_drivers(rig, study, options):
    """The node of the driver loses power; the same command on the others goes on, while the first step is still there."""
    chance = random.Random(options.seed)
    times, codes = [], []
    for number in range(options.drivers):
        runs = f"driver-{number}"
        rig.wait_for_idle()
        first = study.step(runs, NODES)
        first.wait_for_agents(NODES)
        time.sleep(chance.uniform(0, 0.5 * study.usual))
        rig.kill("n1")
        begun = time.monotonic()
        second = study.step(runs, NODES - 1, srun=["-w", ",".join(rig.nodes[1:NODES])])
        code = second.wait()
        times.append(time.monotonic() - begun)
        assert code == 0, f"{runs}: {code}: {second.out}{second.errors}"
        study.check(runs)
        worked = {node["node"]: node["done"] for node in study.status(runs)["nodes"]}
        print(f"  driver lost: done by {worked} {begun - first.begun:.1f} s after its start", flush=True)
        give_up(rig, "n1")
        codes.append(first.wait(SLURM_NOTICES))
        rig.start("n1")
    print(f"{len(times)} nodes of drivers lost; the next one was done after {max(times, default=0):.1f} s at most "
          f"(a whole study: {study.usual:.1f}); equal; the first srun ended with {codes}", flush=True)


def lose_controller(rig, study):
    """Slurm's own controller dies in the middle and is started again."""
    rig.wait_for_idle()
    step = study.step("controller", NODES)
    step.wait_for_agents(NODES)
    assert rig.run("head", "pkill", "-KILL", "slurmctld").returncode == 0
    time.sleep(1)
    rig.run("head", "slurmctld", "-L", "/run/node/log/slurmctld")
    code, took = step.wait_for_driver()
    ended = step.wait()
    study.check("controller")
    assert (code, ended) == (0, 0), f"the driver ended with {code}, srun with {ended}: {step.errors}"
    print(f"Slurm's controller was killed and started again: {took - study.usual:.1f} s longer, srun {ended}; equal", flush=True)


def come_back(rig, study, options):
    """A node that an agent runs on over ssh loses power, boots, and gets an agent by hand: three nodes, two, three."""
    chance = random.Random(options.seed)
    times = []
    for number in range(options.drivers):
        runs = f"back-{number}"
        begun = time.monotonic()
        driver = rig.popen("head", *study.command(runs, "--hosts", "n1,n2,n3", "--workers", "1"))
        while len(study.nodes(runs)) < 3:
            assert driver.poll() is None, f"the study was over before its agents came: {driver.communicate()}"
            time.sleep(0.05)
        node = chance.choice(["n1", "n2", "n3"])
        rig.kill(node)
        time.sleep(2)
        rig.start(node)
        agent = rig.popen(node, study.trellis, "agent", f"{study.home}/{runs}/small", "--workers", "1")
        out, errors = driver.communicate(timeout=90)
        assert driver.returncode == 0, f"{runs}: {driver.returncode}: {out}{errors}"
        times.append(time.monotonic() - begun)
        said = agent.communicate(timeout=20)
        assert agent.returncode == 0, f"{runs}: the agent of {node} ended with {agent.returncode}: {said}"
        study.check(runs)
        worked = [(one["node"], one["state"], one["done"]) for one in study.status(runs)["nodes"]]
        print(f"  {node} lost power and came back: {worked}", flush=True)
    print(f"{len(times)} nodes came back by hand, studies of {max(times, default=0):.1f} s at most; equal", flush=True)


def row(rig, options):
    if options.full:
        options.losses, options.drivers = max(options.losses, 20), max(options.drivers, 5)
    study = studies.Study(rig, options.programs, "asha", trials=options.trials * (2 if options.full else 1))
    study.reference()
    study.usual = max(study.on(f"usual-{i}", NODES) for i in range(2))
    print(f"{len(study.expected['events'])} events, {study.usual:.1f} s on {NODES} nodes", flush=True)
    lose_agents(rig, study, options)
    lose_drivers(rig, study, options)
    come_back(rig, study, options)
    lose_controller(rig, study)


def arguments(parser):
    parser.add_argument("--losses", type=int, default=4)
    parser.add_argument("--drivers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=60)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=NODES))
