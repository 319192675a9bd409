#!/usr/bin/env python3
"""`check` as its user sees it: what was found comes first and fits a screen, the study with all defaults follows on
request, a sign of life comes after a second, and wide tables and many classes take seconds.

usage: check_screen.py BUILD_CLI_FOLDER [--costs]"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from screen import OnTerminal

LINES = 40
SECONDS = 3  # of processor time
SECTIONS = ["table", "target", "inputs", "left out", "warnings", "note", "baselines", "search", "cost", "next"]


class Place:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def run(self, *words, code=0):
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, f"{words}: {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def seconds(self, name):
        """Processor time of a check."""
        before = os.times()
        self.run("check", name)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


def real_table(rows=900):
    """80 columns of every kind, with long names; most of them miss values."""
    draw = random.Random(5)
    columns = {"record identifier": lambda i: f"rec-{i:05}-{draw.random():.9f}", "record number": str}
    for k in range(30):
        columns[f"measured quantity number {k}"] = lambda i: "" if draw.random() < 0.02 else f"{draw.gauss(0, 1):.3f}"
    for k in range(20):
        columns[f"category of something {k}"] = lambda i, k=k: draw.choice(["red", "green", "blue"][:2 + k % 2])
    for k in range(8):
        columns[f"street or town {k}"] = lambda i: f"place {draw.randrange(70)}"
    for k in range(8):
        columns[f"date of event {k}"] = lambda i: f"2021-{draw.randrange(1, 13):02}-{draw.randrange(1, 28):02}"
    for k in range(5):
        columns[f"price {k}"] = lambda i: f"${draw.randrange(5, 900)}"
    for k in range(3):
        columns[f"always the same {k}"] = lambda i: "yes"
        columns[f"never there {k}"] = lambda i: ""
    columns["outcome"] = lambda i: draw.choice(["Good", "good", "bad", "worse"])
    lines = [",".join(columns)]
    lines += [",".join(make(i) for make in columns.values()) for i in range(rows)]
    return "\n".join(lines) + "\n"


def sections_of(lines):
    """The lines under each label."""
    found, label = {}, ""
    for line in lines:
        label = line[:11].strip() or label
        found.setdefault(label, []).append(line[11:])
    return found


def test_fits_a_screen(place):
    place.write("real.csv", real_table())
    place.write("real.yaml", "data: {csv: real.csv, target: outcome}\n")
    whole = place.run("check", "real.yaml")
    assert whole.stderr == "", whole.stderr
    assert whole.stdout.startswith("real.yaml is valid: a search for the best network\ntable"), whole.stdout
    found = sections_of(whole.stdout.splitlines()[1:])
    assert [section for section in SECTIONS if section in found] == list(found), list(found)
    for section, word in (("target", "'outcome': one of 4 classes"), ("target", "4 classes: 'Good' ("), ("inputs", "numbers: "),
                          ("inputs", "categories"), ("inputs", "dates"), ("inputs", "hashed"), ("left out", "no value: "),
                          ("left out", "the same value in every row: "), ("left out", "only counts the rows"),
                          ("left out", "a value of its own in nearly every row"), ("table", "900 rows, 576 to train"),
                          ("search", "at most 60 trials"), ("cost", "FLOP"), ("next", "runs/real")):
        assert any(word in line for line in found[section]), f"{section} lacks '{word}': {found[section]}"
    for columns in (80, 120):
        with OnTerminal([place.program, "check", "real.yaml"], place.folder, rows=200, columns=columns) as terminal:
            assert terminal.end() == 0
            shown = terminal.screen.shown()
        assert len(shown) <= LINES, f"{len(shown)} lines at {columns} columns"
        assert all(len(line) <= columns for line in shown), shown
        assert shown[0] == "real.yaml is valid: a search for the best network" and shown[1].startswith("table"), shown[:2]
        assert list(sections_of(shown[1:])) == list(found), shown


def test_resolved(place):
    """What it prints is a study file with the findings as comments; into a file goes the study alone."""
    place.write("t.csv", "a,b,y\n" + "".join(f"{i},{i * 7 % 13},{'uv'[i % 2]}\n" for i in range(60)))
    place.write("t.yaml", "data: {csv: t.csv}\n")
    printed = place.run("check", "t.yaml", "--resolved").stdout
    place.write("printed.yaml", printed)
    assert printed.startswith("# t.yaml is valid"), printed[:80]
    place.run("check", "t.yaml", "--resolved=filled.yaml")
    filled = (place.folder / "filled.yaml").read_text()
    assert printed.endswith(filled) and filled.count("\n") > 30
    assert place.run("check", "t.yaml", "--resolved", "--quiet").stdout == filled
    assert place.run("check", "printed.yaml", "--resolved", "--quiet").stdout == filled
    assert place.run("check", "t.yaml", "--quiet").stdout == ""


def test_says_what_has_begun(place):
    place.write("p.yaml", 'command: [sh, -c, "echo loss $x", sh]\nmetric: {name: loss, goal: minimize, regex: "loss (.*)"}\n'
                "method: grid\nparameters: {x: {values: [1, 2, 3]}}\n")
    says = "where a study of this name has trials: 3 complete, 0 stopped, 0 failed"
    assert says not in place.run("check", "p.yaml", "--dir", "else").stdout
    place.run("sweep", "p.yaml", "--dir", "else", "--quiet")
    assert says in place.run("check", "p.yaml", "--dir", "else").stdout
    assert says not in place.run("check", "p.yaml").stdout
    begun = "begun   else/p: 3 complete, 0 stopped, 0 failed\n"
    assert begun in place.run("plan", "p.yaml", "--dir", "else").stdout
    assert begun not in place.run("plan", "p.yaml").stdout


def test_shows_that_it_lives(place):
    draw = random.Random(3)
    rows = "".join(",".join(f"{draw.random():.6f}" for _ in range(150)) + f",c{i % 40}\n" for i in range(20000))
    place.write("large.csv", ",".join(f"f{i}" for i in range(150)) + ",y\n" + rows)
    place.write("large.yaml", "data: {csv: large.csv}\n")
    with OnTerminal([place.program, "check", "large.yaml"], place.folder, rows=60) as terminal:
        begun = time.monotonic()
        seen = []
        while terminal.shell.poll() is None:
            terminal.read()
            seen += re.findall(r"\r\x1b\[K([^\r\n]+ \([0-9.]+s\))", terminal.raw.decode("utf-8", "ignore"))[len(seen):]
        assert terminal.end() == 0
        took = time.monotonic() - begun
        assert seen or took < 1.5, f"nothing shown in {took:.1f} s: {terminal.raw!r}"
        assert all(line.startswith(("reading large.csv", "fitting", "trying", "playing")) for line in seen), seen
        assert not any(line in shown for line in seen for shown in terminal.screen.shown())
    assert place.run("check", "large.yaml").stderr == ""


def test_costs(place):
    draw = random.Random(1)
    place.write("wide.csv", ",".join(f"f{i}" for i in range(20000)) + ",y\n" + "".join(
        ",".join(f"{draw.random():.3f}" for _ in range(20000)) + f",{draw.choice('uv')}\n" for _ in range(60)))
    place.write("wide.yaml", "data: {csv: wide.csv}\n")
    place.write("classes.csv", "a,b,c,d,y\n" + "".join(
        ",".join(f"{draw.random():.3f}" for _ in range(4)) + f",c{i % 5000}\n" for i in range(20000)))
    place.write("classes.yaml", "data: {csv: classes.csv}\n")
    for name in ("wide.yaml", "classes.yaml"):
        took = place.seconds(name)
        assert took <= SECONDS, f"{name}: {took:.1f} s of processor time"


def main(build, *options):
    tests = [test_costs] if "--costs" in options else [test_fits_a_screen, test_resolved, test_says_what_has_begun,
                                                       test_shows_that_it_lives]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Place(os.path.join(build, "trellis"), folder))
            print(f"{test.__name__}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
