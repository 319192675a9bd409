"""An exported study opens in Optuna with equal values."""
import importlib.util
import math
import tempfile
import unittest
import warnings
from pathlib import Path

import trellis


@unittest.skipIf(importlib.util.find_spec("optuna") is None, "there is no optuna")
class Exported(unittest.TestCase):
    def test_values_are_equal(self):
        import optuna
        from optuna.storages.journal import JournalFileBackend
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            study = trellis.create_study(
                "all", directory=folder, metric="accuracy", goal="maximize",
                early_stop={"threshold": {"worst": 0.1}}, trials=30, method="random", parameters={
                    "lr": {"min": 1e-4, "max": 0.1, "scale": "log"}, "drop": {"min": 0.0, "max": 0.5, "step": 0.1},
                    "width": {"type": "int", "min": 4, "max": 64, "step": 4}, "deep": {"type": "int", "min": 1, "max": 9},
                    "kind": {"values": ["a", "b", True, 3, 0.5]}, "fixed": {"value": "x"},
                    "none": {"values": [0, 1]}, "nothing": {"values": [0.0, 0.5]}, "text": {"values": ["$$HOME", "a\\b"]},
                    "momentum": {"min": 0.0, "max": 1.0, "when": {"kind": "a"}}})
            for number in range(30):
                trial = study.ask()
                if number == 3:
                    study.tell(trial, state="failed", message="no GPU")
                elif number == 4:
                    study.tell(trial, math.inf)
                elif trial.report(1, accuracy=trial.params["lr"] + 0.2) or trial.report(
                        5, accuracy=0.05 if number == 5 else 0.3):
                    continue
                elif number < 28:
                    study.tell(trial, metrics={"accuracy": trial.params["drop"], "loss": 1 / 3})
            path = str(Path(folder, "all.log"))
            trellis.program.run("export", study.folder, "--format", "optuna", "--output", path)
            theirs = optuna.load_study(study_name="all",
                                       storage=optuna.storages.JournalStorage(JournalFileBackend(path)))
            trellis.program.run("stop", study.folder)
            self.assertEqual(theirs.direction, optuna.study.StudyDirection.MAXIMIZE)
            self.compare(study.trials, theirs.trials)
            self.assertEqual(theirs.best_trial.number, study.best_trial.number)

    def test_several_metrics_go_there_and_back(self):
        import optuna
        from optuna.storages.journal import JournalFileBackend
        metrics = [{"name": "accuracy", "goal": "maximize"}, {"name": "size", "goal": "minimize"}]
        with tempfile.TemporaryDirectory() as folder:
            study = trellis.create_study("both", directory=folder, metric=metrics, method="nsga2", trials=9,
                                         parameters={"x": {"min": 0.0, "max": 1.0}, "n": {"type": "int", "min": 1, "max": 9}})
            study.optimize(lambda trial: (trial.params["x"], trial.params["n"] - trial.params["x"]))
            path = str(Path(folder, "both.log"))
            trellis.program.run("export", study.folder, "--format", "optuna", "--output", path)
            trellis.program.run("stop", study.folder)
            theirs = optuna.load_study(study_name="both",
                                       storage=optuna.storages.JournalStorage(JournalFileBackend(path)))
            self.assertEqual([direction.name for direction in theirs.directions], ["MAXIMIZE", "MINIMIZE"])
            self.assertEqual(theirs.metric_names, ["accuracy", "size"])
            self.assertEqual([(t.params, t.values) for t in theirs.trials],
                             [(t.params, [t.metrics["accuracy"], t.metrics["size"]]) for t in study.trials])
            self.assertEqual({t.number for t in theirs.best_trials}, {t.number for t in study.best_trials})
            asked = theirs.ask()
            asked.suggest_float("x", 0.0, 1.0)
            asked.suggest_int("n", 1, 9)
            theirs.tell(asked, [0.5, 0.25])
            file = str(Path(folder, "back.yaml"))
            trellis.program.run("import", path, "--output", file, "--dir", folder)
            back = trellis.load_study("back", directory=folder)
            self.assertEqual(back.metrics, metrics)
            self.assertEqual([(t.params, t.metrics) for t in back.trials[:9]],
                             [(t.params, t.metrics) for t in study.trials])
            self.assertEqual(back.trials[9].metrics, {"accuracy": 0.5, "size": 0.25})
            trellis.program.run("stop", back.folder)

    def compare(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        states = {"complete": "COMPLETE", "stopped": "PRUNED", "failed": "FAIL", "running": "RUNNING"}
        for mine, other in zip(ours, theirs):
            self.assertEqual(other.params, mine.params)
            self.assertEqual({name: type(value) for name, value in other.params.items()},
                             {name: type(value) for name, value in mine.params.items()})
            self.assertEqual(other.state.name, states[mine.state])
            if mine.state in ("complete", "stopped"):
                self.assertEqual(other.value, mine.value)
            reports = {1: mine.params["lr"] + 0.2, 5: 0.05 if mine.number == 5 else 0.3}
            self.assertEqual(other.intermediate_values, reports if mine.step else {}, "the value is none of them")
            if mine.state == "complete":
                self.assertAlmostEqual((other.datetime_complete - other.datetime_start).total_seconds(), mine.seconds,
                                       delta=1.1)
            self.assertEqual(other.user_attrs, {name: value for name, value in mine.metrics.items()
                                                if name != "accuracy"})


if __name__ == "__main__":
    unittest.main()
