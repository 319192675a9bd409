"""Studies whose trials run in this process, beside others that ask the same study."""
import contextlib
import json
import os
import re
import tempfile
import threading
import time
import uuid
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Optional

from . import keeper, program
from .checks import seconds, whole
from .errors import StudyOver, TrellisError
from .figure import Shown

ASKING = 5.0  # seconds that a Ctrl-C waits for threads that are being handed a trial, or tell of one


@dataclass(frozen=True)
class FinishedTrial:
    """A trial as the log has it; `state` is waiting, running, complete, stopped or failed."""
    number: int
    state: str
    cause: Optional[str]
    value: Optional[float]
    params: Dict[str, object]
    metrics: Dict[str, float] = field(default_factory=dict)
    step: int = 0
    seconds: float = 0.0

    @classmethod
    def from_json(cls, row):
        value = row["value"]
        return cls(number=row["trial"], state=row["state"], cause=row.get("cause"),
                   value=None if value is None else keeper.from_json(value), params=row["params"],
                   metrics={name: keeper.from_json(x) for name, x in row["metrics"].items()},
                   step=row.get("step", 0), seconds=row.get("seconds", 0.0))


class Trial:
    """A trial that was asked for and is to be told about."""

    def __init__(self, study, number, params):
        self._study = study
        self.number = number
        self.params = params
        self.should_stop = False

    def report(self, step, metrics=None, **named):
        """Reports metrics on the way: by keyword, or as a dict where a name is no Python word; `step` is 0 or more and
        grows. Returns whether the trial should stop; it has ended then, and nothing more needs to be told."""
        said = self._study._call(call="report", trial=self.number, step=whole("step", step),
                                 metrics=_numbers({**(metrics or {}), **named}))
        self.should_stop = said["word"] == "stop"
        return self.should_stop

    def __repr__(self):
        return f"Trial({self.number}, {self.params})"


class Study(Shown):
    """Safe to use from several threads, and from several processes: a copy there (fork, pickle) speaks for itself."""

    def __init__(self, run, folder, directory, greeting=None, unasked=None):
        self._run = run
        self.folder = folder
        self._directory = directory
        self._unasked = unasked  # why nobody can ask it, or None
        self._local = threading.local()
        greeting = greeting or self._keeper().greeting
        self.name = greeting["study"]
        self.metrics = greeting["metrics"]

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_local"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._local = threading.local()

    def _keeper(self):
        if self._unasked:
            raise TrellisError(self._unasked)
        mine = getattr(self._local, "keeper", None)
        if mine is None or mine[0] != os.getpid():
            mine = (os.getpid(), keeper.Keeper(self.folder, self._start))
            mine[1].connect()
            self._local.keeper = mine
        return mine[1]

    def _start(self):
        keeper.start(self.folder, "--dir", self._directory)

    def _call(self, **message):
        return self._keeper().call(**message)

    def ask(self, params=None):
        """The next trial; with `params`, a dict of values by name, one that has them, and the sampler says the rest.
        Raises StudyOver where there is none."""
        return self._ask(_Asked().ticket, params)

    def enqueue(self, params):
        """A point, or a part of one, for a trial that is asked for later, whoever asks: each asking gets one, in order.
        It stands in the log. Returns how many wait. Raises StudyOver where the study is over."""
        said = self._call(call="enqueue", ticket=_Asked().ticket, params=_point(params))
        if said["waiting"] is None:
            raise StudyOver(said["over"])
        return said["waiting"]

    def _ask(self, ticket, params=None):
        named = {"params": _point(params)} if params else {}
        said = self._call(call="ask", ticket=ticket, **named)
        if said["trial"] is None:
            raise StudyOver(said["over"])
        return Trial(self, said["trial"], said["params"])

    def tell(self, trial, value=None, *, values=None, metrics=None, state="complete", message=""):
        """The end of a trial (a Trial or its number): its value, its values where the study has several metrics, or all
        its metrics by name; without any its last report counts. `state` is complete, stopped or failed. Returns the
        state that the trial has now."""
        number = trial.number if isinstance(trial, Trial) else int(trial)
        said = {"call": "tell", "trial": number, "state": state}
        if value is not None:
            said["value"] = keeper.to_json(value)
        if values is not None:
            said["values"] = [keeper.to_json(one) for one in values]
        if metrics:
            said["metrics"] = _numbers(metrics)
        if message:
            said["message"] = str(message)
        return self._call(**said)["state"]

    def optimize(self, function, trials=None, *, timeout=None, jobs=1, catch=()):
        """Calls `function(trial)` for `trials` trials (all that the study has without it), until `timeout` seconds are
        over, one after another or in `jobs` threads. It returns the value, or one for each of several metrics, or a
        dict of metrics, or nothing after reports. An exception of the kinds in `catch` fails its trial; any other one
        fails it too and ends everything. Ctrl-C fails the trials that run and ends at once; a thread that is at one goes
        on until its next report, or until the process ends."""
        jobs = whole("jobs", jobs, 1)
        work = _Work(None if trials is None else whole("trials", trials, 0),
                     None if timeout is None else seconds("timeout", timeout))
        if self._unasked:
            raise TrellisError(self._unasked)
        if jobs == 1:
            self._optimize_alone(function, work, catch)
            work.warn_if_none()
            return
        threads = [threading.Thread(target=self._optimize_beside, args=(function, work, catch), daemon=True)
                   for _ in range(jobs)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        except BaseException as error:
            for number in work.cut():
                self.tell(number, state="failed", message=_words(error))
            work.wait_for_askers()
            raise
        if work.error:
            raise work.error
        work.warn_if_none()

    def _optimize_beside(self, function, work, catch):
        try:
            self._optimize_alone(function, work, catch)
        except BaseException as error:
            work.error = work.error or error

    def _optimize_alone(self, function, work, catch):
        while work.take():
            asked = _Asked()
            try:
                if not self._run_one(asked, function, work, catch):
                    return
            except Exception:
                raise
            except BaseException as error:  # Ctrl-C, which may strike between any two words
                self._disown(asked, error)
                raise

    def _run_one(self, asked, function, work, catch):
        """Asks, runs and tells one trial; returns whether another one may follow."""
        with work.asking():
            try:
                trial = asked.trial = self._ask(asked.ticket)
            except StudyOver as over:
                asked.is_over = True
                work.over = str(over)
                return False
            if not work.begin(trial):
                asked.is_over = True
                self.tell(trial, state="failed", message="nobody waits for it any more")
                return False
        try:
            result = function(trial)
        except BaseException as error:
            with work.asking():
                is_ours = work.leave(trial)
                if is_ours:
                    self.tell(trial, state="failed", message=_words(error))
            asked.is_over = True
            if not is_ours:
                return False
            if isinstance(error, tuple(catch) if not isinstance(catch, type) else catch):
                return True
            work.end()
            raise
        with work.asking():
            is_ours = work.leave(trial)
            if is_ours:
                self._tell_result(trial, result, work)
        asked.is_over = True
        return is_ours

    def _tell_result(self, trial, result, work):
        try:
            if isinstance(result, dict):
                self.tell(trial, metrics=result)
            elif isinstance(result, (tuple, list)):
                self.tell(trial, values=result)
            elif result is not None or not trial.should_stop:
                self.tell(trial, result)
        except (TypeError, ValueError, TrellisError) as error:
            self.tell(trial, state="failed", message=_words(error))
            work.end()
            raise

    def _disown(self, asked, error):
        """Fails the trial of an asking that was broken off, whatever is known of it: its ticket gives it again."""
        if asked.is_over:
            return
        with contextlib.suppress(StudyOver, TrellisError):  # its end may have been told
            self.tell(asked.trial or self._ask(asked.ticket), state="failed", message=_words(error))

    @property
    def trials(self):
        """All trials, in order."""
        return self._trials()

    @property
    def best_trials(self):
        """The complete trials that no other one beats in all metrics, by the first metric, the best first."""
        return self._trials("--front", "--sort", self.metrics[0]["name"])

    def _trials(self, *words):
        rows = json.loads(program.run("trials", self.folder, "--json", *words))
        return [FinishedTrial.from_json(row) for row in rows]

    @property
    def best_trial(self):
        """The best trial, of several metrics by the first: complete ones come before stopped ones, but of a sweep under
        way the one that leads counts, whatever it does."""
        best = json.loads(program.run("best", self.folder, "--json"))["trial"]
        return FinishedTrial.from_json(json.loads(program.run("show", self.folder, str(best), "--json")))

    @property
    def best_value(self):
        return self.best_trial.value

    @property
    def best_params(self):
        return self.best_trial.params

    def importances(self, metric=None):
        """How much each parameter sets the best tenth of the trials apart, {name: share}, the largest first; empty
        while nothing can be said. Of several metrics by the first, or by the one that is named."""
        names = [one["name"] for one in self.metrics]
        if metric not in (None, *names):
            raise TrellisError(f"there is no metric {metric!r}, expected one of {', '.join(names)}")
        said = program.run("importance", self.folder, "--json", may_be_nothing=True)
        shares = [row for row in json.loads(said) if row["metric"] == (metric or names[0])]
        return {row["parameter"]: row["share"] for row in sorted(shares, key=lambda row: -row["share"])}

    def trials_dataframe(self):
        """One row a trial, with the columns of `trellis export --format csv --times` and the params as `trials` has
        them; one that a trial lacks is missing. Needs pandas."""
        import io

        import pandas
        frame = pandas.read_csv(io.StringIO(program.run("export", self.folder, "--format", "csv", "--times")))
        params = {trial.number: trial.params for trial in self.trials}
        for column in frame.columns:
            if column.startswith("params."):
                values = [params[number].get(column[len("params."):]) for number in frame["trial"]]
                frame[column] = params_column(pandas, values)
        return frame


class _Asked:
    """One asking: its ticket, its trial once that is known, and whether nothing is left to tell."""

    def __init__(self):
        self.ticket = uuid.uuid4().hex
        self.trial = None
        self.is_over = False


class _Work:
    """How much of an `optimize` is left, for all its threads."""

    def __init__(self, trials, timeout):
        self._left = trials
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._lock = threading.Condition()
        self._running = set()
        self._askers = 0
        self._is_cut = False
        self._begun = 0
        self.error = None
        self.over = None  # why there are no more trials

    def take(self):
        with self._lock:
            if self._left == 0 or (self._deadline is not None and time.monotonic() >= self._deadline):
                return False
            if self._left is not None:
                self._left -= 1
            return True

    def end(self):
        """Nothing more begins."""
        with self._lock:
            self._left = 0

    @contextlib.contextmanager
    def asking(self):
        """Around an asking, up to the trial's beginning or its refusal, and around the telling of its end."""
        with self._lock:
            self._askers += 1
        try:
            yield
        finally:
            with self._lock:
                self._askers -= 1
                self._lock.notify_all()

    def wait_for_askers(self):
        """What they are given has to be told about, and what they tell be heard, before the process may end."""
        with self._lock:
            self._lock.wait_for(lambda: self._askers == 0, ASKING)

    def begin(self, trial):
        """Whether the trial, just asked for, is to be run."""
        with self._lock:
            self._running.add(trial.number)
            self._begun += 1
            return not self._is_cut

    def warn_if_none(self):
        """Whoever waits for results should hear why none come."""
        if self.over and self._begun == 0:
            warnings.warn(f"no trial was run, the study is over: {self.over}", stacklevel=3)

    def leave(self, trial):
        """Whether the trial is still its thread's to tell."""
        with self._lock:
            self._running.discard(trial.number)
            return not self._is_cut

    def cut(self):
        """Takes the trials that run, by number, away from their threads."""
        self.end()
        with self._lock:
            self._is_cut = True
            return sorted(self._running)


def params_column(pandas, values):
    """Of numbers with the type that pandas finds, else with the values as they are."""
    kinds = {type(value) for value in values if value is not None}
    return pandas.Series(values, dtype=None if kinds <= {int, float} else object)


def _point(params):
    """With the numbers of numpy as Python's."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in params.items()}


def _plain(value):
    """What numpy, ranges and sets hold, as JSON has it."""
    if hasattr(value, "tolist"):  # of an array a list, of its numbers a number
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    if isinstance(value, (set, frozenset)):  # whose own order is another one in each process
        return sorted(value, key=lambda one: (type(one).__name__, one))
    raise TrellisError(f"create_study: {value!r} is of type {type(value).__name__}, expected a bool, a number, a string, "
                       "a list or a dict")


def _words(error):
    return f"{type(error).__name__}: {error}"


def _numbers(metrics):
    numbers = {}
    for name, value in metrics.items():
        try:
            numbers[name] = keeper.to_json(value)
        except (TypeError, ValueError):
            raise ValueError(f"the metric {name} is {value!r}, expected a number") from None
    return numbers


def create_study(name, *, parameters, metric="value", goal=None, method=None, early_stop=None, trials=None,
                 seed=None, directory="runs", **more):
    """A study, or the one that is there if it was made from the same words. What is named here is what a study file
    says (docs/study-file.md): `parameters={"lr": {"min": 1e-4, "max": 0.1, "scale": "log"}}`, `method="tpe"`,
    `early_stop={"asha": {"min": 1}}`; `trials` is limits.trials, `more` any other key. `goal` is that of the one metric
    whose name is given, minimize if left out; several are a list: `metric=[{"name": "accuracy", "goal": "maximize"},
    {"name": "size", "goal": "minimize"}]`."""
    if isinstance(metric, str):
        metric = {"name": metric, "goal": goal or "minimize"}
    elif goal is not None:
        raise TrellisError("goal cannot be used with a list of metrics; give each of them its own goal")
    _require_values(parameters)
    file = {"name": name, "parameters": parameters, "metric": metric, **more}
    for key, value in (("method", method), ("early_stop", early_stop), ("seed", seed)):
        if value is not None:
            file[key] = value
    if trials is not None:
        file["limits"] = {**file.get("limits", {}), "trials": trials}
    with tempfile.TemporaryDirectory(prefix="trellis-") as folder:
        path = Path(folder) / "study.yaml"
        text = json.dumps(file, indent=1, default=_plain)
        path.write_text(text, encoding="utf-8")
        try:
            return _open(str(path), directory)
        except TrellisError as error:
            place = re.match(re.escape(str(path)) + r":(\d+):\d+: ", str(error))
            if not place:
                raise
            where = _argument(text.split("\n")[:int(place.group(1))])
            raise TrellisError(f"create_study{where}: {str(error)[place.end():]}") from None


def _require_values(parameters):
    """None, which JSON has and a study has not, is named here, where it can be said what it is."""
    for name, parameter in parameters.items() if isinstance(parameters, dict) else ():
        values = parameter.get("values") if isinstance(parameter, dict) else None
        for at, value in enumerate(values if isinstance(values, (list, tuple)) else ()):
            if value is None:
                raise TrellisError(f"create_study, parameters: {name}.values[{at}] is None, expected a bool, an int, a "
                                   "float or a string: write a string such as \"none\", and compare with that")


# Arguments that stand one level deeper in the file.
_NESTED = {("metric", "name"): "metric", ("metric", "goal"): "goal", ("limits", "trials"): "trials"}


def _argument(lines):
    """", ARGUMENT": the one of create_study that the last of these lines of its file comes from."""
    keys = [re.match(r'( +)"([^"]*)":', line) for line in lines]
    outer = max((at for at, key in enumerate(keys) if key and len(key.group(1)) == 1), default=None)
    if outer is None:
        return ""
    inner = [key.group(2) for key in keys[outer + 1:] if key and len(key.group(1)) == 2]
    name = keys[outer].group(2)
    return ", " + _NESTED.get((name, inner[-1] if inner else ""), name)


def load_study(run, *, directory="runs"):
    """The study of a study file, or one that is there, by its name or folder. What `trellis sweep` runs can be read, and
    refuses to be asked."""
    try:
        return _open(str(run), directory)
    except TrellisError as refusal:
        try:
            said = json.loads(program.run("keep", str(run), "--dir", str(directory), "--read"))
        except TrellisError:
            raise refusal from None
        if said["asked"]:
            raise
        unasked = f"trellis sweep runs the trials of {said['folder']}, so none of them can be asked for or told"
        return Study(str(run), os.path.abspath(said["folder"]), os.path.abspath(str(directory)), said["greeting"], unasked)


def _open(run, directory):
    folder = os.path.abspath(keeper.start_again(run, "--dir", str(directory)))
    if not os.path.isdir(folder):
        raise TrellisError(f"{folder} is not a folder")
    return Study(run, folder, os.path.abspath(str(directory)))
