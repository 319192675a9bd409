"""Studies read from their files alone: neither the program nor whoever drives the study has to run, or to be there."""
import contextlib
import json
import sqlite3
from pathlib import Path
from urllib.parse import quote

from .errors import TrellisError
from .figure import Shown
from .keeper import from_json
from .study import FinishedTrial, params_column

APPLICATION = 0x5472656C  # in the header of the SQLite file: who made it
FORMATS = (1, 2)


class StoredStudy(Shown):
    """A study as its log has it now. Each property reads the log anew. A trial whose driver died is still `running`."""

    def __init__(self, folder):
        self.folder = str(folder)
        self._file = Path(folder, "study.db")
        if not self._file.is_file():
            raise TrellisError(f"{self.folder} is not the folder of a study: it has no study.db")
        with self._open() as log:
            self._check(log)
            facts = dict(log.execute("select key, value from study"))
        self.name = facts["name"]
        others = json.loads(facts.get("other_metrics", "[]"))
        self.metrics = [{"name": facts["metric"], "goal": facts["goal"]}]
        self.metrics += [{"name": one["name"], "goal": one["goal"]} for one in others]
        self.parameters = json.loads(facts["parameters"])
        self.resolved = facts["resolved"]

    @contextlib.contextmanager
    def _open(self):
        place = f"file:{quote(str(self._file.resolve()))}?mode=ro"
        log = sqlite3.connect(place, uri=True)
        try:
            try:
                log.execute("select 1 from sqlite_master").fetchone()
            except sqlite3.OperationalError:
                # In a folder that nobody may write a log without a journal beside it is complete.
                if Path(f"{self._file}-wal").exists():
                    raise
                log.close()
                log = sqlite3.connect(f"{place}&immutable=1", uri=True)
            yield log
        except sqlite3.Error as error:
            raise TrellisError(f"{self._file}: {error}") from error
        finally:
            log.close()

    def _check(self, log):
        if log.execute("pragma application_id").fetchone()[0] != APPLICATION:
            raise TrellisError(f"{self._file} is a database of another program")
        found = log.execute("pragma user_version").fetchone()[0]
        if found not in FORMATS:
            raise TrellisError(f"{self._file} has format {found}, expected one of {', '.join(map(str, FORMATS))}: "
                               "use the package of the Trellis that wrote it")

    def _rows(self):
        with self._open() as log:
            return log.execute("select trial, state, cause, value, params, metrics, step, epochs, parent, attempts, seconds "
                               "from trials order by trial").fetchall()

    @property
    def trials(self):
        """All trials, in order."""
        return [FinishedTrial(number=number, state=state, cause=cause or None, value=from_json(value),
                              params=json.loads(params), metrics=_numbers(metrics), step=step, seconds=seconds)
                for number, state, cause, value, params, metrics, step, _, _, _, seconds in self._rows()]

    def trials_table(self):
        """The trials as columns, {name: list}: those of `trellis export --format csv --times` but for `violation` and
        `front`. What a trial lacks is None."""
        rows = self._rows()
        params = [json.loads(row[4]) for row in rows]
        metrics = [_numbers(row[5]) for row in rows]
        table = {"trial": [row[0] for row in rows], "state": [row[1] for row in rows],
                 "cause": [row[2] or None for row in rows], "value": [from_json(row[3]) for row in rows]}
        for name in self.parameters:
            table[f"params.{name}"] = [one.get(name) for one in params]
        for name in sorted({name for one in metrics for name in one}):
            table[f"metrics.{name}"] = [one.get(name) for one in metrics]
        for at, name in enumerate(("step", "epochs", "parent", "attempts", "seconds"), 6):
            table[name] = [row[at] for row in rows]
        return table

    def trials_dataframe(self):
        """trials_table() as a data frame. Needs pandas."""
        import pandas
        table = self.trials_table()
        return pandas.DataFrame({name: params_column(pandas, values) if name.startswith("params.") else values
                                 for name, values in table.items()})

    def curves(self):
        """What each trial reported of the first metric: {number: [(step, value), ...]}."""
        curves = {}
        with self._open() as log:
            for number, step, value in log.execute("select trial, step, value from reports order by trial, step"):
                curves.setdefault(number, []).append((step, from_json(value)))
        return curves

    def __repr__(self):
        return f"StoredStudy({self.folder!r})"


def read_study(run, *, directory="runs"):
    """The study in a folder, or of a name under `directory`, read from its files alone. What it has can be read, not
    asked or told."""
    for folder in (Path(directory, run), Path(run)):
        if Path(folder, "study.db").is_file():
            return StoredStudy(folder)
    raise TrellisError(f"there is no study {str(run)!r}: neither {Path(directory, run)} nor {Path(run)} has a study.db")


def _numbers(text):
    return {name: from_json(value) for name, value in json.loads(text).items()}
