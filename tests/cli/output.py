#!/usr/bin/env python3
"""Where `--output FILE` leads: a file appears whole, a link's target is replaced and the link stays, a pipe is written as it is,
and nothing else in the folder is touched.

usage: output.py BUILD_CLI_FOLDER"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*words, code=0):
            ran = subprocess.run([program, "schema", *words], cwd=folder, capture_output=True, timeout=60, check=False)
            assert ran.returncode == code, (words, ran.returncode, ran.stderr)
            return ran.stdout

        schema = run()
        for neighbour in ("new.json.part", "new.json.tmp"):
            (folder / neighbour).write_bytes(b"mine")
        (folder / "link.json").symlink_to("old.json")
        (folder / "old.json").write_bytes(b"old")
        os.mkfifo(folder / "pipe")
        there = {path.name for path in folder.iterdir()}
        run("--output", "new.json")
        run("--output", "link.json")
        read = []
        reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()))
        reader.start()
        run("--output", "pipe")
        reader.join()
        run("--output", "nowhere/new.json", code=4)
        assert (folder / "new.json").read_bytes() == schema, "a new file"
        assert (folder / "link.json").is_symlink() and (folder / "old.json").read_bytes() == schema, "a link's target"
        assert (folder / "pipe").is_fifo() and read == [schema], "a pipe"
        assert (folder / "new.json.part").read_bytes() == b"mine" == (folder / "new.json.tmp").read_bytes(), "a neighbour"
        assert {path.name for path in folder.iterdir()} == there | {"new.json"}, "files are left over"
        (folder / "ahead.json").symlink_to("made.json")
        run("--output", "ahead.json")
        assert (folder / "ahead.json").is_symlink() and (folder / "made.json").read_bytes() == schema, "a link to nothing"
        (folder / "within").mkdir()
        (folder / "within" / "ahead.json").symlink_to("made.json")
        run("--output", "within/ahead.json")
        assert (folder / "within" / "made.json").read_bytes() == schema, "a link to nothing beside it"
        with open(folder / "log", "wb") as log:
            log.write(b"before\n")
            log.flush()
            subprocess.run([program, "schema", "--output", "/dev/stdout"], stdout=log, timeout=60, check=True)
        assert (folder / "log").read_bytes() == b"before\n" + schema, "the file that standard output goes to"
        assert run("--output", "/dev/stdout") == schema, "standard output by its name"


if __name__ == "__main__":
    main()
