#!/usr/bin/env python3
"""What `export --format mlflow` sends, read back from a real MLflow server by MLflow's own client: the same numbers, to the last
bit, while a study has a part of its trials and after it went on; a second call sends nothing.

usage: to_mlflow.py BUILD_CLI_FOLDER
       to_mlflow.py --read ADDRESS EXPERIMENT      prints what MLflow has; needs its package"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from readers import python_with, skip
from to_tensorboard import PROGRAM, STUDY, reported, same, trellis

PACKAGES = ("mlflow==3.17.2",)
START_SECONDS = 240


def read(address, name):
    from mlflow import MlflowClient

    client = MlflowClient(address)
    experiment = client.get_experiment_by_name(name)
    runs = {}
    for run in client.search_runs([experiment.experiment_id], max_results=1000):
        curves = {key: [[point.step, str(point.value), point.timestamp] for point in
                        client.get_metric_history(run.info.run_id, key)] for key in run.data.metrics}
        runs.setdefault(run.data.tags["trellis.trial"], []).append(
            {"status": run.info.status, "name": run.info.run_name, "params": run.data.params, "tags": run.data.tags,
             "curves": curves, "start": run.info.start_time, "end": run.info.end_time})
    print(json.dumps(runs))


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


@contextlib.contextmanager
def server(python, folder):
    """An MLflow server with a database of its own; its address."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    # One process, so that its end is the end of all of it.
    command = [python, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1",
               "--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", str(folder / "artifacts")]
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(address + "/health", timeout=5):
                    break
            if process.poll() is not None or time.monotonic() > end:
                skip(f"MLflow's server does not start: {(folder / 'server.log').read_text()[-400:]}")
            time.sleep(0.5)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check_run(run, trial, curves):
    name = f"trial {trial['trial']}"
    expected = {metric: [(line["step"], line[metric]) for line in curves] for metric in ("loss", "odd/%")}
    for metric, points in expected.items():
        found = run["curves"][metric.replace("%", "_")]
        assert len(found) == len(points), f"{name}: {metric}: {found}, expected {points}"
        for (step, value, _), (right_step, right) in zip(found, points):
            if right == float("inf"):
                right = sys.float_info.max  # as MLflow keeps it
            assert step == right_step and same(value, right), f"{name}: {metric}: {found}, expected {points}"
    for parameter, value in trial["params"].items():
        text = value if isinstance(value, str) else json.dumps(value)
        found = run["params"][parameter]
        assert found == text or float(found) == value, f"{name}: {parameter}: {found}, expected {text}"
    assert set(run["params"]) == set(trial["params"]), f"{name}: {run['params']}"
    value = run["curves"]["trial/value"]
    assert len(value) == 1 and same(value[0][1], trial["value"]), f"{name}: {value}, expected {trial['value']}"
    assert run["status"] == {"complete": "FINISHED", "failed": "FAILED"}[trial["state"]], f"{name}: {run['status']}"
    assert run["tags"]["trellis.state"] == trial["state"], f"{name}: {run['tags']}"
    assert run["start"] <= run["end"], f"{name}: {run['start']} to {run['end']}"


def seen(python, address):
    done = subprocess.run([python, __file__, "--read", address, "study"], capture_output=True, text=True, timeout=240,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def export(programs, folder, *words):
    return subprocess.run([programs / "trellis", "export", "study", "--format", "mlflow", *words], cwd=folder,
                          capture_output=True, text=True, timeout=240, check=False)


def check(programs, python, folder, address, trials, says):
    (folder / "study.yaml").write_text(STUDY % trials)
    trellis(programs, folder, "sweep", "study.yaml", "--quiet")
    done = export(programs, folder, "--output", address + "/")
    assert done.returncode == 0 and says in done.stderr, f"{done.returncode}: {done.stderr}, expected {says}"
    runs = seen(python, address)
    expected = json.loads(trellis(programs, folder, "trials", "study", "--json"))
    assert sorted(runs, key=int) == [str(trial["trial"]) for trial in expected], sorted(runs)
    for trial in expected:
        found = runs[str(trial["trial"])]
        assert len(found) == 1, f"trial {trial['trial']} has {len(found)} runs"
        check_run(found[0], trial, reported(folder, trial["trial"]))
    again = export(programs, folder, "--output", address)
    assert again.returncode == 0 and "0 new runs, 0 changed" in again.stderr, again.stderr
    assert seen(python, address) == runs, "a second call changed something"


def check_refused(programs, folder):
    done = export(programs, folder, "--output", f"http://127.0.0.1:{free_port()}")
    assert done.returncode == 4 and "cannot reach http://127.0.0.1:" in done.stderr, done.stderr
    done = export(programs, folder, "--output", "events")
    assert done.returncode == 2 and "expected the address of an MLflow server" in done.stderr, done.stderr


def main():
    if sys.argv[1] == "--read":
        return read(*sys.argv[2:])
    programs = pathlib.Path(sys.argv[1]).resolve()
    python = python_with(*PACKAGES)
    with tempfile.TemporaryDirectory(prefix="trellis-mlflow-") as name:
        folder = pathlib.Path(name)
        (folder / "train.py").write_text(PROGRAM)
        with server(python, folder) as address:
            check(programs, python, folder, address, 5, "5 new runs, 0 changed")
            check(programs, python, folder, address, 8, "3 new runs, 0 changed, 5 as they were")
        check_refused(programs, folder)
    print("MLflow has 8 runs and the same numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
