#!/usr/bin/env python3
"""Hostile texts in everything that a page shows are shown as texts: no script of theirs runs, nothing is asked for. The control:
a page of HiPlot with one of them runs it, so that this test can fail.

usage: report_hostile.py BUILD_CLI_FOLDER

Skipped (77) without Chromium or Python's playwright; the control alone without HiPlot."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from page_browser import Opened, chromium_browser, expect, run, trellis
from readers import python_or_none

CANARY = "window.canary=1"
TEXTS = [f"</script><script>{CANARY}</script>", f"<img src=x onerror={CANARY}>", f"javascript:{CANARY}",
         f"\"><svg onload={CANARY}>", f"'-({CANARY})-'", "a\u2028b\u2029c", "\u202eright to left\u202c\u200f",
         "quotes \" ' ` ${canary}", "<!--<script>", "]]>", "&lt;script&gt;", "{{canary}}", "a\x07bell", "caf\udce9"]

STUDY = """\
name: hostile
command: [python3, train.py, $no_args]
metric: {name: loss, goal: minimize}
method: grid
parameters:
  %s: {values: %s}
early_stop: none
limits: {failed: 100}
"""

# Odd trials fail with the text on their log's last line.
PROGRAM = """\
import json, os, sys
trial = int(os.path.basename(os.environ["TRELLIS_TRIAL_DIR"]))
text = list(json.load(open(os.environ["TRELLIS_PARAMS"])).values())[0]
with open(os.environ["TRELLIS_METRICS"], "w") as out:
    out.write(json.dumps({"step": 1, "loss": 1 + trial, "<b>" + text[:20]: 0.5}) + "\\n")
sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape") + b" \\xff\\x00\\n")
sys.exit(3 if trial % 2 and trial > 1 else 0)
"""

HIPLOT = """\
import sys, hiplot
hiplot.Experiment.from_iterable([{"kind": sys.argv[2], "x": 1}, {"kind": "b", "x": 2}]).to_html(sys.argv[1])
"""


def written(text):
    """As YAML; bytes that are no UTF-8 cannot stand in a study file."""
    return json.dumps(text.encode("utf-8", "replace").decode().replace("$", "$$"))


def control(browser, folder):
    """HiPlot's page runs the first text."""
    python = python_or_none("hiplot==0.1.33", "setuptools<81")
    if python is None:
        print("THE CONTROL WAS LEFT OUT: there is no HiPlot")
        return
    file = folder / "hiplot.html"
    subprocess.run([python, "-c", HIPLOT, str(file), TEXTS[0]], check=True, capture_output=True, timeout=120)
    opened = Opened(browser, file)
    opened.page.wait_for_timeout(1000)
    expect(opened.page.evaluate("window.canary === 1"), "HiPlot's page does not run the text: a control that cannot fail")
    opened.close()


def check_page(opened, texts):
    expect(opened.page.evaluate("window.canary === undefined"), "a text of the study was run")
    expect(len(opened.requests) == 1, f"asked for {opened.requests[1:3]}")
    expect(not opened.complaints, f"{opened.complaints[:3]}")
    expect(opened.page.locator("img, svg:not(.bar), iframe, object, embed, form, base, a[href^='javascript' i]").count() == 0,
           "a text of the study became an element")
    body = opened.page.evaluate("document.body.innerText")
    near = [line for line in body.splitlines() if "canary" in line][:6]
    for text in texts:
        expect(text in body, f"{text!r} is not shown as it is in {near}")
    expect("\\u202e" in body and "\u202e" not in body, "a mark that turns the text round is not shown")


def main():
    programs = os.path.abspath(sys.argv[1])
    with chromium_browser() as browser, tempfile.TemporaryDirectory(prefix="trellis-hostile-") as name:
        folder = pathlib.Path(name)
        control(browser, folder)
        (folder / "train.py").write_text(PROGRAM)
        (folder / "hostile.yaml").write_text(STUDY % ("kind", "[" + ", ".join(map(written, TEXTS)) + "]"))
        trellis(programs, folder, "sweep", "hostile.yaml", "--quiet")
        page = folder / "runs" / "hostile" / "report.html"
        check_page(Opened(browser, page).ready(), [])
        # Without this, the page takes "/script>" for a path and hides its folders.
        trellis(programs, folder, "report", "hostile", "--with-paths")
        opened = Opened(browser, page).ready()
        for fold in opened.page.locator("details").all():
            fold.evaluate("(one) => { one.open = true; }")
        check_page(opened, TEXTS[:5] + TEXTS[8:12])
        opened.page.locator(".space .row").nth(0).click()
        check_page(opened, TEXTS[:1])
        opened.close()
    print(f"{len(TEXTS)} hostile texts are texts")


if __name__ == "__main__":
    run(main)
