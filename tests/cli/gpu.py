#!/usr/bin/env python3
"""`trellis sweep` on a GPU as a user runs it. Ends with 77 where there is no device.

usage: gpu.py BUILD_CLI_FOLDER SOURCE_FOLDER FAULTING_GPU"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
NO_DEVICE = 6
LITTLE_MEMORY = {"STARPU_LIMIT_CUDA_MEM": "2"}


class Failed(Exception):
    pass


def expect(held, what):
    if not held:
        raise Failed(what)


class Place:
    def __init__(self, program, source, faulting_gpu, folder):
        self.program, self.experiments, self.folder = program, pathlib.Path(source, "experiments").resolve(), folder
        self.faulting_gpu = str(pathlib.Path(faulting_gpu).resolve())

    def trellis(self, *arguments, env=None, code=0):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env={**os.environ, **(env or {})},
                              capture_output=True, text=True, timeout=100)
        expect(done.returncode == code, f"{arguments} ended with {done.returncode}, expected {code}:\n{done.stderr[-2000:]}")
        return done

    def study(self, name, more):
        """An experiment under its own name, with `more` at its end."""
        text = (self.experiments / f"{name}.yaml").read_text().replace("csv: data/", f"csv: {self.experiments}/data/")
        path = self.folder / f"{name}.yaml"
        path.write_text(f"{text}\n{more}\n")
        return path.name

    def results(self, name, runs):
        return self.trellis("export", name, "--dir", runs, "--format", "json").stdout

    def expect_gpu_worked(self, name, runs, tasks):
        status = json.loads(self.trellis("status", name, "--dir", runs, "--json").stdout)
        gpus = [worker for worker in status["workers"] if worker["name"].startswith("cuda")]
        expect(gpus and gpus[0]["tasks"] > tasks and gpus[0]["busy"] > 0, f"the GPU was to run over {tasks} tasks: {gpus}")


def best(results):
    return max(trial["value"] for trial in json.loads(results)["trials"] if trial["state"] == "complete")


def gives_the_same_study_twice_and_nearly_that_of_cores(place):
    here = place.study("digits", "")
    place.trellis("sweep", here, "--dir", "cores")
    there = place.study("digits", "resources: {gpus: 1}")
    for runs in ("one", "two"):
        place.trellis("sweep", there, "--dir", runs, "--trace")
    one = place.results("digits", "one")
    expect(one == place.results("digits", "two"), "two sweeps on the device differ")
    expect(abs(best(one) - best(place.results("digits", "cores"))) < 0.02, "the device finds worse networks than cores")
    place.expect_gpu_worked("digits", "one", tasks=60)
    trace = (place.folder / "one/digits/trace.json").read_text()
    expect('"cuda 0"' in trace and '"train"' in trace, "the trace shows no training on a GPU")


def goes_on_where_it_was_cut_off(place):
    whole = place.study("digits", "resources: {gpus: 1}")
    place.trellis("sweep", whole, "--dir", "whole")
    text = (place.folder / whole).read_text()
    (place.folder / whole).write_text(text.replace("limits: {trials: 60}", "limits: {trials: 20}"))
    place.trellis("sweep", whole, "--dir", "cut")
    (place.folder / whole).write_text(text)
    place.trellis("sweep", whole, "--dir", "cut")
    expect(len(json.loads(place.results("digits", "cut"))["trials"]) == 60, "a larger limit did not extend the study")


def trains_what_changes_its_shape(place):
    adaptive = place.study("adaptive-digits", "resources: {gpus: 1}")
    place.trellis("train", adaptive, "--dir", "adaptive")
    population = place.study("pbt-digits", "resources: {gpus: auto, gpu_from: 100000}")
    for runs in ("one", "two"):
        place.trellis("sweep", population, "--dir", runs)
    one = place.results("pbt-digits", "one")
    expect(one == place.results("pbt-digits", "two"), "two populations on cores and the device differ")
    states = {trial["state"] for trial in json.loads(one)["trials"]}
    expect(states == {"complete"}, f"members ended as {states}")
    place.expect_gpu_worked("pbt-digits", "one", tasks=8)


def streams_a_table_that_does_not_fit(place):
    """Of 50,000 rows of 16 numbers 3 MiB, and a network of a few KiB."""
    rows = ["".join(f"c{i}," for i in range(16)) + "kind"]
    for i in range(50000):
        numbers = [(i * 37 * (column + 1)) % 101 * 0.5 for column in range(16)]
        rows.append(",".join(map(str, numbers)) + (",yes" if numbers[0] > 25 else ",no"))
    (place.folder / "many.csv").write_text("\n".join(rows) + "\n")
    (place.folder / "many.yaml").write_text(
        "name: many\ndata: {csv: many.csv, target: kind}\nnetwork: [dense: {units: $width}]\n"
        "train: {optimizer: {adam: {lr: 0.001}}, batch: 256, epochs: 2}\nmethod: random\nearly_stop: none\nparallel: 4\n"
        "parameters: {width: {type: int, min: 8, max: 32}}\nlimits: {trials: 4}\nresources: {gpus: 1}\n")
    place.trellis("sweep", "many.yaml", "--dir", "resident")
    place.trellis("sweep", "many.yaml", "--dir", "fed", env=LITTLE_MEMORY)
    expect(place.results("many", "resident") == place.results("many", "fed"), "rows that were fed give other results")


def says_where_no_device_may_be_used(place):
    there = place.study("digits", "resources: {gpus: 1}")
    done = place.trellis("sweep", there, "--dir", "hidden", env={"CUDA_VISIBLE_DEVICES": ""}, code=NO_DEVICE)
    expect("resources.gpus: each trial needs 1, this machine has 0" in done.stderr, done.stderr)
    expect(not (place.folder / "hidden/digits/study.db").exists(), "a refused study was begun")


def goes_on_after_a_fault(place):
    """With the one device that is left after the others, if there are any."""
    there = place.study("digits", "resources: {gpus: 1}")
    alone = {"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]}
    place.trellis("sweep", there, "--dir", "whole", env=alone)
    fault = {"LD_PRELOAD": place.faulting_gpu, "FAULT_AT": "60"}
    done = place.trellis("sweep", there, "--dir", "broken", env={**alone, **fault}, code=NO_DEVICE)
    expect("CUDA" in done.stderr, f"nothing was said of the device:\n{done.stderr}")
    place.trellis("sweep", there, "--dir", "broken", env=alone)
    expect(place.results("digits", "whole") == place.results("digits", "broken"), "the fault changed results")


PARTS = [gives_the_same_study_twice_and_nearly_that_of_cores, goes_on_where_it_was_cut_off, trains_what_changes_its_shape,
         streams_a_table_that_does_not_fit, goes_on_after_a_fault, says_where_no_device_may_be_used]


def main(cli, source, faulting_gpu):
    program = str(pathlib.Path(cli, "trellis").resolve())
    doctor = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True)
    if not json.loads(doctor.stdout)["gpus"]:
        print("skipped: no CUDA device to test on")
        return SKIPPED
    failures = 0
    for part in PARTS:
        with tempfile.TemporaryDirectory(prefix="trellis-gpu-") as folder:
            try:
                part(Place(program, source, faulting_gpu, pathlib.Path(folder)))
                print(f"{part.__name__}: good")
            except (Failed, subprocess.TimeoutExpired) as problem:
                failures += 1
                print(f"{part.__name__}: {problem}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
