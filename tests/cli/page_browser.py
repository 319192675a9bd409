"""What the tests of pages share: headless Chromium without a network, the studies, and `trellis` itself."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Failed(Exception):
    pass


def expect(held, what):
    if not held:
        raise Failed(what)


def skip(why):
    print(f"SKIPPED, NO PAGE WAS OPENED: {why}")
    sys.exit(77)


def playwright():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return skip("there is no playwright (pip install playwright)")
    return sync_playwright()


@contextlib.contextmanager
def chromium_browser():
    program = chromium()
    with playwright() as play:
        flags = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        browser = play.chromium.launch(executable_path=program, args=flags)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def made_studies(make, *words):
    """A folder with the studies of make-report-studies, one a folder."""
    with tempfile.TemporaryDirectory(prefix="trellis-report-") as folder:
        subprocess.run([make, folder, *words], check=True)
        yield pathlib.Path(folder)


def report(programs, runs, name):
    """Writes the page of a study and returns its file."""
    trellis(programs, runs, "report", name, "--dir", ".")
    return runs / name / "report.html"


def studies_in(runs):
    return sorted(path.name for path in runs.iterdir() if path.is_dir())


def run(main):
    """The exit code of a test that may find a fault."""
    try:
        main()
    except Failed as failed:
        print(failed)
        sys.exit(1)


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
