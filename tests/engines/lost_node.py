"""A study by an example of examples/engines/ with the real engine on nodes of a rig, one of which is lost on the way.

usage: lost_node.py PROGRAMS SOURCES dask|mpi|ray|spark [--how kill|crash]

A node that is killed loses power, and nobody hears of it; one that crashes resets its connections. Prints the seconds until
its tasks ran elsewhere, and until a new agent of the engine had come. The result must be that of a run without an engine,
byte for byte, and no process of ours may be left on any node when the engine has gone.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "crash"), str(HERE.parent / "cluster")]

import agents  # noqa: E402  (it is beside this folder)
import engines  # noqa: E402
import small_study as small  # noqa: E402
from rig import SKIP, Missing, Rig, Wrong, processes, started  # noqa: E402

NODES = 3
TRIALS, EPOCHS = 60, 100  # half a minute on two cores that have other work
PATIENT = 300  # seconds for an engine to start, and for a study to end
SECONDS_TO_END = 30  # of agents, once their engine has gone
HOME = "/srv/engines"
LOST = re.compile(r"node (\S+) was lost: .*runs? again elsewhere")
CAME = re.compile(r"node (\S+) has come")
MARKS = ("distributed", "dask", "ray", "spark", "mpirun", "orted")  # of an engine's processes
PORT = 7077  # of the engine on head


class Try:
    """A study on a rig, and the processes of an engine on its nodes."""

    def __init__(self, rig, programs, sources):
        self.rig, self.examples = rig, sources / "examples" / "engines"
        self.trellis = str(programs / "trellis")
        self.folder = rig.shared / "engines"
        self.folder.mkdir()
        text = small.STUDY.replace("WIDEST", "32").replace("{type: asha, min: 1, eta: 3}", "none")
        text = text.replace("epochs: 9", f"epochs: {EPOCHS}").replace("trials: 10", f"trials: {TRIALS}")
        (self.folder / "small.yaml").write_text(text)
        small.write_blobs(self.folder)
        self.environment = {"TRELLIS_PROGRAM": self.trellis, "PYTHONPATH": str(sources / "python"),
                            "PYSPARK_PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.lines = []  # of the driver: when each came, and the line
        self.servers = []

    def words(self, *command):
        path = f"{self.trellis.rpartition('/')[0]}:/usr/local/bin:/usr/bin:/bin"
        return ["env", "-C", HOME, f"PATH={path}", *(f"{name}={value}" for name, value in self.environment.items()),
                *map(str, command)]

    def serve(self, node, *command):
        """A process of the engine on a node; what it says is in a file."""
        with open(self.folder / f"{node}-{len(self.servers)}.log", "ab") as log:
            self.servers.append(self.rig.popen(node, *self.words(*command), stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def run(self, *command, timeout=PATIENT):
        done = self.rig.run("head", *self.words(*command), timeout=timeout)
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}{self.logs()}"
        return done.stdout

    def logs(self):
        return "".join(f"\n== {path.name}\n{path.read_text(errors='replace')[-1500:]}" for path in self.folder.glob("*.log"))

    def drive(self, *command):
        """The driver of the study, whose lines are remembered with their times."""
        process = self.rig.popen("head", *self.words(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        def listen():
            for line in process.stdout:
                self.lines.append((time.monotonic(), line.rstrip()))

        threading.Thread(target=listen, daemon=True).start()
        return process

    def ended_trials(self):
        done = self.rig.run("head", *self.words(self.trellis, "status", "small", "--dir", "runs", "--json"))
        if done.returncode != 0:
            return 0
        trials = json.loads(done.stdout)["trials"]
        return trials["complete"] + trials["stopped"] + trials["failed"]

    def wait_for_trials(self, driver, count):
        end = time.monotonic() + PATIENT
        while self.ended_trials() < count:
            said = "\n".join(line for _, line in self.lines[-20:])
            assert driver.poll() is None, f"the driver has ended with {driver.returncode}: {said}{self.logs()}"
            assert time.monotonic() < end, f"{self.ended_trials()} trials have ended: {said}{self.logs()}"
            time.sleep(0.2)

    def first(self, pattern, since):
        """Seconds from then to the first line of that kind, and its node; nothing where there was none."""
        for at, line in list(self.lines):
            found = pattern.search(line)
            if at > since and found:
                return at - since, found[1]
        return None

    def export(self, runs):
        return self.run(self.trellis, "export", "small", "--dir", runs, "--format", "csv")

    def inside(self):
        """The processes on all nodes, by what they were called with."""
        spaces = {}
        for node in ["head", *self.rig.nodes]:
            with contextlib.suppress(Wrong):  # a node that was lost
                spaces[os.readlink(f"/proc/{self.rig._alive(node)}/ns/pid")] = node
        for process in processes():
            with contextlib.suppress(OSError):  # it has ended
                node = spaces.get(os.readlink(f"/proc/{process}/ns/pid"))
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
                if node and started(process):
                    yield process, node, words

    def left(self):
        """Processes of ours."""
        return [f"{node}: {' '.join(words)}" for _, node, words in self.inside()
                if words[0].rpartition("/")[2].startswith("trellis")]

    def end_engine(self):
        """The engine dies, and what of our program is left must end by itself."""
        for process, _, words in list(self.inside()):
            if any(mark in " ".join(words) for mark in MARKS) and not words[0].rpartition("/")[2].startswith("trellis"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        for server in self.servers:
            server.wait()


def loses_a_node(one, driver, how):
    """Takes a node with an agent away once a fifth of the trials have ended; returns when, and which."""
    one.wait_for_trials(driver, TRIALS // 5)
    node = max(found[1] for _, line in list(one.lines) if (found := CAME.search(line)))
    begun = time.monotonic()
    getattr(one.rig, how)(node)
    return begun, node


def ends_well(one, driver):
    try:
        code = driver.wait(PATIENT)
    except subprocess.TimeoutExpired:
        code = "nothing yet"
    said = "\n".join(line for _, line in one.lines[-50:])
    assert code == 0, f"the driver has ended with {code}: {said}{one.logs()}"


def says_when(one, begun):
    noticed = one.first(LOST, begun)
    came = one.first(CAME, begun)
    assert noticed, "\n".join(line for _, line in one.lines)
    again = f", a new agent came after {came[0]:.1f} s on {came[1]}" if came else ", no agent came anew"
    return f"tasks of {noticed[1]} ran elsewhere after {noticed[0]:.1f} s{again}"


def on_dask(one, how):
    dask = [sys.executable, "-m", "dask"]
    one.serve("head", *dask, "scheduler", "--host", "head", "--port", PORT, "--no-dashboard")
    for node in one.rig.nodes:
        one.serve(node, *dask, "worker", f"tcp://head:{PORT}", "--nthreads", 1, "--no-dashboard", "--local-directory",
                  f"/tmp/{node}")
    address = f"head:{PORT}"
    one.run(sys.executable, "-c",
            f"from dask.distributed import Client; Client('{address}').wait_for_workers({NODES}, timeout={PATIENT})")
    driver = one.drive(sys.executable, one.examples / "on_dask.py", "small.yaml", address)
    begun, _ = loses_a_node(one, driver, how)
    ends_well(one, driver)
    return says_when(one, begun)


def on_ray(one, how):
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
    one.environment["RAY_raylet_start_wait_time_s"] = "180"
    one.serve("head", *ray, "--head", "--port", PORT, "--num-cpus", 0, "--include-dashboard=false",
              "--object-store-memory", 100_000_000)
    time.sleep(10)
    for node in one.rig.nodes:
        one.serve(node, *ray, "--address", f"head:{PORT}", "--num-cpus", 1, "--object-store-memory", 100_000_000)
    nodes = "import ray, time\nray.init(address='auto')\n"
    one.run(sys.executable, "-c", f"{nodes}while ray.cluster_resources().get('CPU', 0) < {NODES}: time.sleep(0.5)")
    driver = one.drive(sys.executable, one.examples / "on_ray.py", "small.yaml", NODES - 1)
    begun, _ = loses_a_node(one, driver, how)
    ends_well(one, driver)
    return says_when(one, begun)


def on_spark(one, how):
    home = pathlib.Path(engines.importlib.util.find_spec("pyspark").origin).parent
    one.environment["SPARK_HOME"] = home
    start, deploy = home / "bin" / "spark-class", "org.apache.spark.deploy"
    one.serve("head", start, f"{deploy}.master.Master", "--host", "head", "--port", PORT, "--webui-port", 0)
    for node in one.rig.nodes:
        one.serve(node, start, f"{deploy}.worker.Worker", f"spark://head:{PORT}", "--host", node, "--cores", 2,
                  "--memory", "600m", "--webui-port", 0, "--work-dir", f"/tmp/{node}")
    inside = [word for name in ("TRELLIS_PROGRAM", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
              for word in ("--conf", f"spark.executorEnv.{name}={one.environment[name]}")]
    driver = one.drive(home / "bin" / "spark-submit", "--master", f"spark://head:{PORT}", "--driver-memory", "600m",
                       "--conf", "spark.executor.memory=512m", "--conf", "spark.driver.host=head", *inside,
                       one.examples / "on_spark.py", "small.yaml", NODES)
    begun, _ = loses_a_node(one, driver, how)
    ends_well(one, driver)
    return says_when(one, begun)


def on_mpi(one, how):
    def sweep(nodes):
        return one.drive("mpirun", "--host", ",".join(nodes), "--map-by", "ppr:1:node", "--bind-to", "none", "--mca",
                         "orte_keep_fqdn_hostnames", 1, *(word for name in one.environment for word in ("-x", name)),
                         one.trellis, "sweep", "small.yaml")

    driver = sweep(one.rig.nodes)
    begun, gone = loses_a_node(one, driver, how)
    assert driver.wait(PATIENT) != 0, "mpirun has not noticed"
    ended = time.monotonic() - begun
    done = one.ended_trials()
    driver = sweep([node for node in one.rig.nodes if node != gone])
    one.wait_for_trials(driver, done + 1)
    went_on = time.monotonic() - begun
    ends_well(one, driver)
    return f"mpirun had ended after {ended:.1f} s; the same command on the others had its next trial after {went_on:.1f} s"


ENGINES = {"dask": on_dask, "mpi": on_mpi, "ray": on_ray, "spark": on_spark}
NEEDS = {"dask": ("distributed", None), "mpi": (None, "mpirun"), "ray": ("ray", None), "spark": ("pyspark", "java")}


def row(one, engine, how):
    one.run(one.trellis, "sweep", "small.yaml", "--dir", "alone", "--quiet")
    try:
        said = ENGINES[engine](one, how)
    finally:
        one.end_engine()
    end = time.monotonic() + SECONDS_TO_END
    while one.left():
        assert time.monotonic() < end, f"{engine}: left after the end: {one.left()}"
        time.sleep(0.2)
    assert one.export("runs") == one.export("alone"), f"{engine}: another result than without it"
    verb = {"kill": "lost power", "crash": "crashed"}[how]
    print(f"{engine}: a node of {NODES} {verb}: {said}; equal, no process left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--how", choices=["kill", "crash"])
    options = parser.parse_args()
    engines.need(*NEEDS[options.engine])
    programs, sources = options.programs.resolve(), options.sources.resolve()
    agents.require_network(programs)
    try:
        with Rig(NODES, visible=[programs.parent, sources]) as rig:
            row(Try(rig, programs, sources), options.engine, options.how or ("crash" if options.engine == "mpi" else "kill"))
    except Missing as error:
        print(f"skipped: {error}")
        return SKIP
    return 0


if __name__ == "__main__":
    sys.exit(main())
