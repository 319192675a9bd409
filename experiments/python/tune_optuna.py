import optuna
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)


def accuracy(trial):
    model = SVC(C=trial.suggest_float("C", 0.1, 100.0, log=True),
                gamma=trial.suggest_float("gamma", 1e-5, 1e-1, log=True))
    return cross_val_score(model, X, y, cv=3).mean()


study = optuna.create_study(direction="maximize", storage="sqlite:///svm.db", study_name="svm", load_if_exists=True)
study.optimize(accuracy, n_trials=20)
print(study.best_value, study.best_params)
