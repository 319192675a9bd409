"""All problems of the suite, by name."""
import fnmatch

import functions
import mixed
import tables


def chosen(patterns):
    """Problems in the suite's order. A pattern is a name, a family (function, mixed, table, conditional) or a wildcard."""
    every = functions.problems() + mixed.problems() + tables.problems()
    if not patterns:
        return every
    for pattern in patterns:
        if not any(matches(problem, pattern) for problem in every):
            raise ValueError(f"no problem is called '{pattern}': there are {', '.join(p.name for p in every)}")
    return [problem for problem in every if any(matches(problem, pattern) for pattern in patterns)]


def matches(problem, pattern):
    return problem.family == pattern or fnmatch.fnmatch(problem.name, pattern)
