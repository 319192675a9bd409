"""The examples print the same on agents as alone, also when one of the agents is killed.

usage: examples.py BUILD EXAMPLE...
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from processes import children_of

SKIP = 77
TASKS = re.compile(r"^  node \S+: (\d+) tasks$", re.MULTILINE)
RATE = re.compile(r"[0-9.]+ GF/s")


def start(program, agents, sizes=()):
    words = [program, *sizes] + ([f"--trellis-hosts={','.join(['localhost'] * agents)}"] if agents else [])
    environment = dict(os.environ)
    if agents:
        # The last threads of gRPC end by themselves, and LeakSanitizer falls over those that end while it looks.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def run(program, agents, lose=False, sizes=()):
    """What it prints, and what it says of itself."""
    with start(program, agents, sizes) as running:
        if lose:
            time.sleep(random.Random(1).uniform(0.1, 0.3))
            for child in children_of(running.pid)[:1]:
                os.kill(child, signal.SIGKILL)
        out, errors = running.communicate(timeout=120)
    assert running.returncode == 0, f"{program} on {agents} agents: {errors}"
    return RATE.sub("", out), errors


def share(program):
    """With seconds of work to share out, each of three agents runs a tenth of the tasks at least. Other processes of
    the machine may hold one agent up, but not three times."""
    sizes = ("3072", "192")
    alone, _ = run(program, 0, sizes=sizes)
    for _ in range(3):
        out, summary = run(program, 3, sizes=sizes)
        assert out == alone, f"{program} {sizes} on 3 agents"
        tasks = [int(count) for count in TASKS.findall(summary)]
        assert len(tasks) == 3, summary
        print("tasks of each agent:", tasks)
        if 10 * min(tasks) >= sum(tasks):
            return
    raise AssertionError(summary)


def main():
    build, *examples = sys.argv[1:]
    if not os.path.exists(os.path.join(build, "runtime", "net", "grpc", "trellis-net.so")):
        print("built without gRPC")
        sys.exit(SKIP)
    for program in examples:
        alone, _ = run(program, 0)
        for agents in (1, 3):
            assert run(program, agents)[0] == alone, f"{program} on {agents} agents"
        assert run(program, 3, lose=True)[0] == alone, f"{program} with an agent that was killed"
        print(os.path.basename(program), "prints the same")
    lose_all(examples[0])
    share(next(program for program in examples if program.endswith("cholesky")))


def lose_all(program):
    """Without an agent left, a program ends with an error; it does not wait for ever."""
    with start(program, 1) as running:
        agents = []
        while not agents and running.poll() is None:
            agents = children_of(running.pid)
        os.kill(agents[0], signal.SIGKILL)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 1 and "lost" in errors, errors


if __name__ == "__main__":
    main()
