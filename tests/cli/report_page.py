#!/usr/bin/env python3
"""Opens the pages of `trellis report` in headless Chromium, without a network: nothing is asked for, nothing complains, every
picture has its marks, the words are there without scripts, and they say what the other verbs say.

usage: report_page.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES [--large]

--large: a study of 10,000 trials with 27 reports each, and how long its page takes. Skipped (77) without Chromium or Python's
playwright."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LARGE = 10_000
# Of an idle machine; a machine that is shared gets a multiple.
FIRST_SCREEN, WHOLE_PAGE, WRITING, SLACK = 0.4, 0.8, 0.6, 4.0
MOST_BYTES, MOST_SMALL_BYTES = 1_500_000, 60_000


class Failed(Exception):
    pass


def expect(held, what):
    if not held:
        raise Failed(what)


def skip(why):
    print(f"SKIPPED, NO PAGE WAS OPENED: {why}")
    sys.exit(77)


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return skip("there is no Chromium (Debian: apt install chromium)")


def trellis(programs, folder, *words):
    done = subprocess.run([os.path.join(programs, "trellis"), *words], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False)
    expect(done.returncode in (0, 1), f"trellis {' '.join(words)}: {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


class Opened:
    """A page in the browser, and what it asked for or complained about."""

    def __init__(self, browser, file, **options):
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())

    def ready(self):
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        return self

    def close(self):
        self.context.close()


def check_quiet(opened, name):
    expect(len(opened.requests) == 1, f"{name}: asked for {opened.requests[1:3]}")
    expect(not opened.complaints, f"{name}: {opened.complaints[:3]}")
    expect(opened.page.evaluate("window.canary === undefined"), f"{name}: a text of the study was run")


def check_pictures(opened, name):
    empty = opened.page.evaluate("""() => [...document.querySelectorAll('figure.chart')].filter((figure) => {
      const canvas = figure.querySelector('canvas');
      if (!canvas || !canvas.width || !figure.getAttribute('aria-label')) return true;
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return !data.some((value) => value);
    }).map((figure) => figure.dataset.chart)""")
    expect(not empty, f"{name}: nothing is drawn in {empty}")


def check_numbers(opened, programs, runs, name):
    trials = json.loads(trellis(programs, runs, "trials", name, "--json", "--dir", "."))
    numbers = [trial["trial"] for trial in trials if isinstance(trial["value"], (int, float))]
    marks = opened.page.evaluate("() => { const m = window.trellis.marks('history'); return m ? m.trials : []; }") if \
        opened.page.query_selector("[data-chart=history]") else []
    if marks:
        expect(sorted(marks) == numbers, f"{name}: the history has {len(marks)} marks, there are {len(numbers)} values")
    heading = opened.page.inner_text("h1")
    best = trellis(programs, runs, "best", name, "--json", "--dir", ".")
    if best:
        best = json.loads(best)
        named = re.search(rf"\b[Tt]rial {best['trial']}\b", heading)
        expect(named, f"{name}: the best is {best['trial']}, the page says: {heading}")
        if best["verdict"]:
            first = best["verdict"]["text"].split("; ")[0]
            expect(first in heading, f"{name}: the verdict is not the first sentence: {heading}")
    shares = json.loads(trellis(programs, runs, "importance", name, "--json", "--dir", ".") or "[]")
    if len(shares) > 1 and name == "sixty":
        first = shares[0]
        said = opened.page.inner_text("#parameters h2")
        right = first["parameter"] in said and f"{round(100 * first['share'])}%" in said
        expect(right, f"{name}: {first}, the page says: {said}")


def check_without_scripts(browser, file, name):
    opened = Opened(browser, file, java_script_enabled=False)
    text = opened.page.inner_text("body")
    expect("Made by Trellis" in text and opened.page.inner_text("h1"), f"{name}: without scripts there are no words")
    if name == "sixty":
        expect(opened.page.locator("#trials tr").count() == 11, "without scripts the best ten are not there")
        expect("trellis predict sixty FILE" in text, "without scripts there are no commands")
    opened.close()


def check_narrow(browser, file, name):
    opened = Opened(browser, file, viewport={"width": 400, "height": 800}).ready()
    wide = opened.page.evaluate("document.documentElement.scrollWidth")
    expect(wide <= 400, f"{name}: {wide} pixels wide on a screen of 400")
    opened.close()


def check_table(opened):
    page = opened.page
    expect(page.locator(".space .row").count() < 80, "rows that are out of sight were made")
    page.fill("input", "state=complete")
    expect("12 of 60 trials" in page.inner_text("#table .note"), page.inner_text("#table .note"))
    page.locator(".space .row").nth(0).click()
    page.locator(".space .row").nth(1).click()
    expect("What differs between trials" in page.inner_text(".detail"), page.inner_text(".detail"))
    page.fill("input", "")
    page.evaluate("window.trellis.hover(22)")


def check_time(browser, file, written):
    opened = Opened(browser, file).ready()
    first, whole = opened.page.evaluate("[window.trellis.page.firstScreen / 1000, window.trellis.page.ready / 1000]")
    hover = opened.page.evaluate("""() => { const from = performance.now();
      for (let i = 0; i < 100; ++i) window.trellis.hover(i % 2 ? 22 : 27); return (performance.now() - from) / 100; }""")
    size = file.stat().st_size
    print(f"{LARGE} trials: first screen {first:.2f} s, all {whole:.2f} s, hover {hover:.2f} ms, {size:,} bytes, "
          f"written in {written:.2f} s")
    expect(size <= MOST_BYTES, f"{size} bytes, at most {MOST_BYTES}")
    for what, took, bar in (("the first screen", first, FIRST_SCREEN), ("the whole page", whole, WHOLE_PAGE),
                            ("writing", written, WRITING), ("a hover", hover / 1000, 0.004)):
        expect(took <= SLACK * bar, f"{what} took {took:.3f} s, at most {SLACK} times {bar} s")
    check_quiet(opened, "large")
    check_pictures(opened, "large")
    opened.close()


def shoot(browser, file, picture):
    """For people: what a page looks like."""
    opened = Opened(browser, file, viewport={"width": 1240, "height": 900}).ready()
    opened.page.screenshot(path=picture, full_page=True)
    opened.close()


def check_all(browser, programs, runs, large):
    names = sorted(path.name for path in runs.iterdir() if path.is_dir())
    for name in names:
        start = os.times().elapsed
        trellis(programs, runs, "report", name, "--dir", ".")
        written = os.times().elapsed - start
        file = runs / name / "report.html"
        if name == "large":
            check_time(browser, file, written)
            continue
        opened = Opened(browser, file).ready()
        check_quiet(opened, name)
        check_pictures(opened, name)
        check_numbers(opened, programs, runs, name)
        if name == "sixty":
            expect(file.stat().st_size <= MOST_SMALL_BYTES, f"{file.stat().st_size} bytes, at most {MOST_SMALL_BYTES}")
            check_table(opened)
            check_quiet(opened, name)
        opened.close()
        check_without_scripts(browser, file, name)
        check_narrow(browser, file, name)
        if pictures := os.environ.get("TRELLIS_SHOTS"):
            shoot(browser, file, os.path.join(pictures, name + ".png"))
    if not large:
        trellis(programs, runs, "report", "sixty", "one", "population", "--dir", ".")
        opened = Opened(browser, runs / "report.html").ready()
        check_quiet(opened, "several")
        check_pictures(opened, "several")
        opened.close()


def main():
    programs, make = map(os.path.abspath, sys.argv[1:3])
    large = "--large" in sys.argv[3:]
    program = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("there is no playwright (pip install playwright)")
    with tempfile.TemporaryDirectory(prefix="trellis-report-") as folder, sync_playwright() as play:
        runs = pathlib.Path(folder)
        subprocess.run([make, folder, *([str(LARGE)] if large else [])], check=True)
        flags = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        browser = play.chromium.launch(executable_path=program, args=flags)
        try:
            check_all(browser, programs, runs, large)
        except Failed as failed:
            print(failed)
            sys.exit(1)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
