#!/usr/bin/env python3
"""Tokens of `trellis serve`: who may stop a study with --control, and who may read with --host.

usage: serve_control.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES GROW_STUDY

Skipped (77) where the server was not built. What needs Chromium or Python's playwright is left out without them, and says so."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from page_browser import Failed, expect
from serving import Growing, Server


def token_of(server):
    found = re.search(r"/#token=([0-9a-f]{64})$", server.url)
    expect(found, f"no token in the address: {server.url}")
    return found.group(1)


def fields(origin=None, cookie=None, bearer=None):
    out = "Content-Length: 0\r\n"
    out += f"Origin: {origin}\r\n" if origin is not None else ""
    out += f"Cookie: {cookie}\r\n" if cookie is not None else ""
    return out + (f"Authorization: Bearer {bearer}\r\n" if bearer is not None else "")


def table(server, token):
    """(name, target, header fields, status) of attempts to change something. None of them may."""
    own, cookie = f"http://127.0.0.1:{server.port}", f"trellis-{server.port}={token}"
    other = token[:-1] + ("0" if token[-1] != "0" else "1")
    return [
        ("no token", "/s/growing/stop", fields(own), 401),
        ("no origin", "/s/growing/stop", fields(None, cookie), 403),
        ("a foreign origin", "/s/growing/stop", fields("http://evil.example", cookie), 403),
        ("another port's origin", "/s/growing/stop", fields("http://127.0.0.1:1", cookie), 403),
        ("an origin by https", "/s/growing/stop", fields(own.replace("http", "https"), cookie), 403),
        ("the origin null", "/s/growing/stop", fields("null", cookie), 403),
        ("a wrong token", "/s/growing/stop", fields(own, cookie[:-64] + other), 401),
        ("half a token", "/s/growing/stop", fields(own, cookie[:-1]), 401),
        ("an empty token", "/s/growing/stop", fields(own, cookie[:-64]), 401),
        ("the cookie of another port", "/s/growing/stop", fields(own, f"trellis-1={token}"), 401),
        ("a wrong bearer", "/s/growing/stop", fields(own, None, other), 401),
        ("a token in the address", f"/s/growing/stop?token={token}", fields(own), 401),
        ("a login with a wrong token", "/login", fields(own, None, other), 401),
        ("a login from elsewhere", "/login", fields("http://evil.example", None, token), 403),
        ("a study that is not there", "/s/nobody/stop", fields(own, cookie), 404),
        ("a path for a name", "/s/..%2fgrowing/stop", fields(own, cookie), 404),
        ("a study that does not run", "/s/sixty/stop", fields(own, cookie), 409),
        ("another address", "/s/growing/", fields(own, cookie), 405),
        ("the list", "/", fields(own, cookie), 405),
    ]


def check_control(programs, grow, runs):
    with Growing(grow, str(runs / "growing"), 5) as study, \
            Server(programs, "runs", "--control", cwd=runs.parent) as server:
        token = token_of(server)
        rows = table(server, token)
        for name, target, sent, wanted in rows:
            status, got, body = server.ask(target, "POST", sent)
            expect(status == wanted, f"{name}: {status}, not {wanted}: {body[:100]!r}")
            expect("set-cookie" not in got, f"{name}: got a cookie")
            expect(token.encode() not in body, f"{name}: got the token")
        for method in ("GET", "HEAD", "PUT", "DELETE"):
            status, _, _ = server.ask("/s/growing/stop", method, fields(f"http://127.0.0.1:{server.port}", None, token))
            expect(status == (404 if method in ("GET", "HEAD") else 405), f"{method} of stop: {status}")
        study.tell("trials 1")
        expect(study.process.poll() is None, "somebody stopped the study who may not")
        print(f"{len(rows)} attempts without the right to it changed nothing")
        page = server.get("/s/growing/")
        expect('"stop":"/s/growing/stop"' in page and token not in page, "the page of a reader")
        own = f"http://127.0.0.1:{server.port}"
        status, got, _ = server.ask("/login", "POST", fields(own, None, token))
        cookie = got.get("set-cookie", [""])[0]
        expect(status == 204 and "HttpOnly" in cookie and "SameSite=Strict" in cookie, f"a login: {status} {cookie}")
        status, _, body = server.ask("/s/growing/stop", "POST", fields(own, cookie.split(";")[0]))
        expect(status == 202, f"a stop with everything: {status} {body!r}")
        expect(study.process.wait(10) != 0, "the study's driver was not asked to end")
        expect(not any(token.encode() in words for words in arguments_of_processes()),
               "the token is among the arguments of a process")


def arguments_of_processes():
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield file.read_bytes()


def check_host(programs, runs):
    """On an address that others reach, nothing is read without the token."""
    with Server(programs, "runs", "--host", "0.0.0.0", cwd=runs.parent) as server:
        token = token_of(server)
        for target in ("/", "/s/sixty/", "/s/sixty/events", "/metrics", "/s/nobody/", "/nothing"):
            status, _, body = server.ask(target)
            expect(status in (401, 404) and b"sixty" not in body, f"{target} without the token: {status}")
            expect(server.ask(target, fields=f"Authorization: Bearer {token[::-1]}\r\n")[0] in (401, 404), target)
        expect(server.ask("/")[0] == 401 and b"login.js" in server.ask("/")[2], "who has no token is not asked for it")
        expect(server.ask("/", host="evil.example", fields=f"Authorization: Bearer {token}\r\n")[0] == 403,
               "on an open address the host is not checked")
        expect(server.ask("/", host=f"{os.uname().nodename}:{server.port}")[0] == 401, "this machine's own name is refused")
        for target in ("/", "/s/sixty/", "/metrics"):
            status, _, body = server.ask(target, fields=f"Authorization: Bearer {token}\r\n")
            expect(status == 200 and b"sixty" in body, f"{target} with the token: {status}")
        expect(server.ask("/s/sixty/stop", "POST", fields(f"http://127.0.0.1:{server.port}", None, token))[0] == 405,
               "a study can be stopped without --control")
        return token


def check_browser(programs, grow, runs):
    """The address with the token is opened once; the button stops the study."""
    program = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if not program:
        print("NOT RUN: the button, without Chromium or playwright")
        return
    with Growing(grow, str(runs / "by-button"), 5) as study, sync_playwright() as play, \
            Server(programs, "runs", "--host", "127.0.0.1", "--control", cwd=runs.parent) as server:
        flags = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        browser = play.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page()
        page.goto(server.url.split("#")[0])
        expect("needs the token" in page.inner_text("h1"), "a reader without the token")
        page.goto("about:blank")
        page.goto(server.url)
        page.wait_for_selector("a:has-text('by-button')", timeout=20_000)
        expect(page.evaluate("location.hash") == "" and page.evaluate("document.cookie") == "", "the token is left in the page")
        page.click("a:has-text('by-button')")
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("button.stop", timeout=20_000)
        expect(study.process.wait(20) != 0, "the button does not stop the study")
        page.wait_for_selector("#live:has-text('Not running')", timeout=20_000)
        browser.close()


def main():
    programs, make, grow = map(os.path.abspath, sys.argv[1:4])
    try:
        with tempfile.TemporaryDirectory(prefix="trellis-control-") as folder:
            runs = pathlib.Path(folder, "runs")
            subprocess.run([make, runs], check=True)
            check_control(programs, grow, runs)
            first, second = check_host(programs, runs), check_host(programs, runs)
            expect(first != second, "two servers have the same token")
            for path in runs.rglob("*"):
                expect(not path.is_file() or first.encode() not in path.read_bytes(), f"the token is in {path}")
            check_browser(programs, grow, runs)
    except Failed as failed:
        print(failed)
        sys.exit(1)


if __name__ == "__main__":
    main()
