#!/usr/bin/env python3
"""What `export --format tensorboard` writes, read by TensorBoard's own reader and by its plugin hparams: the same numbers, to the
last bit, while a study has a part of its trials and after it went on.

usage: to_tensorboard.py BUILD_CLI_FOLDER
       to_tensorboard.py --read FOLDER      prints what TensorBoard reads; needs its package"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ("tensorboard==2.21.0", "setuptools<81")

STUDY = """\
command: [python3, train.py, $no_args]
metric: {name: loss, goal: minimize, take: best}
method: random
parameters:
  lr: {min: 1e-4, max: 1e-1, scale: log}
  width: {type: int, min: 1, max: 64}
  kind: {values: [plain, "odd \\"name\\""]}
  fast: {values: [true, false]}
  depth: {values: [1, 2.5], when: {kind: plain}}
early_stop: none
order: virtual
parallel: 1
limits: {trials: %d, failed: 100}
"""

# The fourth trial fails, the third reports what is no number.
PROGRAM = """\
import json, os
params = json.load(open(os.environ["TRELLIS_PARAMS"]))
trial = int(os.path.basename(os.environ["TRELLIS_TRIAL_DIR"]))
with open(os.environ["TRELLIS_METRICS"], "w") as out:
    for step in (1, 2, 3):
        loss = abs(params["lr"] - 0.01) / 3 + (0.1 if step != 2 else 0)
        odd = float("nan") if trial == 2 else float("inf") if trial == 1 else 1 / (3 * step)
        out.write(json.dumps({"step": step, "loss": loss, "odd/%": odd}) + "\\n")
raise SystemExit(3 if trial == 3 else 0)
"""


def read(folder):
    """What TensorBoard has of each run: curves, hyperparameters, the metrics that its table shows, how it ended."""
    from google.protobuf import json_format
    from tensorboard import context
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups
    from tensorboard.data import provider as data

    multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"scalars": 0, "hparams": 0})
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
    asked = context.RequestContext()
    curves = provider.read_scalars(asked, experiment_id="", plugin_name="scalars", downsample=10_000)
    plugin = backend_context.Context(base_plugin.TBContext(data_provider=provider, logdir=folder))
    metadata = plugin.hparams_metadata(asked, "")
    nothing = data.ListHyperparametersResult(hyperparameters=[], session_groups=[])
    experiment = plugin.experiment_from_metadata(asked, "", True, metadata, nothing)
    request = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=10_000, include_metrics=True)
    request.allowed_statuses.extend([0, 1, 2, 3])
    groups = list_session_groups.Handler(asked, plugin, "", request).run()
    runs = {run: {"curves": {tag: [[point.step, point.value] for point in points] for tag, points in tags.items()}}
            for run, tags in curves.items()}
    for group in groups.session_groups:
        session = group.sessions[0]
        runs[session.name] |= {
            "hparams": {name: json_format.MessageToDict(value) for name, value in group.hparams.items()},
            "metrics": {value.name.tag: value.value for value in group.metric_values},
            "status": api_pb2.Status.Name(session.status)}
    print(json.dumps({"runs": runs, "name": experiment.name, "hparams": [info.name for info in experiment.hparam_infos],
                      "metrics": [info.name.tag for info in experiment.metric_infos]}))


def trellis(programs, folder, *words):
    done = subprocess.run([programs / "trellis", *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 1), f"trellis {' '.join(words)}: {done.returncode}: {done.stderr}"
    return done.stdout


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):  # our JSON has no NaN
        a, b = float(a), float(b)
    return a == b or (math.isnan(a) and math.isnan(b))


def reported(folder, trial):
    lines = (folder / "runs" / "study" / "trials" / f"{trial:04}" / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def check_run(run, trial, curves):
    name = f"trial {trial['trial']}"
    for metric in ("loss", "odd/%"):
        found, expected = run["curves"][metric], [[line["step"], line[metric]] for line in curves]
        assert len(found) == len(expected), f"{name}: {metric}: {found}, expected {expected}"
        for (step, value), (right_step, right) in zip(found, expected):
            assert step == right_step and same(value, right), f"{name}: {metric}: {found}, expected {expected}"
    assert run["hparams"] == trial["params"], f"{name}: {run['hparams']}, expected {trial['params']}"
    failed = trial["state"] == "failed"
    assert run["status"] == ("STATUS_FAILURE" if failed else "STATUS_SUCCESS"), f"{name}: {run['status']}"
    assert same(run["metrics"]["trial/value"], trial["value"]), f"{name}: {run['metrics']}, expected {trial['value']}"
    assert same(run["metrics"]["loss"], curves[-1]["loss"]), f"{name}: {run['metrics']}"


def check(programs, python, folder, trials):
    (folder / "study.yaml").write_text(STUDY % trials)
    trellis(programs, folder, "sweep", "study.yaml", "--quiet")
    trellis(programs, folder, "export", "study", "--format", "tensorboard", "--output", "events")
    done = subprocess.run([python, __file__, "--read", str(folder / "events")], capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    expected = json.loads(trellis(programs, folder, "trials", "study", "--json"))
    assert sorted(seen["runs"]) == [f"{trial['trial']:04}" for trial in expected], sorted(seen["runs"])
    assert seen["name"] == "study" and sorted(seen["hparams"]) == ["depth", "fast", "kind", "lr", "width"], seen
    assert seen["metrics"][:2] == ["trial/value", "loss"] and "odd/%" in seen["metrics"], seen["metrics"]
    for trial in expected:
        check_run(seen["runs"][f"{trial['trial']:04}"], trial, reported(folder, trial["trial"]))
    return seen


def main():
    if sys.argv[1] == "--read":
        return read(sys.argv[2])
    from readers import python_with

    programs = pathlib.Path(sys.argv[1]).resolve()
    python = python_with(*PACKAGES)
    with tempfile.TemporaryDirectory(prefix="trellis-tensorboard-") as name:
        folder = pathlib.Path(name)
        (folder / "train.py").write_text(PROGRAM)
        check(programs, python, folder, 5)
        seen = check(programs, python, folder, 12)
        best = trellis(programs, folder, "export", "study", "--format", "tensorboard", "--best", "2", "--output", "best")
        assert best == "" and sorted(path.name for path in (folder / "best").iterdir() if path.is_dir()) == sorted(
            f"{trial['trial']:04}" for trial in sorted(
                (trial for trial in json.loads(trellis(programs, folder, "trials", "study", "--json"))
                 if trial["state"] == "complete"), key=lambda trial: trial["value"])[:2])
    print(f"TensorBoard reads {len(seen['runs'])} runs and the same numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
