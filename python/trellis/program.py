"""The program `trellis`: where it is, and one call of it."""
import os
import shutil
import subprocess
from pathlib import Path

from .errors import TrellisError


def path():
    """The program: $TRELLIS_PROGRAM, else the one in this package (of a wheel) or in the bundle around it, else the one in
    PATH, else the launcher of the source tree around this package."""
    named = os.environ.get("TRELLIS_PROGRAM")
    if named:
        return named
    package = Path(__file__).resolve().parent
    for own in (package / "_program" / "bin" / "trellis", package.parents[1] / "bin" / "trellis"):
        if own.is_file() and os.access(own, os.X_OK):
            return str(own)
    found = shutil.which("trellis")
    if found:
        return found
    launcher = package.parents[1] / "trellis"
    if launcher.is_file() and os.access(launcher, os.X_OK):
        return str(launcher)
    raise TrellisError("there is no program trellis in PATH, expected it there or its path in TRELLIS_PROGRAM")


def run(*words, may_be_nothing=False):
    """Standard output of `trellis WORDS`. Raises TrellisError with the program's message; where nothing usable may come
    of it, exit status 1 is none."""
    try:
        done = subprocess.run([path(), *words], capture_output=True, encoding="utf-8", check=False)
    except OSError as error:
        raise TrellisError(f"cannot start {path()}: {error.strerror}") from error
    if done.returncode != 0 and not (may_be_nothing and done.returncode == 1 and done.stdout):
        lines = [line for line in done.stderr.splitlines() if line.startswith("trellis: ")]
        message = lines[-1][len("trellis: "):] if lines else done.stderr.strip()
        raise TrellisError(message or f"{path()} {' '.join(words)}: exit status {done.returncode}")
    return done.stdout
