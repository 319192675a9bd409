"""A study on 1, 2, 4 and 8 nodes has the result that it has on one node without agents.

usage: equality.py PROGRAMS [--full]
"""

import sys
import time

import study as studies


def on_nodes(rig, programs, counts):
    for kind in studies.KINDS:
        study = studies.Study(rig, programs, kind, trials=8 if kind == "race" else 16)
        study.reference()
        times, worked = [], []
        for count in counts:
            times.append(f"{study.on(f'nodes-{count}', count):.1f}")
            worked.append(sum(node["done"] > 0 for node in study.status(f"nodes-{count}").get("nodes", [])))
        print(f"{kind}: {len(study.expected['events'])} events, equal on {counts} nodes, of which {worked} worked, in "
              f"{', '.join(times)} s; alone {study.usual:.1f} s", flush=True)


def over_ssh(rig, study):
    begun = time.monotonic()
    done = rig.run("head", *study.command("hosts", "--hosts", "n1,n2"))
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    study.check("hosts")
    print(f"equal with --hosts, over ssh, in {time.monotonic() - begun:.1f} s", flush=True)


def by_hand(rig, study):
    """An agent joins that no scheduler started."""
    one = ["--workers", "1"]  # so few that something is left for the next one
    step = study.step("joined", 2, more=one)
    step.wait_for_agents(2)
    begun = time.monotonic()
    other = rig.popen("n3", study.trellis, "agent", f"{study.home}/joined/small", *one)
    while "n3" not in study.nodes("joined"):
        assert step.process.poll() is None and other.poll() is None, f"n3 did not come: {other.communicate()}"
        time.sleep(0.02)
    came = time.monotonic() - begun
    code = step.wait()
    out, errors = other.communicate(timeout=20)
    assert (code, other.returncode) == (0, 0), f"{code}, the agent {other.returncode}: {out}{errors}{step.errors}"
    study.check("joined")
    worked = {node["node"]: node["done"] for node in study.status("joined")["nodes"]}
    assert worked.get("n3", 0) > 0, f"n3 had nothing to do: {worked}"
    print(f"n3 came by hand within {came:.1f} s and did {worked['n3']} of {sum(worked.values())} tasks; equal", flush=True)


def short(study, times):
    """Some nodes begin only when the study is over already."""
    study.reference()
    took = []
    for number in range(times):
        step = study.step(f"short-{number}", 4)
        code = step.wait(20)
        assert code == 0, f"srun ended with {code}: {step.out}{step.errors}"
        study.check(f"short-{number}")
        took.append(time.monotonic() - step.begun)
    print(f"{times} studies shorter than the start of a step, {max(took):.1f} s at most", flush=True)


def row(rig, options):
    on_nodes(rig, options.programs, (1, 2, 4, 8) if options.full else (1, 2, 4))
    study = studies.Study(rig, options.programs, "asha", trials=40, name="ways")
    study.reference()
    over_ssh(rig, study)
    by_hand(rig, study)
    short(studies.Study(rig, options.programs, "tpe", name="short"), 20 if options.full else 8)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=lambda options: 8 if options.full else 4))
