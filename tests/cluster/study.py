"""Studies on the nodes of a rig, and what must be equal in equal runs of them. The rows of this suite share it.

A study lives in a folder of its own below /srv, with its data and all of its runs. `reference` is a run on one node without
agents.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

from rig import SKIP, Missing, Rig

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "crash"))

import adaptive_study  # noqa: E402  (it is beside this folder)
import agents  # noqa: E402
import small_study as small  # noqa: E402

KINDS = ("asha", "tpe", "pbt", "race", "bohb")
ASHA = "early_stop: {type: asha, min: 1, eta: 3}"
OF_KIND = {
    "tpe": {"method: random": "method: tpe"},
    "bohb": {"method: random": "method: bohb", ASHA: "early_stop: {type: hyperband, min: 1, eta: 3}"},
}
WIDER = {"min: 4, max: WIDEST": "min: 512, max: 1024", "train:": "  - dense: {units: $width, activation: relu}\ntrain:",
         "parallel: 4": "parallel: 8"}


def changed(text, changes):
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def text_of(kind, programs, trials=None):
    """The study file of that kind; with `trials`, one of that many trials (a population has its members) and more work."""
    if kind == "race":
        text = adaptive_study.search(programs, "race")
        return changed(text, {"trials: 3": f"trials: {trials}", "epochs: 4": "epochs: 12"}) if trials else text
    text = small.population() if kind == "pbt" else changed(small.STUDY, OF_KIND.get(kind, {}))
    if trials:
        longer = {} if kind == "pbt" else {"epochs: 9": "epochs: 27", "trials: 10": f"trials: {trials}"}
        text = changed(text, {**WIDER, **longer})
    return text.replace("WIDEST", "32")


class Step:
    """`srun` of a sweep, while it runs: what Slurm calls it, and how its driver ended."""

    number = 0

    def __init__(self, study, runs, nodes, srun=(), more=(), environment=()):
        Step.number += 1
        self.study, self.name = study, f"step{Step.number}"
        self._net = study.folder / runs / "small/net"
        before = ["env", *environment, "srun", "--no-kill", "-J", self.name, "-N", str(nodes), *srun]
        self.begun = time.monotonic()
        self.process = study.rig.popen("head", *before, *study.command(runs, *more))
        self._job = None
        self.out = self.errors = ""

    @property
    def job(self):
        """Slurm's number of it; nothing where it ended before anybody asked."""
        end = time.monotonic() + 20
        while not self._job and self.process.poll() is None:
            self._job = self.study.rig.slurm("squeue", "-h", "-n", self.name, "-o", "%A").stdout.strip()
            assert self._job or time.monotonic() < end, f"{self.name} is no job: {self.study.rig.logs()}"
        return self._job

    def news(self):
        """What the driver says to the other tasks: running, or ended with a code."""
        # A step removes what earlier ones left.
        try:
            return next(self._net.glob(f"step-{self.job or '*'}.0")).read_text().split()
        except (OSError, StopIteration):
            return []

    def wait_for_agents(self, count, seconds=30):
        """Waits until so many have come, or the driver has ended."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end and self.news()[:1] != ["ended"]:
            if len(self.study.nodes(self._net.parent.parent.name)) >= count:
                return
            time.sleep(0.05)

    def wait_for_driver(self, seconds=90):
        """Its exit code, and the seconds until it ended; srun may wait longer, for a node that Slurm has yet to give up."""
        end = time.monotonic() + seconds
        while True:
            news = self.news()
            if news[:1] == ["ended"]:
                return int(news[1]), time.monotonic() - self.begun
            if self.process.poll() is not None or time.monotonic() > end:
                self.end()
                took = time.monotonic() - self.begun
                raise AssertionError(f"the driver has not ended well after {took:.0f} s: {news}{self.out}{self.errors}")
            time.sleep(0.02)

    def wait(self, seconds=60):
        """srun's exit code."""
        try:
            self.out, self.errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            rig, news = self.study.rig, self.news()
            left = [f"{node}: {line}" for node in rig.nodes
                    for line in rig.run(node, "ps", "-eo", "etime,args").stdout.splitlines() if self.study.trellis in line]
            self.end()
            raise AssertionError(f"srun has not ended after {seconds} s, the driver {' '.join(news)}; there are {left}: "
                                 f"{self.out}{self.errors}") from None
        return self.process.returncode

    def end(self):
        """Ends it where it has not."""
        if self.process.poll() is None:
            self.study.rig.slurm("scancel", self.job)
        try:
            self.out, self.errors = self.process.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class Study:
    def __init__(self, rig, programs, kind="asha", trials=None, name=None):
        self.rig, self.kind = rig, kind
        self.trellis = str(pathlib.Path(programs).resolve() / "trellis")
        self.home = f"/srv/{name or kind}"
        self.folder = rig.shared / (name or kind)
        self.folder.mkdir()
        (self.folder / "small.yaml").write_text(text_of(kind, programs, trials))
        small.write_blobs(self.folder)
        if kind == "race":
            adaptive_study.write_points(self.folder)
        self.expected = None
        self.alone = self.usual = 0  # seconds of a run: the reference, and what a test compares with

    def command(self, runs, *more):
        return [self.trellis, "sweep", f"{self.home}/small.yaml", "--dir", f"{self.home}/{runs}", *more]

    def read(self, runs, verb, *more):
        return self.rig.run("head", self.trellis, verb, "small", "--dir", f"{self.home}/{runs}", *more)

    def status(self, runs):
        done = self.read(runs, "status", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def nodes(self, runs):
        """The agents that are there."""
        return [node["node"] for node in self.status(runs).get("nodes", []) if node["state"] == "working"]

    def outcome(self, runs):
        """Everything of a run that must be the same on any number of nodes."""
        found = self.read(runs, "export", "--format", "csv")
        assert found.returncode == 0, f"{runs}: export failed: {found.stderr}"
        return {"export": found.stdout, "events": small.events(self.folder / runs),
                "best": (self.folder / runs / "small/best.safetensors").read_bytes()}

    def export_rows(self, runs):
        return self.read(runs, "export", "--format", "csv").stdout.splitlines()[1:]

    def reference(self):
        begun = time.monotonic()
        done = self.rig.run("head", *self.command("reference"))
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        self.alone = self.usual = time.monotonic() - begun
        self.expected = self.outcome("reference")

    def check(self, runs):
        """The run is over and equal to the reference."""
        status = self.status(runs)
        trials = status["trials"]
        assert status["state"] == "finished" and trials["running"] == trials["waiting"] == 0, f"{runs}: {status}"
        wrong = small.differences(self.expected, self.outcome(runs))
        assert not wrong, f"{self.kind}, {runs}: differs in {wrong}"

    def step(self, runs, nodes, **options):
        return Step(self, runs, nodes, **options)

    def on(self, runs, nodes, **options):
        """A whole step; the seconds that it took."""
        self.rig.wait_for_idle()
        step = self.step(runs, nodes, **options)
        code = step.wait()
        assert code == 0, f"{runs}: srun ended with {code}: {step.out}{step.errors}"
        self.check(runs)
        return time.monotonic() - step.begun


def run_row(doc, row, add=lambda parser: None, **rig):
    """Calls `row(rig, options)` on a rig, which it brings up; the exit status of the test."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="the folder of trellis")
    parser.add_argument("--full", action="store_true", help="as often as a whole run of the tests does it")
    add(parser)
    options = parser.parse_args()
    agents.require_network(options.programs)
    build = pathlib.Path(options.programs).resolve().parent
    rig = {name: value(options) if callable(value) else value for name, value in rig.items()}
    try:
        with Rig(visible=[build, HERE.parent], **rig) as nodes:
            row(nodes, options)
    except Missing as error:
        print(f"skipped: {error}")
        return SKIP
    return 0
