#!/usr/bin/env python3
"""`/metrics` of `trellis serve`, read by Prometheus' own parser: the numbers are those of `trellis status --json`.

usage: serve_metrics.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES

Skipped (77) where the server was not built, or without Python's prometheus_client."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from page_browser import Failed, expect
from serving import Server, skip

HOSTILE = 'a"b\\c{d="e"} 7'


def status_of(programs, runs, name):
    done = subprocess.run([os.path.join(programs, "trellis"), "status", str(runs / name), "--json"], capture_output=True,
                          text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def check(programs, runs, families):
    def value(name, **labels):
        found = [sample.value for family in families for sample in family.samples
                 if sample.name == name and all(sample.labels.get(key) == text for key, text in labels.items())]
        expect(len(found) == 1, f"{name} {labels}: {len(found)} samples")
        return found[0]

    names = sorted(path.name for path in runs.iterdir())
    for name in names:
        status = status_of(programs, runs, name)
        expect(value("trellis_study_up", study=name) == 1, f"{name} is not up")
        expect(value("trellis_study_running", study=name) == (status["state"] == "running"), f"{name}: {status['state']}")
        for state, count in status["trials"].items():
            expect(value("trellis_study_trials", study=name, state=state) == count, f"{name}: {state}: {count}")
        best = status["best"]
        if best and best.get("value") is not None:
            said = value("trellis_study_best_value", study=name)
            expect(said == best["value"], f"{name}: the best is {best['value']}, the metrics say {said}")
        for key in ("tasks", "epochs", "distinct_epochs"):
            expect(value(f"trellis_study_{key}_total", study=name) == status["work"][key], f"{name}: {key}")
    expect(value("trellis_serve_streams") == 0, "streams")
    busy = [sample for family in families for sample in family.samples if sample.name == "trellis_worker_busy_seconds_total"]
    expect({sample.labels["worker"] for sample in busy if sample.labels["study"] == "sixty"} == {"cpu 0", "cpu 1"}, "workers")
    types = {family.name: family.type for family in families}
    expect(types["trellis_study_trials"] == "gauge" and types["trellis_study_tasks"] == "counter", f"types: {types}")
    print(f"{sum(len(family.samples) for family in families)} samples of {len(names)} studies were read back")


def main():
    programs, make = map(os.path.abspath, sys.argv[1:3])
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        skip("there is no prometheus_client (pip install prometheus_client)")
    try:
        with tempfile.TemporaryDirectory(prefix="trellis-metrics-") as folder:
            runs = pathlib.Path(folder, "runs")
            subprocess.run([make, runs], check=True)
            shutil.copytree(runs / "one", runs / HOSTILE)
            with Server(programs, "runs", cwd=folder) as server:
                status, fields, body = server.ask("/metrics")
                expect(status == 200 and fields["content-type"] == ["text/plain; version=0.0.4; charset=utf-8"], f"{fields}")
                check(programs, runs, list(text_string_to_metric_families(body.decode())))
    except Failed as failed:
        print(failed)
        sys.exit(1)


if __name__ == "__main__":
    main()
