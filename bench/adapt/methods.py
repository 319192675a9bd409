"""Methods: policies as the study file writes them, in one word of the command line."""
import hashlib
import pathlib
import sys

RIVALS = ("gromo",)  # played by rivals.py
SCHEDULED = 128  # units that the plain schedule goes to


def policy(method, task, size):
    """The value of `adapt:` for NAME or NAME:key=value:..., command:PATH:... or plugin:PATH:...; None where the start is left
    alone."""
    name, *fields = method.split(":")
    if name == "none":
        return None
    if name == "schedule" and not fields:
        return schedule(task, size)
    if name in ("command", "plugin") and fields:
        path = pathlib.Path(fields.pop(0)).resolve()
        # A comment, so that the result of an edited program is another one.
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        if name == "plugin":
            return f"{{plugin: '{path}'{written(fields)}}}  # {digest}"
        return f"{{policy: command, command: ['{sys.executable}', -B, '{path}']{written(fields)}}}  # {digest}"
    return f"{{policy: {name}{written(fields)}}}"


def written(fields):
    return "".join(", " + field.replace("=", ": ", 1) for field in fields)


def schedule(task, size):
    """By factors of 2 to SCHEDULED units, a step every fortieth part of the epochs."""
    names = [f"fc{i + 1}" for i in range(size[1])] if task.network != "conv" else ["fc1"]
    width, at, moments = size[0], 0, []
    while width != SCHEDULED:
        width = width * 2 if width < SCHEDULED else width // 2
        at += task.epochs / 40
        verb = "widen" if width > size[0] else "shrink"
        moments.append(f"{at:g}: [" + ", ".join(f"{{{verb}: {{layer: {name}, to: {width}}}}}" for name in names) + "]")
    return f"{{policy: schedule, at: {{{', '.join(moments)}}}}}"
