#!/usr/bin/env python3
"""The layout of C++ files is clang-format 14's, with the settings at the root. Skipped (77) where it is not installed."""
import os
import shutil
import subprocess
import sys

import house

TOOL = "clang-format-14"


def check(tree):
    settings = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".clang-format")
    files = [path for path in tree.cpp() if not path.endswith(".cuh")]
    wrong = set()
    for start in range(0, len(files), 50):
        done = subprocess.run([TOOL, f"--style=file:{settings}", "--dry-run"] + files[start:start + 50],
                              cwd=tree.root, capture_output=True, text=True, check=False)
        wrong |= {line.split(":")[0] for line in done.stderr.split("\n") if "clang-format-violations" in line}
    return [f"{path}: not laid out by {TOOL}; run tools/format {path}" for path in sorted(wrong)]


SAMPLES = [
    ({"nn/a.cpp": "int f( int a ){return a;}\n"}, ["nn/a.cpp"]),
    ({"nn/a.cpp": "int f(int a) { return a; }\n"}, []),
]

if __name__ == "__main__":
    if not shutil.which(TOOL):
        print(f"{TOOL} is not installed")
        sys.exit(77)
    house.run(check, SAMPLES)
