#!/usr/bin/env python3
"""Early stopping of programs that print without flushing, in Python and in C: the seconds of all trials together are at most
55% of those without a rule.

usage: stopped_early.py BUILD_CLI_FOLDER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MOST = 0.55
TRIALS, STEPS, MILLISECONDS = 27, 27, 50

PYTHON = f"""\
import sys, time
for step in range(1, {STEPS + 1}):
    time.sleep({MILLISECONDS / 1000})
    print("step", step, "loss", float(sys.argv[1]) + 1 / step)
"""
C = f"""\
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char **words) {{
  const struct timespec pause = {{0, {MILLISECONDS}000000}};
  for (int step = 1; step <= {STEPS}; ++step) {{
    nanosleep(&pause, NULL);
    printf("step %d loss %.17g\\n", step, atof(words[count - 1]) + 1.0 / step);
  }}
}}
"""
STUDY = f"""\
command: [COMMAND, $x]
metric: {{name: loss, goal: minimize, regex: 'step (\\d+) loss (\\S+)'}}
method: random
parameters: {{x: {{min: 0.0, max: 1.0}}}}
limits: {{trials: {TRIALS}}}
parallel: 2
"""
RULE = f"early_stop: {{type: asha, min: 1, max: {STEPS}, eta: 3}}\n"


def seconds(program, folder, name, text):
    """The seconds of the trials of a sweep, together."""
    (folder / f"{name}.yaml").write_text(text)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    for words in (["sweep", f"{name}.yaml", "--quiet"], ["trials", name, "--json"]):
        done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=240,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    trials = json.loads(done.stdout)
    assert len(trials) == TRIALS and all(trial["state"] in ("complete", "stopped") for trial in trials), trials
    return sum(trial["seconds"] for trial in trials)


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "trellis"
    with tempfile.TemporaryDirectory(prefix="trellis-stopped-") as name:
        folder = pathlib.Path(name)
        (folder / "late.py").write_text(PYTHON)
        (folder / "late.c").write_text(C)
        subprocess.run(["cc", "-o", "late", "late.c"], cwd=folder, check=True, timeout=60)
        for kind, command in (("python", "python3, late.py"), ("c", "./late")):
            study = STUDY.replace("COMMAND", command)
            without = seconds(program, folder, f"{kind}-without", study)
            share = seconds(program, folder, f"{kind}-asha", study + RULE) / without
            print(f"{kind}: {share:.0%} of {without:.1f} s")
            assert share <= MOST, f"{kind}: {share:.0%}, expected at most {MOST:.0%}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
