"""Trials that nap, on the nodes of a cluster by Optuna: as many processes a node as slots, on PostgreSQL on head or on a
journal file in the shared folder.

usage: nodes_optuna.py head HEAD KIND | node HEAD SLOTS NAPS SECONDS TIMES KIND | search HEAD SLOTS NAPS SECONDS TIMES KIND
`search` makes the studies one after another and prints {"seconds": [...]}: from the first trial's start to the last one's end.
"""
import json
import os
import pathlib
import pwd
import subprocess
import sys
import time

import optuna
from optuna.study import MaxTrialsCallback
from optuna.trial import TrialState

PORT = 5432
SHARED = pathlib.Path("/srv/optuna")


def storage(head, kind):
    if kind == "postgresql":
        return optuna.storages.RDBStorage(f"postgresql+psycopg2://optuna:naps@{head}:{PORT}/optuna")
    from optuna.storages.journal import JournalFileBackend

    return optuna.storages.JournalStorage(JournalFileBackend(str(SHARED / "journal")))


def serve(head, kind):
    SHARED.mkdir(exist_ok=True)
    if kind == "journal":
        print("ready", flush=True)
        time.sleep(1e6)
    programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    user = pwd.getpwnam("postgres")
    data = pathlib.Path("/tmp/postgresql")
    data.mkdir()
    os.chown(data, user.pw_uid, user.pw_gid)

    def as_postgres(*words):
        return ["runuser", "-u", "postgres", "--", *map(str, words)]

    subprocess.run(as_postgres(programs / "initdb", "-D", data / "db", "--auth-host=trust"), check=True, stdout=sys.stderr)
    with open(data / "db/pg_hba.conf", "a", encoding="utf-8") as rules:
        rules.write("host all all 10.77.0.0/24 trust\n")
    server = subprocess.Popen(as_postgres(programs / "postgres", "-D", data / "db", "-h", head, "-p", PORT, "-k", data,
                                          "-c", "max_connections=200"), stdout=sys.stderr)
    psql = as_postgres(programs / "psql", "-h", data, "-p", PORT, "-c")
    while subprocess.run([*psql, "create user optuna superuser"], capture_output=True).returncode != 0:
        if server.poll() is not None:
            sys.exit("postgres ended")
        time.sleep(0.2)
    subprocess.run([*psql, "create database optuna owner optuna"], check=True, stdout=sys.stderr)
    print("ready", flush=True)
    server.wait()


def work(head, naps, nap, times, kind):
    """One process: takes part in each study from the moment at which it is there."""

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        time.sleep(nap)
        return x

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for turn in range(times):
        begin = SHARED / f"begin{turn}"
        (SHARED / f"there{turn}-{os.uname().nodename}-{os.getpid()}").touch()
        while not begin.exists():
            time.sleep(0.01)
        study = optuna.load_study(study_name=f"naps{turn}", storage=storage(head, kind), sampler=optuna.samplers.RandomSampler())
        study.optimize(objective, callbacks=[MaxTrialsCallback(naps, states=(TrialState.COMPLETE,))])
        (SHARED / f"done{turn}-{os.uname().nodename}-{os.getpid()}").touch()


def search(head, slots, times, kind, nodes=4):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = []
    for turn in range(times):
        study = optuna.create_study(study_name=f"naps{turn}", storage=storage(head, kind))
        for word in ("there", "done"):
            while len(list(SHARED.glob(f"{word}{turn}-*"))) < nodes * slots:
                time.sleep(0.01)
            (SHARED / f"begin{turn}").touch()
        trials = study.get_trials()
        ends = [trial.datetime_complete for trial in trials if trial.datetime_complete]
        found.append((max(ends) - min(trial.datetime_start for trial in trials)).total_seconds())
    print(json.dumps({"seconds": found}))


def main():
    verb, head, kind = sys.argv[1], sys.argv[2], sys.argv[-1]
    if verb == "head":
        serve(head, kind)
        return
    slots, naps, nap, times = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    if verb == "search":
        search(head, slots, times, kind)
    elif verb == "node":
        own = [subprocess.Popen([sys.executable, "-B", __file__, "work", *sys.argv[2:]]) for _ in range(slots)]
        sys.exit(max(process.wait() for process in own))
    else:
        work(head, naps, nap, times, kind)


if __name__ == "__main__":
    main()
