"""Agents that a driver asks of Slurm, and a driver that is a job itself: preempted, stopped, killed and cancelled.

usage: jobs.py PROGRAMS [--full]
"""

import re
import sys
import time

import study as studies
from leaving import CONF, state, wait_until

NODES = 3
IN_USE = 5  # an exit code
WISH = ["--nodes", f"slurm:{NODES}", "--slurm", "-p main"]


class Jobs:
    def __init__(self, rig, study):
        self.rig, self.study = rig, study
        self.number = 0
        self.runs = ""

    def begin(self, *more, wish=(*WISH,)):
        """A new run whose agents have come."""
        self.number += 1
        self.runs = f"jobs-{self.number}"
        self.rig.wait_for_idle()
        return self.go_on(*more, wish=wish)

    def go_on(self, *more, wish=(*WISH,)):
        driver = self.rig.popen("head", *self.study.command(self.runs, *wish, *more))
        if "--detach" in more:
            out, errors = driver.communicate(timeout=30)
            assert driver.returncode == 0, f"{out}{errors}"
            number = re.match(r"job (\d+) of Slurm drives small\n", out)
            assert number, out
            driver = number[1]
        return driver

    def wait_for_agents(self, count=NODES):
        wait_until(lambda: len(self.study.nodes(self.runs)) >= count, f"the agents of {self.runs}")

    def queue(self):
        return self.rig.slurm("squeue", "-h", "--array", "-n", "small", "-o", "%i %T").stdout.splitlines()

    def elements(self):
        """The jobs of agents that run."""
        return [line.split()[0] for line in self.queue() if "_" in line and line.endswith("RUNNING")]

    def end(self, what, driver=None, begun=None):
        """The run comes to an equal end, and no job is left."""
        if driver:
            out, errors = driver.communicate(timeout=120)
            assert driver.returncode == 0, f"{what}: {driver.returncode}: {out}{errors}"
        else:
            wait_until(lambda: self.study.status(self.runs).get("state") == "finished", f"the end of {self.runs}", 120)
        wait_until(lambda: not self.queue(), f"{what}: the end of {self.queue()}", 30)
        self.study.check(self.runs)
        took = f", {time.monotonic() - begun:.1f} s" if begun else ""
        print(f"{what}: equal{took}", flush=True)

    def starts(self):
        """How often Slurm has started each job of an agent again."""
        listed = self.rig.slurm("scontrol", "show", "job", "--oneliner").stdout.splitlines()
        fields = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in listed]
        return {f"{job['ArrayJobId']}_{job['ArrayTaskId']}": int(job["Restarts"]) for job in fields
                if "ArrayTaskId" in job and job["JobState"] in ("RUNNING", "PENDING", "COMPLETING")}

    # --- agents of a driver on head

    def whole(self):
        begun = time.monotonic()
        self.end("an array of agents", self.begin(), begun)

    def asked_by_file(self):
        text = self.study.folder / "small.yaml"
        kept = text.read_text()
        text.write_text(f"{kept}nodes: {NODES}\n")
        try:
            driver = self.begin(wish=())
            self.wait_for_agents()
            self.end("nodes: in the study file", driver)
        finally:
            text.write_text(kept)

    def requeued(self, how, leave):
        """An agent has to go and comes back as soon as Slurm has started its job again."""
        driver = self.begin()
        self.wait_for_agents()
        before = {node["node"]: node["done"] for node in self.study.status(self.runs)["nodes"]}
        others = self.starts()
        gone = self.elements()[-1]  # one may have the number of the whole array
        leave(gone)
        wait_until(lambda: len(self.study.nodes(self.runs)) < NODES, f"{how}: an agent that goes")
        wait_until(lambda: len(self.study.nodes(self.runs)) == NODES or driver.poll() is not None, f"{how}: one that comes")
        came = driver.poll() is None
        again = [job for job, count in self.starts().items() if count > others.get(job, 0)]
        assert not came or len(again) == 1, f"{how}: {again} were started again"
        self.end(f"{how}, of {len(before)} agents; it {'came back' if came else 'was not back before the end'}", driver)
        assert came, f"{how}: the study was over before the job ran again"

    def preempt(self, _):
        urgent = self.rig.popen("head", "srun", "-p", "urgent", "-N", "1", "--exclusive", "true")
        assert urgent.wait(30) == 0, urgent.communicate()

    def killed_driver(self):
        """Another driver takes over what its predecessor asked for."""
        driver = self.begin()
        self.wait_for_agents()
        jobs = {job.split("_")[0] for job in self.elements()}
        self.rig.run("head", "pkill", "-KILL", "-f", f"sweep .*{self.runs}")
        driver.communicate(timeout=10)
        again = self.go_on()
        self.wait_for_agents()
        assert {job.split("_")[0] for job in self.elements()} == jobs, f"{jobs}, then {self.queue()}"
        self.end("a driver that was killed", again)

    # --- a driver that is a job

    def detached(self):
        begun = time.monotonic()
        self.begin("--detach")
        print(f"detached within {time.monotonic() - begun:.1f} s", flush=True)
        self.end("a driver that is a job", begun=begun)

    def preempted_driver(self):
        job = self.begin("--detach")
        self.wait_for_agents()
        urgent = self.rig.popen("head", "srun", "-p", "urgent", "-N", str(NODES), "--exclusive", "true")
        wait_until(lambda: state(self.rig, job) == "PENDING", f"the end of job {job}")
        assert urgent.wait(30) == 0, urgent.communicate()
        assert self.study.status(self.runs)["state"] != "finished", "the study was over before"
        self.end("a driver that was preempted and requeued")

    def stopped_driver(self):
        job = self.begin("--detach")
        self.wait_for_agents()
        begun = time.monotonic()
        done = self.study.read(self.runs, "stop")
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        took = time.monotonic() - begun
        wait_until(lambda: not self.queue(), f"no job of {self.queue()}", 30)
        assert state(self.rig, job) != "PENDING" and self.study.status(self.runs)["state"] == "interrupted", \
            f"{state(self.rig, job)}, {self.study.status(self.runs)}"
        self.go_on("--detach")
        self.end(f"a driver on another node, asked to stop ({took:.1f} s), and the same command again")

    def cancelled_driver(self):
        job = self.begin("--detach")
        self.wait_for_agents()
        self.rig.slurm("scancel", job)
        wait_until(lambda: not self.queue(), f"no job of {self.queue()}", 40)
        assert state(self.rig, job) == "CANCELLED", state(self.rig, job)
        self.go_on("--detach")
        self.end("a driver whose job was cancelled, and the same command again")


    def waiting_driver(self):
        """A driver whose job has not begun can be seen and stopped, and there is no second one."""
        busy = self.rig.popen("head", "srun", "-p", "urgent", "-N", str(NODES), "--exclusive", "sleep", "60")
        wait_until(lambda: not self.rig.slurm("sinfo", "-h", "-t", "idle", "-o", "%N").stdout.strip(), "busy nodes")
        self.number += 1
        self.runs = f"jobs-{self.number}"
        job = self.go_on("--detach")
        told = self.study.read(self.runs, "status")
        assert told.returncode == 0 and told.stdout.startswith(f"job {job} of Slurm is to drive it: PENDING"), told
        second = self.rig.run("head", *self.study.command(self.runs, *WISH, "--detach"))
        assert second.returncode == IN_USE and f"in use by job {job} of Slurm" in second.stderr, second
        done = self.study.read(self.runs, "stop")
        assert done.returncode == 0 and f"job {job} was cancelled" in done.stdout, done
        assert not [line for line in self.queue() if line.startswith(job)], self.queue()
        self.rig.slurm("scancel", "-n", "sleep")
        busy.communicate(timeout=40)
        self.rig.wait_for_idle()
        self.go_on("--detach")
        self.end("a driver whose job was stopped before it began, and the same command again")

    def driver_without_time(self):
        """A job that is too short for any task is not started again and again."""
        job = self.begin("--detach", wish=("--nodes", f"slurm:{NODES}", "--slurm", "-p main -t 1"))
        wait_until(lambda: not self.queue(), f"the end of {self.queue()}", 90)
        assert state(self.rig, job) in ("FAILED", "COMPLETED"), state(self.rig, job)
        log = (self.study.folder / self.runs / f"small/net/driver-{job}.log").read_text()
        assert "no task was done: this job is not to be started again" in log, log
        self.go_on("--detach")
        self.end("a driver whose job was too short, and another one")


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=60)
    study.reference()
    jobs = Jobs(rig, study)
    # Slurm takes its time to start a job again, and a study that is to be stopped must not be over before.
    long = studies.Study(rig, options.programs, "asha", trials=700, name="long")
    long.reference()
    long_jobs = Jobs(rig, long)
    for _ in range(5 if options.full else 1):
        jobs.whole()
        jobs.asked_by_file()
        long_jobs.requeued("preempted", jobs.preempt)
        long_jobs.requeued("asked to go by a signal", lambda job: rig.slurm("scancel", "--full", "--signal=USR1", job))
        long_jobs.killed_driver()
        jobs.detached()
        long_jobs.preempted_driver()
        long_jobs.stopped_driver()
        long_jobs.cancelled_driver()
        jobs.waiting_driver()
        jobs.driver_without_time()


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=NODES, conf=CONF))
