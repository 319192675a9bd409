#!/usr/bin/env python3
"""The programs that `meson install` makes start, wherever they lie: what they are linked with is found relative to themselves.

usage: installed.py BUILD PREFIX"""
import os
import pathlib
import subprocess
import sys
import tempfile

NETWORK = "name: net\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 4}]\ntrain: {epochs: 2, batch: 16}\n"


def main():
    build, prefix = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["meson", "install", "-C", build, "--destdir", str(folder / "image"), "--no-rebuild"], check=True,
                       capture_output=True)
        pathlib.Path(f"{folder}/image{prefix}").rename(folder / "trellis")
        (folder / "net.yaml").write_text(NETWORK, encoding="utf-8")
        rows = "".join(f"{i % 7},{i % 5},{'ab'[i % 7 > 3]}\n" for i in range(200))
        (folder / "rows.csv").write_text("x,y,kind\n" + rows, encoding="utf-8")
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("LD_LIBRARY_PATH", "TRELLIS_PLUGIN_DIR")}
        program = folder / "trellis/bin/trellis"
        for words in (["--version"], ["check", "net.yaml"], ["train", "net.yaml", "--quiet"]):
            done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60,
                                  check=False)
            assert done.returncode == 0, f"{words}: {done.returncode}: {done.stdout}{done.stderr}"


if __name__ == "__main__":
    main()
