"""How pages of a study open in headless Chromium: ours, HiPlot's and optuna-dashboard's of the same trials, in one run.

usage: report.py JOB.json
JOB.json: {"trials": [{"trial", "value", "curve": [[step, value]], and the params}], "journal": FILE of `export --format optuna`,
           "program": trellis, "large", "small": our pages, "rounds": medians of so many, "against": rivals, in order}
  hiplot            one HTML file of the trials' last values
  hiplot-curves     the same with every report as a point
  optuna-dashboard  its server on the journal, opened once: it takes minutes
Prints {"cases"}: seconds from the start of the navigation to the frame that shows it, megabytes of all of Chromium's
processes (PSS) over those with an empty page, and megabytes of the file."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import Error, sync_playwright
from served import TABS, measure_served

LONGEST_MS = 500_000
# When each page is usable: what a reader came for is painted.
OURS_FIRST = "window.trellis && window.trellis.page.firstScreen"
OURS_ALL = "document.documentElement.dataset.ready"
HIPLOT = """[...document.querySelectorAll('canvas')].some((c) => c.width && c.getContext('2d')
    .getImageData(0, 0, c.width, c.height).data.some((v) => v)) && document.querySelectorAll('tbody tr').length > 1"""
DASHBOARD = "document.querySelectorAll('.plotly .scatterlayer .trace').length > 1"
WATCH = """(ready) => new Promise((done) => {
    const look = () => (eval(ready) ? setTimeout(() => done(performance.now())) : requestAnimationFrame(look));
    look();
  })"""
HOVER = """() => { const times = [];
  for (let i = 0; i < 100; ++i) {
    const from = performance.now();
    window.trellis.hover(i % 2 ? 22 : 27);
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[94]; }"""
SCROLL = """() => new Promise((done) => { const frames = []; let last = performance.now();
  const step = (now) => { frames.push(now - last); last = now; window.scrollBy(0, 40);
    frames.length < 120 ? requestAnimationFrame(step) : done(frames.slice(2).sort((a, b) => a - b)[112]); };
  requestAnimationFrame(step); })"""


def chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def children_of(pid):
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from children_of(int(child))


def megabytes(pids):
    """Memory of processes, pages that they share counted once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def browser_megabytes():
    def is_browser(pid):
        with contextlib.suppress(OSError):
            return "chrom" in os.readlink(f"/proc/{pid}/exe")
        return False

    return megabytes([pid for pid in children_of(os.getpid()) if is_browser(pid)])


class Opened:
    """A page in a browser of its own."""

    def __init__(self, play, address, ready):
        flags = ["--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        self.browser = play.chromium.launch(executable_path=chromium(), args=flags)
        self.page = self.browser.new_page(viewport={"width": 1240, "height": 900}, bypass_csp=True)
        self.page.set_default_timeout(LONGEST_MS)
        self.page.goto("about:blank")
        time.sleep(1)
        empty = browser_megabytes()
        self.page.goto(address, wait_until="commit", timeout=LONGEST_MS)
        self.seconds = [self.page.evaluate(WATCH, one) / 1000 for one in ready]
        time.sleep(0.5)
        self.megabytes = browser_megabytes() - empty


def measure_ours(play, file, rounds):
    rows = []
    for _ in range(rounds):
        opened = Opened(play, file.as_uri(), [OURS_ALL])
        first, whole = opened.page.evaluate("[window.trellis.page.firstScreen / 1000, window.trellis.page.ready / 1000]")
        rows.append({"first screen": first, "all": whole, "memory": opened.megabytes,
                     "hover": opened.page.evaluate(HOVER), "scroll": opened.page.evaluate(SCROLL)})
        opened.browser.close()
    return {what: [row[what] for row in rows] for what in rows[0]}


def measure_file(play, file, ready, rounds):
    rows = []
    for _ in range(rounds):
        opened = Opened(play, file.as_uri(), [ready])
        rows.append((opened.seconds[0], opened.megabytes))
        opened.browser.close()
    return [row[0] for row in rows], [row[1] for row in rows]


def write_hiplot(job, file, curves):
    """HiPlot's page of the trials; seconds that it took."""
    import hiplot

    begun = time.monotonic()
    experiment = hiplot.Experiment()
    for trial in job["trials"]:
        values = {name: value for name, value in trial.items() if name != "curve"}
        last = None
        for step, value in trial["curve"] if curves else trial["curve"][-1:]:
            reported = values | {"step": step, "value": value}
            point = hiplot.Datapoint(uid=f"{trial['trial']}-{step}", from_uid=last, values=reported)
            last = point.uid
            experiment.datapoints.append(point)
    experiment.to_html(str(file))
    return time.monotonic() - begun


@contextlib.contextmanager
def dashboard(journal):
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    program = pathlib.Path(sys.executable).with_name("optuna-dashboard")
    process = subprocess.Popen([program, journal, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(address + "/dashboard/", timeout=5).close()
                break
            time.sleep(0.5)
        yield address, process
    finally:
        process.kill()
        process.wait()


def rival_hiplot(play, job, folder, curves):
    file = folder / f"hiplot-{int(curves)}.html"
    written = write_hiplot(job, file, curves)
    seconds, memory = measure_file(play, file, HIPLOT, 1 if curves else job["rounds"])
    return {"all": seconds, "memory": memory, "writing": [written], "file": [file.stat().st_size / 1e6]}


def rival_dashboard(play, job):
    with dashboard(job["journal"]) as (address, process):
        opened = Opened(play, address + "/dashboard/studies/0", [DASHBOARD])
        server = megabytes([process.pid, *children_of(process.pid)])
        opened.browser.close()
    return {"all": opened.seconds, "memory": [opened.megabytes], "server": [server]}


RIVALS = {"hiplot": ("HiPlot, last values", lambda play, job, folder: rival_hiplot(play, job, folder, False)),
          "hiplot-curves": ("HiPlot, curves", lambda play, job, folder: rival_hiplot(play, job, folder, True)),
          "optuna-dashboard": ("optuna-dashboard", lambda play, job, folder: rival_dashboard(play, job))}
UNITS = {"first screen": "s", "all": "s", "memory": "MB", "hover": "ms", "scroll": "ms", "file": "MB", "writing": "s"}
NAMES = {"all": "usable", "memory": "browser over an empty page", "hover": "a hover, 95th percentile",
         "scroll": "a frame while scrolling, 95th percentile", "file": "size of the file", "writing": "writing it"}


def case(title, what, ours, rival=None, theirs=None):
    value = statistics.median(ours)
    other = statistics.median(theirs) if theirs else None
    return {"case": f"{title}: {NAMES.get(what, what)}", "ours": value, "unit": UNITS[what], "rival": rival or "",
            "rival_value": other, "ratio": other / value if theirs and value else None, "half": (max(ours) - min(ours)) / 2}


def cases_of(job, play, folder):
    large, small = pathlib.Path(job["large"]), pathlib.Path(job["small"])
    ours = measure_ours(play, large, job["rounds"])
    ours |= {"file": [large.stat().st_size / 1e6], "writing": job["writing"]}
    title = f"{len(job['trials']):,} trials"
    compared, cases = set(), []
    for word in job["against"]:
        name, measure = RIVALS[word]
        try:
            theirs = measure(play, job, folder)
        except (Error, ImportError, OSError, ValueError) as error:
            print(f"{name} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        for what in theirs.keys() & ours.keys():
            cases.append(case(title, what, ours[what], name, theirs[what]))
            compared.add(what)
    cases += [case(title, what, ours[what]) for what in ours if what not in compared]
    few = measure_ours(play, small, job["rounds"]) | {"file": [small.stat().st_size / 1e6], "writing": job["writing_small"]}
    cases += [case("60 trials", what, few[what]) for what in few]
    served = measure_served(job["program"], folder, len(job["trials"]))
    title = f"a running study with {TABS} open pages: processor time of the server"
    return cases + [{"case": title, "ours": served, "unit": "%", "rival": ""}]


def main():
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    if not chromium():
        sys.exit("there is no Chromium")
    with tempfile.TemporaryDirectory(prefix="trellis-pages-") as folder, sync_playwright() as play:
        print(json.dumps({"cases": cases_of(job, play, pathlib.Path(folder))}))


if __name__ == "__main__":
    main()
