#!/usr/bin/env python3
"""Hostile values as names of studies, parameters, columns, classes and files, and links planted in a run's folder: none is
executed, none leads out of the run's folder.

usage: hostile.py BUILD_CLI_FOLDER

Every part runs in a fresh folder. Afterwards the folder may hold nothing new but `runs`, and what lies beside it must
be as it was; a value that was executed would have made a file called CANARY."""
import csv
import io
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import system_calls

VALUES = [
    b"$(touch CANARY)", b"`touch CANARY`", b"; touch CANARY", b"| touch CANARY", b"|| touch CANARY", b"&& touch CANARY",
    b"& touch CANARY &", b"> CANARY", b">> CANARY", b"< /etc/passwd", b"$(<CANARY)", b"${IFS}touch${IFS}CANARY",
    b"'; touch CANARY; '", b"\"; touch CANARY; \"", b"\\'; touch CANARY #", b"a\ntouch CANARY\n", b"a\r\ntouch CANARY",
    b"\ntouch CANARY", b"a\ttouch", b"a\x00b", b"\x1b[31mred", b"\x1b]0;title\x07", b"\x7f\x08\x08", b"a\x0bb\x0cc",
    b"-flag", b"--help", b"--workers=0", b"-", b"--", b"-rf .", b"../CANARY", b"../../CANARY", b"..", b".", b"/tmp/CANARY",
    b"/etc/passwd", b"a/../../CANARY", b"~/CANARY", b"$HOME", b"%s%s%s%n", b"%x%x", b"{0}", b"{{7*7}}", b"$name", b"${name}",
    b"$$", b"*", b"?", b"[a]", b"!!python/object/apply:os.system ['touch CANARY']", b"&a *a", b"' OR 1=1; DROP TABLE events; --",
    b"\"}, {\"a\": \"", b"<script>alert(1)</script>", b"</svg><script>", b"=cmd|'/c calc'!A1", b"\xff\xfe\xfa",
    b"\xc0\xaf\xc0\xae", b"\xed\xa0\x80", "\u202egnp.exe".encode(), "\u0000\ufeff".encode(), b"NaN", b"null", b"CON",
    b"a" * 300, b"x" * (1 << 20),
]
STUDY = ("network: [dense: {units: 4, name: fc}]\ntrain: {epochs: 1, optimizer: {adam: {lr: 0.01}}}\n"
         "limits: {trials: 1}\n")


class Failed(Exception):
    pass


def expect(held, what):
    if not held:
        raise Failed(what)


def yaml(value):
    """Any bytes that are text as a quoted scalar; what is no text stands as it is."""
    try:
        return json.dumps(value.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return b'"' + value + b'"'


class Place:
    """A fresh folder inside another one that holds a file to be left alone."""

    def __init__(self, program):
        self.program = program
        self.outer = pathlib.Path(tempfile.mkdtemp(prefix="trellis-hostile-"))
        self.inner = self.outer / "a" / "b"
        self.inner.mkdir(parents=True)
        (self.outer / "victim.txt").write_bytes(b"left alone\n")
        (self.outer / "outside").mkdir()
        self.put("t.csv", b"u,v,y\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 7, b"pq"[i % 2:i % 2 + 1]) for i in range(30)))

    def put(self, name, data):
        path = os.path.join(os.fsencode(self.inner), os.fsencode(name))
        with open(path, "wb") as file:
            file.write(data)

    def run(self, *arguments, prefix=(), **variables):
        """`variables` are set for this run, or taken away where they are None."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **variables}
        ran = subprocess.run([*prefix, self.program, *arguments], cwd=self.inner, stdin=subprocess.DEVNULL, capture_output=True,
                             env={name: value for name, value in environment.items() if value is not None}, timeout=300,
                             check=False)
        expect(ran.returncode in (0, 1, 2, 3, 4, 5), f"exit code {ran.returncode}: {ran.stderr[-500:]!r}")
        return ran

    def seen(self):
        """What is there but for runs, each with what it holds; links are not followed."""
        found = {}
        for folder, folders, files in os.walk(os.fsencode(self.outer)):
            if folder == os.fsencode(self.inner) and b"runs" in folders:
                folders.remove(b"runs")
            for name in folders + files:
                path = os.path.join(folder, name)
                found[path] = open(path, "rb").read() if os.path.isfile(path) else None
        return found

    def __enter__(self):
        self.before = None
        return self

    def watch(self):
        self.before = self.seen()

    def __exit__(self, kind, *_):
        after = self.seen()
        canaries = list(self.outer.rglob("*CANARY*"))
        shutil.rmtree(self.outer)
        if kind is None:
            named = [name for name in canaries if self.before is None or os.fsencode(name) not in self.before]
            expect(not named, f"executed: {named}")
            names = set(self.before or {}) | set(after)
            changed = sorted(name for name in names if self.before and self.before.get(name) != after.get(name))
            expect(not changed, f"changed: {changed}")


def study_names(program):
    """In the file and on the command line: refused, all of them that are not plain."""
    with Place(program) as place:
        place.put("s.yaml", b"data: {csv: t.csv, target: y}\n" + STUDY.encode())
        for number, value in enumerate(VALUES):
            place.put(f"n{number}.yaml", b"name: " + yaml(value) + b"\ndata: {csv: t.csv, target: y}\n" + STUDY.encode())
        place.watch()
        plain = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
        for number, value in enumerate(VALUES):
            code = place.run("check", f"n{number}.yaml").returncode
            # NaN and null are words like any other once they stand in quotes.
            expect(code == (0 if plain.fullmatch(value) else 3), f"{value[:40]!r} as a name: exit code {code}")
            if b"\0" in value or len(value) > 100_000 or plain.fullmatch(value):
                continue
            code = place.run("sweep", "s.yaml", "--name=" + os.fsdecode(value)).returncode
            expect(code == 2, f"--name={value[:40]!r}: exit code {code}")
        expect(not (place.inner / "runs").exists(), "a refused name made a folder")


def parameters(program):
    """As a parameter's name, and as a value for every place that takes words."""
    with Place(program) as place:
        for number, value in enumerate(VALUES):
            place.put(f"n{number}.yaml", b"data: {csv: t.csv, target: y}\n" + STUDY.encode() +
                      b"parameters: {" + yaml(value) + b": {values: [1, 2]}}\n")
            for key, line in ((b"a", b"network: [dense: {units: 4, activation: $p}]"),
                              (b"l", b"network: [dense: {units: 4, name: $p}]"),
                              (b"o", b"train: {optimizer: {type: $p}}"), (b"s", b"data: {csv: t.csv, target: y, scale: $p}")):
                head = b"" if key == b"s" else b"data: {csv: t.csv, target: y}\n"
                place.put(b"%s%d.yaml" % (key, number), head + line + b"\nparameters: {p: {values: [" + yaml(value) + b"]}}\n")
        place.watch()
        for number, value in enumerate(VALUES):
            for key in "nalos":
                # A layer may be called NaN, or -flag: it is the beginning of a tensor's name, no more.
                code = place.run("check", f"{key}{number}.yaml").returncode
                allowed = (0, 3) if key == "l" and re.fullmatch(rb"[A-Za-z0-9_-]+", value) else (3,)
                expect(code in allowed, f"{key}: {value[:40]!r}: exit code {code}")


def quoted(value):
    return b'"' + value.replace(b'"', b'""') + b'"'


def hostile_names():
    return [b"%d%s" % (number, value) for number, value in enumerate(VALUES) if len(value) < 1000 and b"\0" not in value]


def as_text(name):
    """As a table's text that is not all UTF-8 is read: each value for itself."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def table(classes):
    """Columns and classes with hostile names; each class has six rows."""
    names = hostile_names()
    lines = [b",".join(quoted(name) for name in names + [b"y"])]
    for row in range(6 * classes):
        label = names[row % classes]
        lines.append(b",".join([b"%d" % (row * (column + 3) % 11) for column in range(len(names))] + [quoted(label)]))
    return b"\n".join(lines) + b"\n"


def columns_and_classes(program):
    with Place(program) as place:
        place.put("hard.csv", table(30))
        place.put("s.yaml", b"data: {csv: hard.csv, target: y}\n" + STUDY.encode())
        place.watch()
        ran = place.run("sweep", "s.yaml")
        expect(ran.returncode == 0, f"the sweep failed: {ran.stderr[-800:]!r}")
        for verb in (("best", "s"), ("trials", "s"), ("status", "s"), ("show", "s", "0")):
            ran = place.run(*verb, "--json")
            expect(ran.returncode == 0, f"{verb}: {ran.stderr!r}")
            json.loads(ran.stdout)
            expect(place.run(*verb).returncode == 0, f"{verb} for people")
        expect(place.run("export", "s", "--format", "csv").returncode == 0, "export")
        leave_the_run(place)


def calls_of_a_sweep(program):
    """The same study under strace: what is started and what is opened to write, with OpenBLAS's core set and without."""
    system_calls.check_itself()
    if not system_calls.can_trace():
        print("calls_of_a_sweep: not looked at: there is no strace, or it may not trace here")
        return
    for core in (system_calls.OLD_CORES.get(platform.machine(), "generic"), None):
        with Place(program) as place:
            place.put("hard.csv", table(30))
            place.put("s.yaml", b"data: {csv: hard.csv, target: y}\n" + STUDY.encode())
            place.watch()
            log = place.outer.with_suffix(".strace")
            ran = place.run("sweep", "s.yaml", prefix=system_calls.tracer(log), **{system_calls.CORE: core})
            calls = system_calls.calls_in(log.read_text(errors="replace"))
            log.unlink()
            expect(ran.returncode == 0, f"the sweep failed: {ran.stderr[-800:]!r}")
            wrong = system_calls.wrong_start(calls, program, core is not None) or system_calls.wrong_write(calls, place.inner)
            expect(not wrong, f"with the core {core}: {wrong}")


def leave_the_run(place):
    """What a hostile table's network gives away: predictions and the network itself."""
    names = hostile_names()
    for words in (("predict", "s", "hard.csv", "--proba", "--keep", os.fsdecode(names[1]), "--output", "runs/p.csv"),
                  ("export", "s", "--format", "onnx", "--output", "runs/s.onnx")):
        ran = place.run(*words)
        expect(ran.returncode == 0, f"{words}: {ran.stderr[-500:]!r}")
    text = (place.inner / "runs" / "p.csv").read_bytes().decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    classes = {as_text(name) for name in names[:30]}
    expect(len(rows) == 181 and {row[1] for row in rows[1:]} <= classes, f"predictions: {rows[:2]}")
    expect({name.removeprefix("proba.") for name in rows[0][2:]} == classes, f"the head of the predictions: {rows[0]}")


def usable(value):
    """Whether a file can be called so at all."""
    return b"/" not in value and b"\0" not in value and 0 < len(value) < 200 and value not in (b".", b"..")


def file_names(program):
    """Of the study file and of the data: the study gets a name made of plain signs, or is refused."""
    for value in filter(usable, VALUES):
        with Place(program) as place:
            place.put(value + b".csv", (place.inner / "t.csv").read_bytes())
            table_name = yaml(value + b".csv").replace(b"$", b"$$")
            place.put(value + b".yaml", b"data: {csv: " + table_name + b", target: y}\n" + STUDY.encode())
            place.watch()
            ran = place.run("sweep", os.fsdecode(b"./" + value + b".yaml"))
            expect(ran.returncode in (0, 3), f"{value!r}: exit code {ran.returncode}: {ran.stderr[-300:]!r}")
            checked = place.run("check", os.fsdecode(b"./" + value + b".yaml"))
            said = ran.stderr + checked.stderr + checked.stdout
            expect(not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", said), f"{value!r}: control characters in {said[:300]!r}")
            runs = place.inner / "runs"
            for folder in runs.iterdir() if runs.exists() else []:
                expect(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", folder.name), f"{value!r}: folder {folder.name!r}")


# Written in studies of another kind only.
UNTOUCHED = ("candidates.csv", "front.csv", "front.svg", "trials", "trace.json", "graph.dot")


def planted_links(program):
    """A link where the run will write: replaced or refused, never followed."""
    names = [*UNTOUCHED, "study.db", "study.db-wal", "study.db-shm", "study.db-journal", "study.lock", "study.claim-1",
             "study.yaml", "best.safetensors", "report.html"]
    for name in names:
        for target in ("victim.txt", "outside", "outside/new"):
            with Place(program) as place:
                place.put("s.yaml", b"data: {csv: t.csv, target: y}\n" + STUDY.encode())
                run = place.inner / "runs" / "s"
                run.mkdir(parents=True)
                (run / name).symlink_to(place.outer / target)
                place.watch()
                ran = place.run("sweep", "s.yaml", "--quiet")
                expect(ran.returncode in (0, 4), f"{name} -> {target}: exit code {ran.returncode}")
                lines = ran.stderr.splitlines()
                expect(ran.returncode == 0 or len(lines) == 1 and b"link" in lines[0], f"{name} -> {target}: {ran.stderr!r}")
                replaced = not (run / name).is_symlink()
                expect(ran.returncode == 4 or replaced or name in UNTOUCHED, f"{name} -> {target}: still a link")


def store_links(program):
    """Links where results are kept: an entry's is replaced, a folder's not entered."""
    study = b"data: {csv: t.csv, target: y}\ncheckpoint: {overhead: 100%}\n" + STUDY.replace("units: 4", "units: 64").encode()
    with Place(program) as place:
        place.put("s.yaml", study)
        expect(place.run("sweep", "s.yaml", "--quiet").returncode == 0, "the study alone")
        store = place.inner / "runs" / "store"
        entries = [entry.relative_to(store) for entry in store.glob("??/*")]
        expect((store / ".packed").is_file(), "small entries lie together")
        expect(entries, "the store keeps something")
    for linked in ("entries", "folders"):
        with Place(program) as place:
            place.put("s.yaml", study)
            store = place.inner / "runs" / "store"
            packed = [pathlib.Path(".packed")] if linked == "entries" else []
            for entry in entries + packed:
                place_of = store / entry if linked == "entries" else (store / entry).parent
                if not place_of.is_symlink():
                    place_of.parent.mkdir(parents=True, exist_ok=True)
                    place_of.symlink_to(place.outer / ("victim.txt" if linked == "entries" else "outside"))
            place.watch()
            ran = place.run("sweep", "s.yaml", "--quiet")
            expect(ran.returncode == 0, f"{linked}: exit code {ran.returncode}: {ran.stderr!r}")


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
    expect(len(VALUES) >= 60, "60 values")
    failed = 0
    for part in (study_names, parameters, columns_and_classes, calls_of_a_sweep, file_names, planted_links, store_links):
        try:
            part(program)
            print(f"{part.__name__}: good")
        except Failed as failure:
            failed += 1
            print(f"{part.__name__}: {failure}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
