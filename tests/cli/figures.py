#!/usr/bin/env python3
"""`report --figures`: every figure without clock times has the same bytes on 1 and 4 workers; PDF and PNG where
rsvg-convert is, and a line that says so where it is not.

usage: figures.py BUILD_CLI_FOLDER SOURCE_FOLDER"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

STUDY = """name: {name}
seed: 3
data: {{csv: {root}/experiments/data/digits.csv.gz, rows: 400}}
network: [dense: {{units: $width, activation: relu}}]
train: {{optimizer: {{adam: {{lr: $lr}}}}, batch: 32, epochs: 9}}
parameters:
  lr: {{min: 1e-3, max: 1e-1, scale: log}}
  width: {{type: int, min: 8, max: 32}}
method: tpe
early_stop: {{type: asha, min: 1, eta: 3}}
limits: {{trials: 30}}
"""
TIMES = {"timeline", "devices"}
SVG = "{http://www.w3.org/2000/svg}"


def expect(held, what):
    if not held:
        sys.exit(f"FAILED: {what}")


class Program:
    def __init__(self, programs, folder):
        self.path = os.path.join(os.path.abspath(programs), "trellis")
        self.folder = pathlib.Path(folder)

    def run(self, *words, code=0, **environment):
        done = subprocess.run([self.path, *words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=300,
                              env=os.environ | environment)
        expect(done.returncode == code, f"trellis {' '.join(words)}: {done.returncode}, {done.stderr[-400:]}")
        return done

    def figures(self, run, folder, *words):
        said = json.loads(self.run("report", run, "--figures", folder, "--json", *words).stdout)
        return {one["name"]: (self.folder / one["file"], self.folder / one["data"]) for one in said["figures"]}


def check_equal_bytes(trellis, root):
    drawn = []
    for workers in ("1", "4"):
        name = f"on{workers}"
        (trellis.folder / f"{name}.yaml").write_text(STUDY.format(name="same", root=root))
        trellis.run("sweep", f"{name}.yaml", "--quiet", "--workers", workers, "--dir", name)
        drawn.append(trellis.figures(f"{name}/same", f"figures-{name}"))
    expect(set(drawn[0]) == set(drawn[1]), f"other figures: {set(drawn[0]) ^ set(drawn[1])}")
    expect({"history", "importance", "slices", "parallel", "pair", "curves", "edf", "confusion"} <= set(drawn[0]), set(drawn[0]))
    expect(TIMES <= set(drawn[0]), f"no figures of times: {set(drawn[0])}")
    for name in set(drawn[0]) - TIMES:
        for one, other in zip(drawn[0][name], drawn[1][name]):
            expect(one.read_bytes() == other.read_bytes(), f"{one} and {other} differ")
    one, other = (figures["timeline"][1].read_bytes() for figures in drawn)
    expect(one != other, "the clock times of two runs are equal: the comparison says nothing")


def check_pictures(trellis):
    for name, (picture, data) in trellis.figures("on1/same", "figures-on1").items():
        root = ElementTree.parse(picture).getroot()
        expect(root.get("width") in ("85mm", "175mm"), f"{name}: {root.get('width')} wide")
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        expect(len(texts) > 3, f"{name}: its texts are {texts}")
        for text in root.iter(f"{SVG}text"):
            size = float(text.get("font-size"))
            expect(7 <= size <= 8, f"{name}: a text of {size} points")
        expect(len(data.read_text().splitlines()) > 1, f"{name}: no data")


def check_formats(trellis):
    if not shutil.which("rsvg-convert"):
        print("SKIPPED, NO PDF AND NO PNG WAS WRITTEN: there is no rsvg-convert (Debian: apt install librsvg2-bin)")
        return
    picture = trellis.figures("on1/same", "out", "--figure", "history", "--format", "png")["history"][0]
    head = picture.read_bytes()[:24]
    width, _ = struct.unpack(">II", head[16:24])
    expect(head.startswith(b"\x89PNG") and abs(width - 85 / 25.4 * 300) < 3, f"png: {width} pixels wide")
    once = trellis.figures("on1/same", "out", "--figure", "history,edf", "--format", "pdf")
    expect(set(once) == {"history", "edf"} and once["edf"][0].suffix == ".pdf", once)
    first = once["edf"][0].read_bytes()
    expect(first.startswith(b"%PDF"), first[:20])
    again = trellis.figures("on1/same", "again", "--figure", "edf", "--format", "pdf")["edf"][0].read_bytes()
    expect(first == again, "two PDFs of one figure differ")


def check_lack_of_the_converter(trellis):
    (trellis.folder / "empty").mkdir()
    done = trellis.run("report", "on1/same", "--figures", "lacking", "--format", "pdf", code=6,
                       PATH=str(trellis.folder / "empty"))
    expect(done.stderr.count("\n") == 1 and "need rsvg-convert" in done.stderr and not done.stdout, done.stderr)
    expect(not (trellis.folder / "lacking").exists(), "a folder was made for nothing")


def main():
    with tempfile.TemporaryDirectory(prefix="trellis-figures-") as folder:
        trellis = Program(sys.argv[1], folder)
        check_equal_bytes(trellis, os.path.abspath(sys.argv[2]))
        check_pictures(trellis)
        check_formats(trellis)
        check_lack_of_the_converter(trellis)


if __name__ == "__main__":
    main()
