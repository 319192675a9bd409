#!/usr/bin/env python3
"""What talks to GPUs is looked for beside the program's libraries, however it was started, and never in the current folder.

usage: finding_gpus.py BUILD_CLI_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile

NO_DEVICE = 6


def reason(program, folder, more=None):
    """Without the words before it."""
    done = subprocess.run([program, "bench", "gpu", "--quick"], cwd=folder, capture_output=True, text=True, timeout=100,
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": "", **(more or {})})
    assert done.returncode == NO_DEVICE, (program, done.returncode, done.stderr[-2000:])
    return done.stderr


def main():
    here = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        expected = reason(str(here / "trellis"), folder)
        (folder / "trellis-kernels-cuda.so").write_text("no library")
        (folder / "linked").symlink_to(here / "trellis")
        path = {"PATH": f"{here}:{os.environ['PATH']}"}
        for how, told in (("by its path", reason(str(here / "trellis"), folder)),
                          ("through PATH", reason("trellis", folder, path)),
                          ("through a link", reason(str(folder / "linked"), folder)),
                          ("as ./linked", reason("./linked", folder))):
            assert told == expected, f"{how}: {told!r}, expected {expected!r}"
        if "built without" in expected:
            return
        asked = reason(str(here / "trellis"), folder, {"TRELLIS_PLUGIN_DIR": str(folder)})
        assert asked == expected, f"a file that does not load ends the search: {asked!r}"


if __name__ == "__main__":
    main()
