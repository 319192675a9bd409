#!/usr/bin/env python3
"""The programs of docs/runtime.md, built against an installed runtime as the page says, print what the page says.

usage: page.py BUILD PREFIX LIBDIR COMPILER ROOT

A block of C++, CMake or shell whose first line is a comment with a file's name is that file. The `text` blocks behind a program
are what its runs print, one after another.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?://|#) ([\w.]+\.(?:cpp|txt))\n")
PROGRAMS = {"program.cpp", "vectors.cpp", "failure.cpp", "groups.cpp", "trials.cpp"}


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def parts(page):
    """(files by name, the printed texts of each program, shell blocks)."""
    files, printed, shells, last = {}, {}, [], None
    for language, text in FENCE.findall(page):
        name = NAME.match(text)
        if name:
            assert name[1] not in files, f"two blocks are called {name[1]}"
            files[name[1]] = text
        if language == "cpp":
            last = name[1] if name else None
        elif language == "text" and last and not text.startswith("error: "):
            printed.setdefault(last, []).append(text)
        elif language == "sh":
            shells.append(text)
    return files, printed, shells


def shell_that(shells, word):
    found = [text for text in shells if word in text]
    assert len(found) == 1, f"blocks of shell with {word}: {len(found)}"
    return found[0]


class Place:
    """An installed runtime whose prefix is ~/trellis of the page."""

    def __init__(self, folder, build, prefix, libdir, compiler):
        run("meson", "install", "-C", build, "--destdir", str(folder / "image"), "--no-rebuild", "--tags", "library,devel")
        self.home, self.compiler = folder, compiler
        installed = pathlib.Path(f"{folder}/image{prefix}")
        installed.rename(folder / "trellis")
        self.libdir = libdir
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("TRELLIS_PLUGIN_DIR", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
        self.environment.update(HOME=str(folder), CXX=compiler)
        self.environment.setdefault("XDG_CACHE_HOME", str(folder / "cache"))

    def shell(self, text, folder):
        """Runs a block of the page."""
        text = text.replace("/lib/pkgconfig", f"/{self.libdir}/pkgconfig").replace("c++ ", self.compiler + " ", 1)
        return run("sh", "-euc", text, cwd=folder, env=self.environment)


def expect(what, printed, expected):
    assert printed == expected, f"{what} prints\n{printed}the page says\n{expected}"


def main():
    build, prefix, libdir, compiler, root = sys.argv[1:]
    files, printed, shells = parts((pathlib.Path(root) / "docs" / "runtime.md").read_text(encoding="utf-8"))
    assert files.keys() - {"CMakeLists.txt"} == PROGRAMS, files.keys()
    with tempfile.TemporaryDirectory(prefix="trellis-page-") as name:
        folder = pathlib.Path(name)
        place = Place(folder, build, prefix, libdir, compiler)
        by_hand = shell_that(shells, "pkg-config")
        for program in sorted(PROGRAMS):
            own = folder / program.removesuffix(".cpp")
            own.mkdir()
            (own / program).write_text(files[program])
            block = by_hand.replace("program", own.name)
            expect(program, place.shell(block, own), printed[program][0])
            for again in printed[program][1:]:
                expect(program, run(own / own.name, cwd=own, env=place.environment), again)
        print(f"{len(PROGRAMS)} programs with pkg-config")
        if shutil.which("cmake") is None:
            print("skipped: cmake is not installed, so nothing is known of the package for it")
            sys.exit(77)
        own = folder / "cmake"
        own.mkdir()
        for file in ("program.cpp", "CMakeLists.txt"):
            (own / file).write_text(files[file])
        said = place.shell(shell_that(shells, "cmake -S"), own)
        assert said.endswith("\n" + printed["program.cpp"][0]), said
        print("one with CMake")


if __name__ == "__main__":
    main()
