#!/usr/bin/env python3
"""Sweeps that lack what they usually have: StarPU, a home that can be written.

usage: lacking.py BUILD_FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STUDY = """data: {csv: t.csv, target: y}
network: [dense: {units: 4}]
train: {epochs: 1, optimizer: {adam: {lr: 0.01}}}
limits: {trials: 1}
"""


def run(program, folder, verb, *more, **environment):
    shutil.rmtree(folder / "runs", ignore_errors=True)
    return subprocess.run([program, verb, "s.yaml", *more], cwd=folder, capture_output=True, text=True, timeout=100,
                          env={**os.environ, **environment})


def sweep(program, folder, *more, **environment):
    return run(program, folder, "sweep", *more, **environment)


def without_starpu(build, folder):
    """The programs alone: what they compute with is said, and more cores than that are refused."""
    alone = folder / "alone"
    os.environ.pop("LD_LIBRARY_PATH", None)  # the library beside them is meant
    for file in ("cli/trellis", "cli/trellis-engine", "runtime/libtrellis-runtime.so.0.1"):
        (alone / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / file, alone / file)
    for words in (["sweep"], ["sweep", "--quiet"], ["sweep", "--workers", "1"], ["train"], ["plan"]):
        done = run(alone / "cli" / "trellis", folder, *words)
        assert done.returncode == 0, done
        said = [line for line in done.stderr.splitlines() if "trellis-starpu" in line]
        assert len(said) == 1 and said[0].startswith("trellis: warning: "), f"{words}: {done.stderr}"
        for part in ("there is no trellis-starpu-cpu.so", "`trellis doctor` says more",
                     "continuing with one core, one task after another", "--executor sequential"):
            assert part in said[0], f"{words}: {part} is not in {said[0]}"
    done = sweep(alone / "cli" / "trellis", folder, "--executor", "sequential", "--workers", "2")
    assert done.returncode == 0 and "trellis-starpu" not in done.stderr, f"sequential was asked for: {done}"
    done = sweep(alone / "cli" / "trellis", folder, "--workers", "2")
    assert done.returncode == 6 and "2 workers were asked for" in done.stderr, done


def without_home(build, folder):
    """Nothing is left where a run has no home."""
    scratch = folder / "scratch"
    scratch.mkdir()
    done = sweep(build / "cli" / "trellis", folder, HOME="/proc", XDG_CACHE_HOME="", TMPDIR=str(scratch))
    assert done.returncode == 0, done
    left = [path.name for path in scratch.iterdir()]
    assert not left, f"left behind: {left}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "t.csv").write_text("u,v,y\n" + "".join(f"{i},{i * i % 7},{'pq'[i % 2]}\n" for i in range(30)))
        (folder / "s.yaml").write_text(STUDY)
        without_starpu(build, folder)
        without_home(build, folder)


if __name__ == "__main__":
    main()
