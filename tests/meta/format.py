#!/usr/bin/env python3
"""The layout of C++ files is clang-format 14's, with the settings at the root. Skipped (77) where it is not installed."""
import os
import shutil
import subprocess
import sys

import house

TOOL = "clang-format-14"


def laid_out(path, settings, root):
    return subprocess.run([TOOL, f"--style=file:{settings}", path], cwd=root, capture_output=True, text=True, check=True).stdout


def check(tree):
    settings = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".clang-format")
    files = [path for path in tree.cpp() if not path.endswith(".cuh")]
    wrong = set()
    for start in range(0, len(files), 50):
        done = subprocess.run([TOOL, f"--style=file:{settings}", "--dry-run"] + files[start:start + 50],
                              cwd=tree.root, capture_output=True, text=True, check=False)
        wrong |= {line.split(":")[0] for line in done.stderr.split("\n") if "clang-format-violations" in line}
    # It also names the closing comment of `namespace a::inline b`, for which it then writes the same text.
    wrong = {path for path in wrong if laid_out(path, settings, tree.root) != tree.text(path)}
    return [f"{path}: not laid out by {TOOL}; run tools/format {path}" for path in sorted(wrong)]


SAMPLES = [
    ({"nn/a.cpp": "int f( int a ){return a;}\n"}, ["nn/a.cpp"]),
    ({"nn/a.cpp": "int f(int a) { return a; }\n"}, []),
    ({"nn/a.cpp": "namespace a::inline b {\nint x;\n}  // namespace a::inline b\n"}, []),
]

if __name__ == "__main__":
    if not shutil.which(TOOL):
        print(f"{TOOL} is not installed")
        sys.exit(77)
    house.run(check, SAMPLES)
