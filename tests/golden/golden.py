#!/usr/bin/env python3
"""Compares what this build computes with keys.json, where a golden value is kept for each entry.

usage: golden.py VALUES ROOT SANITIZER keys | weights ISA [TRELLIS] | exports ISA TRELLIS

VALUES is the program golden-values, ROOT the source tree, SANITIZER what the build has of them (none), ISA plain, avx2 or
avx512, TRELLIS the program.
Weights and exports are compared only where the arithmetic is the stored one; elsewhere the test is skipped and says why.
With TRELLIS_REWRITE=1 and TRELLIS_WHY="..." it writes the entries that differ, with the reason. README.md has the rules.
"""
import os
import subprocess
import sys

import book
import pure_tasks
import studies

SKIP = 77
# OpenBLAS and oneDNN read these when they are loaded, so they are set before any of our programs starts. What the
# user's own environment says about them must not count.
FIXED = {"OPENBLAS_CORETYPE": "Haswell", "ONEDNN_MAX_CPU_ISA": "AVX2", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
LEFT_OUT = ("TRELLIS_", "OPENBLAS_", "GOTO_", "OMP_", "ONEDNN_", "DNNL_", "STARPU_", "XDG_CACHE_HOME")
NETWORKS = ("adapt", "folds", "pbt")  # studies whose best network is an entry of weights


def environment(isa=None):
    """The environment of a program that computes with the instruction set `isa`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    return {**kept, **FIXED, **({"TRELLIS_ISA": isa} if isa else {})}


def lines_of(values, env, *arguments):
    """The lines that golden-values prints, each as the list of its parts."""
    done = subprocess.run([values, *arguments], env=env, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"golden-values {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return [line.split("\t") for line in done.stdout.splitlines()]


def keys(values, root):
    """Entries of all calls, and the problems of the list of tasks."""
    found = {}
    for entry, task, version, constants, key in lines_of(values, environment(), "calls"):
        assert "keys/" + entry not in found, f"two calls are called {entry}"
        found["keys/" + entry] = [task, int(version), constants, key]
    return found, pure_tasks.problems(root, {task for task, *_ in found.values()})


def weights(values, root, isa, trellis):
    """Entries of all trainings under `isa`, and reasons for those that are impossible here. avx512 has bf16 alone."""
    env = environment(isa)
    found, skipped = {}, []
    for entry, *rest in lines_of(values, env, "trainings", *(["bf16"] if isa == "avx512" else [])):
        if rest[0] != "skip":
            found[f"weights/{entry} {isa}"] = rest[0]
        elif entry != "bf16" or isa == "avx512":
            skipped.append(f"{entry}: {rest[1]}")
    for name in NETWORKS if trellis else ():
        with studies.Place(trellis, root, env) as place:
            studies.run(place, name)
            found[f"weights/{name} {isa}"] = lines_of(values, env, "model", str(place.model(name)))[0][0]
    return found, skipped


def exports(root, isa, trellis):
    """Entries of all studies, and of what each method and rule proposes and decides."""
    env = environment(isa)
    found = {}
    for name in studies.STUDIES:
        with studies.Place(trellis, root, env) as place:
            found[f"exports/{name} {isa}"] = book.checksum(studies.run(place, name))
    with studies.Place(trellis, root, env) as place:
        for name, text in studies.solvers(place):
            found[f"exports/{name} {isa}"] = text if text == studies.REFUSED else book.checksum(text)
    with studies.Place(trellis, root, env) as place:
        found[f"exports/self-test {isa}"] = place.call("doctor", "--self-test=checksum").strip()
    return found


def main():
    values, root, sanitizer, part, *rest = sys.argv[1:]
    isa, trellis = (rest + [None, None])[:2]
    golden = book.Book(os.path.join(root, "tests", "golden", "keys.json"), os.environ.get("TRELLIS_REWRITE", ""),
                       os.environ.get("TRELLIS_WHY", ""))
    problems, skipped = [], []
    if part == "keys":
        found, problems = keys(values, root)
        problems += golden.compare("keys/", "", found)
    else:
        fingerprint = lines_of(values, environment(isa), "arithmetic")[0][0]
        if sanitizer != "none":  # its checks keep the compiler from joining a product and a sum
            fingerprint += f"; sanitizer {sanitizer}"
        other, problems = golden.check_arithmetic(isa, fingerprint)
        skipped = [other] if other else []
        if not other and part == "weights":
            found, skipped = weights(values, root, isa, trellis)
            absent = [f"weights/{reason.split(':')[0]} {isa}" for reason in skipped]
            problems += golden.compare("weights/", " " + isa, found, absent)
        elif not other:
            problems += golden.compare("exports/", " " + isa, exports(root, isa, trellis))
    problems += golden.faults()
    for problem in problems:
        print(problem)
    for reason in skipped:
        print(f"skipped: {reason}")
    sys.exit(1 if problems else SKIP if skipped else 0)


if __name__ == "__main__":
    main()
