#!/usr/bin/env python3
"""`status --watch` and `sweep` on a pseudo terminal: what they show and the numbers in it, their keys, narrow and low
terminals, and that the terminal is as before however they end.

usage: watch.py BUILD_CLI_FOLDER"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from screen import OnTerminal

STUDY = """name: slow
command: [/bin/sh, PROGRAM, $x]
parameters: {x: {min: 0.0, max: 1.0}}
metric: {name: loss, goal: minimize}
method: random
early_stop: none
parallel: 2
limits: {trials: TRIALS}
"""
PROGRAM = 'echo "{\\"step\\": 1, \\"loss\\": $1}" > "$TRELLIS_METRICS"; sleep 0.4\n'
FEW, MANY = 8, 2000  # trials: of a sweep that ends, and of one that is ended
LINES = 12


class Studies:
    """A folder, and how to call the program there."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        (self.folder / "prog.sh").write_text(PROGRAM)
        for name, trials in (("few", FEW), ("many", MANY)):
            text = STUDY.replace("TRIALS", str(trials)).replace("slow", name)
            text = text.replace("PROGRAM", str(self.folder / "prog.sh"))
            (self.folder / f"{name}.yaml").write_text(text)

    def trellis(self, *words, check=True):
        return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, check=check,
                              timeout=120).stdout

    def status(self, name):
        return json.loads(self.trellis("status", name, "--json"))

    def on_terminal(self, *words, **options):
        return OnTerminal([self.program, *words], self.folder, **options)

    @contextlib.contextmanager
    def driven(self, name):
        """The study, while another process drives it."""
        sweep = subprocess.Popen([self.program, "sweep", f"{name}.yaml", "--quiet"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not list(self.folder.glob(f"runs/{name}/trials/*")):
                assert sweep.poll() is None and time.monotonic() < deadline, "the sweep has no trial"
                time.sleep(0.05)
            yield sweep
        finally:
            sweep.terminate()
            sweep.wait(60)


def bar_counts(lines):
    """{"complete": 3, ...}: what the second line says."""
    return {word: int(count) for count, word in re.findall(r"(\d+) (complete|stopped|failed|running)", lines[1])}


def check_twelve_lines(lines):
    assert len(lines) == LINES or len(lines) == LINES - 1, lines  # without a second line of running trials
    assert lines[2].startswith("best     trial "), lines
    assert lines[3].startswith("params   x="), lines
    assert all("\u2800" <= char <= "\u28ff" for char in lines[4][:60]), lines[4]
    assert any(char > "\u2800" for char in "".join(lines[4:7])), lines
    for label in ("running", "devices", "last", "keys"):
        assert any(line.startswith(label) for line in lines), (label, lines)


def has_chart(terminal):
    return any("\u2800" <= line[0] <= "\u28ff" for line in terminal.screen.shown())


def watching_shows_what_status_says(studies):
    with studies.driven("few"), studies.on_terminal("status", "few", "--watch", columns=100) as watch:
        watch.wait_for(lambda: watch.shows("keys     q quit") and has_chart(watch))
        check_twelve_lines(watch.screen.shown())
        assert not watch.is_usual() and watch.screen.has_colors
        assert watch.end() == 0 and watch.is_usual()
        lines = watch.screen.shown()
    status = studies.status("few")
    assert lines[0].startswith(f"few: finished, {FEW} trials, {FEW} of {FEW} trials in "), lines[0]
    assert bar_counts(lines) == {word: status["trials"][word] for word in bar_counts(lines)}, (lines[1], status)
    best = re.match(r"best     trial (\d+): loss = (\S+), (\d+) trials? ago", lines[2])
    assert int(best.group(1)) == status["best"]["trial"], lines[2]
    assert abs(float(best.group(2)) - status["best"]["value"]) < 1e-6, lines[2]
    assert int(best.group(3)) == FEW - 1 - status["best"]["trial"], lines[2]


def keys_of_watching(studies):
    with studies.driven("many") as sweep:
        with studies.on_terminal("status", "many", "--watch") as watch:
            watch.wait_for(lambda: watch.shows("keys     q quit"))
            watch.type("o")
            watch.wait_for(lambda: watch.shows("no browser can be opened from here"))
            page = studies.folder / "runs/many/report.html"
            watch.wait_for(page.exists)
            watch.type("s")
            watch.wait_for(lambda: watch.shows("s again stops the study"))
            watch.type("x")
            watch.wait_for(lambda: watch.shows("keys     q quit"))
            assert sweep.poll() is None
            watch.type("q")
            assert watch.end(10) == 0 and watch.is_usual()
        assert sweep.poll() is None
        with studies.on_terminal("status", "many", "--watch") as watch:
            watch.wait_for(lambda: watch.shows("keys     q quit"))
            watch.type("s")
            watch.wait_for(lambda: watch.shows("s again stops the study"))
            watch.type("s")
            assert watch.end() == 0 and watch.is_usual()
            assert watch.shows("many: interrupted")
        assert sweep.wait(60) == 75


def signals_leave_the_terminal_as_it_was(studies):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV):
        with studies.on_terminal("status", "many", "--watch") as watch:
            watch.wait_for(lambda: watch.shows("keys     q quit"))
            assert not watch.is_usual()
            watch.send(number)
            assert watch.end(10) == 128 + number, number
            assert watch.is_usual(), number


def a_stop_gives_the_terminal_back(studies):
    with studies.on_terminal("status", "many", "--watch") as watch:
        watch.wait_for(lambda: watch.shows("keys     q quit"))
        watch.type("\x1a")
        watch.wait_for(watch.is_stopped)
        assert watch.is_usual()
        watch.foreground()
        watch.wait_for(lambda: not watch.is_stopped() and not watch.is_usual())
        watch.screen.lines = [""] * watch.screen.rows
        watch.wait_for(lambda: watch.shows("keys     q quit"))
        # In the background it touches nothing, and is not stopped for that.
        watch.type("\x1a")
        watch.wait_for(watch.is_stopped)
        watch.read(0.3)
        watch.background()
        watch.wait_for(lambda: not watch.is_stopped())
        before = len(watch.raw)
        watch.read(1.5)
        assert watch.is_usual() and not watch.is_stopped() and len(watch.raw) == before, watch.raw[before:]
        watch.foreground()
        watch.wait_for(lambda: not watch.is_usual())
        watch.type("q")
        assert watch.end(10) == 0 and watch.is_usual()


def shapes_of_terminals(studies):
    with studies.on_terminal("status", "many", "--watch", rows=24, columns=120) as watch:
        watch.wait_for(lambda: watch.shows("keys     q quit"))
        watch.resize(24, 40)
        watch.wait_for(lambda: watch.raw.endswith(b"\x1b[J") and all(len(line) < 40 for line in watch.screen.shown()))
        watch.resize(6, 40)
        watch.wait_for(lambda: watch.shows("keys") and len(watch.screen.shown()) == 5)
        assert watch.screen.shown()[0].startswith("many: running")
        watch.resize(24, 90)
        watch.wait_for(lambda: len([line for line in watch.screen.shown() if line.startswith("many: running")]) == 1
                       and len(watch.screen.shown()) >= LINES - 1)
        watch.type("q")
        assert watch.end(10) == 0
    with studies.on_terminal("status", "many", "--watch", NO_COLOR="1") as watch:
        watch.wait_for(lambda: watch.shows("keys     q quit"))
        watch.type("q")
        assert watch.end(10) == 0 and not watch.screen.has_colors
    with studies.on_terminal("status", "many", "--watch", TERM="dumb") as watch:
        watch.wait_for(lambda: watch.shows("trials   "))
        assert watch.is_usual() and b"\x1b" not in watch.raw, watch.raw
        watch.send(signal.SIGTERM)
        watch.end(10)


def piped_output_is_plain(studies):
    said = subprocess.run([studies.program, "status", "few", "--watch"], cwd=studies.folder, capture_output=True, check=True,
                          timeout=60).stdout
    assert b"\x1b" not in said and said.startswith(b"few: finished"), said
    (studies.folder / "runs/few/study.db").unlink()
    done = subprocess.run([studies.program, "sweep", "few.yaml"], cwd=studies.folder, capture_output=True, check=True,
                          timeout=120)
    assert b"\x1b" not in done.stdout + done.stderr and b"few: searching, minimize loss" in done.stderr, done.stderr


def a_sweep_on_a_terminal(studies):
    with studies.on_terminal("sweep", "few.yaml", "--name", "shown") as sweep:
        sweep.wait_for(lambda: sweep.shows("keys     q one line") and has_chart(sweep))
        lines = sweep.screen.shown()
        check_twelve_lines(lines[[line.startswith("shown: running") for line in lines].index(True):])
        sweep.type("q")
        sweep.wait_for(lambda: sweep.shows("(q: more)") and not sweep.shows("params"))
        sweep.type("q")
        sweep.wait_for(lambda: sweep.shows("params"))
        assert sweep.end() == 0 and sweep.is_usual()
        lines = sweep.screen.shown()
    assert not any(line.startswith("keys") for line in lines), lines
    assert any(line.startswith("report: runs/shown/report.html") for line in lines), lines


def stopping_a_sweep(studies):
    with studies.on_terminal("sweep", "many.yaml", "--name", "keys") as sweep:
        sweep.wait_for(lambda: sweep.shows("keys     q one line"))
        sweep.type("s")
        sweep.wait_for(lambda: sweep.shows("s again stops the sweep"))
        sweep.type("s")
        assert sweep.end() == 75 and sweep.is_usual()
        assert sweep.shows("stopped; to continue: "), sweep.screen.shown()
    with studies.on_terminal("sweep", "many.yaml", "--name", "keys") as sweep:
        sweep.wait_for(lambda: sweep.shows("keys     q one line"))
        sweep.type("\x1a")
        sweep.wait_for(sweep.is_stopped)
        assert sweep.is_usual()
        sweep.foreground()
        sweep.wait_for(lambda: not sweep.is_usual())
        sweep.type("\x03")
        sweep.wait_for(lambda: sweep.shows("stopping: what is done is kept"))
        assert sweep.end() == 75 and sweep.is_usual()


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "trellis")
    with tempfile.TemporaryDirectory(prefix="trellis-watch-") as folder:
        studies = Studies(program, folder)
        watching_shows_what_status_says(studies)
        keys_of_watching(studies)
        with studies.driven("many"):
            signals_leave_the_terminal_as_it_was(studies)
            a_stop_gives_the_terminal_back(studies)
            shapes_of_terminals(studies)
        a_sweep_on_a_terminal(studies)
        stopping_a_sweep(studies)
        piped_output_is_plain(studies)


if __name__ == "__main__":
    main()
