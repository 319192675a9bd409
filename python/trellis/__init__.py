"""Trellis from Python: studies whose trials run here, and scripts that a study's `command` starts.

    study = trellis.create_study("digits", parameters={"lr": {"min": 1e-4, "max": 0.1, "scale": "log"}},
                                 metric="accuracy", goal="maximize")
    study.optimize(lambda trial: train(**trial.params), trials=50)
    print(study.best_trial)

The search itself lives in the program `trellis`, which this package starts where it needs it.
"""
from . import program
from .errors import StudyOver, TrellisError
from .figure import Figure, Page
from .hosted import Nodes, agent, nodes
from .inside import params, report
from .reading import StoredStudy, read_study
from .study import FinishedTrial, Study, Trial, create_study, load_study

__all__ = ["Figure", "FinishedTrial", "Nodes", "Page", "StoredStudy", "Study", "StudyOver", "Trial", "TrellisError",
           "agent", "create_study", "load_study", "nodes", "params", "program", "read_study", "report"]
__version__ = "0.1.0"
