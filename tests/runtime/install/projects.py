#!/usr/bin/env python3
"""The project of PROGRAM (examples/project), copied out of the source tree, builds against an installed runtime with make and
pkg-config and with CMake, and prints the right answer.

usage: projects.py BUILD PREFIX LIBDIR COMPILER PROGRAM
"""
import pathlib
import shutil
import sys
import tempfile

from page import Place, expect, run

ANSWER = "3.141592654\n"


def main():
    build, prefix, libdir, compiler, program = sys.argv[1:]
    project = pathlib.Path(program).parent
    with tempfile.TemporaryDirectory(prefix="trellis-project-") as name:
        folder = pathlib.Path(name)
        place = Place(folder, build, prefix, libdir, compiler)
        made = folder / "with-make"
        shutil.copytree(project, made)
        packages = {"PKG_CONFIG_PATH": str(folder / "trellis" / libdir / "pkgconfig")}
        run("make", cwd=made, env={**place.environment, **packages})
        expect("the project with make", run(made / "pi", cwd=made, env=place.environment), ANSWER)
        if shutil.which("cmake") is None:
            print("one with make; skipped: cmake is not installed, so nothing is known of the package for it")
            sys.exit(77)
        own = folder / "with-cmake"
        shutil.copytree(project, own)
        run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={folder}/trellis", cwd=own, env=place.environment)
        run("cmake", "--build", "build", cwd=own, env=place.environment)
        expect("the project with CMake", run(own / "build" / "pi", cwd=own, env=place.environment), ANSWER)
        print("one with make, one with CMake")


if __name__ == "__main__":
    main()
