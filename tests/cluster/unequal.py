"""Nodes that compute with another instruction set: refused, with the cure; and with the cure equal.

usage: unequal.py PROGRAMS
"""

import pathlib
import sys

import study as studies
from rig import Missing

OTHER = ["env", "TRELLIS_ISA=plain"]
OTHER_ARITHMETIC = 2
CURE = "resources: {isa: avx2} in the study file lets both compute the same"


def agent(rig, study, runs, node):
    return rig.popen(node, *OTHER, study.trellis, "agent", f"{study.home}/{runs}/small", "--workers", "1")


def refused(rig, study):
    step = study.step("refused", 2, more=["--workers", "1"])
    step.wait_for_agents(2)
    other = agent(rig, study, "refused", "n3")
    out, errors = other.communicate(timeout=30)
    code = step.wait()
    assert (code, other.returncode) == (0, OTHER_ARITHMETIC), f"{code}, the agent {other.returncode}: {out}{errors}"
    assert CURE in errors and "plain" in errors, f"{code}: {out}{errors}"
    assert "node n3 cannot work for this study: its arithmetic differs" in step.errors, step.errors
    study.check("refused")
    print("another instruction set: refused, and both sides say what to do", flush=True)


def held(rig, study):
    """The study's own word counts, whatever an agent's environment says."""
    step = study.step("held", 2, more=["--workers", "1"])
    step.wait_for_agents(2)
    other = agent(rig, study, "held", "n3")
    code = step.wait()
    out, errors = other.communicate(timeout=30)
    assert (code, other.returncode) == (0, 0), f"{code}, the agent {other.returncode}: {out}{errors}{step.errors}"
    study.check("held")
    worked = {node["node"]: node["done"] for node in study.status("held")["nodes"]}
    assert worked.get("n3", 0) > 0, f"n3 had nothing to do: {worked}"
    print(f"held to one instruction set: equal, n3 did {worked['n3']} of {sum(worked.values())} tasks", flush=True)


def row(rig, options):
    if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        raise Missing("this row needs a processor with AVX2")
    study = studies.Study(rig, options.programs, "asha", trials=60)
    study.reference()
    refused(rig, study)
    own = studies.Study(rig, options.programs, "asha", trials=60, name="held")
    text = own.folder / "small.yaml"
    text.write_text(text.read_text() + "resources: {isa: avx2}\n")
    own.reference()
    held(rig, own)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=3))
