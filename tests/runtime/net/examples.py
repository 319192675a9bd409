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

SKIP = 77
RATE = re.compile(r"[0-9.]+ GF/s")


def children(process):
    """The processes that one has started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            stat = (entry / "stat").read_text(encoding="utf-8") if entry.name.isdigit() else ""
        except OSError:  # it has ended meanwhile
            continue
        if stat and int(stat.rsplit(")", 1)[1].split()[1]) == process:
            found.append(int(entry.name))
    return found


def run(program, agents, lose=False):
    words = [program] + ([f"--trellis-hosts={','.join(['localhost'] * agents)}"] if agents else [])
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        if lose:
            time.sleep(random.Random(1).uniform(0.1, 0.3))
            for child in children(running.pid)[:1]:
                os.kill(child, signal.SIGKILL)
        out, errors = running.communicate(timeout=120)
    assert running.returncode == 0, f"{program} on {agents} agents: {errors}"
    return RATE.sub("", out)


def main():
    build, *examples = sys.argv[1:]
    if not os.path.exists(os.path.join(build, "runtime", "net", "grpc", "trellis-net.so")):
        print("built without gRPC")
        sys.exit(SKIP)
    for program in examples:
        alone = run(program, 0)
        for agents in (1, 3):
            assert run(program, agents) == alone, f"{program} on {agents} agents"
        assert run(program, 3, lose=True) == alone, f"{program} with an agent that was killed"
        print(os.path.basename(program), "prints the same")
    lose_all(examples[0])


def lose_all(program):
    """Without an agent left, a program ends with an error; it does not wait for ever."""
    with subprocess.Popen([program, "--trellis-hosts=localhost"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:
        agents = []
        while not agents and running.poll() is None:
            agents = children(running.pid)
        os.kill(agents[0], signal.SIGKILL)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 1 and "lost" in errors, errors


if __name__ == "__main__":
    main()
