#!/usr/bin/env python3
"""headers.py ROOT BUILD: every header compiles alone, with the options that its own folder's sources are built with.
The build has proved it for a header that some source includes before anything else; the others are tried here, and
again only when they, what they include of ours, or the options changed."""
import concurrent.futures
import hashlib
import json
import os
import posixpath
import re
import shlex
import subprocess
import sys

import house

KEPT = ("-I", "-D", "-isystem", "-std=", "-f", "-m", "-W")
INCLUDE = re.compile(r'#\s*include\s*"([^"]+)"')
FIRST_INCLUDE = re.compile(r'#\s*include\s*(["<])([^">]+)')


def built_sources(root, build):
    """Source -> compile options, for all C++ files that the build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    found = {}
    for command in commands:
        source = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
        if source.endswith(".cpp"):
            found[source] = [word for word in shlex.split(command["command"]) if word.startswith(KEPT)]
    return found


def first_includes(tree, sources):
    """The headers of ours that one of these sources includes first."""
    matches = [FIRST_INCLUDE.search(tree.text(source)) for source in sources if source in tree.paths]
    return {match.group(2) for match in matches if match and match.group(1) == '"'}


def options_for(header, by_folder):
    folder = posixpath.dirname(header)
    while folder and folder not in by_folder:
        folder = posixpath.dirname(folder)
    return by_folder.get(folder)


def included(tree, paths):
    """These files of ours and all that they include of ours."""
    waiting, seen = list(paths), set()
    while waiting:
        path = waiting.pop()
        if path not in seen and path in tree.paths:
            seen.add(path)
            waiting += INCLUDE.findall(tree.text(path))
    return seen


def fingerprint(tree, header, options):
    """A hash over the options and the text of the header and of all that it includes of ours."""
    hashed = hashlib.sha256(" ".join(options).encode())
    for path in sorted(included(tree, [header])):
        hashed.update(tree.text(path).encode())
    return hashed.hexdigest()


def compile_alone(root, build, header, options):
    """The compiler's first complaint about a file that includes nothing but this header, or None."""
    command = ["c++"] + options + ["-fsyntax-only", "-fdiagnostics-color=never", "-Werror", "-Wno-unused",
               f"-I{root}", "-x", "c++", "-"]
    done = subprocess.run(command, cwd=build, input=f'#include "{header}"\n', capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.split("\n") if "error" in line]
    return f"{header}: does not compile alone: {errors[0] if errors else done.stderr.strip()}"


def check(root, build):
    tree = house.Tree(root)
    sources = built_sources(root, build)
    by_folder = {posixpath.dirname(source): options for source, options in sources.items()}
    proved = first_includes(tree, sources)
    headers = [path for path in tree.cpp() if path.endswith(".h") and path not in proved]
    elsewhere = included(tree, [path for path in tree.cpp() if not path.endswith(".h")]) - included(tree, sources)
    jobs = [(header, options) for header in headers
            if header not in elsewhere and (options := options_for(header, by_folder)) is not None]
    prints = {header: fingerprint(tree, header, options) for header, options in jobs}
    memory = os.path.join(build, "meta-headers.json")
    passed = {}
    if os.path.exists(memory):
        with open(memory, encoding="utf-8") as file:
            passed = json.load(file)
    jobs = [job for job in jobs if passed.get(job[0]) != prints[job[0]]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip([job[0] for job in jobs], pool.map(lambda job: compile_alone(root, build, *job), jobs)))
    with open(memory, "w", encoding="utf-8") as file:
        json.dump({header: mark for header, mark in prints.items() if results.get(header) is None}, file)
    return [problem for problem in results.values() if problem], len(headers) - len(prints), len(headers)


def self_test():
    broken = "#pragma once\nstd::vector<int> f();\n"
    good = {"nn/a.h": "#pragma once\n#include <vector>\nstd::vector<int> f();\n", "nn/b.h": broken,
            "nn/d.h": broken, "nn/d.cpp": '#include "nn/d.h"\n',
            "nn/a.cpp": '// A source.\n#include "nn/b.h"\n#include "nn/a.h"\n'}
    bad = {**good, "nn/c.h": broken, "nn/a.cpp": '#include "nn/b.h"\n#include "nn/c.h"\n'}
    for files, expected in [(good, 0), (bad, 1)]:
        with house.sample_tree(files) as root, house.sample_tree({}) as build:
            command = {"directory": build, "file": os.path.join(root, "nn/a.cpp"), "command": "c++ -std=c++20 -c x"}
            with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as file:
                json.dump([command], file)
            for _ in range(2):
                problems, _, _ = check(root, build)
                if len(problems) != expected:
                    sys.exit(f"the check is broken: {expected} problems expected, found {problems}")


if __name__ == "__main__":
    self_test()
    found, without_options, total = check(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    print("\n".join(found))
    print(f"{total} headers that no source includes first, {without_options} of a folder or a source that is not built here")
    print(f"{len(found)} problems")
    sys.exit(1 if found else 0)
