#!/usr/bin/env python3
"""Opens the pages of `trellis serve` in headless Chromium while a study grows: each commit is on the screen at once, nothing
comes twice, nothing is asked of anybody else, and the last state of the page is that of a page that is opened then.

usage: serve_page.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES GROW_STUDY [--large] [--bars]

--large: a study of 10,000 trials with 27 reports each, looked at from its top to its end; no task of the page may take
more than 50 ms of processor time. --bars judges times by the clock, too. Skipped (77) without Chromium, Python's
playwright or the server."""
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from page_browser import Failed, chromium, expect, trellis
from page_sentences import Facts, wrong_on
from serving import Growing, Server, skip

# Bars of an idle machine: only --bars judges them.
TO_FRAME, BLOCK = 0.1, 0.05
COMMITS, LARGE = 100, 10_000
# What a reader of a large study looks at, and the commits that come meanwhile.
VIEWS, COMMITS_A_VIEW = ("history", "strips", "parallel", "curves", "timeline", "table"), 20
# Seconds of processor time of the server for a commit; it reads what came, whatever the size of the study.
SERVER_TIME = 0.02
HOSTILE = "<img src=x onerror='window.canary=1'>"

# Each position of the log with the moment at which the frame that shows it was painted, and blocks of the page.
WATCH = """() => {
  window.seen = [];
  window.blocks = [];
  new PerformanceObserver((list) => list.getEntries().forEach((one) => window.blocks.push(one.duration)))
    .observe({entryTypes: ['longtask']});
  const look = () => {
    const at = Number(document.documentElement.dataset.position);
    const last = window.seen[window.seen.length - 1];
    if (!last || last[0] !== at)
      requestAnimationFrame(() => window.seen.push([at, (performance.timeOrigin + performance.now()) / 1000]));
  };
  new MutationObserver(look).observe(document.documentElement, {attributes: true, attributeFilter: ['data-position']});
}"""

# The right edge of the history, where new trials come, as a number.
EDGE = """() => {
  const {canvas} = window.trellis.page.charts.get('history'), copy = document.createElement('canvas');
  [copy.width, copy.height] = [24, canvas.height];
  const pen = copy.getContext('2d', {willReadFrequently: true});
  pen.drawImage(canvas, 24 - canvas.width, 0);
  const {data} = pen.getImageData(0, 0, 24, canvas.height);
  return data.reduce((sum, value) => (31 * sum + value) | 0, 7);
}"""

# Seconds of a request and its frame, in the middle of some.
ROUND = """async () => {
  const took = [];
  for (let i = 0; i < 9; ++i) {
    const begun = performance.now();
    await (await fetch('/assets/login.js')).text();
    await new Promise((done) => requestAnimationFrame(done));
    took.push((performance.now() - begun) / 1000);
  }
  return took.sort((a, b) => a - b)[4];
}"""

# What the page shows of its trials and reports, as a page that is opened anew would have it.
STATE = """() => {
  const {trial, curve, meta} = window.trellis.page, marks = window.trellis.marks('history');
  const list = (column) => [...column].map((value) => Number.isFinite(value) ? value : null);
  return {state: list(trial.state), value: list(trial.value), epochs: list(trial.epochs), step: list(trial.step),
          rank: list(trial.rank), parameters: meta.parameters.map((one, p) => [one.name, list(trial['p' + p])]),
          best: meta.best, marks: [...marks.trials], first: list(curve.first), steps: list(curve.step), values: list(curve.value),
          headings: [...document.querySelectorAll('main h1, main h2, main p.lead')].map((one) => one.textContent),
          facts: document.querySelector('dl.facts').textContent};
}"""


class Opened:
    """A page in the browser, and what it asked for or complained about."""

    def __init__(self, browser, server, target):
        self.context = browser.new_context(viewport={"width": 1240, "height": 900})
        self.page = self.context.new_page()
        self.foreign, self.complaints = [], []
        own = f"http://127.0.0.1:{server.port}/"
        self.page.on("request", lambda request: request.url.startswith(own) or self.foreign.append(request.url))
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(own + target)

    def ready(self):
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        return self

    def check(self, name, but=()):
        expect(not self.foreign, f"{name}: asked for {self.foreign[:3]}")
        complaints = [text for text in self.complaints if not any(word in text for word in but)]
        expect(not complaints, f"{name}: {complaints[:3]}")
        expect(self.page.evaluate("window.canary === undefined"), f"{name}: a text of the study was run")

    def position(self):
        return int(self.page.evaluate("document.documentElement.dataset.position"))

    def wait(self, condition, what, seconds=60, argument=None):
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition, argument):
            expect(time.monotonic() < end, f"{what}; complaints: {self.complaints[:3]}")
            time.sleep(0.005)

    def close(self):
        self.context.close()


def check_list(browser, server, runs):
    opened = Opened(browser, server, "")
    page = opened.page
    expect(HOSTILE in page.inner_text("table"), "a hostile name is not shown as it is")
    expect(page.locator("img").count() == 0, "a hostile name is an element")
    row = page.locator("tr", has=page.locator("a", has_text="growing"))
    expect("running" in row.inner_text(), f"a running study: {row.inner_text()}")
    shutil.copytree(runs / "one", runs / "newcomer")
    opened.wait("document.body.textContent.includes('newcomer')", "a new study does not come to the list", 20)
    page.locator("a", has_text="growing").click()
    opened.ready()
    page.go_back()
    page.locator("a", has_text="<img").click()
    opened.ready()
    opened.check("the list")
    opened.close()


def frames(opened, study, line, count):
    """Seconds from each commit to the frame that shows it."""
    took = []
    for i in range(count):
        before = opened.position()
        begun = study.tell(line)
        opened.wait("(before) => window.seen.length && window.seen[window.seen.length - 1][0] > before",
                    f"commit {i} is not shown", argument=before)
        took.append(opened.page.evaluate("window.seen[window.seen.length - 1][1]") - begun)
        # Commits are not to fall into step with the server's looks.
        time.sleep(0.02 + 0.013 * (i % 7))
    return took


def check_live(browser, server, study, name, counted):
    opened = Opened(browser, server, f"s/{name}/").ready()
    opened.page.evaluate(WATCH)
    before = opened.page.evaluate("window.trellis.page.trial.state.length")
    took = frames(opened, study, "trials 1", COMMITS)
    beside = opened.page.evaluate(ROUND)
    middle, worst = statistics.median(took), sorted(took)[int(0.95 * len(took))]
    blocks = opened.page.evaluate("window.blocks")
    print(f"{name}: commit to frame: median {1000 * middle:.0f} ms, p95 {1000 * worst:.0f} ms, most {1000 * max(took):.0f} ms; "
          f"blocks over 50 ms: {len(blocks)}, most {max(blocks, default=0):.0f} ms; a request: {1000 * beside:.0f} ms")
    if "--bars" in sys.argv:
        expect(middle <= TO_FRAME, f"{name}: from a commit to its frame it takes {middle:.3f} s")
        expect(max(blocks, default=0) <= 1000 * BLOCK, f"{name}: the page was blocked for {max(blocks, default=0):.0f} ms")
    after = opened.page.evaluate("window.trellis.page.trial.state.length")
    expect(after == before + COMMITS, f"{name}: {after - before} trials came, {COMMITS} were made")
    text = opened.page.inner_text("#live")
    expect(f"{counted + COMMITS} complete" in text and "Running" in text, f"{name}: the line says: {text}")
    opened.check(name)
    return opened


@contextlib.contextmanager
def traced(browser, opened):
    """Milliseconds of processor time of the page's tasks, the longest first: filled when the block ends."""
    tasks = []
    browser.start_tracing(page=opened.page, categories=["toplevel"])
    yield tasks
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {(one["pid"], one["tid"]) for one in events
               if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
    tasks.extend(sorted((one["tdur"] / 1000 for one in events
                         if "RunTask" in one["name"] and "tdur" in one and (one["pid"], one["tid"]) in threads), reverse=True))


def look_at(opened, view):
    where = "#table" if view == "table" else f"[data-chart={view}]"
    opened.page.evaluate(f"document.querySelector('{where}').scrollIntoView({{block: 'center'}})")
    # The page moves smoothly, and draws what comes into view.
    opened.page.wait_for_timeout(1500)


def check_views(browser, server, opened, study):
    """Whatever is looked at, no commit keeps the page busy for long, and what came is shown in the end."""
    for view in VIEWS:
        look_at(opened, view)
        used = server.cpu()
        with traced(browser, opened) as tasks:
            took = frames(opened, study, "trials 1", COMMITS_A_VIEW)
        used = (server.cpu() - used) / COMMITS_A_VIEW
        expect(tasks, "the browser recorded no task of the page")
        print(f"{view}: commit to frame: median {1000 * statistics.median(took):.0f} ms; longest task: {tasks[0]:.0f} ms of "
              f"processor time; all of them {sum(tasks) / COMMITS_A_VIEW:.0f} ms a commit; the server {1000 * used:.1f} ms")
        expect(tasks[0] <= 1000 * BLOCK, f"{view}: a task of the page took {tasks[0]:.0f} ms")
        expect(used <= SERVER_TIME, f"{view}: a commit cost the server {used:.3f} s")
        count = opened.page.evaluate("window.trellis.page.trial.state.length")
        if view == "table":
            opened.wait("(count) => document.querySelector('#table .note').textContent.includes(`of ${count} trials`)",
                        "the table does not follow", argument=count)
        elif view in ("history", "strips", "timeline"):
            opened.wait("([view, trial]) => window.trellis.marks(view).trials.includes(trial)",
                        f"{view} is not drawn anew", argument=[view, count - 1])


def check_edge(opened, study):
    """The frame of a commit has its trial in the picture, which is drawn anew only later."""
    look_at(opened, "history")
    for _ in range(5):
        before, edge = opened.position(), opened.page.evaluate(EDGE)
        study.tell("trials 1")
        opened.wait("(before) => Number(document.documentElement.dataset.position) > before", "a commit is not shown",
                    argument=before)
        expect(opened.page.evaluate(EDGE) != edge, "the history is as it was before the commit")


def check_two_readers(browser, server, study, opened):
    """A report is added to its trial's curve once, and the table stays where the reader is."""
    opened.page.fill("input", "state=running")
    opened.page.evaluate("document.querySelector('.rows').scrollIntoView()")
    for _ in range(5):
        study.tell("report")
    opened.wait("document.querySelector('#table .note').textContent.startsWith('1 of ')", "the table does not follow")
    expect(opened.page.input_value("input") == "state=running", "what the reader typed is gone")
    other = Opened(browser, server, "s/growing/").ready()
    count = other.page.evaluate("window.trellis.page.trial.state.length") + 1
    study.tell("trials 1")
    for one in (opened, other):
        one.wait("(count) => window.trellis.page.trial.state.length === count", "a reader lacks a trial", argument=count)
    other.check("the second reader")
    other.close()
    opened.page.fill("input", "")
    opened.page.evaluate("window.scrollTo(0, 0)")


def check_sentences(programs, runs, opened, study):
    """The page of a study that runs says what the other verbs say."""
    pages = "Number(document.documentElement.dataset.pages || 0)"
    before = opened.page.evaluate(pages)
    study.tell("report")
    opened.wait(f"(before) => {pages} > before", "no newer page comes", argument=before)

    def ask(verb, *words):
        return trellis(programs, runs, verb, "growing", *(words or ("--json",)), "--dir", ".")

    wrong = wrong_on(opened.page, Facts(ask, runs / "growing" / "study.db"))
    expect(not wrong, f"a study that runs: the other verbs say something else than {wrong}")


def check_server_restart(programs, runs, study, opened, server):
    """The page goes on by itself when the server comes back."""
    expect(server.stop() == 0, "the server does not end with a page open")
    opened.wait("document.querySelector('#live').textContent.includes('does not answer')", "the page does not say so")
    study.tell("trials 3")
    count = opened.page.evaluate("window.trellis.page.trial.state.length") + 3
    again = Server(programs, "runs", cwd=runs.parent, port=server.port)
    opened.wait("(count) => window.trellis.page.trial.state.length === count", "the page does not go on", argument=count)
    opened.wait("!document.querySelector('#live').textContent.includes('does not answer')", "the page still says that it waits")
    return again


def check_end(browser, server, study, opened):
    """The study ends: the page says what a page that is opened then says."""
    study.tell("end")
    study.end()
    opened.wait("document.querySelector('#live').textContent.includes('Not running')", "the page does not hear of the end")
    opened.wait("document.querySelector('h1').textContent.includes('is the best of')", "the first sentence stays as it was")
    opened.page.evaluate("document.querySelector('[data-chart=curves]').scrollIntoView()")
    fresh = Opened(browser, server, "s/growing/").ready()
    shown, wanted = opened.page.evaluate(STATE), fresh.page.evaluate(STATE)
    for key, value in wanted.items():
        expect(shown[key] == value, f"{key}: the page that followed differs from one that is opened now: "
                                    f"{str(shown[key])[:300]} / {str(value)[:300]}")
    fresh.check("the page at the end")
    fresh.close()
    # While the server was away the browser said so.
    opened.check("the page that followed", but=("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "ERR_EMPTY"))
    opened.close()


def check_small(browser, programs, make, grow, runs):
    subprocess.run([make, runs], check=True)
    shutil.copytree(runs / "one", runs / HOSTILE)
    with Growing(grow, str(runs / "growing"), 60) as study, Growing(grow, str(runs / "begun"), 0) as begun:
        server = Server(programs, "runs", cwd=runs.parent)
        try:
            check_list(browser, server, runs)
            opened = check_live(browser, server, study, "growing", 60)
            check_edge(opened, study)
            check_two_readers(browser, server, study, opened)
            check_sentences(programs, runs, opened, study)
            first = Opened(browser, server, "s/begun/").ready()
            begun.tell("trials 40")
            first.wait("document.querySelector('[data-chart=history] canvas')", "a study without trials gets no pictures")
            first.check("a study that has just begun")
            first.close()
            server = check_server_restart(programs, runs, study, opened, server)
            check_end(browser, server, study, opened)
            expect(server.stop() == 0, "the server does not end in order")
        finally:
            server.__exit__()


def check_large(browser, programs, grow, runs):
    with Growing(grow, str(runs / "large"), LARGE, 27) as study, Server(programs, "runs", cwd=runs.parent) as server:
        opened = check_live(browser, server, study, "large", LARGE)
        check_edge(opened, study)
        check_views(browser, server, opened, study)
        opened.check("large")
        opened.close()


def main():
    programs, make, grow = map(os.path.abspath, sys.argv[1:4])
    program = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("there is no playwright (pip install playwright)")
    with tempfile.TemporaryDirectory(prefix="trellis-serve-") as folder, sync_playwright() as play:
        runs = pathlib.Path(folder, "runs")
        runs.mkdir()
        flags = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        browser = play.chromium.launch(executable_path=program, args=flags)
        try:
            if "--large" in sys.argv[4:]:
                check_large(browser, programs, grow, runs)
            else:
                check_small(browser, programs, make, grow, runs)
        except Failed as failed:
            print(failed)
            sys.exit(1)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
