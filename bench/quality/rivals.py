"""Optuna's and Rustuna's samplers, as their users call them: defaults, study.ask, suggest, study.tell."""
import importlib
import importlib.metadata
import warnings

SAMPLERS = {"tpe": "TPESampler", "gp": "GPSampler", "cmaes": "CmaEsSampler", "random": "RandomSampler", "qmc": "QMCSampler",
            "nsga2": "NSGAIISampler"}
NAMES = {"optuna-tpe", "optuna-gp", "optuna-cmaes", "optuna-random", "optuna-qmc", "rustuna-tpe"}


def version(name):
    return importlib.metadata.version(name.split("-")[0])


class Search:
    def __init__(self, name, problem, seed):
        library, sampler = name.split("-")
        warnings.simplefilter("ignore")
        module = importlib.import_module(library)
        if library == "optuna":
            module.logging.set_verbosity(module.logging.ERROR)
        if sampler == "gp":
            importlib.import_module("torch").set_num_threads(1)
        self.problem = problem
        self.study = module.create_study(sampler=getattr(module.samplers, SAMPLERS[sampler])(seed=seed),
                                         directions=["minimize"] * problem.metrics)

    def ask(self):
        trial, params = self.study.ask(), {}
        for parameter in self.problem.parameters:
            if parameter.exists(params):
                params[parameter.name] = suggested(trial, parameter)
        return trial.number, params

    def tell(self, token, loss):
        self.study.tell(token, loss)


def suggested(trial, parameter):
    if parameter.kind == "choice":
        return trial.suggest_categorical(parameter.name, list(parameter.choices))
    suggest = trial.suggest_int if parameter.kind == "int" else trial.suggest_float
    return suggest(parameter.name, parameter.low, parameter.high, log=parameter.log)
