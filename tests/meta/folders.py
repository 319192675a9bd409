#!/usr/bin/env python3
"""Folders: a README.md in each that holds source files (of the tests, in each part: the rest mirrors the code), each source
file named by a meson.build, each header used."""
import posixpath
import re

import house

INCLUDE = re.compile(r'#\s*include\s*"([^"]+)"')


def listed_by_meson(tree):
    """Paths of all source files that some meson.build names, relative to its folder."""
    named = set()
    for path in tree.paths:
        if posixpath.basename(path) == "meson.build":
            folder = posixpath.dirname(path)
            for name in re.findall(r"'([^'\n]+\.(?:cpp|cu|h))'", tree.text(path)):
                named.add(posixpath.normpath(posixpath.join(folder, name)))
    return named


def extracted(tree):
    """Sources whose objects some meson.build takes out of another's library, by name: (who, source). Such a folder may be one
    that few builds configure."""
    libraries = {name: posixpath.dirname(path) for path in tree.paths if posixpath.basename(path) == "meson.build"
                 for name in re.findall(r"^(\w+) = (?:static|shared)_library\(", tree.text(path), re.MULTILINE)}
    for path in tree.paths:
        if posixpath.basename(path) == "meson.build":
            for library, names in re.findall(r"(\w+)\.extract_objects\(([^)]*)\)", tree.text(path)):
                for name in re.findall(r"'([^']+)'", names):
                    yield path, posixpath.join(libraries.get(library, "?"), name)


def rooms(tree):
    """The folders that say what lives there."""
    for path in tree.paths:
        top, _, rest = path.partition("/")
        if top == "tests":
            if "/" in rest:
                yield posixpath.join(top, rest.split("/")[0])
        elif top in house.PRODUCT + ("bench", "examples", "tools") and path.endswith(house.CPP + (".py", ".sh")):
            yield posixpath.dirname(path)


def check(tree):
    problems = []
    sources = tree.cpp()
    for folder in sorted(set(rooms(tree))):
        if folder + "/README.md" not in tree.paths:
            problems.append(f"{folder}: no README.md (what lives here, what it may include, where to start)")
    for folder in house.CODE:
        if any(path.startswith(folder + "/") for path in sources) and folder + "/meson.build" not in tree.paths:
            problems.append(f"{folder}: no meson.build")
    problems += [f"{path}: {source} is no file" for path, source in extracted(tree) if source not in tree.paths]
    named = listed_by_meson(tree)
    included = {target for path in sources for target in INCLUDE.findall(tree.text(path))}
    for path in sources:
        if path.endswith((".cpp", ".cu")) and path not in named:
            problems.append(f"{path}: no meson.build names it, so nothing builds it")
        if path.endswith((".h", ".cuh")) and path not in included | named:
            problems.append(f"{path}: no file includes it")
    return problems


HOUSE = {"nn/README.md": "", "nn/meson.build": "files('a.cpp', 'x/b.cpp')", "nn/a.cpp": '#include "nn/a.h"\n', "nn/a.h": "",
         "nn/x/README.md": "", "nn/x/b.cpp": ""}
SAMPLES = [
    (HOUSE, []),
    ({**HOUSE, "nn/c.cpp": ""}, ["no meson.build names it"]),
    ({**HOUSE, "nn/c.h": ""}, ["no file includes it"]),
    ({path: text for path, text in HOUSE.items() if path != "nn/x/README.md"}, ["nn/x: no README.md"]),
    ({**HOUSE, "tests/nn/x/a.py": "", "bench/rivals/b.py": "", "bench/README.md": "", "tests/a.py": "", "docs/c.py": ""},
     ["tests/nn: no README.md", "bench/rivals: no README.md"]),
    ({**HOUSE, "nn/meson.build": "nn_lib = static_library('n', 'a.cpp', 'x/b.cpp')\n",
      "tests/fuzz/meson.build": "nn_lib.extract_objects('a.cpp', 'gone.cpp')", "tests/fuzz/README.md": ""},
     ["tests/fuzz/meson.build: nn/gone.cpp is no file"]),
    ({"nn/README.md": "", "nn/a.cpp": ""}, ["nn: no meson.build", "nothing builds it"]),
]

if __name__ == "__main__":
    house.run(check, SAMPLES)
