#!/usr/bin/env python3
"""Opens the pages of `trellis report` in headless Chromium, without a network: nothing is asked for, nothing complains, every
picture has its marks, the words are there without scripts, and they say what the other verbs say.

usage: report_page.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES [--large]

--large: a study of 10,000 trials with 27 reports each, and how long its page takes. Skipped (77) without Chromium or Python's
playwright."""
import json
import os
import sys

from page_browser import Opened, chromium_browser, expect, made_studies, report, run, studies_in, trellis
from page_sentences import Facts, wrong_on

LARGE = 10_000
# Of an idle machine; a machine that is shared gets a multiple.
FIRST_SCREEN, WHOLE_PAGE, WRITING, SLACK = 0.4, 0.8, 0.6, 4.0
MOST_BYTES, MOST_SMALL_BYTES = 1_500_000, 60_000


def check_quiet(opened, name):
    expect(len(opened.requests) == 1, f"{name}: asked for {opened.requests[1:3]}")
    expect(not opened.complaints, f"{name}: {opened.complaints[:3]}")
    expect(opened.page.evaluate("window.canary === undefined"), f"{name}: a text of the study was run")


def check_pictures(opened, name):
    empty = opened.page.evaluate("""() => [...document.querySelectorAll('figure.chart')].filter((figure) => {
      const canvas = figure.querySelector('canvas');
      if (!canvas || !canvas.width || canvas.getAttribute('role') !== 'img' || !canvas.getAttribute('aria-label')) return true;
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return !data.some((value) => value);
    }).map((figure) => figure.dataset.chart)""")
    expect(not empty, f"{name}: nothing is drawn in {empty}")


def check_numbers(opened, programs, runs, name):
    trials = json.loads(trellis(programs, runs, "trials", name, "--json", "--dir", "."))
    numbers = [trial["trial"] for trial in trials if isinstance(trial["value"], (int, float))]
    marks = opened.page.evaluate("() => { const m = window.trellis.marks('history'); return m ? [...m.trials] : []; }") if \
        opened.page.query_selector("[data-chart=history]") else []
    if marks:
        expect(sorted(marks) == numbers, f"{name}: the history has {len(marks)} marks, there are {len(numbers)} values")
    def ask(verb, *words):
        return trellis(programs, runs, verb, name, *(words or ("--json",)), "--dir", ".")

    facts = Facts(ask, runs / name / "study.db")
    wrong = wrong_on(opened.page, facts)
    expect(not wrong, f"{name}: the other verbs say something else than {wrong}")


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


def check_print(opened):
    """A print has all rows of the table, none upon another; the page then scrolls again."""
    page = opened.page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    tops = page.evaluate("[...document.querySelectorAll('.space .row')].map((row) => row.getBoundingClientRect().top)")
    expect(len(tops) == 60 and len(set(tops)) == 60, f"a print has {len(tops)} of 60 rows, in {len(set(tops))} places")
    bottom = page.evaluate("document.querySelector('#table').getBoundingClientRect().bottom")
    expect(max(tops) < bottom, f"rows of a print end below their section: {max(tops)} and {bottom}")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


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
    for name in studies_in(runs):
        start = os.times().elapsed
        file = report(programs, runs, name)
        written = os.times().elapsed - start
        if name == "large":
            check_time(browser, file, written)
            continue
        opened = Opened(browser, file).ready()
        check_quiet(opened, name)
        check_pictures(opened, name)
        check_numbers(opened, programs, runs, name)
        if name == "sixty":
            expect(file.stat().st_size <= MOST_SMALL_BYTES, f"{file.stat().st_size} bytes, at most {MOST_SMALL_BYTES}")
            check_print(opened)
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
    with chromium_browser() as browser, made_studies(make, *([str(LARGE)] if large else [])) as runs:
        check_all(browser, programs, runs, large)


if __name__ == "__main__":
    run(main)
