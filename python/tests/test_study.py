"""Studies asked from Python, against the real program: $TRELLIS_PROGRAM."""
import importlib.util
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import trellis
from trellis import keeper

SPACE = {"lr": {"min": 1e-4, "max": 0.1, "scale": "log"}, "width": {"type": "int", "min": 4, "max": 64},
         "kind": {"values": ["a", "b"]}}
PACKAGE = Path(__file__).resolve().parents[1]


class Starting(unittest.TestCase):
    """A keeper that is killed while it starts is no reason to give a study up; one that always dies is."""

    def run_with(self, *answers):
        with mock.patch.object(keeper.program, "run", side_effect=answers) as run:
            return keeper.start_again("tune"), run.call_count

    def test_a_keeper_that_died_is_started_again(self):
        died = trellis.TrellisError("the keeper of runs/tune has died")
        self.assertEqual(self.run_with(died, died, "runs/tune\n"), ("runs/tune", 3))
        with self.assertRaisesRegex(trellis.TrellisError, "has died"):
            self.run_with(*[died] * keeper.STARTS)

    def test_a_refusal_is_said_once(self):
        with self.assertRaisesRegex(trellis.TrellisError, "no such study"):
            self.run_with(trellis.TrellisError("no such study"))


class WithStudy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trellis-python-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kept = []

    def tearDown(self):
        for study in self.kept:
            self.stop(study)

    def create(self, name="tune", **more):
        study = trellis.create_study(name, parameters=SPACE, metric="accuracy", goal="maximize",
                                     directory=f"{self.folder}/runs", **more)
        self.kept.append(study)
        return study

    @staticmethod
    def keeper_of(study):
        return int(Path(study.folder, "study.lock").read_text(encoding="utf-8").split("\n")[2])

    def stop(self, study):
        subprocess.run([trellis.program.path(), "stop", study.folder], capture_output=True, check=False)


class Asking(WithStudy):
    def test_asks_and_tells(self):
        study = self.create()
        self.assertEqual((study.name, study.metrics), ("tune", [{"name": "accuracy", "goal": "maximize"}]))
        trial = study.ask()
        self.assertEqual(trial.number, 0)
        self.assertEqual(set(trial.params), {"lr", "width", "kind"})
        self.assertIsInstance(trial.params["width"], int)
        self.assertEqual(study.tell(trial, 0.5), "complete")
        self.assertEqual(study.tell(study.ask(), metrics={"accuracy": 0.7, "loss": 0.1}), "complete")
        self.assertEqual(study.tell(study.ask().number, state="failed", message="no GPU"), "failed")
        self.assertEqual([(t.state, t.value) for t in study.trials],
                         [("complete", 0.5), ("complete", 0.7), ("failed", None)])
        self.assertEqual(study.trials[1].metrics, {"accuracy": 0.7, "loss": 0.1})
        self.assertEqual((study.best_trial.number, study.best_value), (1, 0.7))
        self.assertEqual(study.best_params, study.trials[1].params)
        self.assertEqual(study.best_trial, study.trials[1])

    def test_several_metrics(self):
        both = [{"name": "accuracy", "goal": "maximize"}, {"name": "size", "goal": "minimize"}]
        study = trellis.create_study("both", parameters=SPACE, metric=both, method="nsga2",
                                     directory=f"{self.folder}/runs", trials=4)
        self.kept.append(study)
        self.assertEqual(study.metrics, both)
        results = [(0.5, 10), (0.9, 50), (0.8, 60), (0.7, 20)]
        study.optimize(lambda trial: results[trial.number])
        self.assertEqual([(t.number, t.metrics) for t in study.best_trials],
                         [(number, dict(zip(("accuracy", "size"), results[number]))) for number in (1, 3, 0)])
        self.assertEqual(study.best_trial.number, 1)
        with self.assertRaisesRegex(trellis.TrellisError, "goal cannot be used with"):
            trellis.create_study("odd", parameters=SPACE, metric=both, goal="minimize")

    def test_a_trial_that_diverged_may_return_what_it_had(self):
        study = self.create(trials=3)

        def objective(trial):
            trial.report(1, accuracy=math.nan)
            return 0.5

        study.optimize(objective)
        self.assertEqual([t.state for t in study.trials], ["failed"] * 3)

    def test_values_of_other_types(self):
        class Number:  # as numpy's are
            def tolist(self):
                return 3

        study = trellis.create_study("types", directory=f"{self.folder}/runs", trials=1, parameters={
            "a": {"values": range(2)}, "c": {"values": {"one", "two", "three"}}, "b": {"type": "int", "min": 1, "max": Number()}})
        self.kept.append(study)
        self.assertIn(study.ask().params["a"], (0, 1))
        self.assertIn("one, three, two", Path(study.folder, "study.yaml").read_text(encoding="utf-8"))
        with self.assertRaisesRegex(trellis.TrellisError, "create_study: .* is of type object, expected a bool"):
            trellis.create_study("other", parameters={"a": {"values": [object()]}})

    def test_what_json_has_no_number_for(self):
        study = self.create()
        study.tell(study.ask(), -math.inf)
        self.assertEqual(study.tell(study.ask(), math.nan), "failed")
        self.assertEqual(study.trials[0].value, -math.inf)
        self.assertEqual(study.trials[1].cause, "diverged")

    def test_reports_until_a_rule_stops(self):
        study = self.create(early_stop={"threshold": {"worst": 0.2}})
        trial = study.ask()
        self.assertFalse(trial.report(1, accuracy=0.3))
        self.assertTrue(trial.report(2, {"accuracy": 0.1}))
        self.assertTrue(trial.should_stop)
        self.assertEqual(study.tell(trial, 0.9), "stopped")

    def test_a_step_is_a_whole_number(self):
        study = self.create(trials=1)
        trial = study.ask()
        for step in (1.5, "1", math.nan, None):
            with self.assertRaisesRegex(ValueError, "^step is .*, expected a whole number$"):
                trial.report(step, accuracy=0.1)
        self.assertFalse(trial.report(2.0, accuracy=0.1))
        study.tell(trial)
        self.assertEqual(study.trials[0].step, 2)

    def test_numbers_that_no_search_has_are_refused(self):
        study = self.create()
        for named in ({"trials": -1}, {"trials": 1.5}, {"jobs": 0}, {"jobs": "2"}, {"timeout": -1},
                      {"timeout": math.nan}):
            with self.assertRaisesRegex(ValueError, f"^{next(iter(named))} is .*, expected "):
                study.optimize(lambda trial: 0.5, **{"trials": 1, **named})
        study.optimize(lambda trial: 0.5, trials=0)
        self.assertEqual(study.trials, [])

    def test_steps_may_begin_at_zero(self):
        study = self.create(early_stop={"asha": {"min": 1}})
        trial = study.ask()
        for step in range(3):
            self.assertFalse(trial.report(step, accuracy=0.1 * step))
        self.assertEqual(study.tell(trial, 0.3), "complete")
        with self.assertRaisesRegex(trellis.TrellisError, "step is -1, expected at least 0"):
            study.ask().report(-1, accuracy=0.5)

    def test_refusals_are_the_programs(self):
        study = self.create()
        with self.assertRaisesRegex(trellis.TrellisError, "trial 5 was never asked for"):
            study.tell(5, 1.0)
        with self.assertRaisesRegex(trellis.TrellisError, "did you mean"):
            self.create("other", method="tpee")
        for argument, more in (("method", {"method": "tpee"}), ("trials", {"trials": 0}), ("seed", {"seed": -1}),
                               ("nonsense", {"nonsense": 1}), ("early_stop", {"early_stop": {"asha": {"min": 0}}})):
            with self.assertRaisesRegex(trellis.TrellisError, f"^create_study, {argument}: "):
                self.create("other", **more)
        with self.assertRaisesRegex(trellis.TrellisError, "^create_study, goal: "):
            trellis.create_study("other", parameters=SPACE, goal="maximise", directory=self.folder)
        with self.assertRaisesRegex(trellis.TrellisError, "^create_study, parameters: .*min"):
            trellis.create_study("other", parameters={"x": {"min": 2, "max": 1}}, directory=self.folder)
        with self.assertRaisesRegex(trellis.TrellisError, "differs in parameters"):
            trellis.create_study("tune", parameters={"x": {"min": 0, "max": 1}}, metric="accuracy", goal="maximize",
                                 directory=f"{self.folder}/runs")

    def test_goes_on_with_the_study_that_is_there(self):
        self.create().ask()
        self.assertEqual(self.create().ask().number, 1)
        self.assertEqual(trellis.load_study("tune", directory=f"{self.folder}/runs").ask().number, 2)
        with self.assertRaisesRegex(trellis.StudyOver, "3 trials"):
            self.create(trials=3).ask()

    def test_the_keeper_may_die(self):
        study = self.create()
        first = study.ask()
        os.kill(self.keeper_of(study), signal.SIGKILL)
        self.assertEqual(study.ask().number, 1)
        self.assertEqual(study.tell(first, 0.5), "complete")

    def test_a_study_that_was_removed_begins_anew(self):
        first = self.create()
        first.ask()
        shutil.rmtree(f"{self.folder}/runs")
        study = self.create()
        time.sleep(1.5)  # by when the first one's keeper has seen it
        self.assertEqual(first.ask().number, 0, "its keeper is gone with it")
        self.assertEqual(study.ask().number, 1)
        self.assertEqual([t.number for t in study.trials], [0, 1])

    def test_points_of_ones_own(self):
        study = self.create()
        trial = study.ask({"width": 8, "kind": "b"})
        self.assertEqual((trial.params["width"], trial.params["kind"]), (8, "b"))
        self.assertEqual((study.enqueue({"width": 9}), study.enqueue({"lr": 0.01})), (1, 2))
        seen = []
        study.optimize(lambda trial: seen.append(trial.params) or 0.5, trials=2)
        self.assertEqual((seen[0]["width"], seen[1]["lr"]), (9, 0.01))
        with self.assertRaisesRegex(trellis.TrellisError, "did you mean 'width'"):
            study.enqueue({"widht": 9})

    def test_what_a_sweep_runs_can_be_read(self):
        runs = f"{self.folder}/runs"
        Path(self.folder, "own.sh").write_text('echo "{\\"y\\": $1}" >> "$TRELLIS_METRICS"\n', encoding="utf-8")
        Path(self.folder, "own.yaml").write_text(
            "command: [sh, own.sh, $x]\nmetric: {name: y, goal: minimize}\nmethod: random\n"
            "parameters: {x: {min: 0.0, max: 1.0}}\nlimits: {trials: 3}\n", encoding="utf-8")
        trellis.program.run("sweep", f"{self.folder}/own.yaml", "--quiet", "--dir", runs)
        study = trellis.load_study("own", directory=runs)
        self.assertEqual((study.name, study.metrics), ("own", [{"name": "y", "goal": "minimize"}]))
        self.assertEqual([t.value for t in study.trials], [t.params["x"] for t in study.trials])
        self.assertEqual(study.best_value, min(t.value for t in study.trials))
        for call in (study.ask, lambda: study.tell(0, 1.0), lambda: study.optimize(abs)):
            with self.assertRaisesRegex(trellis.TrellisError, "^trellis sweep runs the trials of .*own, so none"):
                call()
        with self.assertRaisesRegex(trellis.TrellisError, "no study \"onw\".*did you mean 'own'"):
            trellis.load_study("onw", directory=runs)

    def test_importances(self):
        study = self.create(method="random")
        self.assertEqual(study.importances(), {})
        study.optimize(lambda trial: trial.params["width"], trials=60)
        shares = study.importances()
        self.assertEqual(next(iter(shares)), "width")
        self.assertAlmostEqual(sum(shares.values()), 1)

    def test_none_is_no_choice(self):
        with self.assertRaisesRegex(trellis.TrellisError, r'^create_study, parameters: depth.values\[1\] is None, .*"none"'):
            trellis.create_study("none", parameters={"depth": {"values": [10, None]}}, directory=self.folder)

    def test_a_call_that_is_too_long_is_refused_at_once(self):
        study = self.create()
        trial, begun = study.ask(), time.monotonic()
        with self.assertRaisesRegex(trellis.TrellisError, "expected at most 1048576"):
            study.tell(trial, state="failed", message="x" * (1 << 20))
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual(study.tell(trial, 0.5), "complete")

    def test_dataframe(self):
        if importlib.util.find_spec("pandas") is None:
            self.skipTest("there is no pandas")
        study = self.create()
        study.tell(study.ask(), 0.5)
        frame = study.trials_dataframe()
        self.assertEqual(list(frame["value"]), [0.5])
        self.assertIn("params.lr", frame.columns)

    def test_a_dataframe_has_the_values_of_the_trials(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas")
        texts = ["None", "NA", "null", "sqrt", "01", "1e3", ""]
        study = trellis.create_study("texts", directory=f"{self.folder}/runs", method="grid", parameters={
            "text": {"values": texts}, "on": {"values": [True, False]},
            "n": {"type": "int", "min": 1, "max": 2, "when": {"on": True}}})
        self.kept.append(study)
        study.optimize(lambda trial: 0.5)
        frame, trials = study.trials_dataframe(), study.trials
        self.assertEqual({t.params["text"] for t in trials}, set(texts))
        for name in ("text", "on", "n"):
            column = frame[f"params.{name}"]
            self.assertEqual([None if pandas.isna(value) else value for value in column],
                             [t.params.get(name) for t in trials])
        self.assertEqual([type(value) for value in frame["params.on"]], [bool] * len(trials))


class Optimizing(WithStudy):
    def test_until_the_study_is_over(self):
        study = self.create(trials=5)
        study.optimize(lambda trial: trial.params["lr"])
        self.assertEqual(len(study.trials), 5)
        with self.assertRaisesRegex(trellis.StudyOver, "5 trials"):
            study.ask()
        for jobs in (1, 2):
            with self.assertWarnsRegex(UserWarning, "no trial was run, the study is over: 5 trials"):
                study.optimize(lambda trial: trial.params["lr"], jobs=jobs)

    def test_in_threads(self):
        study, threads = self.create(), set()

        def train(trial):
            threads.add(threading.get_ident())
            time.sleep(0.05)
            trial.report(1, accuracy=0.1)
            return {"accuracy": 0.2, "seconds": 1}

        study.optimize(train, trials=20, jobs=4)
        self.assertEqual([t.value for t in study.trials], [0.2] * 20)
        self.assertGreater(len(threads), 1)

    def test_ctrl_c_ends_all_threads(self):
        study = self.create()
        script = ("import sys, time, trellis\n"
                  "study = trellis.load_study(sys.argv[1])\n"
                  "def train(trial):\n"
                  "    print(trial.number, flush=True)\n"
                  "    time.sleep(60)\n"
                  "study.optimize(train, jobs=int(sys.argv[2]))\n")
        for jobs in (1, 2):
            run = subprocess.Popen([sys.executable, "-c", script, study.folder, str(jobs)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
            for _ in range(jobs):
                run.stdout.readline()
            run.send_signal(signal.SIGINT)
            _, said = run.communicate(timeout=20)
            self.assertIn("KeyboardInterrupt", said)
            self.assertNotEqual(run.returncode, 0)
        self.assertEqual([(t.state, t.cause) for t in study.trials], [("failed", "error")] * 3)

    def test_ctrl_c_between_two_words_leaves_no_trial_running(self):
        study = self.create()
        for name in ("_ask", "tell"):  # the keeper has heard it, and its answer is lost
            said = getattr(trellis.study.Study, name)
            left = [KeyboardInterrupt]

            def broken_off(*words, said=said, left=left, **named):
                answer = said(*words, **named)
                if left:
                    raise left.pop()
                return answer

            with mock.patch.object(trellis.study.Study, name, broken_off):
                with self.assertRaises(KeyboardInterrupt):
                    study.optimize(lambda trial: 0.5, trials=3)
        self.assertEqual([t.state for t in study.trials], ["failed", "complete"])

    def test_ctrl_c_while_a_thread_tells_leaves_no_trial_running(self):
        study, begun = self.create(), threading.Event()
        said, join = trellis.study.Study.tell, threading.Thread.join

        def slow(*words, **named):
            begun.set()
            time.sleep(0.5)
            return said(*words, **named)

        def broken_off(thread, *words):
            if thread.daemon and threading.current_thread() is threading.main_thread():
                begun.wait()
                raise KeyboardInterrupt
            join(thread, *words)

        with mock.patch.object(trellis.study.Study, "tell", slow), \
                mock.patch.object(threading.Thread, "join", broken_off):
            with self.assertRaises(KeyboardInterrupt):
                study.optimize(lambda trial: 0.5, trials=1, jobs=2)
        self.assertEqual([t.state for t in study.trials], ["complete"])

    def test_a_copy_speaks_for_itself(self):
        study = self.create()
        copy = pickle.loads(pickle.dumps(study))
        copy.optimize(lambda trial: 0.5, trials=2)
        self.assertEqual([t.state for t in study.trials], ["complete"] * 2)

    def test_an_exception_fails_its_trial(self):
        study = self.create()

        def train(trial):
            if trial.number == 1:
                raise ValueError("no such kind")
            return 1.0

        study.optimize(train, trials=3, catch=ValueError)
        self.assertEqual([t.state for t in study.trials], ["complete", "failed", "complete"])
        with self.assertRaises(ZeroDivisionError):
            study.optimize(lambda trial: 1 / 0, trials=3)
        with self.assertRaisesRegex(ValueError, "the metric fold is 'a', expected a number"):
            study.optimize(lambda trial: {"accuracy": 1, "fold": "a"}, trials=1)
        self.assertEqual(len(study.trials), 5)

    def test_stopped_trials_need_not_be_told(self):
        study = self.create(early_stop={"threshold": {"worst": 0.5}})

        def train(trial):
            for step in range(1, 4):
                if trial.report(step, accuracy=0.4 if trial.number == 0 else 0.6):
                    return None
            return None

        study.optimize(train, trials=2)
        self.assertEqual([(t.state, t.step) for t in study.trials], [("stopped", 1), ("complete", 3)])


class Inside(unittest.TestCase):
    def run_script(self, text, **more):
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), **more}
        done = subprocess.run([sys.executable, "-c", "import trellis\n" + text], env=env, capture_output=True, text=True,
                              check=True)
        return done.stdout

    def test_reports_go_into_the_trials_file(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "params.json").write_text('{"lr": 0.5}', encoding="utf-8")
            said = self.run_script("trellis.report(1, accuracy=0.5)\ntrellis.report(metrics={'valid.loss': 2})\n"
                                   "print(trellis.params(lr=1, width=3))",
                                   TRELLIS_METRICS=f"{folder}/m", TRELLIS_TRIAL_DIR=folder)
            lines = Path(folder, "m").read_text(encoding="utf-8").splitlines()
        self.assertEqual([json.loads(line) for line in lines], [{"step": 1, "accuracy": 0.5}, {"valid.loss": 2.0}])
        self.assertEqual(said, "{'lr': 0.5, 'width': 3}\n")

    def test_by_hand_nobody_hears(self):
        self.assertEqual(self.run_script("trellis.report(1, accuracy=0.5)\nprint(trellis.params(lr=1))",
                                         TRELLIS_METRICS="", TRELLIS_TRIAL_DIR=""), "{'lr': 1}\n")


if __name__ == "__main__":
    unittest.main()
