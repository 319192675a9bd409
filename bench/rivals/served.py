"""What following a running study costs it: processor time of `trellis serve` with open streams, beside the study's own."""
import os
import pathlib
import select
import socket
import subprocess
import time

TABS = 8
STUDY = """name: followed
data: {csv: rows.csv, target: y}
network:
  - dense: {units: $units, activation: relu}
train: {epochs: 27, batch: 64, optimizer: {sgd: {lr: $lr}}}
early_stop: none
limits: {trials: %d}
parameters:
  lr: {min: 0.001, max: 0.5, scale: log}
  units: {min: 2, max: 16}
"""


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_stream(port):
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(f"GET /s/followed/events?from=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return stream


def follow(streams, ended):
    """Reads all streams until the study has ended; bytes that came."""
    came = 0
    while not ended():
        for stream in select.select(streams, [], [], 0.1)[0]:
            came += len(stream.recv(1 << 20))
    return came


def measure_served(program, folder, trials):
    """Shares, in per cent, of the study's processor time that a server with TABS streams takes."""
    (folder / "rows.csv").write_text("a,b,y\n" + "".join(f"{i % 9},{i % 7},{'xy'[i % 9 > i % 7]}\n" for i in range(80)))
    (folder / "followed.yaml").write_text(STUDY % trials)
    runs = folder / "runs"
    study = subprocess.Popen([program, "sweep", "followed.yaml", "--quiet", "--dir", str(runs)], cwd=folder,
                             stdout=subprocess.DEVNULL)
    while not (runs / "followed" / "study.db").exists() and study.poll() is None:
        time.sleep(0.02)
    server = subprocess.Popen([program, "serve", str(runs), "--port", "0"], stdout=subprocess.PIPE, text=True)
    streams = []
    try:
        port = int(server.stdout.readline().rpartition(":")[2].strip("/\n"))
        streams = [open_stream(port) for _ in range(TABS)]
        used = None

        def ended():
            nonlocal used
            pid, status, usage = os.wait4(study.pid, os.WNOHANG)
            if pid:
                study.returncode = os.waitstatus_to_exitcode(status)
                used = usage.ru_utime + usage.ru_stime
            return pid != 0

        came = follow(streams, ended)
        if study.returncode != 0 or came == 0:
            raise OSError(f"the followed study ended with {study.returncode}; {came} bytes came")
        return 100 * processor_seconds(server.pid) / used
    finally:
        for stream in streams:
            stream.close()
        server.kill()
        server.wait()
