"""Pictures of a study for notebooks: the figures and the page of `trellis report`."""
import html
import json
import tempfile
from pathlib import Path

from . import program
from .checks import whole


class Figure:
    """A picture as SVG, and the numbers that it shows as CSV text. A notebook shows it as the value of a cell."""

    def __init__(self, name, svg, csv):
        self.name = name
        self.svg = svg
        self.csv = csv

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes the SVG into a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def __repr__(self):
        return f"Figure({self.name!r})"


class Page:
    """The report of a study as HTML. A notebook shows it in a frame that may run its scripts and nothing else."""

    def __init__(self, text, height):
        self.html = text
        self._height = height

    def _repr_html_(self):
        return (f'<iframe sandbox="allow-scripts" width="100%" height="{self._height}" style="border: 0" '
                f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>')


class Shown:
    """A study that has a folder, and so can be shown. Needs the program."""
    folder: str

    def plot(self, name="history", *, width=None):
        """The figure of that name as `trellis report --figures` draws it: `history`, `importance`, `slices`, `parallel`,
        `pair`, `curves`, `edf`, `front`, `hypervolume`, `confusion`, `lineage`, `shapes`, `timeline` or `devices`;
        `width` in millimeters. Raises TrellisError where the study does not have it."""
        with tempfile.TemporaryDirectory(prefix="trellis-figure-") as folder:
            words = [] if width is None else ["--width", str(width)]
            said = program.run("report", self.folder, "--figures", folder, "--figure", name, "--json", *words)
            figure, = json.loads(said)["figures"]
            return Figure(name, Path(figure["file"]).read_text(encoding="utf-8"),
                          Path(figure["data"]).read_text(encoding="utf-8"))

    def page(self, *, height=800):
        """The page of `trellis report`, for a notebook; `height` in pixels."""
        with tempfile.TemporaryDirectory(prefix="trellis-page-") as folder:
            file = Path(folder, "report.html")
            program.run("report", self.folder, "--output", str(file))
            return Page(file.read_text(encoding="utf-8"), whole("height", height, 1))
