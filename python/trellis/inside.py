"""For scripts that a study's `command` starts; by hand they run as well, and report to nobody."""
import json
import os

from .checks import whole


def report(step=None, metrics=None, **named):
    """Reports metrics, by keyword or as a dict where a name is no Python word. `step` is 0 or more and grows;
    without it the report is the trial's result."""
    path = os.environ.get("TRELLIS_METRICS")
    if not path:
        return
    line = {} if step is None else {"step": whole("step", step)}
    line.update({name: float(value) for name, value in {**(metrics or {}), **named}.items()})
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def params(**defaults):
    """The trial's params, over `defaults`; the defaults alone where no study runs the script."""
    folder = os.environ.get("TRELLIS_TRIAL_DIR")
    if not folder:
        return defaults
    with open(os.path.join(folder, "params.json"), encoding="utf-8") as file:
        return {**defaults, **json.load(file)}
