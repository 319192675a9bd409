#!/usr/bin/env python3
"""How many sources a change of a header compiles again, from the includes as they are written: the headers that change
often have a bar. Holds for a build with one source a unit, whatever this build is. A kind's own source in the header's folder
does not count: each has to include it."""
import os
import re

import house

# Header -> sources that may include it, directly or through others.
BARS = {"runtime/task.h": 46, "nn/layers/layer.h": 17}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def includes(tree, path):
    """The project's files that this one includes: from the root, or beside it."""
    known = set(tree.paths)
    for name in INCLUDE.findall(tree.text(path) or ""):
        for found in (name, os.path.normpath(os.path.join(os.path.dirname(path), name))):
            if found in known:
                yield found
                break


def check(tree):
    files = tree.cpp()
    direct = {path: set(includes(tree, path)) for path in files}
    problems = []
    for header, bar in BARS.items():
        reached, waiting = set(), [header]
        while waiting:
            now = waiting.pop()
            new = {path for path in files if now in direct[path]} - reached
            reached |= new
            waiting += new
        own = os.path.dirname(header)
        count = sum(path.endswith(".cpp") and os.path.dirname(path) != own for path in reached)
        if count > bar:
            problems.append(f"{header}: {count} sources include it, at most {bar}: see who includes it through another header")
    return problems


MANY = {f"nn/source{number}.cpp": '#include "nn/middle.h"\n' for number in range(31)}
SAMPLES = [
    ({"nn/layers/layer.h": "", "nn/middle.h": '#include "nn/layers/layer.h"\n', **MANY}, ["nn/layers/layer.h: 31 sources"]),
    ({"nn/layers/layer.h": "", "nn/middle.h": "", **MANY}, []),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
