#!/usr/bin/env python3
"""The pages of `trellis report` for everybody: axe-core finds no fault in either colour scheme, headings are in order, the
keyboard reaches everything, nothing runs out of the window at 200% and on narrow screens, and a print has its words as text.

usage: report_access.py BUILD_CLI_FOLDER MAKE_REPORT_STUDIES

Skipped (77) without Chromium, Python's playwright or the package that has axe-core."""
import os
import pathlib
import subprocess
import sys
import zlib

from page_browser import Opened, chromium_browser, expect, made_studies, report, run, studies_in
from readers import python_with

AXE = ("axe-playwright-python==0.1.8",)
SMALLEST_RATIO = 4.5
WIDTHS = (400, 620, 1240)  # the second one is 1,240 pixels at 200%

HEADINGS = "() => [...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))"
# Elements that a key must reach: links, buttons, fields, boxes that scroll.
UNREACHED = """() => [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex], *')].filter((one) => {
  const style = getComputedStyle(one), box = one.getBoundingClientRect();
  if (!box.width || !box.height || style.visibility === 'hidden') return false;
  const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY) && !one.matches('html, body') &&
    (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
  const acts = one.matches('a[href], button, input, select, summary');
  return (acts || scrolls) && one.tabIndex < 0 && !one.querySelector('a[href], button, input, [tabindex="0"]');
}).map((one) => one.outerHTML.slice(0, 80))"""
FOCUS = """() => { const one = document.activeElement, style = getComputedStyle(one);
  return [one.tagName, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0]; }"""


def axe_script():
    folder = subprocess.run([python_with(*AXE), "-c", "import axe_playwright_python as a; print(a.__path__[0])"], check=True,
                            capture_output=True, text=True).stdout.strip()
    return (pathlib.Path(folder) / "axe.min.js").read_text(encoding="utf-8")


def check_axe(browser, script, file, name):
    for scheme in ("light", "dark"):
        opened = Opened(browser, file, color_scheme=scheme).ready()
        # The protocol of the debugger runs it, past the page's policy.
        opened.page.evaluate(script + "\n;0")
        found = opened.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        faults = [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found["violations"]]
        expect(not faults, f"{name}, {scheme}: {len(faults)} faults: {faults}")
        opened.close()


def check_headings(opened, name):
    levels = opened.page.evaluate(HEADINGS)
    expect(levels.count(1) == 1 and levels[0] == 1, f"{name}: headings of levels {levels}")
    jumps = [(a, b) for a, b in zip(levels, levels[1:]) if b > a + 1]
    expect(not jumps, f"{name}: a heading of level {jumps[:1]} leaves one out")


def check_keyboard(opened, name):
    unreached = opened.page.evaluate(UNREACHED)
    expect(not unreached, f"{name}: no key reaches {unreached[:3]}")
    opened.page.keyboard.press("Tab")
    element, seen = opened.page.evaluate(FOCUS)
    expect(element == "BODY" or seen, f"{name}: nobody sees that {element} has the focus")


def check_widths(browser, file, name):
    for width in WIDTHS:
        opened = Opened(browser, file, viewport={"width": width, "height": 800}).ready()
        wide = opened.page.evaluate("document.documentElement.scrollWidth")
        expect(wide <= width, f"{name}: {wide} pixels wide in a window of {width}")
        opened.close()


def streams_of(pdf):
    """The uncompressed streams of a PDF file."""
    at = 0
    while (begin := pdf.find(b"stream\n", at)) >= 0:
        end = pdf.find(b"endstream", begin)
        try:
            yield zlib.decompress(pdf[begin + 7:end])
        except zlib.error:
            pass
        at = end + len(b"endstream")


def check_print(browser, file, name):
    opened = Opened(browser, file).ready()
    opened.page.emulate_media(media="print")
    cut = opened.page.evaluate("""() => [...document.querySelectorAll('section figure, section table')].filter(
      (one) => getComputedStyle(one).breakInside !== 'avoid' && one.getBoundingClientRect().height < 900).length""")
    hidden = opened.page.evaluate("getComputedStyle(document.querySelector('nav') || document.createElement('p')).display")
    opened.page.emulate_media(media="screen")
    pdf = opened.page.pdf(format="A4")
    expect(cut == 0, f"{name}: {cut} figures and tables may be cut by the end of a paper")
    expect(hidden in ("none", ""), f"{name}: the navigation is printed")
    # Text is shown by operators of fonts, so that it can be marked and found.
    shown = sum(stream.count(b"Tj") + stream.count(b"TJ") for stream in streams_of(pdf))
    expect(shown > 20 and b"/ToUnicode" in pdf, f"{name}: the print has {shown} pieces of text")
    opened.close()


def main():
    programs, make = map(os.path.abspath, sys.argv[1:3])
    script = axe_script()
    with chromium_browser() as browser, made_studies(make) as runs:
        for name in studies_in(runs):
            file = report(programs, runs, name)
            check_axe(browser, script, file, name)
            opened = Opened(browser, file).ready()
            check_headings(opened, name)
            check_keyboard(opened, name)
            opened.close()
            check_widths(browser, file, name)
            check_print(browser, file, name)
    print("axe-core finds no fault")


if __name__ == "__main__":
    run(main)
