"""Writes optuna_journal.log and optuna.db, a journal and a database with what they can have, and optuna_trials.json, what Optuna
itself reads out of both, for tests/hpo/import/optuna_test.cpp.

usage: python3 optuna_storage.py FOLDER        (needs optuna with sqlalchemy; what is stored came from 5.0.0)
"""

import contextlib
import json
import math
import sqlite3
import sys
from pathlib import Path

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

WORDS = ("plain", "$HOME", "a\\b\\", 'say "x"', "NaN, Infinity", None, True, 1, 0.5, "", "ü")


def objective(trial):
    word = trial.suggest_categorical("some.word", WORDS)
    trial.suggest_categorical("some word", [False, True])
    lr = trial.suggest_float("lr", 1e-5, 0.1, log=True)
    trial.suggest_float("drop", 0, 0.5, step=0.1)
    trial.suggest_int("width", 4, 64, step=4)
    trial.suggest_int("deep", 1, 256, log=True)
    trial.suggest_float("fixed", 2, 2)
    if word == "$HOME":
        trial.suggest_float("inner", 0, 1)
    if trial.number == 3:
        raise ValueError("no GPU")
    if trial.number == 4:
        return math.inf
    for step in range(3):
        trial.report(math.nan if trial.number == 5 and step == 1 else lr * (step + 1), step)
        if trial.number == 6 and step == 1:
            raise optuna.TrialPruned
    return lr * 3


def number(value):
    return value if value is None or math.isfinite(value) else repr(value)


def fill(storage):
    """The same studies and trials, whatever the storage."""
    gone = optuna.create_study(storage=storage, study_name="gone")
    gone.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    kept = optuna.create_study(storage=storage, study_name="kept", direction="maximize",
                               sampler=optuna.samplers.RandomSampler(seed=1))
    with contextlib.suppress(optuna.exceptions.DuplicatedStudyError):
        optuna.create_study(storage=storage, study_name="kept")
    optuna.delete_study(study_name="gone", storage=storage)
    kept = optuna.create_study(storage=storage, study_name="kept", direction="maximize", load_if_exists=True,
                               sampler=optuna.samplers.RandomSampler(seed=1))
    for word in ("$HOME", WORDS[2], WORDS[3], WORDS[4]):
        kept.enqueue_trial({"some.word": word})
    kept.optimize(objective, n_trials=14, catch=ValueError)
    kept.add_trial(optuna.trial.create_trial(
        params={"lr": 0.01, "some.word": "ü"}, value=0.25, intermediate_values={1: 0.125},
        distributions={"lr": FloatDistribution(1e-5, 0.1, log=True), "some.word": CategoricalDistribution(WORDS)}))
    kept.ask()
    other = optuna.create_study(storage=storage, study_name="other", directions=["minimize", "maximize"])
    other.set_metric_names(["loss", "speed"])
    other.optimize(lambda trial: (trial.suggest_float("x", 0, 1), math.inf), n_trials=2)


def read(storage):
    return [{"state": trial.state.name, "value": number(trial.value if trial.state.is_finished() else None),
             "params": trial.params, "reports": {str(k): number(v) for k, v in sorted(trial.intermediate_values.items())}}
            for trial in optuna.load_study(storage=storage, study_name="kept").trials]


def main():
    folder = Path(sys.argv[1])
    for name in ("optuna_journal.log", "optuna.db"):
        (folder / name).unlink(missing_ok=True)
    journal = JournalStorage(JournalFileBackend(str(folder / "optuna_journal.log")))
    database = RDBStorage(f"sqlite:///{folder / 'optuna.db'}")
    for storage in (journal, database):
        fill(storage)
    trials = read(journal)
    if read(database) != trials:
        sys.exit("the two storages differ")
    database.engine.dispose()
    with contextlib.closing(sqlite3.connect(folder / "optuna.db")) as small:
        small.execute("PRAGMA page_size = 512")
        small.execute("VACUUM")
    (folder / "optuna_trials.json").write_text(json.dumps(trials, indent=0) + "\n", encoding="utf-8")


main()
