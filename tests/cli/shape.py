"""Prints the shape of the JSON on stdin: one line a field, `path: types`, in the order of its first appearance.

Elements of a list share the path `[]`; a field that has several types over them has them all: `[].value: null|number`. A list
without elements is `list`, an object without fields `object`.
"""

import json
import sys

NAMES = {type(None): "null", bool: "bool", int: "number", float: "number", str: "text", list: "list", dict: "object"}


def walk(value, path, found):
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            walk(inner, f"{path}.{name}" if path else name, found)
    elif isinstance(value, list) and value:
        for inner in value:
            walk(inner, path + "[]", found)
    else:
        found.setdefault(path, set()).add(NAMES[type(value)])


def main():
    found = {}
    walk(json.load(sys.stdin), "", found)
    for path, types in found.items():
        print(f"{path}: {'|'.join(sorted(types))}")


if __name__ == "__main__":
    main()
