#!/usr/bin/env python3
"""What `trellis serve` answers, and what it refuses: requests as bytes, many connections, streams, folders that hang.

usage: serve.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES GROW_STUDY [HANGING_FOLDERS]

HANGING_FOLDERS: a library that makes folders of that name hang. Skipped (77) where the server was not built."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from page_browser import Failed, expect
from serving import Events, Growing, Server, parse, read_all

STREAMS = 32
# Of a core, of a second, and bytes.
MOST_IDLE, MOST_COMMIT, MOST_MEMORY = 0.02, 0.01, 30_000_000
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
HOSTILE = "<img src=x onerror=alert(1)>&\"'"


def table(server):
    """(name, bytes, status) of requests that have no business here, and some that do."""
    own = f"127.0.0.1:{server.port}"

    def request(target="/", method="GET", fields="", host=own, version="HTTP/1.1", host_line=None):
        line = f"Host: {host}\r\n" if host_line is None else host_line
        return f"{method} {target} {version}\r\n{line}{fields}Connection: close\r\n\r\n".encode()

    def plain(name, status, **parts):
        return name, request(**parts), status

    return [
        plain("the list", 200),
        plain("by the name localhost", 200, host=f"localhost:{server.port}"),
        plain("through a tunnel from another port", 200, host="localhost:9999"),
        plain("a study", 200, target="/s/sixty/"),
        plain("a study with a query", 200, target="/s/sixty/?x=1"),
        plain("metrics", 200, target="/metrics"),
        plain("a script", 200, target="/assets/page.js"),
        plain("HEAD", 200, target="/s/sixty/", method="HEAD"),
        plain("HEAD of a stream", 200, target="/s/sixty/events", method="HEAD"),
        plain("an old client", 200, version="HTTP/1.0"),
        plain("a foreign host", 403, host="evil.example"),
        plain("a foreign host with our port", 403, host=f"evil.example:{server.port}"),
        plain("a host that begins like ours", 403, host="localhost.evil.example"),
        plain("a name that leads to this address", 403, host="127.0.0.1.nip.io"),
        plain("an empty host", 403, host=""),
        plain("no host", 400, host_line=""),
        plain("two hosts", 400, host_line=f"Host: {own}\r\nHost: evil.example\r\n"),
        plain("a foreign host for metrics", 403, target="/metrics", host="evil.example"),
        plain("a foreign host for a stream", 403, target="/s/sixty/events", host="evil.example"),
        plain("a foreign host for a script", 403, target="/assets/page.js", host="evil.example"),
        *[plain(f"method {method}", 405, target="/s/sixty/", method=method)
          for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "PRI", "get")],
        plain("stop without control", 405, target="/s/sixty/stop", method="POST", fields=f"Origin: http://{own}\r\n"),
        plain("nothing there", 404, target="/nothing"),
        plain("a study that is not there", 404, target="/s/nobody/"),
        plain("a study without its slash", 404, target="/s/sixty"),
        plain("the folder above", 404, target="/s/../"),
        plain("the folder above, escaped", 404, target="/s/%2e%2e/"),
        plain("a path in a name", 404, target="/s/..%2f..%2fetc/"),
        plain("an absolute path", 404, target="//etc/passwd"),
        plain("a file of a study", 404, target="/s/sixty/study.db"),
        plain("a NUL in a name", 404, target="/s/sixty%00/"),
        plain("a wrong escape", 404, target="/s/%zz/"),
        plain("a folder without a study", 404, target="/s/empty/"),
        plain("a link out of the folder", 404, target="/s/link/"),
        plain("a whole URL", 400, target=f"http://{own}/"),
        plain("an asterisk", 400, target="*", method="GET"),
        plain("a long address", 414, target="/" + "a" * 4000),
        plain("a long header", 431, fields="X: " + "a" * 9000 + "\r\n"),
        plain("many fields", 431, fields="".join(f"X-{i}: {i}\r\n" for i in range(2000))),
        plain("a body", 413, fields="Content-Length: 5\r\n"),
        plain("a body in pieces", 400, fields="Transfer-Encoding: chunked\r\n"),
        plain("two lengths", 400, fields="Content-Length: 0\r\nContent-Length: 0\r\n"),
        plain("an expectation", 400, fields="Expect: 100-continue\r\n"),
        plain("parts of a page", 400, fields="Range: bytes=0-1,2-3,4-5\r\n"),
        plain("another protocol", 400, fields="Upgrade: websocket\r\n"),
        plain("a folded field", 400, fields="X: a\r\n b\r\n"),
        plain("a blank before a colon", 400, fields="Content-Length : 5\r\n"),
        plain("a NUL in a field", 400, fields="X: a\0b\r\n"),
        plain("HTTP/2", 505, version="HTTP/2.0"),
        plain("a wrong position", 400, target="/s/sixty/events?from=x"),
        plain("a position below all", 400, target="/s/sixty/events?from=-1"),
        plain("another query of a stream", 400, target="/s/sixty/events?to=1"),
        ("no request", b"\r\n\r\n", 400),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40 + b"\r\n\r\n", 400),
        ("bare line feeds", f"GET / HTTP/1.1\nHost: {own}\n\n\r\n\r\n".encode(), 400),
        ("bytes that are no text", b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ]


def check_table(server):
    rows = table(server)
    for name, request, wanted in rows:
        status, fields, body = server.raw(request)
        expect(status == wanted, f"{name}: {status}, not {wanted}: {body[:120]!r}")
        expect(fields.get("content-security-policy", [""])[0].startswith(POLICY), f"{name}: no policy")
        for field, value in (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
                             ("cross-origin-resource-policy", "same-origin"), ("x-frame-options", "DENY")):
            expect(fields.get(field) == [value], f"{name}: {field} is {fields.get(field)}")
        expect(not any(field.startswith("access-control") for field in fields), f"{name}: CORS")
        expect("set-cookie" not in fields, f"{name}: a cookie")
        expect(b"/tmp" not in body and b"runs-of-a-test" not in body, f"{name}: names a folder")
        expect(status != 405 or fields.get("allow") == ["GET, HEAD"], f"{name}: does not say what is allowed")
        expect(not request.startswith(b"HEAD") or not body, f"{name}: HEAD with a body")
    print(f"{len(rows)} requests were answered as the table says")


def check_one_connection(server):
    """Several requests on a connection; what is behind a refused one is not taken for another."""
    own = f"Host: 127.0.0.1:{server.port}\r\n"
    two = f"GET /nothing HTTP/1.1\r\n{own}\r\nGET /metrics HTTP/1.1\r\n{own}Connection: close\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(two.encode())
        expect(read_all(connection).count(b"HTTP/1.1 ") == 2, "two requests in one go were not both answered")
    smuggled = f"GET / HTTP/1.1\r\n{own}Content-Length: 60\r\n\r\nGET /metrics HTTP/1.1\r\n{own}\r\n"
    with server.connect() as connection:
        connection.sendall(smuggled.encode())
        answer = read_all(connection)
        expect(answer.count(b"HTTP/1.1 ") == 1 and parse(answer)[0] == 413, f"a body was taken for a request: {answer[:200]!r}")


def check_words(server):
    """Names and values of studies are texts."""
    page = server.get("/")
    expect("&lt;img src=x" in page and "<img" not in page, "a hostile name is HTML")
    expect('href="s/%3Cimg' in page, "a hostile name has no address")
    for name in ("link", "empty", "study.db"):
        expect(f"s/{name}/" not in page, f"{name} is in the list")
    hostile = server.get("/s/hostile/")
    expect("<script>window.canary" not in hostile and "<img" not in hostile, "a hostile value is HTML")
    expect('id="live-data"' in server.get("/s/sixty/"), "the page does not know where its events are")
    with_scripts = server.get("/s/sixty/").count("<script src=")
    expect(with_scripts == 1, f"{with_scripts} scripts in a page")


def check_streams(server):
    """A stream too many is refused; all others, and pages, go on."""
    streams = [Events(server, "/s/sixty/events") for _ in range(STREAMS + 8)]
    good = [stream for stream in streams if stream.status == 200]
    expect(len(good) == STREAMS, f"{len(good)} streams were opened, {STREAMS} may be")
    expect(all(stream.status in (200, 503) for stream in streams), "a stream too many is not refused with 503")
    for _ in range(5):
        begun = time.monotonic()
        status, _, body = server.ask("/s/sixty/")
        expect(status == 200, f"with streams open a page is not answered: {status} {body[:80]!r}")
        expect(time.monotonic() - begun < 3 + server.slack, "with streams open a page takes long")
    expect(f"trellis_serve_streams {STREAMS}\n" in server.get("/metrics"), "streams are not counted")
    for stream in streams:
        stream.close()
    end = time.monotonic() + 10 + server.slack
    while "trellis_serve_streams 0\n" not in server.get("/metrics"):
        expect(time.monotonic() < end, "streams that were left are not noticed")
        time.sleep(0.1)


def check_many_connections(server):
    """Whoever says nothing, or not enough, makes nobody wait."""
    silent = [server.connect() for _ in range(150)]
    half = []
    for _ in range(60):
        half.append(server.connect())
        half[-1].sendall(b"GET / HTTP/1.1\r\nX: ")
    begun = time.monotonic()
    expect(server.ask("/")[0] == 200, "with 210 connections open nobody is answered")
    expect(time.monotonic() - begun < 5 + server.slack, "with 210 connections open an answer takes long")
    for connection in silent + half:
        connection.close()
    status, _, _ = slow(server)
    expect(status == 408, f"a request that takes for ever: {status}")


def slow(server):
    """A byte a second."""
    with server.connect(30) as connection:
        connection.settimeout(1)
        begun = time.monotonic()
        for byte in b"GET / HTTP/1.1\r\nX: " + b"a" * 60:
            try:
                connection.sendall(bytes([byte]))
                answer = connection.recv(4096)
                expect(time.monotonic() - begun < 12 + server.slack, "a slow request is not cut off in 10 s")
                return parse(answer)
            except TimeoutError:
                continue
            except OSError:
                break
    return 0, {}, b""


def check_no_reader_stalls(server, grow, runs):
    """A stream that nobody reads costs the others nothing."""
    with Growing(grow, str(runs / "growing"), 5) as study:
        expect("growing" in server.get("/") or time.sleep(1.2) or "growing" in server.get("/"), "a new study is not listed")
        stuck = Events(server, "/s/growing/events?from=0")
        reader = Events(server, "/s/growing/events?from=0")
        reader.read(b'"trial":4,')
        for i in range(100):
            study.tell("trials 40")
            if i % 25 == 24:
                reader.read(f'"trial":{5 + 40 * (i + 1)},'.encode())
        begun = study.tell("report")
        reader.read(b"event: changes")
        expect(time.time() - begun < 5 + server.slack, "a stream that is read waits for one that is not")
        expect(server.ask("/")[0] == 200, "the list waits for a stream that nobody reads")
        for stream in (stuck, reader):
            stream.close()
    time.sleep(1.2)
    expect(">running<" not in server.get("/"), "a study without a driver is said to run")


def check_cost(server, grow, runs):
    """What following costs the study: processor time of the server, with eight readers."""
    with Growing(grow, str(runs / "watched"), 60) as study:
        time.sleep(1.2)
        readers = [Events(server, "/s/watched/events?from=0") for _ in range(8)]
        for reader in readers:
            reader.read(b'"trial":59,')
        time.sleep(2)
        before, begun = server.cpu(), time.monotonic()
        time.sleep(5)
        idle = (server.cpu() - before) / (time.monotonic() - begun)
        before = server.cpu()
        for i in range(100):
            study.tell("trials 1")
            time.sleep(0.04)
        for reader in readers:
            reader.read(b'"trial":160,')
        commit = (server.cpu() - before) / 100
        print(f"eight readers: {100 * idle:.2f}% of a core while nothing comes, {1000 * commit:.2f} ms of it a commit; "
              f"{server.memory() / 1e6:.1f} MB")
        expect(idle <= MOST_IDLE, f"the server takes {100 * idle:.1f}% of a core while nothing comes")
        expect(commit <= MOST_COMMIT, f"a commit costs the server {1000 * commit:.1f} ms")
        expect(server.memory() <= MOST_MEMORY, f"the server has {server.memory() / 1e6:.1f} MB")
        for reader in readers:
            reader.close()


def check_restart(programs, grow, runs):
    """A stream goes on where it broke, behind the same position, and nothing comes twice."""
    with Growing(grow, str(runs / "again"), 2) as study:
        with Server(programs, "runs", cwd=runs.parent) as first:
            stream = Events(first, "/s/again/events?from=0")
            seen = stream.read(b'"trial":2,')
            stream.read(b"\n\n")
            port = first.port
            last = max(int(line[4:]) for line in seen.decode().splitlines() if line.startswith("id: "))
            expect(first.stop() == 0, "the server does not end in order with a stream open")
        study.tell("trials 1")
        with Server(programs, "runs", cwd=runs.parent, port=port) as second:
            stream = Events(second, "/s/again/events?from=0", fields=f"Last-Event-ID: {last}\r\n")
            missed = stream.read(b'"trial":3,').decode()
            expect('"trial":1,' not in missed, "what had come before comes again")
            expect(f'"from":{last},' in missed, f"it does not go on at {last}: {missed[:200]}")


def check_hanging(programs, preload, runs):
    """Folders that hang: the list says so, and all others are served."""
    for name in ("hanging-1", "hanging-2"):
        shutil.copytree(runs / "one", runs / name)
    with Server(programs, "runs", cwd=runs.parent, preload=preload) as server:
        begun = time.monotonic()
        page = server.get("/")
        expect(time.monotonic() - begun < 6 + server.slack, "the list waits for a folder that hangs")
        expect(page.count("its folder does not answer") == 2, "the list does not say which folders hang")
        expect("s/sixty/" in page and ">finished<" in page, "studies beside a hanging one are missing")
        waiting = [threading.Thread(target=server.ask, args=("/s/hanging-1/",)) for _ in range(10)]
        for thread in waiting:
            thread.start()
        begun = time.monotonic()
        expect(server.ask("/s/sixty/")[0] == 200, "a page waits for a folder that hangs")
        expect(time.monotonic() - begun < 4 + server.slack, "a page waits for a folder that hangs")
        expect(server.ask("/s/hanging-1/")[0] == 503, "a study that hangs is not refused")
        stream = Events(server, "/s/hanging-2/events")
        metrics = server.get("/metrics")
        expect('trellis_study_up{study="hanging-1"} 0' in metrics, "the metrics do not say which folders hang")
        expect('trellis_study_up{study="sixty"} 1' in metrics, "the metrics lack a good study")
        for thread in waiting:
            thread.join()
        expect(server.stop() == 0, "the server does not end while a folder hangs")
        stream.close()


def refused(programs, cwd, *words):
    done = subprocess.run([os.path.join(programs, "trellis"), "serve", *words], cwd=cwd, capture_output=True, text=True,
                          timeout=30, check=False)
    return done.returncode, done.stderr


def check_command_line(programs, server, folder):
    code, said = refused(programs, folder, "--port", str(server.port))
    expect(code == 2 and "another one with --port" in said, f"a port that is taken: {code}: {said}")
    code, said = refused(programs, folder, "nowhere")
    expect(code == 2 and "nowhere" in said, f"a study that is not there: {code}: {said}")
    code, said = refused(programs, folder, "--port", "70000")
    expect(code == 2 and "--port" in said, f"a port that is none: {code}: {said}")
    with Server(programs, "sixty", cwd=folder) as one:
        expect("trial 22" in one.get("/").lower() and "live-data" in one.get("/"), "one study is not at /")
        expect(one.ask("/s/one/")[0] == 404 and one.ask("/s/sixty/")[0] == 404, "other studies are served")
        stream = Events(one, "/events?from=0")
        stream.read(b'"trial":59,')
        expect(one.stop() == 0, "the server does not end in order")


def check_all(programs, make, grow, preload):
    with tempfile.TemporaryDirectory(prefix="runs-of-a-test-") as folder:
        runs = pathlib.Path(folder, "runs")
        subprocess.run([make, runs], check=True)
        shutil.copytree(runs / "one", runs / HOSTILE)
        (runs / "empty").mkdir()
        shutil.copytree(runs / "one", pathlib.Path(folder, "outside"))
        (runs / "link").symlink_to("../outside")
        before = sorted(path for path in runs.rglob("*"))
        with Server(programs, "runs", cwd=folder) as server:
            for check in (check_table, check_one_connection, check_words, check_streams, check_many_connections):
                check(server)
            after = sorted(path for path in runs.rglob("*") if not path.name.endswith(("-shm", "-wal")))
            expect(after == [path for path in before if not path.name.endswith(("-shm", "-wal"))], "files came or went")
            check_no_reader_stalls(server, grow, runs)
            check_cost(server, grow, runs)
            check_command_line(programs, server, folder)
            expect(server.stop() == 0, "the server does not end in order")
        check_restart(programs, grow, runs)
        if preload:
            check_hanging(programs, preload, runs)
        else:
            print("not run: folders that hang, which a sanitizer's library would not see")


def main():
    programs, make, grow = map(os.path.abspath, sys.argv[1:4])
    preload = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    try:
        check_all(programs, make, grow, preload)
    except Failed as failed:
        print(failed)
        sys.exit(1)


if __name__ == "__main__":
    main()
