#!/usr/bin/env python3
"""Pictures of the report's page for README.md and docs/report.md, of studies that this runs.

usage: page_pictures.py [PROGRAM] [FOLDER]

PROGRAM: build/cli/trellis; FOLDER: docs. Needs Chromium and Python's playwright."""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each picture: the study, what it shows first and last, and whether it is dark.
PICTURES = {"report-page": ("digits", "nav", "#progress", False),
            "report-parameters": ("digits", "#parameters", "[data-chart=strips]", False),
            "report-lineage": ("pbt-digits", "#curves", "#lineage", True)}
WIDTH, MARGIN = 980, 12
# The page's own colors, of which small dots may be the only ones.
COLORS = """() => ['data', 'winner', 'stopped', 'failed', 'band'].map(
  (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim().slice(1))"""


def page_of(program, study, folder):
    file = ROOT / "experiments" / f"{study}.yaml"
    subprocess.run([program, "sweep", file, "--dir", folder], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return pathlib.Path(folder, study, "report.html")


def shoot(browser, file, first, last, dark, picture):
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="dark" if dark else "light")
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    top = max(0, page.evaluate(f"document.querySelector('{first}').getBoundingClientRect().top") - MARGIN)
    bottom = page.evaluate(f"document.querySelector('{last}').getBoundingClientRect().bottom") + MARGIN
    picture.write_bytes(packed(
        page.screenshot(full_page=True, clip={"x": 0, "y": top, "width": WIDTH, "height": bottom - top}),
        [bytes.fromhex(color) for color in page.evaluate(COLORS)]))
    page.close()


def rows_of(png):
    """The bytes of each line of a picture with three bytes a pixel."""
    data, at = b"", 8
    width, height = (int.from_bytes(png[i:i + 4], "big") for i in (16, 20))
    while at < len(png):
        size = int.from_bytes(png[at:at + 4], "big")
        data += png[at + 8:at + 8 + size] if png[at + 4:at + 8] == b"IDAT" else b""
        at += size + 12
    raw, length, before = zlib.decompress(data), 3 * width, bytes(3 * width)
    for y in range(height):
        line, kind = bytearray(raw[y * (length + 1) + 1:(y + 1) * (length + 1)]), raw[y * (length + 1)]
        for i in range(length if kind else 0):
            left, up, corner = (line[i - 3], before[i], before[i - 3]) if i > 2 else (0, before[i], 0)
            paeth = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
        yield (before := bytes(line))


def packed(png, colors):
    """The same picture with a palette of these and of the colors that stand most often; others become the nearest of them."""
    rows = [[row[i:i + 3] for i in range(0, len(row), 3)] for row in rows_of(png)]
    counts = collections.Counter(color for row in rows for color in row)
    palette = list(dict.fromkeys(colors + [color for color, _ in counts.most_common(250)]))
    places = {color: min(range(len(palette)), key=lambda k: sum((a - b) ** 2 for a, b in zip(palette[k], color)))
              for color in counts}
    pixels = b"".join(b"\0" + bytes(places[color] for color in row) for row in rows)
    head = png[16:24] + bytes([8, 3, 0, 0, 0])
    chunks = [(b"IHDR", head), (b"PLTE", b"".join(palette)), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    return png[:8] + b"".join(len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
                              for kind, data in chunks)


def main():
    from playwright.sync_api import sync_playwright

    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/cli/trellis")
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="trellis-pictures-") as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=flags)
        pages = {study: page_of(program, study, folder) for study in sorted({one[0] for one in PICTURES.values()})}
        for name, (study, first, last, dark) in PICTURES.items():
            shoot(browser, pages[study], first, last, dark, target / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
