"""Writes metrics.json: outputs of made-up networks with what scikit-learn says of them, for tests/nn/metrics_test.cpp.

usage: python3 metrics.py > metrics.json        (needs numpy and scikit-learn; the numbers that are stored came from 1.9.0)

Cases of classes: two and more of them, balanced and not, ties between outputs, a class that never occurs, one that is never
given. Cases of numbers: one and several outputs, a unit, a constant target.
"""

import json
import sys

import numpy as np
from sklearn import metrics


def softmax(outputs):
    shifted = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def area(labels, shares, classes):
    """Of more than two classes the mean over those that have rows on both sides."""
    if classes == 2:
        return metrics.roc_auc_score(labels, shares[:, 1])
    present = [c for c in range(classes) if 0 < (labels == c).sum() < len(labels)]
    return float(np.mean([metrics.roc_auc_score(labels == c, shares[:, c]) for c in present]))


def classes_case(name, labels, outputs):
    labels, outputs = np.asarray(labels), np.asarray(outputs, dtype=np.float32)
    given = outputs.argmax(axis=1)
    shares = softmax(outputs.astype(np.float64))
    expected = {
        "accuracy": metrics.accuracy_score(labels, given),
        "balanced_accuracy": float(np.mean([metrics.recall_score(labels == c, given == c) for c in np.unique(labels)])),
        "f1": metrics.f1_score(labels, given, average="macro"),
        "auc": area(labels, shares, outputs.shape[1]),
    }
    return {"name": name, "width": outputs.shape[1], "outputs": outputs.ravel().tolist(), "labels": labels.tolist(),
            "expected": {key: float(value) for key, value in expected.items()}}


def numbers_case(name, targets, outputs, unit):
    targets, outputs = np.asarray(targets, dtype=np.float32), np.asarray(outputs, dtype=np.float32)
    truth, given = targets.astype(np.float64) * unit, outputs.astype(np.float64) * unit
    constant = bool((targets == targets[0]).all())
    expected = {
        "mse": metrics.mean_squared_error(truth, given),
        "rmse": metrics.root_mean_squared_error(truth, given),
        "mae": metrics.mean_absolute_error(truth, given),
        "r2": 0.0 if constant else metrics.r2_score(truth, given),
    }
    return {"name": name, "width": targets.shape[1], "outputs": outputs.ravel().tolist(), "targets": targets.ravel().tolist(),
            "unit": unit, "expected": {key: float(value) for key, value in expected.items()}}


def main():
    chance = np.random.default_rng(5)

    def rounded(*shape):
        return np.round(chance.normal(size=shape), 2)

    cases = []
    for classes in (2, 3, 7):
        labels = chance.integers(classes, size=60)
        cases.append(classes_case(f"{classes} classes", labels, rounded(60, classes) + 0.8 * np.eye(classes)[labels]))
    rare = (np.arange(80) % 20 == 0).astype(int)
    cases.append(classes_case("a rare class", rare, rounded(80, 2) + [[1.0, 0.0]] + 1.5 * np.eye(2)[rare]))
    cases.append(classes_case("ties", chance.integers(2, size=50), np.round(chance.normal(size=(50, 2)))))
    never = chance.integers(3, size=40)
    cases.append(classes_case("a class that never occurs", never, rounded(40, 4)))
    cases.append(classes_case("a class that is never given", never, rounded(40, 3) - [[9.0, 0.0, 0.0]]))
    cases.append(classes_case("all right", np.arange(6) % 3, 5 * np.eye(3)[np.arange(6) % 3]))
    cases.append(classes_case("far apart", np.arange(6) % 2, 300 * rounded(6, 2)))
    truth = rounded(50, 1)
    cases.append(numbers_case("numbers", truth, truth + 0.3 * rounded(50, 1), 1.0))
    cases.append(numbers_case("in a unit", truth, truth + 0.3 * rounded(50, 1), 1234.5))
    several = rounded(30, 3)
    cases.append(numbers_case("several outputs", several, 0.5 * several + rounded(30, 3), 2.0))
    cases.append(numbers_case("a constant target", np.full((10, 1), 0.25), rounded(10, 1), 3.0))
    json.dump(cases, sys.stdout, indent=None)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
