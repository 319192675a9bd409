"""A study by an example of examples/engines/ with the real engine on this machine, against the same study without one.

usage: engines.py PROGRAMS SOURCES dask|mpi|ray|spark
"""

import contextlib
import importlib.util
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "crash"))

import agents  # noqa: E402  (it is beside this folder)
import small_study as small  # noqa: E402

AGENTS = 2
PATIENT = 240  # seconds for an engine to start and end a study
SECONDS_TO_END = 15  # of agents, once their engine has gone
RAY_PORT = "6399"  # not among those of its workers, 10002 to 19999


def need(module=None, program=None):
    if module and not importlib.util.find_spec(module):
        small.skip(f"{module} is not installed")
    if program and not shutil.which(program):
        small.skip(f"{program} is not installed")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Try:
    """A folder with a study, and the environment in which examples find the program and the package."""

    def __init__(self, programs, sources, folder):
        self.examples, self.folder = sources / "examples" / "engines", folder
        self.trellis = str(programs / "trellis")
        text = small.STUDY.replace("WIDEST", "32").replace("{type: asha, min: 1, eta: 3}", "none")
        (folder / "small.yaml").write_text(text.replace("epochs: 9", "epochs: 30").replace("trials: 10", "trials: 20"))
        small.write_blobs(folder)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TRELLIS_PROGRAM": self.trellis,
                            "PYTHONPATH": str(sources / "python"), "TRELLIS_CLAIMS": str(folder / "claims"),
                            "PYSPARK_PYTHON": sys.executable, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=PATIENT, check=False)
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done

    @contextlib.contextmanager
    def beside(self, *command):
        """A process of the engine, while the block runs."""
        with open(self.folder / f"{command[1]}.log", "ab") as log, subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log) as process:
            try:
                yield process
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()

    def export(self, runs):
        return self.run(self.trellis, "export", "small", "--dir", runs, "--format", "csv").stdout

    def agents_left(self):
        """Processes of the program with this folder's claims."""
        left = []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else [b""]
                ours = str(self.folder).encode() in (entry / "environ").read_bytes() if entry.name.isdigit() else False
                if ours and words[0].rpartition(b"/")[2] == b"trellis":
                    left.append(b" ".join(words).decode())
        return left


def on_dask(one):
    need(module="distributed")
    address = f"127.0.0.1:{free_port()}"
    dask = [sys.executable, "-m", "dask"]
    with contextlib.ExitStack() as engine:
        engine.enter_context(one.beside(*dask, "scheduler", "--host", "127.0.0.1", "--port", address.split(":")[1],
                                        "--no-dashboard"))
        for number in range(AGENTS):
            engine.enter_context(one.beside(*dask, "worker", f"tcp://{address}", "--nthreads", "1", "--no-dashboard",
                                            "--local-directory", f"worker-{number}"))
        wait = f"from dask.distributed import Client; Client('{address}').wait_for_workers({AGENTS}, timeout=120)"
        one.run(sys.executable, "-c", wait)
        return one.run(sys.executable, one.examples / "on_dask.py", "small.yaml", address)


def on_mpi(one):
    need(program="mpirun")
    # All ranks are on this machine, where the example has one a node.
    return one.run("mpirun", "--oversubscribe", "-n", str(AGENTS), "--bind-to", "none", "trellis", "sweep", "small.yaml")


def on_ray(one):
    need(module="ray")
    one.environment.update({"RAY_ADDRESS": f"127.0.0.1:{RAY_PORT}", "RAY_raylet_start_wait_time_s": "120"})
    ray = [sys.executable, "-m", "ray.scripts.scripts"]
    try:
        one.run(*ray, "start", "--head", "--port", RAY_PORT, "--num-cpus", str(AGENTS), "--include-dashboard=false",
                "--disable-usage-stats")
        return one.run(sys.executable, one.examples / "on_ray.py", "small.yaml", str(AGENTS))
    finally:
        subprocess.run([*ray, "stop", "--force"], env=one.environment, capture_output=True, check=False)


def on_spark(one):
    need(module="pyspark")
    need(program="java")
    submit = pathlib.Path(importlib.util.find_spec("pyspark").origin).parent / "bin" / "spark-submit"
    return one.run(str(submit), "--master", f"local[{AGENTS}]", one.examples / "on_spark.py", "small.yaml", str(AGENTS))


def main():
    programs, sources, engine = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    agents.require_network(programs)
    with tempfile.TemporaryDirectory(prefix="trellis-engines-") as folder:
        one = Try(programs, sources, pathlib.Path(folder))
        begun = time.monotonic()
        {"dask": on_dask, "mpi": on_mpi, "ray": on_ray, "spark": on_spark}[engine](one)
        took = time.monotonic() - begun
        end = time.monotonic() + SECONDS_TO_END
        while one.agents_left():
            assert time.monotonic() < end, f"{engine}: left after the end: {one.agents_left()}"
            time.sleep(0.1)
        one.run(one.trellis, "sweep", "small.yaml", "--dir", "alone", "--quiet")
        assert one.export("runs") == one.export("alone"), f"{engine}: another result than without it"
    print(f"{engine}: {AGENTS} agents, {took:.1f} s with the engine's start; equal, no process left")


if __name__ == "__main__":
    sys.exit(main())
