#!/usr/bin/env python3
"""Opens the pages of `trellis report` in headless Firefox over WebDriver BiDi: nothing is asked for, nothing complains, every
picture has its marks, and the heading is the one of the file.

usage: report_firefox.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES

Skipped (77) without Firefox or the package websocket-client."""
import contextlib
import html
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from page_browser import Failed, expect, made_studies, report, run, skip, studies_in
from readers import python_with

PACKAGES = ("websocket-client==1.8.0",)
START_SECONDS, ANSWER_SECONDS = 120, 120
OFF = ("app.update.enabled", "datareporting.policy.dataSubmissionEnabled", "network.captive-portal-service.enabled",
       "browser.shell.checkDefaultBrowser", "toolkit.telemetry.enabled", "network.connectivity-service.enabled")
READY = """new Promise((done) => {
  const look = () => document.documentElement.dataset.ready ? done('') : setTimeout(look, 20);
  look();
})"""
EMPTY = """[...document.querySelectorAll('figure.chart')].filter((figure) => {
  const canvas = figure.querySelector('canvas');
  return !canvas || !canvas.width || !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v);
}).map((figure) => figure.dataset.chart).join(' ')"""


class Firefox:
    """A Firefox of its own, driven over its WebSocket."""

    def __init__(self, program, profile):
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(f'user_pref("{name}", false);\n' for name in OFF)
        self.log = open(os.path.join(profile, "log"), "w+", encoding="utf-8")
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, start_new_session=True)
        self.numbers, self.events = itertools.count(1), []
        self.socket = self.connect()
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def connect(self):
        import websocket

        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            with open(self.log.name, encoding="utf-8") as log:
                if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read()):
                    return websocket.create_connection(found.group(1) + "/session", timeout=ANSWER_SECONDS, suppress_origin=True)
            time.sleep(0.2)
        return skip("Firefox does not start")

    def call(self, method, **params):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise Failed(f"{method}: {answer['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, file):
        self.events.clear()
        self.call("browsingContext.navigate", context=self.tab, url=file.as_uri(), wait="complete")

    def evaluate(self, expression):
        done = self.call("script.evaluate", expression=expression, target={"context": self.tab}, awaitPromise=True)
        expect(done["type"] == "success", f"{expression[:60]}: {done.get('exceptionDetails', {}).get('text')}")
        return done["result"].get("value")

    def seen(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


def check(firefox, file, name):
    firefox.open(file)
    firefox.evaluate(READY)
    empty = firefox.evaluate(EMPTY)
    expect(not empty, f"{name}: nothing is drawn in {empty}")
    expect(firefox.evaluate("window.canary === undefined"), f"{name}: a text of the study was run")
    heading = html.unescape(re.search(r"<h1>(.*?)</h1>", file.read_text(encoding="utf-8"), re.DOTALL).group(1))
    found = firefox.evaluate("document.querySelector('h1').textContent")
    expect(found == heading, f"{name}: the heading is {found!r}, the file has {heading!r}")
    asked = [one["request"]["url"] for one in firefox.seen("network.beforeRequestSent")]
    expect(all(url == file.as_uri() or url.startswith("data:") for url in asked), f"{name}: asked for {asked}")
    said = [one["text"] for one in firefox.seen("log.entryAdded") if one["level"] in ("error", "warn")]
    expect(not said, f"{name}: {said[:3]}")


def inside(program, programs, make):
    with made_studies(make) as runs, tempfile.TemporaryDirectory(prefix="trellis-firefox-") as profile:
        firefox = Firefox(program, profile)
        with contextlib.closing(firefox):
            for name in studies_in(runs):
                check(firefox, report(programs, runs, name), name)
    print("Firefox shows every page")


def main():
    if sys.argv[1] == "--inside":
        return inside(*sys.argv[2:5])
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        return skip("there is no Firefox (Debian: apt install firefox-esr)")
    python = python_with(*PACKAGES)
    programs, make = map(os.path.abspath, sys.argv[1:3])
    return os.execv(python, [python, "-B", __file__, "--inside", program, programs, make])


if __name__ == "__main__":
    run(main)
