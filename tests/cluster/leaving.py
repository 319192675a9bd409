"""A step that is asked to leave, preempted, or out of time ends within seconds with code 75, and the same command goes on.

usage: leaving.py PROGRAMS [--rounds N] [--full]
"""

import random
import sys
import time

import study as studies

NODES = 3
TO_BE_CONTINUED = 75
MOST = 5  # seconds until the driver has ended
ALLOWED = 2 * MOST  # where the machine has other work
MINUTE = 60
CONF = "AuthInfo=cred_expire=5"  # a requeued job waits as long, by default for two minutes


class Leaving:
    def __init__(self, rig, study, seed):
        self.rig, self.study = rig, study
        self.chance = random.Random(seed)
        self.number = 0

    def begun(self, **options):
        """A step whose agents have come, some moment later."""
        self.number += 1
        self.rig.wait_for_idle()
        step = self.study.step(f"leave-{self.number}", NODES, **options)
        step.wait_for_agents(NODES)
        time.sleep(self.chance.uniform(0, 0.4 * self.study.usual))
        return step

    def check(self, how, step, begun):
        """The step ends in good order, and the same command ends the study; returns the seconds until the driver had ended."""
        code, _ = step.wait_for_driver()
        left = time.monotonic() - begun
        ended = step.wait(30)
        stopped = time.monotonic() - begun
        assert code == ended == TO_BE_CONTINUED, f"{how}: the driver ended with {code}, srun with {ended}: {step.errors}"
        assert left < ALLOWED, f"{how}: the driver ended after {left:.1f} s: {step.errors}"
        runs = f"leave-{self.number}"
        done = len(self.study.export_rows(runs))
        self.study.on(runs, NODES)
        print(f"{how}: the driver left within {left:.1f} s (bar {MOST}), srun within {stopped:.1f} s, with {done} trials; "
              "gone on to an equal end", flush=True)

    def by_signal(self, name):
        step = self.begun()
        begun = time.monotonic()
        self.rig.slurm("scancel", f"--signal={name}", f"{step.job}.0")
        self.check(f"SIG{name}", step, begun)

    def by_preemption(self):
        """Another job takes the nodes: Slurm sends TERM, and KILL after a while."""
        step = self.begun(srun=["-p", "main"])
        begun = time.monotonic()
        urgent = self.rig.popen("head", "srun", "-p", "urgent", "-N", str(NODES), "--exclusive", "true")
        self.check("preempted", step, begun)
        assert urgent.wait(30) == 0, urgent.communicate()

    def by_end_of_time(self):
        """The last minute of the job begins while the study runs."""
        for share in (0.6, 0.3, 0.1):
            self.number += 1
            self.rig.wait_for_idle()
            end = int(time.time() + share * self.study.usual) + MINUTE
            step = self.study.step(f"leave-{self.number}", NODES, environment=[f"SLURM_JOB_END_TIME={end}"])
            # Where the machine has less other work than for the first study, this one may be over before.
            if step.wait_for_driver()[0] != 0:
                break
        self.check("the last minute", step, time.monotonic() + end - MINUTE - time.time())

    def by_short_time(self):
        """The whole job is the last minute; Slurm itself is asked for that."""
        self.number += 1
        self.rig.wait_for_idle()
        begun = time.monotonic()
        self.check("a job of one minute", self.study.step(f"leave-{self.number}", NODES, srun=["-t", "1"]), begun)


# The step ends before Slurm would end it. So the job has ended by itself, and Slurm requeues it only where it is asked to.
SCRIPT = """\
#!/bin/sh
srun --no-kill {command}
code=$?
[ $code != 75 ] || scontrol requeue $SLURM_JOB_ID
exit $code
"""


def requeued(rig, study, number):
    """A batch job is preempted in the middle and goes on by itself, once Slurm has started it again."""
    runs = f"requeue-{number}"
    script = rig.shared / f"{runs}.sh"
    command = " ".join(study.command(runs))
    script.write_text(SCRIPT.format(command=command))
    rig.wait_for_idle()
    said = rig.slurm("sbatch", "--parsable", "--requeue", "--open-mode=append", "-N", str(NODES), "-o", f"/srv/{runs}.out",
                     f"/srv/{script.name}")
    job = said.stdout.strip()
    assert job, said.stderr
    wait_until(lambda: len(study.nodes(runs)) == NODES, f"the agents of {runs}")
    begun = time.monotonic()
    urgent = rig.popen("head", "srun", "-p", "urgent", "-N", str(NODES), "--exclusive", "true")
    wait_until(lambda: state(rig, job) == "PENDING", f"the end of job {job}")
    left = time.monotonic() - begun
    assert urgent.wait(30) == 0, urgent.communicate()
    assert study.status(runs)["state"] != "finished", "the study was over before"
    wait_until(lambda: state(rig, job) not in ("PENDING", "RUNNING", "COMPLETING"), f"job {job}")
    assert state(rig, job) == "COMPLETED", (rig.shared / f"{runs}.out").read_text()
    study.check(runs)
    print(f"a batch job was preempted, left within {left:.1f} s and was requeued; gone on to an equal end", flush=True)


def state(rig, job):
    words = rig.slurm("scontrol", "show", "job", job, "--oneliner").stdout.split()
    return next((word.removeprefix("JobState=") for word in words if word.startswith("JobState=")), "")


def wait_until(done, what, seconds=60):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"waited for {seconds} s: {what}"
        time.sleep(0.1)


def row(rig, options):
    study = studies.Study(rig, options.programs, "asha", trials=60)
    study.reference()
    study.usual = study.on("usual", NODES)
    leaving = Leaving(rig, study, options.seed)
    for number in range(max(options.rounds, 5) if options.full else options.rounds):
        for name in ("TERM", "USR1", "USR2"):
            leaving.by_signal(name)
        leaving.by_preemption()
        leaving.by_end_of_time()
        leaving.by_short_time()
        requeued(rig, study, number)


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=NODES, conf=CONF))
