"""A step whose driver cannot drive ends at once, with the driver's exit code and one line that says why.

usage: refused.py PROGRAMS
"""

import subprocess
import sys
import time

import study as studies

NODES = 3
USAGE, DATA, STORAGE, IN_USE = 2, 3, 4, 5  # exit codes
MOST = 10  # seconds, from the start of srun


def refused(rig, study, what, folder, expected, *more):
    rig.wait_for_idle()
    begun = time.monotonic()
    process = rig.popen("head", "srun", "--no-kill", "-J", "refused", "-N", str(NODES), study.trellis, "sweep",
                        f"{study.home}/small.yaml", "--dir", folder, *more)
    try:
        out, errors = process.communicate(timeout=2 * MOST)
    except subprocess.TimeoutExpired:
        rig.slurm("scancel", "-n", "refused")
        out, errors = process.communicate(timeout=40)
        raise AssertionError(f"{what}: srun has not ended after {2 * MOST} s: {out}{errors}") from None
    took = time.monotonic() - begun
    said = [line for line in errors.splitlines() if not line.startswith("srun:")]
    assert process.returncode == expected, f"{what}: srun ended with {process.returncode}: {out}{errors}"
    assert len(said) == 1 and said[0].startswith("trellis: "), f"{what}: {errors}"
    assert took < MOST, f"{what}: {took:.1f} s"
    print(f"{what}: {expected} after {took:.1f} s", flush=True)


def refused_beside(rig, study, first):
    """A second step on a study in use, on the cores that the first one leaves."""
    second = study.step("busy", NODES)
    begun = time.monotonic()
    code = second.wait(2 * MOST)
    took = time.monotonic() - begun
    assert first.process.poll() is None, "the first study was over before"
    assert code == IN_USE and "is in use by" in second.errors, f"the second driver: {code}: {second.errors}"
    assert took < MOST, f"the second driver was refused after {took:.1f} s"
    print(f"a study in use: {code} after {took:.1f} s", flush=True)
    assert first.wait() == 0, first.errors
    study.check("busy")


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=120)
    study.reference()
    first = study.step("busy", NODES)
    first.wait_for_agents(NODES)
    refused_beside(rig, study, first)
    data = study.folder / "blobs.csv"
    kept = data.read_text()
    data.write_text(kept + "1,2\n")
    refused(rig, study, "data with a short line", f"{study.home}/data", DATA)
    data.write_text(kept)
    refused(rig, study, "a folder that cannot be made", "/sys/runs", STORAGE)
    refused(rig, study, "an unknown option", "runs", USAGE, "--noodles", "4")


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=NODES))
