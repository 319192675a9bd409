"""What the tests of `trellis serve` share: a server with studies, a study that grows, requests as bytes."""
import os
import re
import signal
import socket
import subprocess
import sys
import time

from page_browser import Failed, expect

LACKING = 6


def skip(why):
    print(f"SKIPPED, NOTHING WAS SERVED: {why}")
    sys.exit(77)


class Server:
    """`trellis serve` on a free port."""

    def __init__(self, programs, *words, cwd, port=0, preload=None):
        env = {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}
        command = [os.path.join(programs, "trellis"), "serve", *words, "--port", str(port)]
        self.process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            said = self.process.stderr.read().strip()
            if self.process.wait() == LACKING:
                skip(said)
            raise Failed(f"trellis serve {words}: {said}")
        self.port = int(re.search(r":(\d+)/", self.url).group(1))
        self.slack = self.measured_slack()

    def measured_slack(self):
        """Seconds that a machine which others use adds to an answer of this server: a multiple of what a small one takes."""
        took = []
        for _ in range(5):
            begun = time.monotonic()
            self.ask("/assets/login.js")
            took.append(time.monotonic() - begun)
        return 20 * sorted(took)[2]

    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Bytes that are its own, and its part of what it shares."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("Pss:"))

    def stop(self, patience=10):
        """Its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(patience)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def connect(self, timeout=20):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def raw(self, request, timeout=20):
        """(status, header fields, body) of the answer to these bytes; status 0: the server said nothing."""
        with self.connect(timeout) as connection:
            connection.sendall(request)
            return parse(read_all(connection, request))

    def ask(self, target="/", method="GET", fields="", host=None, version="1.1"):
        host = f"127.0.0.1:{self.port}" if host is None else host
        lines = f"{method} {target} HTTP/{version}\r\n" + (f"Host: {host}\r\n" if host else "") + fields
        return self.raw(lines.encode("utf-8", "surrogateescape") + b"Connection: close\r\n\r\n")

    def get(self, target):
        status, _, body = self.ask(target)
        expect(status == 200, f"{target}: {status}: {body[:200]!r}")
        return body.decode()


def read_all(connection, request=b""):
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
            if request.startswith(b"HEAD") and data.endswith(b"\r\n\r\n"):
                break
    except ConnectionResetError:
        pass
    return data


def parse(data):
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    found = re.match(r"HTTP/1\.1 (\d{3})", lines[0])
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(": ")
        fields.setdefault(name.lower(), []).append(value)
    return int(found.group(1)) if found else 0, fields, body


class Events:
    """A stream of server-sent events."""

    def __init__(self, server, target, fields=""):
        self.connection = server.connect()
        host = f"Host: 127.0.0.1:{server.port}\r\n"
        self.connection.sendall(f"GET {target} HTTP/1.1\r\n{host}{fields}\r\n".encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            piece = self.connection.recv(65536)
            expect(piece, f"{target}: the stream ended before it began")
            self.data += piece
        self.status = int(self.data[9:12])
        self.data = self.data.partition(b"\r\n\r\n")[2]

    def read(self, until, seconds=10):
        """All text up to what is waited for."""
        self.connection.settimeout(0.2)
        end = time.monotonic() + seconds
        while until not in self.data:
            expect(time.monotonic() < end, f"{until!r} did not come in {seconds} s, but {self.data[-300:]!r}")
            try:
                self.data += self.connection.recv(65536)
            except TimeoutError:
                pass
        return self.data

    def close(self):
        self.connection.close()


class Growing:
    """A study with a driver that commits when it is told."""

    def __init__(self, program, folder, trials, steps=3):
        self.process = subprocess.Popen([program, folder, str(trials), str(steps)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.began = int(self.process.stdout.readline())

    def tell(self, line):
        """When the commit was done, in seconds since 1970."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) * 1e-6

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
