#!/usr/bin/env python3
"""How a text file looks: no tabs, no trailing blanks, Unix line ends, one final newline, bounded lines, guarded headers."""
import re

import house

COLUMNS = {".h": 100, ".cpp": 100, ".cu": 100, ".cuh": 100, ".py": 130, ".sh": 120, "meson.build": 120}
# Inputs and expected outputs are bytes, whatever they look like; a make file would need its tabs.
DATA = re.compile(r"(^|/)data/|^tests/fuzz/corpus/|^tests/(config|cli)/.*\.(yaml|expect|csv|txt)$|\.(csv|tsv|svg|expect)$")


def width(path):
    return next((columns for end, columns in COLUMNS.items() if path.endswith(end)), None)


def check_text(path, text):
    problems = []
    if text and not text.endswith("\n"):
        problems.append(f"{path}: no newline at its end")
    if text.endswith("\n\n"):
        problems.append(f"{path}: blank lines at its end")
    if path.endswith((".h", ".cuh")) and "#pragma once" not in text:
        problems.append(f"{path}: no #pragma once")
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{path}:{number}"
        if "\r" in line:
            problems.append(f"{where}: carriage return")
        elif line != line.rstrip():
            problems.append(f"{where}: trailing blanks")
        if "\t" in line:
            problems.append(f"{where}: tab")
        limit = width(path)
        if limit and len(line) > limit:
            problems.append(f"{where}: {len(line)} columns, at most {limit}")
    return problems


def check(tree):
    problems = []
    for path in tree.paths:
        text = None if DATA.search(path) else tree.text(path)
        if text is not None:
            problems += check_text(path, text)
    return problems


SAMPLES = [
    ({"nn/a.cpp": "int a;"}, ["no newline"]),
    ({"nn/a.cpp": "int a;\n\n"}, ["blank lines"]),
    ({"nn/a.h": "int a;\n"}, ["pragma once"]),
    ({"nn/a.cpp": "int a; \nint\tb;\nint c;\r\n"}, [":1: trailing", ":2: tab", ":3: carriage"]),
    ({"nn/a.cpp": "// " + "x" * 98 + "\n", "README.md": "x" * 300 + "\n"}, ["101 columns"]),
    ({"experiments/data/a.csv": "1\t2 "}, []),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
