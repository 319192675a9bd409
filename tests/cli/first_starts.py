#!/usr/bin/env python3
"""Programs that start at once where nothing was measured yet: StarPU keeps what it measured of the machine in files, and a
half-written one would abort it. All files lie in Trellis's own folder of the cache.

usage: first_starts.py BUILD_CLI_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = 6
ROUNDS = 3
STUDY = """data: {csv: t.csv, target: y}
network: [dense: {units: 4}]
train: {epochs: 1, optimizer: {adam: {lr: 0.01}}}
limits: {trials: 1}
"""


def start_all(program, folder, cache):
    """Exit codes and messages of programs that start together, each in a folder of its own."""
    started = []
    for number in range(PROGRAMS):
        own = folder / f"p{number}"
        own.mkdir()
        (own / "t.csv").write_text("u,v,y\n" + "".join(f"{i},{i * i % 7},{'pq'[i % 2]}\n" for i in range(30)))
        (own / "s.yaml").write_text(STUDY)
        started.append(subprocess.Popen([program, "sweep", "s.yaml"], cwd=own, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_CACHE_HOME": str(cache)}))
    return [(ran.communicate(timeout=100)[1], ran.returncode) for ran in started]


def figures(cache):
    return sorted(path for path in cache.rglob("bus/*") if not path.name.startswith(("lock-", "measured-")))


def check_round(program, outer):
    cache = outer / "cache"
    cache.mkdir()
    for errors, code in start_all(program, outer / "fresh", cache):
        assert code == 0, f"started together: exit {code}: {errors[-800:]!r}"
    outside = [str(path) for path in cache.iterdir() if path.name != "trellis"]
    assert not outside, f"outside of the cache's folder: {outside}"
    marks = list(cache.rglob("bus/measured-*"))
    assert len(marks) == 1, f"marks of a measured machine: {marks}"
    # Files cut short, by a kill before the mark was written and by a power cut behind it.
    for number, marked in enumerate((False, True)):
        if not marked:
            marks[0].unlink()
        for path in figures(cache):
            path.write_bytes(b"")
        for errors, code in start_all(program, outer / f"cut{number}", cache):
            assert code == 0, f"cut short, {marked=}: exit {code}: {errors[-800:]!r}"
        assert marks[0].exists() and all(path.stat().st_size for path in figures(cache)), figures(cache)


def main():
    program = os.path.abspath(os.path.join(sys.argv[1], "trellis"))
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="trellis-first-") as name:
            outer = pathlib.Path(name)
            for folder in ("fresh", "cut0", "cut1"):
                (outer / folder).mkdir()
            check_round(program, outer)
    print("good")


main()
