"""What `trellis simulate` says of a study on nodes, beside what the study then takes on them.

usage: forecast.py PROGRAMS [--only PART,PART] [--studies NAME,NAME] [--trials N] [--nodes N] [--full]

Trials of programs sleep, so that nodes which share this machine's cores do not slow each other down. A study of networks
takes its time on links of 100 mbit/s. With losses, nodes lose power and are back seconds later. Short: one study of each
kind on a few nodes; full: three studies of programs on 1, 2, 4 and 8 nodes, longer ones of the others, and one loss a minute.
"""

import contextlib
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import time

import large
import study as studies

WORKERS = 2
LINK = "{latency: 5e-4, bandwidth: 1e8}"
PLATFORM = """\
name: the rig
cpu: {{count: {workers}, peak: 5e10, half: 2e5, launch: 1e-6, bandwidth: 5e9, memory: 1GB}}
nodes: {{count: {count}, link: {link}{more}}}
runtime: {{parcel: 2e-4}}
"""
PROGRAM = """\
name: {name}
command: {command}
metric: {{name: {metric}, goal: minimize}}
method: random
parallel: {parallel}
limits: {{trials: {trials}}}
parameters:
  nap: {nap}
{more}
"""
# Every program waits until the nodes are there: on a machine with few cores, agents take long to start.
REPORTER = """\
while [ ! -e $1 ]; do sleep 0.1; done
i=0
while [ $i -lt 9 ]; do
  sleep $2
  i=$((i + 1))
  echo "{\\"step\\": $i, \\"loss\\": $3}" >> "$TRELLIS_METRICS"
done
"""
SLEEPER = "while [ ! -e $1 ]; do sleep 0.1; done\nsleep $2\n"
MOST = {"programs": 0.10, "reports": 0.10, "networks": 0.20, "links": 0.15, "losses": 0.20}
RATE = 100  # mbit/s
BACK = 8  # seconds of a node without power


class Lab:
    """A folder of studies on a rig, their forecasts and their runs."""

    def __init__(self, rig, programs):
        self.rig = rig
        self.trellis = str(pathlib.Path(programs).resolve() / "trellis")
        self.folder = rig.shared / "forecast"
        self.folder.mkdir()
        self.home = "/srv/forecast"
        self.worst = {}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return f"{self.home}/{name}"

    def forecast(self, study, platform, *more):
        done = self.rig.run("head", self.trellis, "simulate", study, "--platform", platform, "--json", *more, timeout=120)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return {one["count"]: one for one in json.loads(done.stdout)["nodes"]}

    def measured_link(self, node):
        """Figures of the link from head to a node, by their names, as written into a platform file."""
        file = f"{self.home}/measured.yaml"
        done = self.rig.run("head", self.trellis, "bench", "machine", "--nodes", len(self.rig.nodes), "--hosts", node,
                            "--platform", file, "--quick", "--json", timeout=120)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return {case["case"].removesuffix(f" {node}"): case["ours"] for case in json.loads(done.stdout)}

    def start(self, study, runs, hosts):
        return self.rig.popen("head", self.trellis, "sweep", study, "--dir", f"{self.home}/{runs}", "--hosts",
                              ",".join(hosts), "--workers", str(WORKERS), stdout=subprocess.DEVNULL)

    def nodes(self, name, runs):
        done = self.rig.run("head", self.trellis, "status", name, "--dir", f"{self.home}/{runs}", "--json")
        return json.loads(done.stdout)["nodes"] if done.returncode == 0 else []

    def open_gate(self, name, runs, process, count):
        """Lets the programs go on once each worker of the nodes has one; returns when that was, by the wall clock."""
        full = 0
        while full < count:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.3)
            full = sum(node["parcels"] > 0 for node in self.nodes(name, runs))
        (self.folder / "go").touch()
        return time.time()

    def seconds_since(self, begun, name, runs):
        """Until the last trial ended, by the log."""
        path = self.folder / runs / name / "study.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            origin = int(db.execute("SELECT value FROM study WHERE key = 'origin'").fetchone()[0])
            last = db.execute("SELECT max(at) FROM log WHERE trial IS NOT NULL").fetchone()[0]
        return (origin + last) * 1e-6 - begun

    def count_reports(self, name, runs):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / runs / name}/study.db?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM events WHERE kind = 'reported'").fetchone()[0]

    def run(self, name, study, runs, hosts, timeout=600):
        """A study of programs, from the moment when all nodes are there."""
        (self.folder / "go").unlink(missing_ok=True)
        process = self.start(study, runs, hosts)
        begun = self.open_gate(name, runs, process, len(hosts))
        _, errors = process.communicate(timeout=timeout)
        assert process.returncode == 0, errors
        return self.seconds_since(begun, name, runs)

    def compare(self, kind, what, predicted, measured, unit="s"):
        off = predicted / measured - 1
        self.worst[kind] = max(self.worst.get(kind, 0), abs(off))
        print(f"  {what}: predicted {predicted:.1f} {unit}, measured {measured:.1f} {unit}, {100 * off:+.1f}%", flush=True)


def platform(lab, count, link=LINK, more="", workers=WORKERS):
    return lab.write("platform.yaml", PLATFORM.format(count=count, link=link, more=more, workers=workers))


def sleeping(lab, nap, cpus=1):
    """Trials that differ in nothing but their number, and perhaps in how long they sleep."""
    sleeper = lab.write("sleep.sh", SLEEPER)
    return {"nap": nap, "command": f"[sh, {sleeper}, {lab.home}/go, $nap, $number]", "metric": "exit",
            "more": f"  number: {{min: 0.0, max: 1.0}}\nresources: {{cpus: {cpus}}}"}


def programs(lab, options):
    trials = options.trials or (64 if options.full else 24)
    kinds = {
        "equal": sleeping(lab, "{values: [8.0]}"),
        "uneven": sleeping(lab, "{min: 3.0, max: 16.0, scale: log}"),
        "pairs": sleeping(lab, "{min: 3.0, max: 16.0, scale: log}", cpus=2),
    }
    chosen = options.studies.split(",") if options.studies else list(kinds) if options.full else ["uneven"]
    for name in chosen:
        how = kinds[name]
        study = lab.write(f"{name}.yaml", PROGRAM.format(name=name, trials=trials, parallel=16, **how))
        found = lab.forecast(study, platform(lab, len(lab.rig.nodes)), "--trial-seconds", "nap")
        for count in sorted(found) if options.full or options.studies else [2, len(lab.rig.nodes)]:
            took = lab.run(name, study, f"{name}-{count}", lab.rig.nodes[:count])
            lab.compare("programs", f"{name} on {count} nodes ({found[count]['limit']})", found[count]["seconds"], took)


def reports(lab, options):
    """Programs that report once a second, most of which asha stops. It is a matter of luck how many: the whole time must lie
    within what the forecast calls its range, and the time of a report is what is compared."""
    trials = options.trials or (120 if options.full else 40)
    reporter = lab.write("report.sh", REPORTER)
    how = {"nap": "{values: [1.0]}", "command": f"[sh, {reporter}, {lab.home}/go, $nap, $quality]", "metric": "loss",
           "more": "  quality: {min: 0.0, max: 1.0}\nearly_stop: {type: asha, min: 1, max: 9, eta: 3}"}
    study = lab.write("reports.yaml", PROGRAM.format(name="reports", trials=trials, parallel=16, **how))
    found = lab.forecast(study, platform(lab, len(lab.rig.nodes)), "--trial-seconds", "9")
    for count in sorted(found) if options.full else [1, 2]:
        runs, one = f"reports-{count}", found[count]
        took = lab.run("reports", study, runs, lab.rig.nodes[:count])
        done = lab.count_reports("reports", runs)
        print(f"  {done} reports, {one['reports']:.1f} in the mean; {took:.1f} s, predicted {one['seconds']:.1f} s, from "
              f"{one['shortest']:.1f} to {one['longest']:.1f} s", flush=True)
        assert 0.9 * one["shortest"] < took < 1.1 * one["longest"], f"{count} nodes: {took} s, not in the range of {one}"
        lab.compare("reports", f"asha on {count} nodes ({one['limit']}), as long as {done} reports take",
                    one["seconds"] * done / one["reports"], took)


def throttle(rig, node):
    """At most RATE in each direction of a node's link."""
    for where, card in (("switch", f"p-{node}"), (node, "eth0")):
        words = ["root", "tbf", "rate", f"{RATE}mbit", "burst", "64kb", "latency", "50ms"]
        if not rig._tc(where, "add", card, *words):
            raise studies.Missing("this kernel has no token bucket (tbf)")


def networks(lab, options):
    full = options.full
    megabytes = 60 if full else 20
    folder = lab.folder / "networks"
    folder.mkdir()
    columns = large.write_data(folder, megabytes)
    text = large.STUDY.format(units=max(1, 500_000 // columns), trials=12).replace("name: small", "name: nets")
    # All nodes share this machine's cores, so what they compute must take little beside what they wait for.
    text = text.replace("epochs: 9", "epochs: 2")
    text = text.replace("early_stop: {type: asha, min: 1, eta: 3}", "early_stop: none")
    (folder / "nets.yaml").write_text(text)
    study = f"{lab.home}/networks/nets.yaml"
    for node in lab.rig.nodes:
        # The nodes see neither the study nor its data.
        done = lab.rig.run(node, "mount", "-t", "tmpfs", "none", lab.home)
        assert done.returncode == 0, done.stderr
    for node in ["head", *lab.rig.nodes]:
        throttle(lab.rig, node)
    measured = lab.measured_link(lab.rig.nodes[0])
    lab.compare("links", "a node's link, by trellis bench machine --nodes", 0.94 * RATE / 8, measured["bandwidth from"], "MB/s")
    # What is left of such a link for contents.
    link = f"{{latency: 5e-4, bandwidth: {0.94 * RATE / 8 * 1e6:.0f}}}"
    found = lab.forecast(study, platform(lab, len(lab.rig.nodes), link))
    for count in sorted(found) if full else [len(lab.rig.nodes)]:
        process = lab.start(study, f"nets-{count}", lab.rig.nodes[:count])
        _, errors = process.communicate(timeout=900)
        assert process.returncode == 0, errors
        # From the moment when a node came, in the mean, to the end of the study.
        there = [node["there"] for node in lab.nodes("nets", f"nets-{count}")]
        took = sum(there) / len(there)
        lab.compare("networks", f"{megabytes} MB of data over {RATE} mbit/s on {count} nodes ({found[count]['limit']})",
                    found[count]["seconds"], took)


def losses(lab, options):
    """A random node loses power at even intervals, and is back with a new agent."""
    full = options.full
    nodes = lab.rig.nodes
    trials, nap = (200, 8) if full else (40, 8)
    how = sleeping(lab, f"{{values: [{float(nap)}]}}")
    study = lab.write("lossy.yaml", PROGRAM.format(name="lossy", trials=trials, parallel=16, **how))
    period = 60 if full else 15
    more = f", losses: {60 // period} a minute, back: {BACK}s"
    found = lab.forecast(study, platform(lab, len(nodes), more=more), "--trial-seconds", "nap")[len(nodes)]
    chance = random.Random(1)
    (lab.folder / "go").unlink(missing_ok=True)
    driver = lab.start(study, "lossy", nodes)
    begun = lab.open_gate("lossy", "lossy", driver, len(nodes))
    lost = 0
    due = time.monotonic() + period * chance.random()
    while driver.poll() is None:
        time.sleep(0.1)
        if time.monotonic() < due:
            continue
        due += period
        node = chance.choice(nodes)
        killed = time.monotonic()
        lab.rig.kill(node)
        lost += 1
        lab.rig.start(node)
        time.sleep(max(0, BACK - 1 - (time.monotonic() - killed)))
        # One that comes when the study is over ends with the rig.
        lab.rig.popen(node, lab.trellis, "agent", f"{lab.home}/lossy/lossy", "--workers", str(WORKERS),
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert driver.returncode == 0, driver.stderr.read()
    took = lab.seconds_since(begun, "lossy", "lossy")
    print(f"  without losses {found['seconds']:.1f} s; {found['losses']['nodes']:.1f} nodes expected to be lost, {lost} were",
          flush=True)
    lab.compare("losses", f"a node lost every {period} s", found["losses"]["seconds"], took)


def row(rig, options):
    lab = Lab(rig, options.programs)
    for part in (programs, reports, losses, networks):
        if not options.only or part.__name__ in options.only.split(","):
            print(part.__name__, flush=True)
            part(lab, options)
    wrong = {kind: off for kind, off in lab.worst.items() if off > MOST[kind]}
    assert not wrong, f"farther off than {MOST}: {wrong}"


def arguments(parser):
    parser.add_argument("--only", help="programs, reports, losses, networks: commas between")
    parser.add_argument("--studies", help="of programs, on all numbers of nodes: equal, uneven, pairs; commas between")
    parser.add_argument("--trials", type=int, help="of each study of programs")
    parser.add_argument("--nodes", type=int, help="of the rig")


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, arguments, count=lambda options: options.nodes or (8 if options.full else 4)))
