#!/usr/bin/env python3
"""Fuzzes the parsers: run.py [--seconds N] [--build FOLDER] [TARGET...]

Builds the targets with clang, libFuzzer and the address and undefined-behaviour sanitizers, and runs each for N
seconds of processor time (60), beginning with the committed inputs. What it learns stays in FOLDER/corpus, so that the
next run goes on there; what breaks a promise is written to FOLDER/findings; FOLDER/spent.json adds up what each target
has had. Exit status: 0 no finding, 1 a finding, 77 no clang with libFuzzer here."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONFIG = ROOT / "tests" / "config"
# Larger inputs only slow a run down; limits of size have tests of their own.
LONGEST = 4096
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]{2,30}")


def find_fuzzer():
    """Returns the ending of the first clang here that can link a fuzzer ("-16" of clang++-16), or None."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.cpp")
        with open(source, "w", encoding="ascii") as file:
            file.write('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n')
        for ending in ("-16", ""):
            command = ["clang++" + ending, "-fsanitize=fuzzer,address", source, "-o", os.path.join(folder, "a")]
            if shutil.which(command[0]) and subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return ending
    return None


def build(folder, targets, ending):
    """Builds those targets with that clang, each as the file that ninja knows it by."""
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(folder), str(ROOT), "-Dfuzz=true", "-Db_sanitize=address,undefined",
                        "-Db_lundef=false", "-Dcuda=disabled"],
                       env={**os.environ, "CC": "clang" + ending, "CXX": "clang++" + ending}, check=True)
    subprocess.run(["ninja", "-C", str(folder), *(f"tests/fuzz/fuzz-{target}" for target in targets)], check=True)


def seeds_of(target):
    folders = [HERE / "corpus" / target]
    return folders + [CONFIG] if target == "study" else folders


def write_dictionary(path, folders):
    """The words of the seeds: what a mutation should rather put in than random letters."""
    words = {word for folder in folders for file in folder.iterdir() if file.is_file()
             for word in WORD.findall(file.read_bytes())}
    path.write_text("".join(f'"{word.decode()}"\n' for word in sorted(words)), encoding="ascii")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz(folder, target, seconds):
    """Runs one target for that much processor time; returns what it printed last, the inputs it ran, the seconds it
    had and whether it found something. On a busy machine it takes several turns."""
    learnt = folder / "corpus" / target
    findings = folder / "findings"
    learnt.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    words = folder / (target + ".dict")
    write_dictionary(words, seeds_of(target))
    begin = processor_seconds()
    inputs = 0
    while True:
        left = max(1, round(seconds - (processor_seconds() - begin)))
        command = [str(folder / "tests" / "fuzz" / ("fuzz-" + target)), f"-max_total_time={left}",
                   f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=1024", "-print_final_stats=1",
                   f"-dict={words}", f"-artifact_prefix={findings}/{target}-", str(learnt),
                   *map(str, seeds_of(target))]
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        inputs += int(figure(ran.stderr, r"number_of_executed_units: (\d+)"))
        spent = processor_seconds() - begin
        if ran.returncode != 0 or spent >= seconds - 1:
            return ran.stderr, inputs, spent, ran.returncode != 0


def add_up(folder, target, inputs, seconds):
    """Adds to what that target has had so far; returns the sums."""
    path = folder / "spent.json"
    spent = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    had = spent.setdefault(target, {"inputs": 0, "seconds": 0})
    had["inputs"] += inputs
    had["seconds"] = round(had["seconds"] + seconds, 1)
    path.write_text(json.dumps(spent, indent=1, sort_keys=True) + "\n", encoding="ascii")
    return had


def figure(log, name):
    found = re.findall(name, log)
    return found[-1] if found else "0"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    known = sorted(path.stem for path in (HERE / "targets").glob("*.cpp"))
    for target in options.targets:
        if target not in known:
            parser.error(f"there is no target {target}, expected one of {', '.join(known)}")
    ending = find_fuzzer()
    if ending is None:
        print("skipped: no clang++ with libFuzzer here (Debian: clang-16 and libclang-rt-16-dev)")
        return 77
    folder = options.build.absolute()
    targets = options.targets or known
    build(folder, targets, ending)
    found = 0
    for target in targets:
        log, inputs, seconds, bad = fuzz(folder, target, options.seconds)
        had = add_up(folder, target, inputs, seconds)
        covered = figure(log, r"cov: (\d+)")
        print(f"{target}: {seconds:.0f} s of processor time, {inputs} inputs (in all {had['seconds']:.0f} s, "
              f"{had['inputs']}), {covered} places reached, {'A FINDING' if bad else 'nothing found'}", flush=True)
        if bad:
            found += 1
            print("\n".join(log.splitlines()[-60:]), flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
