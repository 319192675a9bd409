import trellis
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)


def accuracy(trial):
    model = SVC(C=trial.params["C"], gamma=trial.params["gamma"])
    return cross_val_score(model, X, y, cv=3).mean()


study = trellis.create_study("svm", metric="accuracy", goal="maximize", parameters={
    "C": {"min": 0.1, "max": 100.0, "scale": "log"},
    "gamma": {"min": 1e-5, "max": 1e-1, "scale": "log"}})
study.optimize(accuracy, trials=20)
print(study.best_value, study.best_params)
