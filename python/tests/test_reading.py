"""Studies read without the program, and their pictures."""
import contextlib
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import trellis

try:
    import pandas
except ImportError:
    pandas = None

STUDY = """name: steps
command: [/bin/sh, prog.sh, $x, $y, $kind]
parameters: {x: {min: 0.0, max: 1.0}, y: {type: int, min: 1, max: 9}, kind: {values: [a, b]}}
metric: {name: loss, goal: minimize}
method: random
seed: 3
early_stop: none
parallel: 1
limits: {trials: 12}
"""
PROGRAM = """echo "{\\"step\\": 1, \\"loss\\": $1}" > $TRELLIS_METRICS
echo "{\\"step\\": 2, \\"loss\\": $2}" >> $TRELLIS_METRICS
test $3 = a
"""
SVG = "{http://www.w3.org/2000/svg}"


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="trellis-reading-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        Path(folder.name, "steps.yaml").write_text(STUDY, encoding="utf-8")
        Path(folder.name, "prog.sh").write_text(PROGRAM, encoding="utf-8")
        subprocess.run([trellis.program.path(), "sweep", "steps.yaml", "--quiet"], cwd=folder.name, check=False,
                       capture_output=True)
        cls.runs = f"{cls.folder}/runs"
        cls.said = json.loads(trellis.program.run("trials", f"{cls.runs}/steps", "--json"))

    def read(self):
        return trellis.read_study("steps", directory=self.runs)

    def test_no_program_is_started(self):
        with mock.patch.object(trellis.program, "run", side_effect=AssertionError("the program was started")):
            study = self.read()
            self.assertEqual(len(study.trials), 12)
            self.assertEqual(len(study.trials_table()["trial"]), 12)
            self.assertTrue(study.curves())

    def test_it_says_what_the_program_says(self):
        study = self.read()
        self.assertEqual((study.name, study.metrics), ("steps", [{"name": "loss", "goal": "minimize"}]))
        self.assertEqual(study.parameters, ["x", "y", "kind"])
        self.assertEqual(study.trials, [trellis.FinishedTrial.from_json(row) for row in self.said])
        self.assertEqual({trial.state for trial in study.trials}, {"complete", "failed"})

    def test_the_table_has_the_columns_of_the_export(self):
        table = self.read().trials_table()
        header = trellis.program.run("export", f"{self.runs}/steps", "--format", "csv", "--times").split("\n")[0]
        self.assertEqual(list(table), header.split(","))
        self.assertEqual(table["params.y"], [row["params"]["y"] for row in self.said])
        self.assertEqual(table["metrics.loss"], [row["metrics"].get("loss") for row in self.said])
        self.assertEqual(table["cause"], [row["cause"] for row in self.said])

    def test_curves(self):
        curves = self.read().curves()
        for row in self.said:
            self.assertEqual([step for step, _ in curves[row["trial"]]], [1, 2])
            self.assertEqual(curves[row["trial"]][1][1], row["params"]["y"])

    @unittest.skipIf(pandas is None, "there is no pandas")
    def test_the_data_frame_is_that_of_a_study_that_is_loaded(self):
        read = self.read().trials_dataframe()
        loaded = trellis.load_study("steps", directory=self.runs).trials_dataframe()
        self.assertEqual(list(read.columns), list(loaded.columns))
        for column in read.columns:
            for one, other in zip(read[column], loaded[column]):
                same = one == other or (pandas.isna(one) and pandas.isna(other))
                self.assertTrue(same, f"{column}: {one!r} and {other!r}")
        self.assertEqual(read["params.kind"].dtype, loaded["params.kind"].dtype)

    def test_pandas_is_needed_for_data_frames_alone(self):
        script = ("import sys; sys.modules['pandas'] = None; import trellis; "
                  f"print(len(trellis.read_study({self.runs + '/steps'!r}).trials_table()['value']))")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                              env={**os.environ, "TRELLIS_PROGRAM": "/nowhere"})
        self.assertEqual(done.stdout, "12\n")

    def test_what_is_no_study(self):
        with self.assertRaisesRegex(trellis.TrellisError, "there is no study 'nowhere'"):
            trellis.read_study("nowhere", directory=self.runs)
        with tempfile.TemporaryDirectory() as folder:
            with sqlite3.connect(f"{folder}/study.db") as other:
                other.execute("create table study(key, value)")
            other.close()
            with self.assertRaisesRegex(trellis.TrellisError, "another program"):
                trellis.read_study(folder)
            Path(folder, "study.db").write_bytes(b"text" * 1000)
            with self.assertRaisesRegex(trellis.TrellisError, "not a database"):
                trellis.read_study(folder)

    def test_a_value_that_is_no_number(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(f"{self.runs}/steps", f"{folder}/steps")
            with contextlib.closing(sqlite3.connect(f"{folder}/steps/study.db")) as log, log:
                log.execute("update trials set value = 'nan', metrics = '{\"loss\": \"-inf\"}' where trial = 0")
            study = trellis.read_study("steps", directory=folder)
            self.assertTrue(math.isnan(study.trials[0].value))
            self.assertEqual(study.trials_table()["metrics.loss"][0], -math.inf)


class Showing(unittest.TestCase):
    setUpClass = classmethod(Reading.setUpClass.__func__)
    read = Reading.read

    def test_a_figure_is_svg_with_texts(self):
        figure = self.read().plot("history")
        root = ElementTree.fromstring(figure._repr_svg_())
        self.assertEqual(root.tag, f"{SVG}svg")
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        self.assertIn("trial", texts)
        self.assertEqual(figure.csv.split("\n")[0], "trial,state,loss,best_so_far")
        self.assertEqual(figure.csv.count("\n"), 13)
        loaded = trellis.load_study("steps", directory=self.runs)
        self.assertEqual(loaded.plot().svg, figure.svg)
        with tempfile.TemporaryDirectory() as folder:
            figure.save(f"{folder}/history.svg")
            self.assertEqual(Path(folder, "history.svg").read_text(encoding="utf-8"), figure.svg)

    def test_width(self):
        root = ElementTree.fromstring(self.read().plot("curves", width=120).svg)
        self.assertEqual(root.get("width"), "120mm")

    def test_a_figure_that_is_not_there(self):
        with self.assertRaisesRegex(trellis.TrellisError, "steps has no figure 'lineage': no trial went on"):
            self.read().plot("lineage")
        with self.assertRaisesRegex(trellis.TrellisError, "unknown figure 'histroy'.*did you mean 'history'"):
            self.read().plot("histroy")

    def test_the_page(self):
        shown = self.read().page(height=300)._repr_html_()
        self.assertTrue(shown.startswith('<iframe sandbox="allow-scripts" width="100%" height="300"'))
        self.assertIn("&lt;!doctype html&gt;", shown)
        self.assertEqual(shown.count("<"), 2)  # the page is an attribute


if __name__ == "__main__":
    unittest.main()
