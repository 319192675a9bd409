"""What policies lose and cost beside fixed networks, and the bars that they are held to."""
import math
import statistics

NEAR = 0.5  # points below the best fixed network that do not count when the smallest good one is looked for
FAILED = 1.0  # points below the best fixed network from which on a sweep is no price to compare with
FLOOR = 1e-12


def mean(values):
    return statistics.fmean(values)


def error(values):
    """The standard error of a mean; NaN of one value."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def pooled(lists):
    """The standard error of the mean of one of several lists, which are taken to scatter alike."""
    if min(len(one) for one in lists) < 2:
        return math.nan
    return math.sqrt(mean([statistics.variance(one) for one in lists]) / len(lists[0]))


def beyond(value, allowed):
    """What is left of a value without two standard errors; all of it where the error is not known."""
    return value if math.isnan(allowed) else value - 2 * allowed


def column(results, key):
    return [one[key] for one in results]


def best_of(fixed):
    """The size of the highest mean score; the one with the cheaper row of two equal ones."""
    return max(fixed, key=lambda size: (mean(column(fixed[size], "score")), -mean(column(fixed[size], "row"))))


def small_enough(fixed, best):
    """The size with the cheapest row of those that are within NEAR of the best."""
    least = mean(column(fixed[best], "score")) - NEAR
    return min((size for size in fixed if mean(column(fixed[size], "score")) >= least),
               key=lambda size: mean(column(fixed[size], "row")))


def row_of(ours, fixed, sweep, start):
    """One policy from one start on one task: `ours`, `sweep` and each value of `fixed` are results by seed."""
    best = best_of(fixed)
    small = small_enough(fixed, best)
    train, sweep_train = mean(column(ours, "train")), mean(column(sweep, "train"))
    top, swept = mean(column(fixed[best], "score")), mean(column(sweep, "score"))
    lost = [theirs - own for theirs, own in zip(column(fixed[best], "score"), column(ours, "score"))]
    alone = [theirs - own for theirs, own in zip(column(fixed[start], "score"), column(ours, "score"))]
    fair = max(sweep_train, mean(column(fixed[best], "train"))) if swept < top - FAILED else sweep_train
    return {"score": mean(column(ours, "score")), "best": best, "best_score": top, "sweep_score": swept,
            "lost": mean(lost), "error": error(lost), "losts": lost,
            "alone": mean(alone), "alone_error": error(alone), "alones": alone,
            "train": train, "cost": train / sweep_train, "fair_cost": train / fair,
            "row": mean(column(ours, "row")), "small": small,
            "row_ratio": mean(column(ours, "row")) / mean(column(fixed[small], "row"))}


def apart(rows):
    """(how far the starts of one task lie apart, the standard error of such a difference)."""
    scores = [row["score"] for row in rows]
    gaps = [[a - b for a, b in zip(one["losts"], other["losts"])] for i, one in enumerate(rows) for other in rows[:i]]
    return max(scores) - min(scores), pooled(gaps) if gaps else math.nan


def by_task(rows):
    tasks = {}
    for row in rows:
        tasks.setdefault(row["task"], []).append(row)
    return tasks


def bars(rows):
    """[(name, value, unit, bar, whether a smaller value is the better one)] over all tasks and starts of a policy."""
    tasks = by_task(rows)
    errors = {task: pooled([row["losts"] for row in own]) for task, own in tasks.items()}
    alone_errors = {task: pooled([row["alones"] for row in own]) for task, own in tasks.items()}
    gaps = [apart(own) for own in tasks.values()]
    ratios = [row["row_ratio"] for row in rows]
    return [
        ("lost, mean", mean([row["lost"] for row in rows]), "points", 0.3, True),
        ("lost, gains counted as 0", mean([max(0.0, row["lost"]) for row in rows]), "points", 0.5, True),
        ("lost, worst", max(row["lost"] for row in rows), "points", 1.5, True),
        ("lost, worst less two standard errors",
         max(beyond(row["lost"], errors[row["task"]]) for row in rows), "points", 1.5, True),
        ("starts apart, worst", max(gap for gap, _ in gaps), "points", 0.7, True),
        ("starts apart, worst less two standard errors", max(beyond(*gap) for gap in gaps), "points", 0.7, True),
        ("training over the sweep's, mean", mean([row["cost"] for row in rows]), "x", 0.4, True),
        ("the same, over the best network's own where the sweep failed",
         mean([row["fair_cost"] for row in rows]), "x", 0.4, True),
        ("one row over the smallest good network's, geometric mean",
         math.exp(mean([math.log(max(ratio, FLOOR)) for ratio in ratios])), "x", 0.8, True),
        ("the same, share of at most 1.5", mean([float(ratio <= 1.5) for ratio in ratios]), "", 0.85, False),
        ("the same, worst", max(ratios), "x", 4.0, True),
        ("below the start left alone, worst", max(row["alone"] for row in rows), "points", 0.5, True),
        ("below the start left alone, worst less two standard errors",
         max(beyond(row["alone"], alone_errors[row["task"]]) for row in rows), "points", 0.5, True),
    ]


def cases(method, rows):
    """The bars as cases, then what is lost on each task with twice its standard error."""
    out = []
    for name, value, unit, bar, small in bars(rows):
        ratio = None if value <= 0 else (bar / value if small else value / bar)
        out.append({"case": f"{method}: {name}", "ours": value, "unit": unit, "rival": "bar", "rival_value": bar, "ratio": ratio})
    for task, own in by_task(rows).items():
        half = 2 * pooled([row["losts"] for row in own]) / math.sqrt(len(own))
        out.append({"case": f"{method}: lost on {task}", "ours": mean([row["lost"] for row in own]), "unit": "points",
                    "rival": "best fixed network", "rival_value": 0.0, "ratio": None, "half": None if math.isnan(half) else half})
    return out
