#!/usr/bin/env python3
"""headers.py ROOT BUILD: every header compiles alone, with the options that its own folder's sources are built with."""
import concurrent.futures
import json
import os
import posixpath
import shlex
import shutil
import subprocess
import sys

import house

KEPT = ("-I", "-D", "-isystem", "-std=", "-f", "-m", "-W")


def options_by_folder(root, build):
    """Folder -> compile options of one of its sources (the last one that the build knows)."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    found = {}
    for command in commands:
        source = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
        if source.endswith(".cpp"):
            words = shlex.split(command["command"])
            found[posixpath.dirname(source)] = [word for word in words if word.startswith(KEPT)]
    return found


def options_for(header, by_folder):
    folder = posixpath.dirname(header)
    while folder and folder not in by_folder:
        folder = posixpath.dirname(folder)
    return by_folder.get(folder)


def compile_alone(root, build, header, options):
    """The compiler's first complaint about a file that includes nothing but this header, or None."""
    compiler = ([shutil.which("ccache")] if shutil.which("ccache") else []) + ["c++"]
    name = header.replace("/", "_")
    source = os.path.join(build, "meta-headers", name + ".cpp")
    text = f'#include "{header}"\n'
    if not os.path.exists(source):
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
    command = compiler + options + ["-O0", "-Werror", "-Wno-unused", f"-I{root}", "-c", source, "-o", source + ".o"]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.split("\n") if "error" in line]
    return f"{header}: does not compile alone: {errors[0] if errors else done.stderr.strip()}"


def check(root, build):
    by_folder = options_by_folder(root, build)
    headers = [path for path in house.Tree(root).cpp() if path.endswith(".h")]
    jobs = [(header, options_for(header, by_folder)) for header in headers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_alone(root, build, *job), [job for job in jobs if job[1] is not None])
    return [problem for problem in results if problem], sum(1 for job in jobs if job[1] is None), len(jobs)


def self_test():
    good = {"nn/a.h": "#pragma once\n#include <vector>\nstd::vector<int> f();\n", "nn/a.cpp": ""}
    bad = {**good, "nn/b.h": "#pragma once\nstd::vector<int> f();\n"}
    for files, expected in [(good, 0), (bad, 1)]:
        with house.sample_tree(files) as root, house.sample_tree({}) as build:
            command = {"directory": build, "file": os.path.join(root, "nn/a.cpp"), "command": "c++ -std=c++20 -c x"}
            with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as file:
                json.dump([command], file)
            problems, _, _ = check(root, build)
            if len(problems) != expected:
                sys.exit(f"the check is broken: {expected} problems expected, found {problems}")


if __name__ == "__main__":
    self_test()
    found, without_options, total = check(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    print("\n".join(found))
    print(f"{total} headers, {without_options} of a folder that is not built here, {len(found)} problems")
    sys.exit(1 if found else 0)
