#!/usr/bin/env python3
"""Without `parallel:` a study of a program has as many trials at once as its agents hold: each program of the first three
waits until it sees the two others.

usage: every_agent.py PROGRAMS"""
import json
import pathlib
import subprocess
import sys
import tempfile

AGENTS = 3
PROGRAM = f"""\
touch seen/$$
turns=0
until [ "$(ls seen | wc -l)" -ge {AGENTS} ]; do
  turns=$((turns + 1))
  [ $turns -lt 300 ] || exit 1
  sleep 0.1
done
echo "value=1"
"""
STUDY = """\
name: s
command: [sh, FOLDER/program.sh, $x]
folder: FOLDER
metric: {name: value, goal: maximize, regex: 'value=(\\S+)'}
method: random
early_stop: none
parameters: {x: {min: 0.0, max: 1.0}}
limits: {trials: 6}
"""


def main():
    trellis = pathlib.Path(sys.argv[1]).resolve() / "trellis"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "seen").mkdir()
        (folder / "program.sh").write_text(PROGRAM)
        (folder / "s.yaml").write_text(STUDY.replace("FOLDER", name))
        words = ["sweep", "s.yaml", "--hosts", ",".join(["localhost"] * AGENTS), "--workers", "1"]
        done = subprocess.run([trellis, *words], cwd=folder, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        assert "parallel:" not in done.stderr, f"it says that workers are idle: {done.stderr}"
        status = subprocess.run([trellis, "status", "s", "--json"], cwd=folder, capture_output=True, text=True, check=True)
        tasks = {node["node"]: node["done"] for node in json.loads(status.stdout)["nodes"]}
        assert len(tasks) == AGENTS and min(tasks.values()) > 0, tasks
    return 0


if __name__ == "__main__":
    sys.exit(main())
