"""Trials that run bad programs, beside somebody who kills at random.

usage: programs.py PROGRAMS [--trials N] [--checkpoint N] [--driver N] [--pause N]
  --trials N      programs that crash, hang, flood, ignore SIGTERM, leave processes behind, 16 at a time, while every half
                  second a random process of theirs is killed
  --checkpoint N  stops of one study with checkpoints, each at a random moment
  --driver N      deaths of the driver, each at a random moment
  --pause N       stops of a study whose rule pauses trials, and deaths of its driver
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOG_CAP = 100_000
REPORT = r"""echo "{\"step\": 1, \"loss\": 1}" >> $TRELLIS_METRICS"""

# What each kind of program does, and how its trial ends when nobody disturbs it: state, cause, attempts.
KINDS = {
    "fine": (f"sleep 0.$1; {REPORT}", ("complete", None, 1)),
    "exits": ("sleep 0.$1; exit 3", ("failed", "error", 1)),
    "crashes": ("kill -SEGV $$", ("failed", "killed", 2)),
    "hangs": (f"{REPORT}; sleep 1000", ("failed", "timeout", 1)),
    "deaf": ("trap '' TERM INT HUP; while :; do sleep 0.3; done", ("failed", "timeout", 1)),
    "leaves": (f"(setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & sleep 1000' &); (sleep 1000 &); {REPORT}",
               ("complete", None, 1)),
    "floods": (f"head -c 1000000000 /dev/zero; {REPORT}", ("complete", None, 1)),
    "nan": ("echo '{\"loss\": NaN}' >> $TRELLIS_METRICS; sleep 1000", ("failed", "diverged", 1)),
    "hungry": ("dd if=/dev/zero of=/dev/null bs=250M count=1000000", ("failed", "out_of_memory", 1)),
    "mute": ("true", ("failed", "error", 1)),
}
RETRIED = {"killed", "lost"}


class Place:
    """A study of programs in a folder of its own."""

    def __init__(self, programs, folder, study, script):
        self.trellis = str(Path(programs).resolve() / "trellis")
        self.folder = Path(folder)
        (self.folder / "study.yaml").write_text(study)
        (self.folder / "prog.sh").write_text(script)

    def start(self, runs="runs"):
        return subprocess.Popen([self.trellis, "sweep", "study.yaml", "--dir", runs], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def read(self, *words, runs="runs"):
        done = subprocess.run([self.trellis, *words, "--dir", runs], cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def payloads(self, trial, kind, runs="runs"):
        """What the log says of a trial, by kind of event."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/{runs}/study/study.db?mode=ro", uri=True)) as log:
            rows = log.execute("select payload from events where trial = ? and kind = ? order by seq", (trial, kind))
            return [json.loads(payload) for payload, in rows]

    def processes(self):
        """(process, trial, is a supervisor) of all that runs for a trial here, by its environment."""
        mark = f"TRELLIS_TRIAL_DIR={self.folder.resolve()}/".encode()
        found = []
        for process in Path("/proc").iterdir():
            try:
                if not process.name.isdigit() or (process / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    continue
                entries = (process / "environ").read_bytes().split(b"\0")
                own = [entry for entry in entries if entry.startswith(mark)]
                if own:
                    supervises = (process / "comm").read_text().startswith("trellis-superv")
                    found.append((int(process.name), int(own[0].rsplit(b"/", 1)[1]), supervises))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
        return found

    def check_nothing_left(self, within=0.0):
        deadline = time.monotonic() + within
        left = self.processes()
        while left and time.monotonic() < deadline:
            time.sleep(0.05)
            left = self.processes()
        assert not left, f"processes are left: {left}"

    def check_files(self):
        there = {path.name for path in self.folder.iterdir()}
        assert there <= {"study.yaml", "prog.sh", "runs", "reference"}, f"files outside the run folder: {there}"
        for log in self.folder.glob("runs/study/trials/*/log*"):
            assert log.stat().st_size <= LOG_CAP + 200, f"{log} has {log.stat().st_size} bytes"


def kill_now_and_then(place, driver, chance):
    """Kills a random process every half second until the driver has ended: how often each trial was hit."""
    hits = {}
    while driver.poll() is None:
        time.sleep(0.5)
        running = place.processes()
        if not running:
            continue
        process, trial, _ = chance.choice(running)
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
        hits[trial] = hits.get(trial, 0) + 1
    return hits


def bad_programs(programs, folder, trials, chance):
    repeats = max(1, trials // len(KINDS))
    script = "case $2 in\n" + "".join(f"{kind}) {body};;\n" for kind, (body, _) in KINDS.items()) + "esac\n"
    study = (f"command: [sh, prog.sh, $again, $kind]\nmetric: {{name: loss, goal: minimize}}\nmethod: grid\nparallel: 16\n"
             f"parameters:\n  again: {{type: int, min: 1, max: {repeats}}}\n  kind: {{values: [{', '.join(KINDS)}]}}\n"
             "limits: {trial_time: 20s, no_progress: 5s, grace: 300ms, log: 100000B}\nresources: {memory: 200MB}\n"
             "retry: {max: 1, on: [killed, lost]}\n")
    place = Place(programs, folder, study, script)
    driver = place.start()
    hits = kill_now_and_then(place, driver, chance)
    output, progress = driver.communicate(timeout=60)
    assert driver.returncode == 0, f"exit code {driver.returncode}: {output}{progress}"
    place.check_nothing_left()
    place.check_files()
    rows = json.loads(place.read("trials", "study", "--json"))
    assert len(rows) == repeats * len(KINDS), f"{len(rows)} trials"
    for row in rows:
        expected = KINDS[row["params"]["kind"]][1]
        found = (row["state"], row["cause"], row["attempts"])
        if row["trial"] not in hits:
            assert found == expected, f"trial {row['trial']} ({row['params']['kind']}): {found}, expected {expected}"
            continue
        retried = [payload["cause"] for payload in place.payloads(row["trial"], "retried")]
        assert set(retried) <= RETRIED and len(retried) == row["attempts"] - 1 <= 1, (row, retried)
        if row["cause"] in RETRIED:
            assert row["attempts"] == 2, row
        allowed = {(expected[0], expected[1]), ("failed", "killed"), ("failed", "lost"), ("failed", "error"), ("complete", None)}
        assert (row["state"], row["cause"]) in allowed, row
    return f"{len(rows)} bad programs ended as they should, {sum(hits.values())} kills among them"


COUNTER = r"""c=$TRELLIS_CHECKPOINT_DIR/at
[ -e $c ] && read n v < $c || { n=0; v=1; }
while [ $n -lt 300 ]; do
  n=$((n + 1)); v=$(((v * 31 + n * $1) % 1000003))
  echo "{\"step\": $n, \"loss\": $v}" >> $TRELLIS_METRICS
  echo $n $v > $c.new; mv $c.new $c
  sleep 0.01
done
"""
COUNTING = ("command: [sh, prog.sh, $x]\nmetric: {name: loss, goal: minimize}\nmethod: grid\nparallel: 2\n"
            "parameters: {x: {values: [3, 4]}}\nlimits: {grace: 2s}\n")


def interrupted(programs, folder, times, chance, signals, study=COUNTING, script=COUNTER):
    """However often it is stopped: the study ends with the reports of one that was not."""
    place = Place(programs, folder, study, script)
    undisturbed = place.start("reference")
    _, progress = undisturbed.communicate(timeout=120)
    assert undisturbed.returncode == 0, progress
    stops = 0
    while True:
        driver = place.start()
        if stops < times:
            time.sleep(chance.uniform(0.02, 0.25))
            how = chance.choice(signals)
            driver.send_signal(how)
            stops += driver.poll() is None
        _, progress = driver.communicate(timeout=120)
        place.check_nothing_left(within=2.0)
        # One that is so young that it does not listen yet dies of any signal.
        assert driver.returncode in (0, 75, *(-how for how in signals)), f"exit code {driver.returncode}: {progress}"
        if driver.returncode == 0:
            break
    place.check_files()
    assert stops >= min(times, 10), f"it was over after {stops} stops"
    assert place.read("export", "study") == place.read("export", "study", runs="reference")
    return place, stops


def stopped(programs, folder, times, chance, signals):
    place, stops = interrupted(programs, folder, times, chance, signals)
    for trial in (0, 1):
        steps = [payload["step"] for payload in place.payloads(trial, "reported")]
        assert steps == list(range(1, 301)), f"reports of trial {trial}: {steps}"
    return f"{stops} interruptions, and the reports of an undisturbed study"


# An earlier trial is better, so that it waits until later ones are there. Every step that is done is written down.
PAUSED = r"""c=$TRELLIS_CHECKPOINT_DIR/at
[ -e $c ] && read n < $c || n=0
echo begins >> $TRELLIS_TRIAL_DIR/done
while [ $n -lt 90 ]; do
  n=$((n + 1))
  echo $n >> $TRELLIS_TRIAL_DIR/done
  echo "{\"step\": $n, \"loss\": $(($1 * 1000 - n))}" >> $TRELLIS_METRICS
  echo $n > $c.new; mv $c.new $c
  sleep 0.01
done
"""
PAUSING = ("command: [sh, prog.sh, $x]\nmetric: {name: loss, goal: minimize}\nmethod: grid\nparallel: 3\norder: virtual\n"
           "parameters: {x: {type: int, min: 1, max: 9}}\nlimits: {grace: 2s}\n"
           "early_stop: {type: asha, min: 10, max: 90, eta: 3, promote: true}\n")


def paused(programs, folder, times, chance):
    """A trial that was paused goes on from its checkpoint: it does no step twice but the one that it was in."""
    place, stops = interrupted(programs, folder, times, chance, [signal.SIGINT, signal.SIGKILL], PAUSING, PAUSED)
    rows = json.loads(place.read("trials", "study", "--json"))
    assert {row["state"] for row in rows} == {"complete", "stopped"}, rows
    resumed = 0
    for runs in ("reference", "runs"):
        for row in rows:
            done = place.folder / runs / "study" / "trials" / f"{row['trial']:04}" / "done"
            attempts = [[int(step) for step in part.split()] for part in done.read_text().split("begins")[1:]]
            at = 0
            for steps in attempts:
                expected = list(range(steps[0], steps[0] + len(steps))) if steps else []
                assert steps == expected and (not steps or at <= steps[0] <= at + 1), f"{runs} trial {row['trial']}: {attempts}"
                at = max([at, *steps])
            pauses = sum(payload["word"] == "pause" for payload in place.payloads(row["trial"], "reported", runs))
            again = len(place.payloads(row["trial"], "resumed", runs))
            assert again <= pauses and (runs == "runs" or len(attempts) == 1 + again), (row, attempts)
            resumed += again
    assert resumed == 8, f"{resumed} trials went on after a pause, expected 4 in each of two studies"
    return f"{resumed} trials went on after a pause, {stops} interruptions, and no step was done again"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--trials", type=int, default=0)
    parser.add_argument("--checkpoint", type=int, default=0)
    parser.add_argument("--driver", type=int, default=0)
    parser.add_argument("--pause", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(1)
    try:
        if options.trials:
            with tempfile.TemporaryDirectory() as folder:
                print(bad_programs(options.programs, folder, options.trials, chance))
        if options.checkpoint:
            with tempfile.TemporaryDirectory() as folder:
                print(stopped(options.programs, folder, options.checkpoint, chance, [signal.SIGINT, signal.SIGTERM]))
        if options.driver:
            with tempfile.TemporaryDirectory() as folder:
                print(stopped(options.programs, folder, options.driver, chance, [signal.SIGKILL]))
        if options.pause:
            with tempfile.TemporaryDirectory() as folder:
                print(paused(options.programs, folder, options.pause, chance))
    except AssertionError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
