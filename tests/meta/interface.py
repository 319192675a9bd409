#!/usr/bin/env python3
"""The interface that policies from shared libraries are compiled with: a change of one of its headers, remarks aside, needs the
next nn::kPolicyVersion, so that libraries of before are refused. Then TEXT is that of the new headers."""
import hashlib
import re

import house

VERSION_IN = "nn/adapt/plugin.h"
HEADERS = ("base/error.h", "base/kind.h", "nn/adapt/grid.h", "nn/adapt/policy.h", "nn/error.h", "nn/fields.h",
           "nn/model/shape.h", "nn/model/spec.h", "nn/reshape/operation.h", "nn/reshape/statistics.h", "nn/training/hyper.h",
           "nn/training/unit_norms.h")
VERSION, TEXT = 5, "2e8267150a0ae078"


def text_of(tree):
    """What the headers say, without remarks and blanks, as one word."""
    digest = hashlib.sha256()
    for path in HEADERS:
        code = re.sub(r"//[^\n]*", "", tree.text(path))
        digest.update("".join(code.split()).encode())
    return digest.hexdigest()[:16]


def check(tree, version=VERSION, text=TEXT):
    missing = [f"{path}: is no file, but part of the interface of policies" for path in HEADERS if path not in tree.paths]
    if missing:
        return missing
    said = re.search(r"kPolicyVersion = (\d+);", tree.text(VERSION_IN))
    now = (int(said[1]) if said else None, text_of(tree))
    if now == (version, text):
        return []
    if now[1] != text and now[0] == version:
        return [f"{VERSION_IN}: the headers of the interface changed, but not kPolicyVersion"]
    return [f"tests/meta/interface.py: expected VERSION, TEXT = {now[0]}, \"{now[1]}\""]


SAME = {path: "" for path in HEADERS} | {VERSION_IN: f"kPolicyVersion = {VERSION};"}
SAMPLES = [
    (SAME | {"nn/error.h": "int x;"}, ["the headers of the interface changed, but not kPolicyVersion"]),
    (SAME | {"nn/error.h": "int x;", VERSION_IN: f"kPolicyVersion = {VERSION + 1};"},
     [f"expected VERSION, TEXT = {VERSION + 1}"]),
    ({VERSION_IN: ""}, [f"{path}: is no file" for path in HEADERS]),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
