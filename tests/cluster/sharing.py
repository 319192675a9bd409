"""Agents of one node share its cores: each uses the one that it claimed, and one that finds none free ends with 5.

usage: sharing.py PROGRAMS
"""

import os
import pathlib
import subprocess
import sys
import time

import study as studies
from rig import processes

NODE = "n1"
LOCKED = 5  # an exit code
WATCHED = 5  # seconds
MOST = 1.1  # cores that an agent of one worker uses: its other threads work little


def agents_on(rig):
    """The processes of agents with tickets on the node."""
    space = os.readlink(f"/proc/{rig._alive(NODE)}/ns/pid")
    found = []
    for process in processes():
        try:
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if os.readlink(f"/proc/{process}/ns/pid") == space and words[0].endswith(b"trellis") and b"--ticket" in words:
                found.append(process)
        except OSError:  # it has ended
            pass
    return found


def cores_of(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return line.split()[1]
    return ""


def seconds_of(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row(rig, options):
    cores = len(os.sched_getaffinity(0))
    study = studies.Study(rig, options.programs, trials=60)
    file = study.folder / "small.yaml"
    file.write_text(studies.changed(file.read_text(), {"epochs: 27": "epochs: 20000"}))
    driver = rig.popen("head", *study.command("runs", "--nodes", "hosted", "--quiet"), stdout=subprocess.DEVNULL)
    tickets = []
    while len(tickets) < cores + 1:
        made = study.read("runs", "ticket")
        assert driver.poll() is None, driver.stderr.read()
        if made.returncode == 0:
            tickets.append(made.stdout)
        time.sleep(0.2)
    agents = []
    for ticket in tickets[:cores]:
        agents.append(rig.popen(NODE, study.trellis, "agent", "--ticket", "-", "--attached", "--workers", "1",
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        agents[-1].stdin.write(ticket)
        agents[-1].stdin.flush()
    end = time.monotonic() + 60
    while sum(node["done"] > 0 for node in study.status("runs").get("nodes", [])) < cores:
        assert time.monotonic() < end, study.status("runs")
        time.sleep(0.2)
    found = agents_on(rig)
    assert len(found) == cores, found
    own = sorted(cores_of(process) for process in found)
    assert len(set(own)) == cores and all(core.isdigit() for core in own), own
    before, begun = [seconds_of(process) for process in found], time.monotonic()
    time.sleep(WATCHED)
    took = time.monotonic() - begun
    used = [(seconds_of(process) - old) / took for process, old in zip(found, before, strict=True)]
    assert all(0.02 < one < MOST for one in used), used
    third = rig.run(NODE, study.trellis, "agent", "--ticket", "-", "--workers", "1", input=tickets[cores])
    assert third.returncode == LOCKED and "no core is free" in third.stderr, third
    print(f"{cores} agents on one node: cores {', '.join(own)}; each used {', '.join(f'{one:.2f}' for one in used)} of its core;"
          f" one more ended with {third.returncode}")
    for agent in agents:
        agent.stdin.close()
    for agent in agents:
        agent.wait(30)
    driver.terminate()
    driver.wait(30)


if __name__ == "__main__":
    sys.exit(studies.run_row(__doc__, row, count=1))
