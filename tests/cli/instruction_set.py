#!/usr/bin/env python3
"""`resources: {isa: ...}` holds every process of a study to one instruction set, whatever its environment says.

usage: instruction_set.py PROGRAMS"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIP = 77
STUDY = """\
data: {csv: t.csv, target: y}
network: [dense: {units: 48}]
train: {epochs: 3, batch: 16, optimizer: {adam: {lr: $lr}}}
parameters: {lr: {min: 0.001, max: 0.1, scale: log}}
limits: {trials: 3}
"""
NO_STUDY, NO_DEVICE = 3, 6
OTHERS = ({"TRELLIS_ISA": "plain"}, {"TRELLIS_ISA": "plain", "OPENBLAS_CORETYPE": "Prescott", "ONEDNN_MAX_CPU_ISA": "SSE41"})


def refused_agents(folder, run):
    """A sweep whose only agent computes otherwise ends. Its machine is this one, to which a stand-in for ssh leads."""
    (folder / "ssh").write_text("#!/bin/sh\nshift 5\nexport TRELLIS_ISA=plain\nexec sh -c \"$*\"\n")
    (folder / "ssh").chmod(0o755)
    (folder / "open.yaml").write_text(STUDY)
    done = run("sweep", "open.yaml", "--quiet", "--hosts", "elsewhere.invalid", expected=NO_DEVICE,
               PATH=f"{folder}:{os.environ['PATH']}")
    assert "no agent is left; the study waits" not in done.stderr, done.stderr
    said = done.stderr.splitlines()[-1]
    assert said.startswith("trellis: no agent that was asked for can work for this study; node elsewhere.invalid: its arithmetic "
                           "differs: "), done.stderr
    assert said.endswith("; resources: {isa: avx2} in the study file lets both compute the same"), done.stderr


def main():
    trellis = pathlib.Path(sys.argv[1]).resolve() / "trellis"
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    if not {"avx2", "fma"} <= set(flags):
        print("skipped: a processor without AVX2")
        return SKIP
    own = {name: value for name, value in os.environ.items() if name not in OTHERS[1]}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*words, expected=0, **environment):
            done = subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, timeout=100,
                                  env={**own, **environment})
            assert done.returncode == expected, f"{words}, {environment}: {done.returncode}: {done.stdout}{done.stderr}"
            return done

        def sweep(runs, *words, **environment):
            run("sweep", "s.yaml", "--name", "s", "--dir", runs, "--quiet", *words, **environment)
            return (folder / runs / "s/best.safetensors").read_bytes(), run("export", "s", "--dir", runs).stdout

        chance = random.Random(1)
        rows = [[chance.gauss(0, 1) for _ in range(20)] for _ in range(200)]
        (folder / "t.csv").write_text("".join(
            [",".join([*(f"x{i}" for i in range(20)), "y"]) + "\n",
             *(",".join([*map(str, row), "ab"[sum(row) > 0]]) + "\n" for row in rows)]))
        (folder / "s.yaml").write_text(STUDY)
        plain = sweep("plain", **OTHERS[0])
        (folder / "s.yaml").write_text(STUDY + "resources: {isa: avx2}\n")
        held = sweep("held")
        assert plain[0] != held[0], "two instruction sets, the same bits: they cannot be told apart here"
        for number, other in enumerate(OTHERS):
            assert sweep(f"other-{number}", **other) == held, f"not held to avx2 under {other}"
        if (trellis.parent.parent / "runtime/net/grpc/trellis-net.so").exists():
            assert sweep("agents", "--hosts", "localhost,localhost", **OTHERS[0]) == held, "agents differ"
            refused_agents(folder, run)
        network = run("train", "s.yaml", "--trial", "held/s:1", "--dir", "trained", "--json", **OTHERS[0]).stdout
        assert network, "train said nothing"
        rerun = run("rerun", "s", "1", "--dir", "held", **OTHERS[1])
        assert "differ" not in rerun.stdout + rerun.stderr, rerun

        # It is part of the study.
        (folder / "s.yaml").write_text(STUDY.replace("trials: 3", "trials: 5"))
        done = run("sweep", "s.yaml", "--name", "s", "--dir", "held", expected=NO_STUDY)
        assert "resources.isa" in done.stderr, done.stderr
        (folder / "s.yaml").write_text(STUDY + "resources: {isa: avx513}\n")
        done = run("sweep", "s.yaml", expected=NO_STUDY)
        assert 'expected avx2 or avx512; did you mean "avx512"?' in done.stderr, done.stderr
        (folder / "s.yaml").write_text(STUDY + "resources: {isa: avx512}\n")
        if "avx512vl" not in flags:
            for verb in ("sweep", "train", "check", "plan"):
                done = run(verb, "s.yaml", expected=NO_DEVICE)
                assert done.stderr == "trellis: resources.isa: avx512: the processor has no more than avx2\n", done.stderr
        else:
            assert sweep("more")[0] != held[0], "avx512 is avx2"
    return 0


if __name__ == "__main__":
    sys.exit(main())
