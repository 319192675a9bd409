#!/usr/bin/env python3
"""What `sweep --trace` writes, read back: trace.json by the rules of its format as Perfetto applies them, trace.paje by `pj_dump`
of PajeNG. Both say the same of every worker: how often each task ran, and for how long.

usage: traces.py BUILD_CLI_FOLDER

The second part is skipped (77) without pj_dump (Debian: apt install pajeng)."""
import collections
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

STUDY = """\
data: {csv: rows.csv, target: y}
network: [dense: {units: $width}]
train: {epochs: 4}
metric: {name: valid.loss, goal: minimize}
method: random
parameters:
  width: {type: int, min: 2, max: 16}
early_stop: {type: asha, min: 1, eta: 2}
limits: {trials: 12}
"""
NANOSECOND = 1e-9


def rows():
    return "x,z,y\n" + "".join(f"{i % 7},{i % 5},{(i % 7) * 0.5 + (i % 5)}\n" for i in range(120))


def check_event(event):
    """https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete events and metadata."""
    assert isinstance(event["name"], str) and isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    assert event["ph"] in ("X", "M"), event
    if event["ph"] == "M":
        names = {"process_name": "name", "thread_name": "name", "thread_sort_index": "sort_index"}
        assert names[event["name"]] in event["args"], event
        return
    assert event["ts"] >= 0 and event["dur"] >= 0 and isinstance(event["cat"], str), event
    assert all(isinstance(value, str) for value in event["args"].values()), event


def check_nesting(spans, lane):
    """Perfetto drops a slice that another one overlaps in part."""
    open_until = []
    for begin, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        assert not open_until or end <= open_until[-1], f"{lane}: {name} from {begin} to {end} overlaps in part"
        open_until.append(end)


def nanoseconds(number):
    """Of microseconds with three decimals."""
    return round(number * 1000)


def read_chrome(text):
    """{worker: {name: [nanoseconds]}} of a trace.json."""
    trace = json.loads(text)
    assert trace["displayTimeUnit"] == "ms" and trace["otherData"]["dropped_spans"] == "0", trace["otherData"]
    names, lanes = {}, collections.defaultdict(list)
    for event in trace["traceEvents"]:
        check_event(event)
        if event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
        if event["ph"] == "X":
            begin = nanoseconds(event["ts"])
            label = event["name"] if event["cat"] in ("task", "waiting") else event["cat"]
            lanes[event["tid"]].append((begin, begin + nanoseconds(event["dur"]), label))
    assert set(lanes) <= set(names), "a lane has no name"
    found = {}
    for lane, spans in lanes.items():
        check_nesting(spans, names[lane])
        found[names[lane]] = collections.defaultdict(list)
        for begin, end, label in spans:
            found[names[lane]][label].append(end - begin)
    return found


def read_paje(program, file):
    """The same of a trace.paje."""
    done = subprocess.run([program, "-l", "9", file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"pj_dump: {done.stderr or done.stdout}"
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in csv.reader(io.StringIO(done.stdout), skipinitialspace=True):
        if line[0] == "State":
            found[line[1]][line[7]].append(round(float(line[5]) / NANOSECOND))
    return found


def check_same(chrome, paje):
    assert set(chrome) == set(paje), f"{sorted(chrome)} and {sorted(paje)}"
    for lane, labels in chrome.items():
        assert set(labels) == set(paje[lane]), f"{lane}: {sorted(labels)} and {sorted(paje[lane])}"
        for label, spans in labels.items():
            pairs = list(zip(sorted(spans), sorted(paje[lane][label])))
            assert len(spans) == len(paje[lane][label]), f"{lane}, {label}: {len(spans)} and {len(paje[lane][label])}"
            # A span of no length has one nanosecond in Paje.
            apart = [pair for pair in pairs if abs(pair[0] - pair[1]) > 1]
            assert not apart, f"{lane}, {label}: {apart[:3]}"


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="trellis-traces-") as name:
        folder = pathlib.Path(name)
        (folder / "rows.csv").write_text(rows())
        (folder / "traced.yaml").write_text(STUDY)
        done = subprocess.run([programs / "trellis", "sweep", "traced.yaml", "--quiet", "--trace", "--workers", "2"], cwd=folder,
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        chrome = read_chrome((folder / "runs/traced/trace.json").read_text())
        tasks = sum(len(spans) for lane, labels in chrome.items() for label, spans in labels.items() if label == "train")
        assert tasks >= 12, f"{tasks} trainings in {sorted(chrome)}"
        program = shutil.which("pj_dump")
        if program is None:
            print("SKIPPED, NOBODY READ trace.paje: there is no pj_dump (Debian: apt install pajeng)")
            return 77
        check_same(chrome, read_paje(program, folder / "runs/traced/trace.paje"))
    print(f"{tasks} trainings on {len(chrome)} lanes, the same in both files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
