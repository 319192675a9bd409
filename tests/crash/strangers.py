"""Who has no good certificate of a study, or has one and says nonsense, is refused within a second and harms nothing.

usage: strangers.py PROGRAMS STRANGER [--all]
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import random
import resource
import select
import socket
import ssl
import subprocess
import sys
import threading
import time

import agents
import small_study as small

MOST = 1.0  # seconds until somebody is refused
PATIENT = 2.5  # and until somebody is who began as an agent does and then says nothing
SILENT = ("silence", "a good certificate and no Hello", "a handshake that stops")
IDLE = 1000
DESCRIPTORS = 1024  # what the driver may have
EPOCHS = (500, 1000, 2000, 4000)  # the first study that lasts while all knock counts
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"  # with empty settings
START_OF_TLS = b"\x16\x03\x01\x02\x00"
ALERT = b"\x15"  # how a record of TLS begins that says why it ends


def limit_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


def await_end(connection):
    """Reads until the other side has ended the connection; returns what came."""
    said = b""
    try:
        while data := connection.recv(4096):
            said += data
    except socket.timeout:
        raise AssertionError("the connection stays open") from None
    except (ConnectionError, ssl.SSLError):
        pass
    return said


def knock(address, say):
    """Connects and lets `say` talk; returns the seconds until the driver ended that, and what it said."""
    begun = time.monotonic()
    with socket.create_connection(address, timeout=10) as connection:
        try:
            said = say(connection)
        except (ConnectionError, ssl.SSLError):
            said = b""
    return time.monotonic() - begun, said


def plain(data):
    def say(connection):
        connection.sendall(data)
        return await_end(connection)
    return say


def drip(connection):
    """Begins like TLS, one byte at a time."""
    for byte in b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100:
        connection.sendall(bytes([byte]))
        if select.select([connection], [], [], 0.1)[0]:
            break
    return await_end(connection)


def trusting():
    """How a client begins to speak TLS that does not care who answers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context


def first_record():
    """What a client says first."""
    out = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        trusting().wrap_bio(ssl.MemoryBIO(), out).do_handshake()
    return out.read()


def secured(keys, name=None, data=PREFACE):
    def say(connection):
        context = trusting()
        if name:
            context.load_cert_chain(keys / f"{name}.crt", keys / f"{name}.key")
        with context.wrap_socket(connection) as talk:
            talk.sendall(data)
            return await_end(talk)
    return say


def ended(connection):
    try:
        return not connection.recv(4096)
    except ConnectionError:
        return True


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def sit_idle(address, driver, first):
    """Opens many connections that say `first` and no more; returns how long the last of them stayed open, and the most
    descriptors that the driver had."""
    longest, most, left = 0, 0, IDLE
    begun, deadline = {}, time.monotonic() + 20
    with contextlib.ExitStack() as stack:
        poll = select.poll()
        while left or begun:
            if left:
                left -= 1
                at = time.monotonic()
                connection = stack.enter_context(socket.create_connection(address, timeout=10))
                begun[connection.fileno()] = (connection, at)
                with contextlib.suppress(ConnectionError):
                    connection.sendall(first)
                poll.register(connection, select.POLLIN)
            if left % 50 == 0:
                most = max(most, descriptors(driver))
            for number, _ in poll.poll(0 if left else 10):
                connection, at = begun[number]
                if not ended(connection):
                    continue
                del begun[number]
                poll.unregister(number)
                longest = max(longest, time.monotonic() - at)
            assert time.monotonic() < deadline, f"{len(begun)} idle connections stay open"
    return longest, most


class Stalls(threading.Thread):
    """Measures for how long this machine lets a thread wait that could run; both sides of a connection may have to."""

    def __init__(self):
        super().__init__(daemon=True)
        self.longest = 0

    def run(self):
        while True:
            begun = time.monotonic()
            time.sleep(0.01)
            self.longest = max(self.longest, time.monotonic() - begun - 0.01)


STALLS = Stalls()


def check(name, seconds):
    print(f"{name}: {1000 * seconds:.0f} ms")
    stalls = STALLS.longest
    most = PATIENT if name in SILENT else MOST
    assert seconds <= most + 2 * stalls, f"{name}: {seconds:.2f} s until it was refused, stalls of {stalls:.2f} s"


def check_lines(done):
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    worst = {}
    for line in done.stdout.splitlines():
        name, _, seconds = line.partition(" ")
        if seconds:
            kind = name.split("-")[0] if name[-1].isdigit() else name
            worst[kind] = max(worst.get(kind, 0), float(seconds))
    for name, seconds in worst.items():
        check(name, seconds)
    return worst


def drive(place, stranger):
    """An agent of the real program under a driver that calls tasks that it has not; returns its Hello."""
    run, hello = place.folder / "driven" / "small", place.folder / "hello"
    done = place.sweep(run.parent)
    assert done.returncode == 0, done.stderr
    with subprocess.Popen([stranger, "driver", run / "net", hello], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as driver:
        assert driver.stdout.readline() == "listens\n", driver.stderr.read()
        claims = {**os.environ, "TRELLIS_CLAIMS": str(place.folder / "claims")}
        with subprocess.Popen([place.trellis, "agent", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=claims) as agent:
            out, errors = driver.communicate(timeout=60)
            if driver.returncode != 0:
                agent.kill()
            _, agent_errors = agent.communicate(timeout=60)
    check_lines(subprocess.CompletedProcess([], driver.returncode, out, errors))
    assert agent.returncode == 0, f"the agent ended with {agent.returncode}: {agent_errors}"
    return hello.read_bytes()


def await_driver(run, process):
    path = run / "net" / "driver.json"
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return json.loads(path.read_text(encoding="ascii"))["address"]


def besiege(place, options, driver, text):
    """Lets one kind of stranger after another knock at the driver of a study."""
    stranger, run = options.stranger, place.folder / "besieged" / "small"
    address = address_of(text)
    keys = place.folder / "keys"
    keys.mkdir()
    subprocess.run([stranger, "keys", run / "net", keys], check=True)
    chance = random.Random(1)
    kinds = {
        "TLS without a certificate": secured(keys),
        "a certificate of another study": secured(keys, "other"),
        "an expired certificate": secured(keys, "expired"),
        "HTTP/1": plain(b"GET / HTTP/1.1\r\nHost: driver\r\n\r\n"),
        "HTTP/2 without TLS": plain(PREFACE),
        "random bytes": plain(chance.randbytes(200)),
        "the beginning of TLS": plain(START_OF_TLS),
        "one byte at a time": drip,
        "a handshake that stops": plain(first_record()),
        "a good certificate and no Hello": secured(keys, "good"),
    }
    # Not during a flood: there the driver ends whoever is silent at once.
    with concurrent.futures.ThreadPoolExecutor(len(kinds)) as threads:
        results = list(threads.map(lambda say: knock(address, say), kinds.values()))
    flood(address, driver.pid, "nothing", b"")
    for name, (seconds, said) in zip(kinds, results):
        check(name, seconds)
        refused = not said or (said[:1] == ALERT and len(said) < 20)
        assert refused != (name in SILENT), f"{name}: the driver said {said}"
    if options.all:
        flood(address, driver.pid, "a handshake that stops", first_record())
    check_lines(subprocess.run([stranger, "knock", text, run / "net", place.folder / "hello"], capture_output=True,
                               text=True, timeout=60))


def flood(address, driver, name, first):
    before = descriptors(driver)
    longest, most = sit_idle(address, driver, first)
    print(f"{IDLE} connections: {most} descriptors at most, {before} before")
    check(name, longest)
    assert most < DESCRIPTORS / 2, "idle connections use up the driver's descriptors"


def address_of(text):
    host, port = text.split(":")
    return host, int(port)


def listens(text):
    try:
        socket.create_connection(address_of(text), timeout=10).close()
    except ConnectionRefusedError:
        return False
    return True


def lasts(place, options):
    """Whether a besieged study was longer than all needed to knock. It must end as if nobody had."""
    runs = place.folder / "besieged"
    with subprocess.Popen(place.command(runs, *agents.hosts(2)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, preexec_fn=limit_descriptors) as driver:
        text = await_driver(runs / "small", driver)
        try:
            besiege(place, options, driver, text)
            lasted = listens(text)
        except (OSError, AssertionError):
            if listens(text):
                driver.kill()
                raise
            lasted = False
        out, errors = driver.communicate(timeout=100)
    assert driver.returncode == 0, f"the study ended with {driver.returncode}: {out}{errors}"
    return lasted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("stranger")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    agents.require_network(options.programs)
    STALLS.start()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * IDLE), hard))
    with small.Place(options.programs) as place:
        hello = drive(place, options.stranger)
    for epochs in EPOCHS:
        study = small.population().replace("epochs: 9", f"epochs: {epochs}")
        with small.Place(options.programs, study=study) as place:
            (place.folder / "hello").write_bytes(hello)
            runs = place.folder / "besieged"
            if lasts(place, options):
                assert place.export(runs) == place.reference(), "the export differs from the undisturbed run's"
                assert small.events(runs) == small.events(place.folder / "reference"), "the log differs"
                print(f"{epochs} epochs, the same as undisturbed; stalls of {1000 * STALLS.longest:.0f} ms at most")
                return
    raise AssertionError("every study was over before all had knocked")


if __name__ == "__main__":
    sys.exit(main())
