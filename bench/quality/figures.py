"""Means, ratios and paired intervals of regrets."""
import math
import statistics

FLOOR = 1e-3  # of a regret in a geometric mean: below it problems count as solved

# Student's t, 97.5%, by degrees of freedom.
T = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09)


def mean(table, checkpoint):
    """`table`: {problem: [regrets at the checkpoints, of each seed]}. Problems weigh the same."""
    return statistics.mean(by_problem(table, checkpoint).values())


def geometric(table, checkpoint):
    return math.exp(statistics.mean(math.log(max(FLOOR, value)) for value in by_problem(table, checkpoint).values()))


def by_problem(table, checkpoint):
    return {problem: statistics.mean(seed[checkpoint] for seed in seeds) for problem, seeds in table.items()}


def shared(a, b, checkpoint):
    """Both tables over the problems and seeds that both have."""
    def cut(table, problem):
        count = min(len(a[problem]), len(b[problem]))
        return [seed for seed in table[problem][:count] if seed[checkpoint] is not None]
    common = [problem for problem in a if problem in b and cut(a, problem) and cut(b, problem)]
    return tuple({problem: cut(table, problem) for problem in common} for table in (a, b))


def paired(a, b, checkpoint):
    """(mean of a - b over the suite, half of its 95% interval over seeds)."""
    count = min(len(seeds) for seeds in a.values())
    gaps = [statistics.mean(a[problem][seed][checkpoint] - b[problem][seed][checkpoint] for problem in a)
            for seed in range(count)]
    if count < 2:
        return gaps[0], math.inf
    t = T[count - 2] if count - 2 < len(T) else 1.96 + 2.5 / count
    return statistics.mean(gaps), t * statistics.stdev(gaps) / math.sqrt(count)


def compared(name, ours, rival_name, theirs, checkpoint, trials):
    """A figure of `ours` beside a rival's on what both played; ratio above 1: ours is better."""
    a, b = shared(ours, theirs, checkpoint)
    if not a:
        return []
    gap, half = paired(a, b, checkpoint)
    unit = "mean normalised regret"
    cases = [{"case": f"{name}/{trials}", "ours": mean(a, checkpoint), "unit": unit, "rival": rival_name,
              "rival_value": mean(b, checkpoint), "gap": gap, "half": half}]
    cases.append({"case": f"{name}/{trials}, geometric mean", "ours": geometric(a, checkpoint), "unit": unit, "rival": rival_name,
                  "rival_value": geometric(b, checkpoint)})
    for case in cases:
        case["ratio"] = case["rival_value"] / case["ours"] if case["ours"] > 0 else math.inf
    return cases
