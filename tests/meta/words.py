#!/usr/bin/env python3
"""Words that must not land: work left open, tests switched off, one machine's paths, unsafe compiler options."""
import re

import house

# Written in two halves, so that this file passes its own check.
MARKERS = ["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"]
FORBIDDEN = [
    (re.compile(r"\b(" + "|".join(MARKERS) + r")\b"), "an open end; finish it or open an issue"),
    (re.compile(r"\bDISABLED_" r"\w+"), "a test that is switched off"),
    (re.compile(r"GTEST_SKIP\(\)\s*" r";"), "a skip without its reason; skip only where a device or tool is missing, and say so"),
    (re.compile("/(wo" r"rk|ro" r"ot|ho" r"me/\w+)/"), "a path of one machine"),
    (re.compile(r"-f" "fast-math|-O" "fast"), "arithmetic that differs between machines"),
    (re.compile("index-" r"url|artifact" r"ory|\.pkg\.dev"), "a package registry of one place"),
]
NAMESPACE = re.compile(r"^\s*using " r"namespace\b", re.MULTILINE)
COMMENTED_CODE = re.compile(r"^\s*//\s*(\w[\w:<>, ]* )?[\w.:>-]+(\(.*\)| = [^;\n]*);\s*$", re.MULTILINE)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check(tree):
    problems = []
    for path in tree.paths:
        text = tree.text(path)
        if text is None:
            continue
        for pattern, why in FORBIDDEN:
            for match in pattern.finditer(text):
                problems.append(f"{path}:{line_of(text, match.start())}: '{match.group().strip()}' is {why}")
        if path.endswith((".h", ".cuh")):
            for match in NAMESPACE.finditer(text):
                problems.append(f"{path}:{line_of(text, match.start())}: a header opens a namespace for all who include it")
        if path.endswith(".cpp"):
            for match in COMMENTED_CODE.finditer(text):
                problems.append(f"{path}:{line_of(text, match.start())}: commented-out code: {match.group().strip()}")
    return problems


SAMPLES = [
    ({"nn/a.cpp": f"// {MARKERS[0]}: later\n", "nn/b.cpp": "int todo_list;\n"}, ["open end"]),
    ({"tests/nn/a.cpp": "TEST(A, DISABLED_" "b) {}\n"}, ["switched off"]),
    ({"tests/nn/a.cpp": 'GTEST_SKIP()' ';\nGTEST_SKIP() << "no GPU";\n'}, ["skip without"]),
    ({"README.md": "see /wo" "rk/main/x and /ro" "ot/x\n"}, ["/wo" "rk/", "/ro" "ot/"]),
    ({"meson.build": "'-f" "fast-math'\n"}, ["differs between machines"]),
    ({"nn/a.h": "using " "namespace std;\n", "nn/a.cpp": "using " "namespace std;\n"}, ["opens a namespace"]),
    ({"nn/a.cpp": "  // net.train(3);\n// a sentence ends here; and goes on.\n"}, ["commented-out"]),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
