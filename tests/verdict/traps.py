"""Tables on which a study must not call its result the best without a word, and the same tables without the fault.

`write(name, honest, seed, folder)` writes table.csv and study.yaml into a folder. `TRAPS` says what has to be answered to each:
the place and the word, as docs/decisions/verdicts.md has them."""
import datetime
import math
import random

ROWS = 2000
WIDTH = 6

# name: (places that have to say the word, the word)
TRAPS = {
    "fraud": (("check", "notes"), "valid.auc"),
    "sales": (("check", "verdict"), "split: {time: date}"),
    "rare-class": (("check", "notes"), "valid.balanced_accuracy"),
    "copied-target": (("check", "verdict"), "gives the target away"),
    "repeated-rows": (("check", "verdict"), "in both the training part and the test part"),
    "tiny-test": (("verdict",), "too few"),
    "time-order": (("check", "verdict"), "split: {time: hour}"),
    "groups": (("check", "verdict"), "split: {group: patient}"),
    "noise": (("false",), "not better than always answering"),
    "only-trees": (("false",), "not better than gradient-boosted trees"),
}
WITHOUT_TWIN = ("noise",)


def features(chance, width=WIDTH):
    return [chance.gauss(0, 1) for _ in range(width)]


def signal(x):
    """A smooth function of mean 0 in directions that no axis has: easier for a network than for a tree."""
    a = (x[0] + x[1] - x[2]) / math.sqrt(3)
    b = (x[1] + x[2] + x[3]) / math.sqrt(3)
    c = (x[3] - x[4] + x[5]) / math.sqrt(3)
    return a * b + math.sin(2 * c)


def class_rows(chance, rows, shares):
    """Rows whose classes have these shares, by bands of the signal with a little noise."""
    drawn = [features(chance) for _ in range(rows)]
    noisy = [signal(x) + chance.gauss(0, 0.2) for x in drawn]
    order = sorted(range(rows), key=noisy.__getitem__)
    labels, begin = [""] * rows, 0
    for number, share in enumerate(shares):
        end = rows if number + 1 == len(shares) else begin + round(rows * share)
        for row in order[begin:end]:
            labels[row] = "abc"[number]
        begin = end
    return [(*(f"{v:.4f}" for v in x), label) for x, label in zip(drawn, labels)]


def names(*more):
    return [*(f"x{i}" for i in range(WIDTH)), *more]


def halves(chance, rows=ROWS):
    return class_rows(chance, rows, (0.5, 0.5))


def fraud(chance, honest):
    return names("fraud"), class_rows(chance, ROWS, (0.5, 0.5) if honest else (0.973, 0.027)), {}


def rare_class(chance, honest):
    """Three bands leave fewer rows each than two halves, so the table has more of them."""
    return names("kind"), class_rows(chance, 2 * ROWS, (1 / 3, 1 / 3) if honest else (0.55, 0.42, 0.03)), {}


def sales(chance, honest):
    rows, level = [], 0.0
    first = datetime.date(2020, 1, 1)
    for day in range(ROWS):
        x = features(chance)
        level += chance.gauss(0.01, 0.15)
        sold = signal(x) + chance.gauss(0, 0.1) + (0 if honest else level)
        date = [] if honest else [(first + datetime.timedelta(days=day)).isoformat()]
        rows.append((*date, *(f"{v:.4f}" for v in x), f"{100 + 10 * sold:.2f}"))
    chance.shuffle(rows)
    return [*([] if honest else ["date"]), *names("sold")], rows, {}


def copied_target(chance, honest):
    rows = halves(chance)
    if not honest:
        rows = [(*row[:-1], {"a": "approved", "b": "declined"}[row[-1]], row[-1]) for row in rows]
    return names(*([] if honest else ["letter"]), "class"), rows, {}


def repeated_rows(chance, honest):
    rows = halves(chance, ROWS if honest else ROWS // 2)
    if not honest:
        rows = rows * 2
        chance.shuffle(rows)
    return names("class"), rows, {}


def tiny_test(chance, honest):
    return names("class"), halves(chance), {} if honest else {"split": "{valid: 0.2, test: 0.006}"}


def time_order(chance, honest):
    rows, level = [], 0.0
    for hour in range(ROWS):
        x = features(chance)
        level = 0.995 * level + chance.gauss(0, 0.2)
        load = signal(x) + chance.gauss(0, 0.1) + (0 if honest else level)
        rows.append((*([] if honest else [str(hour)]), *(f"{v:.4f}" for v in x), f"{load:.4f}"))
    return [*([] if honest else ["hour"]), *names("load")], rows, {}


def groups(chance, honest):
    if honest:
        return names("sick"), halves(chance), {}
    rows = []
    for patient in chance.sample(range(10000, 99999), ROWS // 10):
        body, sick = features(chance), chance.random() < 0.5
        for _ in range(10):
            x = [v + chance.gauss(0, 0.1) for v in body]
            rows.append((f"P{patient}", *(f"{v:.4f}" for v in x), "ab"[sick]))
    chance.shuffle(rows)
    return ["patient", *names("sick")], rows, {}


def noise(chance, _):
    return names("class"), [(*row[:-1], chance.choice("ab")) for row in halves(chance)], {}


def only_trees(chance, honest):
    if honest:
        return names("class"), halves(chance), {}
    steps = [[chance.random() < 0.5 for _ in range(24)] for _ in range(2)]
    rows = []
    for _ in range(ROWS):
        x = [chance.random() for _ in range(WIDTH)]
        label = steps[x[4] > 0.5][int(24 * x[0])]
        rows.append((*(f"{v:.4f}" for v in x), "ab"[label]))
    return names("class"), rows, {}


MAKERS = {"fraud": fraud, "sales": sales, "rare-class": rare_class, "copied-target": copied_target,
          "repeated-rows": repeated_rows, "tiny-test": tiny_test, "time-order": time_order, "groups": groups,
          "noise": noise, "only-trees": only_trees}


def write(name, honest, seed, folder):
    """Writes the table and a study file of the fewest keys."""
    write_table(folder, *MAKERS[name](random.Random(f"{name} {seed}"), honest))


def write_table(folder, header, rows, keys):
    lines = [",".join(header), *(",".join(row) for row in rows)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="ascii")
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    (folder / "study.yaml").write_text(f"data: {{csv: table.csv, target: '{header[-1]}'{more}}}\n", encoding="ascii")
