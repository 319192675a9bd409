"""The guide shows the files that are there to be run, and all three of them run where their libraries are."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import trellis

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"<!-- (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)


class Guide(unittest.TestCase):
    def test_it_shows_the_files(self):
        blocks = dict(BLOCK.findall((ROOT / "docs/python.md").read_text(encoding="utf-8")))
        folder = ROOT / "experiments/python"
        self.assertEqual(sorted(blocks), sorted(f"experiments/python/{path.name}" for path in folder.iterdir()))
        for name, text in blocks.items():
            self.assertEqual((ROOT / name).read_text(encoding="utf-8"), text, name)

    def test_they_run(self):
        for library in ("sklearn", "optuna"):
            if importlib.util.find_spec(library) is None:
                self.skipTest(f"there is no {library}")
        with tempfile.TemporaryDirectory() as folder:
            for path in (ROOT / "experiments/python").iterdir():
                text = path.read_text(encoding="utf-8").replace("trials=20", "trials=2").replace("trials: 20", "trials: 2")
                Path(folder, path.name).write_text(text.replace("[python3,", f"[{sys.executable},"), encoding="utf-8")
            env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"}
            for script in ("tune_trellis.py", "tune_optuna.py"):
                done = subprocess.run([sys.executable, script], cwd=folder, env=env, capture_output=True, text=True,
                                      check=True)
                self.assertRegex(done.stdout, r"^0\.\d+ \{'C'")
            shutil.rmtree(Path(folder, "runs"))
            subprocess.run([trellis.program.path(), "sweep", "svc.yaml"], cwd=folder, env=env, check=True,
                           capture_output=True)
            self.assertIn("accuracy", trellis.program.run("best", f"{folder}/runs/svc"))


if __name__ == "__main__":
    unittest.main()
