#!/usr/bin/env python3
"""`status --watch` on a narrow terminal: each line stays in one row, so that the next display takes the place of the last.

usage: watch.py BUILD_CLI_FOLDER"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

COLUMNS = 40
STUDY = """command: [/bin/sh, -c, sleep 0.4, $x]
parameters: {x: {min: 0.0, max: 1.0}}
metric: {name: exit, goal: minimize}
early_stop: none
parallel: 1
limits: {trials: 6}
"""


def watched(program, folder):
    """All that the terminal was sent until the study had ended."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    watch = subprocess.Popen([program, "status", "slow", "--watch"], cwd=folder, stdin=terminal, stdout=terminal,
                             stderr=subprocess.DEVNULL, env=os.environ | {"TERM": "xterm"})
    os.close(terminal)
    sent = b""
    while True:
        try:
            read = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        sent += read
    assert watch.wait(60) == 0
    return sent.decode()


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "slow.yaml").write_text(STUDY)
        sweep = subprocess.Popen([program, "sweep", "slow.yaml", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL)
        while not list(folder.glob("runs/slow/trials/*")):
            assert sweep.poll() is None, "the sweep has ended before its first trial"
        sent = watched(program, folder)
        assert sweep.wait(60) == 0
    displays = re.split(r"\x1b\[(\d+)A\x1b\[J", sent)
    assert len(displays) > 1, sent
    for shown, up in zip(displays[::2], displays[1::2]):
        lines = re.sub(r"\x1b\[\d*m", "", shown).splitlines()
        assert all(len(line) <= COLUMNS for line in lines), lines
        assert len(lines) == int(up), (lines, up)


if __name__ == "__main__":
    main()
