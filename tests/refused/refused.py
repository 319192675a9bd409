#!/usr/bin/env python3
"""Gives the real program bad data files, models or arguments and holds it to one exact line and exit code each.

usage: refused.py BUILD_CLI_FOLDER data|models|arguments

GROUP.expect beside this file holds a line for each case: its name, the exit code, the message, with FOLDER for the
folder that the case ran in. TRELLIS_REWRITE=1 writes today's lines, to be read before they are kept. Every case must be
answered within a second of computing and 200 MB of memory, and leave nothing behind in its folder."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import argument_cases
import data_cases
import model_cases

HERE = pathlib.Path(__file__).resolve().parent
MOST_SECONDS = 1.0
MOST_KILOBYTES = 200_000
# A machine that does other things too makes everything slow; a program that hangs is killed then.
MOST_REAL_SECONDS = 60
GOOD_STUDY = ("data: {csv: t.csv, target: y}\nnetwork: [dense: {units: 3}]\n"
              "train: {epochs: 1, optimizer: {sgd: {lr: 0.1}}}\nlimits: {trials: 1}\n")


def put(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def seen(folder):
    """Every file and what it holds, so that nothing can be written unseen."""
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


class Program:
    def __init__(self, folder):
        self.path = os.path.join(os.path.abspath(folder), "trellis")
        program = pathlib.Path(self.path).read_bytes()
        self.sanitized = b"__asan_init" in program or b"__tsan_init" in program

    def run(self, arguments, folder):
        """Exit code, what stderr says, and what was too dear about it."""
        child = subprocess.Popen([self.path, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env={**os.environ, "LC_ALL": "C.UTF-8", "TRELLIS_DATA": ""})
        timer = threading.Timer(MOST_REAL_SECONDS, child.kill)
        timer.start()
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        dear = "" if self.sanitized or (seconds < MOST_SECONDS and used.ru_maxrss < MOST_KILOBYTES) else \
            f"took {seconds:.2f} s of computing and {used.ru_maxrss} kB"
        return child.returncode, said, dear


def good_run(program):
    """What a folder holds once the good study has run, by path."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        put(folder, {"good.yaml": GOOD_STUDY.encode(), "t.csv": data_cases.table()})
        code, said, _ = program.run(["sweep", "good.yaml"], folder)
        if code != 0:
            raise SystemExit(f"no good study to begin with: {said.decode(errors='replace')}")
        return {str(path): data for path, data in seen(folder).items() if data is not None}


def data_steps(_):
    for name, (files, data) in data_cases.CASES.items():
        study = f"data: {data}\nnetwork: [flatten, dense: {{units: 3}}]\nlimits: {{trials: 1}}\n"
        yield name, ["check", "s.yaml"], files | {"s.yaml": study.encode()}


def argument_steps(program):
    good = good_run(program)
    for name, (arguments, files) in argument_cases.CASES.items():
        yield name, arguments, good | files


def model_steps(program):
    good = good_run(program)["runs/good/best.safetensors"]
    for name, make in model_cases.CASES.items():
        yield name, ["predict", "bad.safetensors", "t.csv"], {"bad.safetensors": make(good), "t.csv": data_cases.table()}


GROUPS = {"data": data_steps, "arguments": argument_steps, "models": model_steps}


def line_of(name, code, said, folder):
    text = said.decode("utf-8", "backslashreplace").replace(str(folder), "FOLDER")
    return f"{name} {code} {text.rstrip(chr(10))}"


def problems_of(line, expected, code, said, dear, stayed):
    problems = []
    if line != expected:
        problems.append(f"said\n  {line}\n expected\n  {expected}")
    if code in (0, 70) or code < 0:
        problems.append(f"exit code {code}")
    if said.count(b"\n") != 1 or any(byte < 0x20 and byte != 0x0A for byte in said):
        problems.append(f"expected one line, was {said!r}")
    if len(said) > 2000:
        problems.append(f"a message of {len(said)} bytes")
    if dear:
        problems.append(dear)
    if not stayed:
        problems.append("files in its folder changed")
    return problems


def main():
    program, group = Program(sys.argv[1]), sys.argv[2]
    expect_file = HERE / (group + ".expect")
    rewrite = "TRELLIS_REWRITE" in os.environ
    expected = {} if rewrite else {line.split(" ")[0]: line for line in expect_file.read_text("utf-8").splitlines()}
    lines, failed = [], 0
    for name, arguments, files in GROUPS[group](program):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(os.path.realpath(temporary))
            put(folder, files)
            before = seen(folder)
            code, said, dear = program.run(arguments, folder)
            line = line_of(name, code, said, folder)
            lines.append(line)
            problems = problems_of(line, line if rewrite else expected.pop(name, "a line for it"), code, said, dear,
                                   seen(folder) == before)
        failed += bool(problems)
        for problem in problems:
            print(f"{name}: {problem}")
    for name in expected:
        failed += 1
        print(f"{name}: no such case")
    if rewrite:
        expect_file.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines)} cases, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
