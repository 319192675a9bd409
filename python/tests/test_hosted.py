"""Agents that other processes start with tickets, against the real program: $TRELLIS_PROGRAM."""
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import trellis

PACKAGE = Path(__file__).resolve().parents[1]
STUDY = """\
name: small
seed: 3
data: {csv: points.csv, target: label, split: {valid: 0.25, test: 0.25}}
network:
  - dense: {units: $width, activation: relu}
train: {loss: cross_entropy, optimizer: {type: sgd, lr: $lr}, batch: 16, epochs: EPOCHS}
metric: {name: valid.accuracy, goal: maximize}
method: random
parameters:
  lr: {min: 1e-3, max: 1.0, scale: log}
  width: {type: int, min: 4, max: 64, scale: log}
early_stop: {type: asha, min: 1, eta: 3}
parallel: 4
limits: {trials: TRIALS}
"""
LONG = (150, 40, False)  # epochs, trials: seconds of work
# Cores of a machine: two agents need two.
CORES = sorted(os.sched_getaffinity(0))


def net_plugin():
    return Path(trellis.program.path()).resolve().parents[1] / "runtime/net/grpc/trellis-net.so"


def write_study(folder, epochs=9, trials=10, early=True):
    chance = random.Random(1)
    rows = [",".join(f"{chance.gauss(i % 3 * shift, 1.0):.5f}" for shift in (1, -1, 0.5)) + f",k{i % 3}"
            for i in range(240)]
    Path(folder, "points.csv").write_text("\n".join(["a,b,c,label", *rows, ""]), encoding="utf-8")
    file = Path(folder, "small.yaml")
    text = STUDY if early else STUDY.replace("{type: asha, min: 1, eta: 3}", "none")
    file.write_text(text.replace("EPOCHS", str(epochs)).replace("TRIALS", str(trials)), encoding="utf-8")
    return str(file)


def agents_in(place):
    """The agents with tickets whose claims lie there."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if b"--ticket" in words and place.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def until(done, what, seconds=60):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise AssertionError(f"waited for {seconds} s: {what}")
        time.sleep(0.02)


class Agents:
    """Agents in threads of this process, and how they ended."""

    def __init__(self):
        self.codes = []
        self._threads = []

    def start(self, ticket, **grant):
        thread = threading.Thread(target=lambda: self.codes.append(trellis.agent(ticket, **grant)))
        thread.start()
        self._threads.append(thread)

    def join(self):
        for thread in self._threads:
            thread.join()
        return self.codes


class Hosted(unittest.TestCase):
    def setUp(self):
        if not net_plugin().exists():
            self.skipTest("built without gRPC")
        folder = tempfile.TemporaryDirectory(prefix="trellis-hosted-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # Agents of other tests on this machine are none of these.
        claims = mock.patch.dict(os.environ, {"TRELLIS_CLAIMS": f"{self.folder}/claims"})
        claims.start()
        self.addCleanup(claims.stop)
        self.agents = Agents()
        self.addCleanup(self.agents.join)

    def nodes(self, file, runs="runs", **more):
        return trellis.nodes(file, directory=f"{self.folder}/{runs}", quiet=True, **more)

    def export(self, runs):
        return trellis.program.run("export", "small", "--dir", f"{self.folder}/{runs}", "--format", "csv")

    def alone(self, file):
        trellis.program.run("sweep", file, "--dir", f"{self.folder}/alone", "--workers", "1")
        return self.export("alone")

    def processes(self):
        return agents_in(self.folder)


class Running(Hosted):
    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_two_agents_share_the_machine_and_the_result_is_that_of_one(self):
        file = write_study(self.folder, epochs=60, trials=40)
        seen = {}
        with self.nodes(file) as run:
            tickets = [run.ticket() for _ in range(2)]
            self.assertNotEqual(*(json.loads(ticket)["key"] for ticket in tickets))
            self.agents.start(tickets[0], workers=1)
            self.agents.start(tickets[1].encode(), workers=1)

            def look():
                seen.clear()
                for process in self.processes():
                    with contextlib.suppress(OSError):
                        cores = os.sched_getaffinity(process)
                        if len(cores) < len(CORES):
                            seen[process] = cores
                # hwloc moves a thread from core to core for some milliseconds, to ask each one what it is.
                return len(seen) == 2 and set.isdisjoint(*seen.values())
            until(look, "two agents on cores of their own")
            study = run.result(timeout=120)
            self.assertEqual(self.agents.join(), [0, 0])
        self.assertEqual([len(cores) for cores in seen.values()], [1, 1])
        self.assertEqual(len(study.trials), 40)
        self.assertEqual(self.export("runs"), self.alone(file))
        self.assertEqual(self.processes(), [])

    def test_one_that_gets_no_core_ends_with_5(self):
        file = write_study(self.folder, *LONG)
        with self.nodes(file) as run:
            self.agents.start(run.ticket())
            until(lambda: any("core-" in name for name in os.listdir(f"{self.folder}/claims"))
                  if os.path.isdir(f"{self.folder}/claims") else False, "a claim")
            words = [trellis.program.path(), "agent", "--ticket", "-", "--workers", "1"]
            done = subprocess.run(words, input=run.ticket(), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertRegex(done.stderr, r"\Atrellis: no core is free for this agent: [^\n]*\n\Z")
        self.assertEqual(len(self.agents.join()), 1)

    def test_the_ticket_is_on_standard_input_alone(self):
        with self.nodes(write_study(self.folder, *LONG)) as run:
            self.agents.start(run.ticket(), workers=1)
            shown = []

            def look():
                for process in self.processes():
                    # One that becomes another program shows nothing for a moment.
                    with contextlib.suppress(OSError):
                        shown.extend(Path(f"/proc/{process}/{file}").read_bytes() for file in ("cmdline", "environ"))
                return any(shown)
            until(look, "the agent")
            self.assertNotIn(b"PRIVATE KEY", b"".join(shown))

    def test_a_study_that_is_held_to_an_instruction_set(self):
        file = write_study(self.folder)
        with open(file, "a", encoding="utf-8") as study:
            study.write("resources: {isa: avx2}\n")
        with self.nodes(file) as run:
            self.agents.start(run.ticket(), workers=1)
            run.result(timeout=60)
        self.assertEqual(self.agents.join(), [0])
        self.assertEqual(self.export("runs"), self.alone(file))


class Ending(Hosted):
    def test_an_agent_dies_with_the_process_that_started_it(self):
        file = write_study(self.folder, *LONG)
        with self.nodes(file) as run:
            script = "import sys, trellis; trellis.agent(sys.stdin.readline(), workers=1)"
            environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
            with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, env=environment, text=True) as host:
                host.stdin.write(run.ticket() + "\n")
                host.stdin.flush()
                until(lambda: "working" in trellis.program.run("status", "small", "--dir", f"{self.folder}/runs", "--json"),
                      "the agent at work")
                host.send_signal(signal.SIGKILL)
                host.wait()
            until(lambda: not self.processes(), "the end of the agent", seconds=8)
            self.agents.start(run.ticket(), workers=1)
            run.result(timeout=120)
        self.assertEqual(self.agents.join(), [0])
        self.assertEqual(self.export("runs"), self.alone(file))

    def test_the_end_of_the_block_stops_the_study_and_another_one_continues_it(self):
        file = write_study(self.folder, *LONG)
        with self.nodes(file) as run:
            self.agents.start(run.ticket(), workers=1)
            until(lambda: '"complete"' in trellis.program.run("trials", "small", "--dir", f"{self.folder}/runs", "--json"),
                  "a complete trial")
        with self.assertRaisesRegex(trellis.TrellisError, "the study was stopped"):
            run.result()
        with self.nodes(file) as run:
            self.agents.start(run.ticket(), workers=1)
            run.result(timeout=120)
        self.agents.join()
        self.assertEqual(self.export("runs"), self.alone(file))
        with self.nodes(file) as run, self.assertRaisesRegex(trellis.StudyOver, "the study small is over"):
            run.ticket()

    def test_a_driver_that_is_refused_says_why(self):
        with self.nodes(write_study(self.folder) + ".missing") as run:
            with self.assertRaisesRegex(trellis.TrellisError, "small.yaml.missing"):
                run.ticket()
            with self.assertRaisesRegex(trellis.TrellisError, "small.yaml.missing"):
                run.result()


class BadTickets(Hosted):
    def refusal(self, text, *words):
        done = subprocess.run([trellis.program.path(), "agent", *words], input=text, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def test_each_is_refused_with_a_line(self):
        with self.nodes(write_study(self.folder, *LONG)) as run:
            good = json.loads(run.ticket())
            other = json.loads(run.ticket())
        cases = {
            "ticket: it is empty, expected what `trellis ticket RUN` prints": b" \n",
            "ticket: it has more than 1048576 bytes": b"x" * (2 << 20),
            "ticket: damaged JSON at byte 9: expected": json.dumps(good).encode()[:9],
            "ticket: it is JSON without `trellis_ticket`": b"[1]\n",
            "ticket: it is of version 2, expected 1": {**good, "trellis_ticket": 2},
            "ticket: it is of version \"x\", expected 1": {**good, "trellis_ticket": "x"},
            "ticket: unknown member `keys`, expected one of": {**good, "keys": 1},
            "ticket: `address` is 'n1', expected HOST:PORT": {**good, "address": "n1"},
            "ticket: `address` is 'n1:0', expected HOST:PORT": {**good, "address": "n1:0"},
            "ticket: `run` is 7, expected a text": {**good, "run": 7},
            "ticket: `key` is missing": {name: value for name, value in good.items() if name != "key"},
            "ticket: `authority` is no certificate in PEM": {**good, "authority": "none"},
            "ticket: `certificate` is no certificate in PEM": {**good, "certificate": good["key"]},
            "ticket: `key` is no private key in PEM": {**good, "key": good["certificate"]},
            "ticket: `key` is not that of `certificate`": {**good, "key": other["key"]},
            "ticket: `certificate` is not signed by `authority`": {**good, "authority": good["certificate"]},
            "ticket: `study`:1:1: ": {**good, "study": "nonsense: 1"},
        }
        for words, ticket in cases.items():
            with self.subTest(words):
                text = ticket if isinstance(ticket, bytes) else json.dumps(ticket).encode()
                self.assertIn(words, self.refusal(text, "--ticket", "-"))
        self.assertIn("expected -, for standard input", self.refusal(b"", "--ticket", "file"))
        self.assertIn("--ticket and RUN exclude each other", self.refusal(b"", "--ticket", "-", "runs/small"))
        self.assertIn("RUN is missing, expected a study or --ticket -", self.refusal(b""))
        self.assertIn("--attached is for --ticket -", self.refusal(b"", "--attached"))


if __name__ == "__main__":
    unittest.main()
